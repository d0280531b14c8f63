"""`referee` on a real terminal (a pty): what it shows, and how a game is played."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any, Self

import pytest
from rich.console import Console

import engines
from service.cli import main
from service.cli.drawing import Drawing
from service.cli.reading import parts
from service.conformance import vectors_of
from service.contract.openapi.examples import examples
from service.judging.calls import judged
from service.sessions.stores import open_store
from service.web.phrases import messages
from service.web.strict_json import plain
from tests.server import ROOT, free_port

INK = re.compile(r"\x1b\[[0-9;]*m")
CLEARED = "\x1b[H\x1b[2J\x1b[3J"
KNOCK = next(each.request["body"] for each in vectors_of("gin-rummy") if each.id == "gin-knock-and-lay-off")


class Terminal:
    """Run a command on a terminal of 100 columns, in English. `written`: everything that it has written so far."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        self.screen, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        attributes = termios.tcgetattr(inside)
        attributes[3] &= ~termios.ECHO
        termios.tcsetattr(inside, termios.TCSANOW, attributes)
        kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "service.cli", *arguments],
            cwd=ROOT,
            env={**kept, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **variables},
            stdin=inside,
            stdout=inside,
            stderr=inside,
        )
        os.close(inside)
        self._bytes = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.screen)

    @property
    def written(self) -> str:
        return self._bytes.decode(errors="ignore").replace("\r\n", "\n")

    def shows(self, text: str, after: int = 0) -> str:
        """Wait until the command has written `text`. Return what it wrote from `after` on, without colours."""
        while text not in (read := INK.sub("", self.written[after:])):
            assert self._read(), f"it has ended without {text!r}: {read}"
        return read

    def enter(self, line: str) -> int:
        """Type a line. Return how much had been written before."""
        before = len(self.written)
        os.write(self.screen, f"{line}\n".encode())
        return before

    def ends(self) -> tuple[int, str]:
        """Wait for the end. Return the exit status and everything written, without colours."""
        while self._read():
            pass
        return self.process.wait(60), INK.sub("", self.written)

    def _read(self) -> bool:
        """Wait for more output. Return False if the command has closed the terminal."""
        assert select.select([self.screen], [], [], 60)[0], f"nothing more is written: {self.written}"
        try:
            piece = os.read(self.screen, 65_536)
        except OSError:  # the command has closed its end
            return False
        self._bytes += piece
        return bool(piece)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Return a function that runs a command as for a person, and returns its exit status and its output."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("service.cli._is_for_people", lambda: True)

    def run(*arguments: str) -> tuple[int, str]:
        status = main([*arguments, *(() if "--language" in arguments else ("--language", "en"))])
        return status, "".join(capfd.readouterr())

    return run


def test_on_a_terminal_an_answer_is_drawn_in_colour(filed: Callable[[Any], str]) -> None:
    with Terminal("resolve", filed(KNOCK)) as terminal:
        status, read = terminal.ends()
        assert "\x1b[31m" in terminal.written
    with Terminal("resolve", filed(KNOCK), NO_COLOR="1") as plainer:
        plainer.ends()
        assert "\x1b[31m" not in plainer.written
    assert status == 0
    assert "GR-5.1  Seat 0 knocks with 7 points of deadwood." in read
    assert "✓ legal" in read
    assert "│ ▸" not in read
    assert re.search(r"seat 0 +│ 4♠  5♠  6♠  9♥", read)
    assert max(map(len, read.splitlines())) <= 100
    with Terminal("resolve", filed(KNOCK), "--json") as asked:
        assert json.loads(asked.ends()[1])["applied"] == 2


def test_the_clause_that_forbids_a_move_is_quoted(
    filed: Callable[[Any], str], drawn: Callable[..., tuple[int, str]]
) -> None:
    state = {"phase": "buying", "chips": [2, 12, 12, 12], "pot": 10, "dealer": 3, "bought": [None] * 4}
    move = {"type": "buy", "seat": 0, "count": 2}
    status, read = drawn("--language", "fr", "validate", filed({"game": "twins", "state": state, "move": move}))
    assert status == 1
    assert [said for said in ("✗ interdit", "TW-2.3", "“") if said not in read] == []


@pytest.mark.parametrize("game", engines.registry())
@pytest.mark.parametrize("language", ["en", "it", "fr"])
def test_every_answer_is_readable(game: str, language: str) -> None:
    """Each example of the contract is shown with its rulings and their clauses, its views and its comparison."""
    said, words = messages(language)["terminal"], Drawing(engines.registry()[game], language).words
    for each in examples(game):
        console = Console(width=200, record=True, file=StringIO())
        all_of_it = {"compare": list(engines.registry()[game].rulesets), "views": [0, None]}
        more = all_of_it if each.operation == "/resolve" else {}
        answer = plain(judged(each.operation[1:], None, each.request | more, language))
        for part in parts(each.operation[1:], answer, each.request, language):
            console.print(part)
        written = " ".join(console.export_text().split())
        assert written
        for kind in ("events", "violations", "faults"):
            for ruling in answer.get(kind, ()):
                assert f"{ruling['rule']} {ruling['text']}"[:150] in written
        if "legal" in answer:
            assert said["legal" if answer["legal"] else "illegal"] in written
        for who in (said["seat"].format(seat=0), said["the-table"]) if "views" in answer else ():
            assert said["seen-by"].format(who=who) in written
        for other in answer.get("comparison") or ():
            assert f"{words[other['ruleset']]}:" in written


def test_a_table_is_drawn_from_its_state_alone() -> None:
    state = {"phase": "play", "turn": 1, "row": [34, 45], "hands": [[12, None], [None] * 5], "pile": [None] * 30}
    state |= {"scores": [[], []], "face_down": [[], [98]]}
    console = Console(width=90, record=True, file=StringIO())
    console.print(Drawing(engines.registry()["take-that"], "en", ["Anna", "Bob"]).table(state, [1], viewer=0))
    lines = [re.sub(" +", " ", line).strip("│ ") for line in console.export_text().splitlines()]
    assert lines[0] == "Take That · round in play"
    assert [line for line in lines if "Anna" in line or "Bob" in line] == ["Anna │ 12 ▒ │ –", "▸ Bob │ ▒×5 │ 98"]
    assert lines[-2:] == ["row: 34 45", "pile: ▒×30"]


def test_a_mistake_games_and_rulebooks_are_drawn(drawn: Callable[..., tuple[int, str]]) -> None:
    assert drawn("view", "nowhere.json") == (2, "referee view: nowhere.json: The file nowhere.json cannot be read.\n")
    assert re.search(r"│ twins +│ Twins +│ 3, 4, 5, 6 +│ standard", drawn("games")[1])
    _, read = drawn("rulebook", "take-that")
    assert ("TT-1.1" in read, "###" in read) == (True, False)


def test_a_batch_is_a_command(filed: Callable[[Any], str], drawn: Callable[..., tuple[int, str]]) -> None:
    requests = [{"id": "a", "path": "/resolve", "body": KNOCK}, {"path": "/view", "body": {"game": "whist"}}]
    status, read = drawn("batch", filed({"requests": requests}))
    assert status == 0
    assert re.findall(r"── .*: .*", read) == ["── a: /resolve (200)", "── 1: /view (400)"]


# --- replay ------------------------------------------------------------------------


def test_a_series_of_moves_is_replayed_step_by_step(filed: Callable[[Any], str]) -> None:
    with Terminal("replay", filed(KNOCK)) as terminal:
        assert "knocks" not in terminal.shows("Enter goes on")
        after = terminal.enter("")
        assert "Seat 0 knocks with 7" in terminal.shows("Enter goes on", after)
        terminal.enter("")
        status, read = terminal.ends()
    assert status == 0
    assert "seat 1 · lay off cards" in read


@pytest.mark.parametrize("key", ["q\n", "\x04"], ids=["q", "the end of the input"])
def test_a_replay_can_be_left(key: str, filed: Callable[[Any], str]) -> None:
    with Terminal("replay", filed(KNOCK)) as terminal:
        terminal.shows("Enter goes on")
        os.write(terminal.screen, key.encode())
        status, read = terminal.ends()
    assert status == 0
    assert "knocks" not in read


def test_a_piped_replay_is_json_and_stops_at_an_illegal_move(
    filed: Callable[[Any], str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", filed(KNOCK)]) == 0
    steps = json.loads(capfd.readouterr().out)["steps"]
    assert [step["move"] and step["move"]["type"] for step in steps] == [None, "knock", "lay-off"]
    assert steps[-1]["state"]["scores"] == [28, 0]
    assert main(["replay", filed({**KNOCK, "moves": KNOCK["moves"][::-1]})]) == 1
    (_, stopped) = json.loads(capfd.readouterr().out)["steps"]
    assert stopped["violations"]


@pytest.mark.parametrize("body", [[], {"moves": []}, {"game": "twins", "moves": 1}])
def test_a_body_that_is_no_game_is_not_replayed(
    body: Any, filed: Callable[[Any], str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", filed(body)]) == 2
    assert "neither a body of resolve nor a transcript" in capfd.readouterr().err


# --- play --------------------------------------------------------------------------


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return a function that plays a game without a terminal and returns its output. `lines`: the typed lines."""
    monkeypatch.setenv("COLUMNS", "120")

    def play(*arguments: str, lines: str = "") -> str:
        monkeypatch.setattr("sys.stdin", StringIO(lines))
        assert main(["--language", "en", "play", *arguments]) == 0
        out, err = capfd.readouterr()
        assert err == ""
        return out

    return play


@pytest.mark.parametrize("game", ["take-that", "twin-it", "twins"])
def test_a_game_is_played_to_its_end_at_random_by_its_seed(
    game: str, played: Callable[..., str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.json"
    written = played(game, "--people", "0", "--seed", "rain", "--save", str(file))
    assert re.search(r"The game is over \([A-Z]+-\d+\.\d+\)\.\nSeed: rain\n$", written)
    assert played(game, "--people", "0", "--seed", "rain") == written
    assert main(["replay", str(file)]) == 0
    assert json.loads(capfd.readouterr().out)["steps"][-1]["result"] is not None


def test_a_game_is_set_up_with_the_options_of_deal(played: Callable[..., str], tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    teams = ("--seats", "4", "--ruleset", "team", "--setup", '{"teams": [0, 1, 1, 0]}')
    played("twin-it", *teams, "--seed", "rain", "--save", str(file), lines="q\n")
    assert json.loads(file.read_text())["state"]["teams"] == [0, 1, 1, 0]


def test_a_person_chooses_by_number_by_cards_and_by_json(played: Callable[..., str], tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    move = '{"type": "lay", "seat": 0, "card": 19}'
    written = played(
        "take-that", "--seats", "3", "--seed", "rain", "--save", str(file), lines=f"{move}\nTT-2.1\n98\n0\nq\n"
    )
    saved = json.loads(file.read_text(encoding="utf-8"))
    assert saved["moves"][0] == json.loads(move)
    assert len([each for each in saved["moves"] if each["seat"] == 0]) == 1
    assert written.count("No legal move is of these cards") == 2
    assert Drawing(engines.registry()["take-that"], "en").clauses["TT-2.1"].split(".")[0][:60] in written.replace(
        "\n", " "
    )


def test_an_illegal_move_is_explained_and_asked_for_again(played: Callable[..., str]) -> None:
    written = played(
        "twins", "--seed", "rain", lines='{"type": "play", "seat": 0, "cards": ["blue-1", "blue-2"]}\n{"a"\nq\n'
    )
    assert "TW-2.1  The first trick begins when everyone has bought or declined." in written
    assert "“Before trick 1 of a hand there is one round of buying." in written
    assert "The body is not JSON" in written


def test_each_player_sees_only_their_own_hand() -> None:
    """Both players are people, and neither sees a card of the other's hand."""
    dealt = plain(judged("deal", "take-that", {"seats": 2, "seed": "rain"}, "en"))
    hands = dealt["state"]["hands"]
    arguments = ("play", "take-that", "--people", "2", "--names", "Anna,Bob", "--seed", "rain")
    with Terminal(*arguments) as terminal:
        terminal.shows("Anna looks now")
        start = terminal.enter("")
        anna = terminal.shows("Anna, 1–9:", start)
        turn = terminal.enter("1")
        terminal.shows("Bob looks now", turn)
        passed = terminal.written[turn:]
        assert CLEARED in passed
        assert not set(re.findall(r"\d\d", INK.sub("", passed))) & {str(card) for card in (*hands[0], *hands[1])}
        start = terminal.enter("")
        bob = terminal.shows("Bob, 1–", start)
        terminal.enter("q")
        assert terminal.ends()[0] == 0
    drawn = {
        name: set(re.findall(r"\b\d\d\b", screen.split("cards that may follow")[0]))
        for name, screen in (("Anna", anna), ("Bob", bob))
    }
    assert {str(card) for card in hands[0]} <= drawn["Anna"]
    assert not {str(card) for card in hands[1]} & drawn["Anna"]
    assert {str(card) for card in hands[1]} <= drawn["Bob"]
    laid = str(min(hands[0]))  # the first card of the list
    assert {str(card) for card in hands[0]} & drawn["Bob"] <= {laid}


def test_ctrl_c_ends_a_game_and_saves_it(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what runs in the background
    with Terminal("play", "take-that", "--seed", "rain", "--save", str(file)) as terminal:
        terminal.shows("seat 0, 1–")
        terminal.process.send_signal(signal.SIGINT)
        with suppress(OSError):  # the command has ended
            terminal.enter("")  # wakes a read that began just before the signal
        status, read = terminal.ends()
    assert status == 130
    assert read.endswith("Seed: rain\n")
    assert json.loads(file.read_text(encoding="utf-8"))["moves"] == []


def test_a_file_that_cannot_be_written_is_refused_before_the_game(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "nowhere" / "game.json"
    assert main(["play", "twins", "--people", "0", "--save", str(file)]) == 2
    assert capfd.readouterr() == ("", f"referee play: [Errno 2] No such file or directory: '{file}'\n")


def test_a_claim_of_twin_it_is_made_by_its_cards(played: Callable[..., str], tmp_path: Path) -> None:
    """From this seed, two tops match after three flips; one of two people names them."""
    file = tmp_path / "game.json"
    arguments = ("twin-it", "--people", "2", "--seed", "rain", "--save", str(file))
    played(*arguments, lines="\n1\n" * 3 + "\n10B 26A\nq\n")
    saved = json.loads(file.read_text(encoding="utf-8"))["moves"]
    assert [move["type"] for move in saved] == ["flip"] * 3 + ["claim"]
    assert [hand["card"] for hand in saved[-1]["hands"]] == ["26A", "10B"]


@pytest.mark.parametrize(
    "arguments", [["--seats", "9"], ["--people", "7"], ["--ruleset", "whist"], ["--names", "Anna"]]
)
def test_an_impossible_table_is_refused_in_a_line(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--language", "en", "play", "twins", *arguments]) == 2
    error = capfd.readouterr().err
    assert error.startswith("referee play: ")
    assert error.count("\n") == 1


# --- doctor ------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a store that does not exist yet. All settings are valid."""
    monkeypatch.setenv("REFEREE_STORE_URL", f"sqlite:///{tmp_path}/sessions.sqlite3")
    monkeypatch.setenv("REFEREE_PORT", str(free_port()))
    return tmp_path


def diagnosed(capfd: pytest.CaptureFixture[str]) -> tuple[int, dict[str, bool], Any]:
    status = main(["--language", "en", "doctor"])
    answer = json.loads(capfd.readouterr().out)
    return status, {each["name"]: each["good"] for each in answer["checks"]}, answer


def test_the_doctor_creates_nothing_and_finds_what_is_wrong(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    status, checks, answer = diagnosed(capfd)
    assert (status, checks) == (0, {"settings": True, "store": True, "address": True})
    assert list(folder.iterdir()) == []
    assert answer["versions"]["Python"] == sys.version.split()[0]
    open_store(os.environ["REFEREE_STORE_URL"]).close()
    assert diagnosed(capfd)[1]["store"]
    with monkeypatch.context() as patched:
        patched.setenv("REFEREE_HOST", "::1")
        assert diagnosed(capfd)[2]["checks"][2]["detail"].startswith("[::1]:")
    (folder / "sessions.sqlite3").write_bytes(b"no database" * 1000)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("REFEREE_PORT", str(taken.getsockname()[1]))
        status, checks, _ = diagnosed(capfd)
    assert (status, checks) == (1, {"settings": True, "store": False, "address": False})


@pytest.mark.usefixtures("folder")
def test_the_doctor_names_an_invalid_setting_and_an_unknown_one_and_shows_no_secret(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("REFEREE_STORE_URI", "redis://127.0.0.1:6379/0")
    assert main(["doctor"]) == 0
    assert capfd.readouterr().err == "REFEREE_STORE_URI: no setting has this name\n"
    monkeypatch.setenv("REFEREE_TOKEN_KEYS", "k" * 40)
    monkeypatch.setenv("REFEREE_WORKERS", "many")
    status, checks, answer = diagnosed(capfd)
    drawn = request.getfixturevalue("drawn")
    assert (status, checks["settings"]) == (1, False)
    assert "REFEREE_WORKERS" in answer["checks"][0]["detail"]
    assert answer["settings"]["REFEREE_TOKEN_KEYS"] == "…"
    status, read = drawn("doctor")
    assert status == 1
    assert "✗ REFEREE_WORKERS: 'many' is not a whole number" in read
    assert "k" * 40 not in read


@pytest.mark.usefixtures("folder")
def test_the_doctor_says_once_that_the_store_is_unavailable() -> None:
    away = os.environ | {"REFEREE_STORE_URL": f"redis://127.0.0.1:{free_port()}/0"}
    command = [sys.executable, "-m", "service.cli", "--language", "en", "doctor"]
    done = subprocess.run(command, env=away, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert "does not take what a move writes" in done.stdout
