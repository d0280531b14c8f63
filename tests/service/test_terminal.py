"""What `referee` writes where a person reads it: on a terminal."""

import json
import os
import pty
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from flask.testing import FlaskClient

import engines
from service.cli import main
from service.cli.terminal import lines
from service.conformance import vectors_of
from service.contract.openapi.examples import examples
from service.judging.calls import judged
from service.judging.games import rulebook
from service.strict_json import plain
from service.words.languages import LANGUAGES
from service.words.wording import STEERING
from tests.long import long
from tests.server import ROOT
from tests.service.sessions.tables import open_session

KNOCK = next(each.request["body"] for each in vectors_of("gin-rummy") if each.id == "gin-knock-and-lay-off")


@pytest.fixture
def run_command(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Return a function that runs a command as for a person, and returns its exit status and its output."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("service.cli._is_for_people", lambda: True)

    def run(*arguments: str) -> tuple[int, str]:
        status = main(["--language", "en", *arguments])
        return status, "".join(capfd.readouterr())

    return run


def output_on_a_terminal(*arguments: str) -> str:
    """What a command writes on a real terminal (a pty)."""
    screen, inside = pty.openpty()
    command = [sys.executable, "-m", "service.cli", "--language", "en", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdin=inside, stdout=inside, stderr=inside):
        os.close(inside)
        output = b""
        with suppress(OSError):  # the command has closed its end
            while piece := os.read(screen, 65_536):
                output += piece
    os.close(screen)
    return output.decode(errors="surrogateescape").replace("\r\n", "\n")


def test_a_terminal_shows_sentences_unless_json_is_wanted(write_body: Callable[[Any], str]) -> None:
    assert output_on_a_terminal("resolve", write_body(KNOCK)).startswith(
        "GR-5.1  Seat 0 knocks with 7 points of deadwood: A♥, A♦, 2♦ and 3♣.\n"
    )
    assert json.loads(output_on_a_terminal("resolve", write_body(KNOCK), "--json"))["applied"] == 2


STEERING_TEXT = "\x1b[2J\r\u202e\x9b31m\x7f\u2066x"  #: What could change the screen, or the order of what is read.
TABLE = {"phase": "buying", "chips": [12, 12], "pot": 2, "dealer": 1, "bought": [None, None]}
HOSTILE_FILES: dict[str, tuple[str, Any]] = {
    "the name of a member": ("audit", {"game": "twins", "state": {**TABLE, STEERING_TEXT: 1}}),
    "the name of a member of a transcript": ("verify", {STEERING_TEXT: 1, "deal": {STEERING_TEXT: STEERING_TEXT}}),
    "a game": ("deal", {"game": STEERING_TEXT, "seats": 2}),
    "a seed": ("deal", {"game": "twins", "seats": 2, "seed": STEERING_TEXT}),
    "a design": ("deal", {"game": "twin-it", "seats": 2, "designs": [["egg", STEERING_TEXT]]}),
    "the id of an entry": ("batch", {"requests": [{"id": STEERING_TEXT, "path": "/deal", "body": {}}]}),
    "the id of a line": ("judge", {"id": STEERING_TEXT, "path": "/deal", "body": {STEERING_TEXT: 1}}),
}


def assert_harmless(output: str) -> None:
    """No line has a character that steers a terminal, such as an escape or a change of direction."""
    steering = [line for line in output.split("\n") if STEERING.search(line)]
    assert steering == []


@pytest.mark.parametrize("what", HOSTILE_FILES)
@pytest.mark.parametrize("options", [[], *long(["--json"])], ids=["sentences", "json"])
def test_no_text_of_a_file_steers_the_terminal(what: str, options: list[str], write_body: Callable[[Any], str]) -> None:
    call, body = HOSTILE_FILES[what]
    output = output_on_a_terminal(*options, call, write_body(body))
    assert output
    assert_harmless(output)


def test_no_name_of_a_member_of_a_transcript_overwrites_the_terminal_with_a_claim_of_proof(
    client: FlaskClient, write_body: Callable[[Any], str]
) -> None:
    """Such a name is tried as a member that no transcript has, and in the pointer of an entry that was changed."""
    table = open_session(client, "gin-rummy", seats=2)
    transcript = table.get("host", "/transcript").get_json()
    mark = "\x1b[2K\r\u2713 The transcript is proved"
    for hostile in ({**transcript, mark: 1}, {**transcript, "entries": [{mark: {}}]}):
        assert_harmless(output_on_a_terminal("verify", write_body(hostile)))


ARGUMENTS = {
    "a file": ["resolve", f"nowhere{STEERING_TEXT}.json"],
    "a file of requests": ["judge", f"nowhere{STEERING_TEXT}.json"],
    "a file with a bad byte": ["resolve", "nowhere\udc9b.json"],
    "a backup": ["restore", "--store", "sqlite:///nowhere.sqlite3", f"nowhere{STEERING_TEXT}"],
    "a command": [STEERING_TEXT],
    "an option": ["games", f"--{STEERING_TEXT}"],
    "a game": ["rulebook", STEERING_TEXT],
    "an address": ["test", f"nowhere{STEERING_TEXT}"],
    "a host": ["test", f"http://127.0.0.1:1/{STEERING_TEXT}"],
    "a port of agents": ["mcp", "--http", STEERING_TEXT],
}


@pytest.mark.parametrize("what", ARGUMENTS)
def test_no_argument_steers_the_terminal(what: str) -> None:
    output = output_on_a_terminal(*ARGUMENTS[what])
    assert output
    assert_harmless(output)


@contextmanager
def answering(answer: bytes) -> Iterator[int]:
    """The port of a server that gives the same bytes to every client."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    client, _ = server.accept()
                    with client, suppress(OSError):
                        client.recv(65_536)
                        client.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


RULING = json.dumps({"violations": [{"code": STEERING_TEXT, "rule": STEERING_TEXT}]}, ensure_ascii=False).encode()
SERVERS = {
    "a status line": b"HTTP/1.1 \x1b[2J\xc2\x9b31m \xe2\x80\xae\r\n\r\n",
    "no status line": b"\x1b[2J\r\xc2\x9b31m\n",
    "a body": b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(RULING), RULING),
}


@pytest.mark.parametrize("what", SERVERS)
def test_no_server_under_test_steers_the_terminal(what: str) -> None:
    with answering(SERVERS[what]) as port:
        output = output_on_a_terminal("test", f"http://127.0.0.1:{port}", "--only", "twins")
    assert output
    assert_harmless(output)


def test_no_store_steers_the_terminal_of_the_doctor(monkeypatch: pytest.MonkeyPatch) -> None:
    with answering("-ERR \x1b[2J\u202e\x9b31m\r\n".encode() * 20) as port:
        monkeypatch.setenv("REFEREE_STORE_URL", f"redis://127.0.0.1:{port}/0")
        monkeypatch.setenv(f"REFEREE_{STEERING_TEXT}", "x")
        output = output_on_a_terminal("doctor")
    assert "REFEREE_" in output
    assert_harmless(output)


def test_commands_write_through_one_module() -> None:
    """`terminal.py` cleans what it writes. One other line writes, and that to a file of JSON Lines."""
    writing = re.compile(r"\bprint\(|\becho\(|\.write\(|secho|sys\.std(out|err)\.buffer")
    named = ("bulk.py", "conformance.py", "agents/__init__.py")
    commands = (f"sessions/{name}.py" for name in ("backup", "inspection", "verifying"))
    files = [*(ROOT / "service/cli").glob("*.py"), *(ROOT / "service" / name for name in (*named, *commands))]
    lines_that_write = {
        f"{file.name}: {line.strip()}"
        for file in files
        if file.name != "terminal.py"
        for line in file.read_text("utf-8").splitlines()
        if writing.search(line)
    }
    assert lines_that_write == {"bulk.py: out.write(responses)"}


def test_an_answer_is_sentences_then_standings_then_the_rest_as_json(
    write_body: Callable[[Any], str], run_command: Callable[..., tuple[int, str]]
) -> None:
    status, text = run_command("resolve", write_body({**KNOCK, "names": ["Ann", "Ben"]}))
    *sentences, first, second = text.partition("\n{")[0].splitlines()
    assert status == 0
    assert [sentence.split()[0] for sentence in sentences] == ["GR-5.1", "GR-6.1", "GR-7.1", "GR-7.1"]
    assert (first, second) == ("1. Ann: 28", "2. Ben: 0")
    rest = json.loads(text[text.index("\n{") :])
    assert (rest["legal"], rest["state"]["scores"]) == (True, [28, 0])
    assert {"events", "standings"}.isdisjoint(rest)


def test_a_comparison_is_shown_with_the_rulings_and_standings_under_each_ruleset() -> None:
    """Three seats tie for one prize in the second trick of Twins. The rulesets disagree on who is paid."""
    state = {"phase": "trick", "trick": 2, "chips": [10, 10, 10, 9, 9], "pot": 12}
    plays = [["blue-9", "yellow-9"], ["brown-3", "blue-3"], ["green-3", "yellow-3"], ["pink-3", "purple-3"], None]
    move = {"type": "play", "seat": 4, "cards": ["green-4", "blue-1"]}
    body = {"game": "twins", "state": {**state, "plays": plays}, "moves": [move], "compare": ["italian", "french"]}
    text = list(lines(plain(judged("resolve", None, body, "en")), None, "en", 100))
    italian, french = text.index("italian:"), text.index("french:")
    assert "TW-5.2  Seat 1 wins 3 chips" in "\n".join(text[italian:french])
    assert text[french - 5 : french] == [
        "1. seat 0: 13",
        "1. seat 1: 13",
        "1. seat 2: 13",
        "4. seat 3: 12",
        "5. seat 4: 9",
    ]
    ends = text.index("{")
    assert text[ends - 5 : ends] == ["1. seat 0: 13", "2. seat 1: 10", "2. seat 2: 10", "4. seat 3: 9", "4. seat 4: 9"]


def test_the_standings_of_teams_name_each_team() -> None:
    standings = [{"team": 0, "score": 3, "rank": 1}, {"team": 1, "score": 2, "rank": 2}]
    assert list(lines({"standings": standings}, None, "fr", 80)) == ["1. l'équipe 0: 3", "2. l'équipe 1: 2", "{}"]


def test_json_that_fits_is_written_on_one_line_and_a_list_of_values_always_is() -> None:
    answer = {"hands": [["AS", "KS"], ["2H"]], "pile": ["TS"] * 9, "detail": "The deal is done."}
    assert list(lines(answer, None, "en", 200)) == [json.dumps(answer)]
    assert list(lines(answer, None, "en", 30)) == [
        "{",
        '  "hands": [["AS", "KS"], ["2H"]],',
        f'  "pile": {json.dumps(answer["pile"])},',
        '  "detail": "The deal is done."',
        "}",
    ]


def test_the_clause_that_forbids_a_move_is_quoted(
    write_body: Callable[[Any], str], run_command: Callable[..., tuple[int, str]]
) -> None:
    state = {"phase": "buying", "chips": [2, 12, 12, 12], "pot": 10, "dealer": 3, "bought": [None] * 4}
    move = {"type": "buy", "seat": 0, "count": 2}
    status, text = run_command("validate", write_body({"game": "twins", "state": state, "move": move}))
    assert status == 1
    assert re.match(
        r"TW-2\.3  This purchase costs 3 chips, and the buyer has 2\.\n  “Nobody buys on credit: .*”\n", text
    )


@pytest.mark.parametrize("game", engines.registry())
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_ruling_of_every_answer_is_shown(game: str, language: str) -> None:
    clauses = {clause.id: clause.text for clause in rulebook(engines.registry()[game], language).clauses}
    for example in examples(game):
        answer = plain(judged(example.operation[1:], None, example.request, language))
        text = list(lines(answer, None, language, 100))
        for ruling in answer.get("events", ()):
            assert f"{ruling['rule']}  {ruling['text']}" in text
        for ruling in [*answer.get("violations", ()), *answer.get("faults", ())]:
            after = text.index(f"{ruling['rule']}  {ruling['text']}") + 1
            assert text[after] == f"  “{clauses[ruling['rule']]}”"


def test_the_clause_that_stops_a_resolution_is_quoted() -> None:
    stopped = next(each for each in vectors_of("gin-rummy") if each.response["body"].get("undetermined"))
    answer = plain(judged("resolve", None, stopped.request["body"], "en"))
    text = list(lines(answer, None, "en", 100))
    stop = answer["undetermined"]
    assert text[text.index(f"{stop['rule']}  {stop['text']}") + 1].startswith("  “")


def test_a_rulebook_is_markdown(run_command: Callable[..., tuple[int, str]]) -> None:
    status, text = run_command("rulebook", "take-that")
    assert (status, text.splitlines()[0]) == (0, "# Take That")
    assert "TT-1.1" in text


def test_a_mistake_is_one_line_without_json(run_command: Callable[..., tuple[int, str]]) -> None:
    assert run_command("view", "nowhere.json") == (
        2,
        "referee view: nowhere.json: The file nowhere.json cannot be read.\n",
    )


def test_a_legal_move_is_shown_in_words_with_what_is_posted_below() -> None:
    state = {"phase": "buying", "chips": [12, 12, 12], "pot": 0, "dealer": 2, "bought": [None, None, None]}
    answer = plain(judged("legal-moves", None, {"game": "twins", "state": state}, "it"))
    assert list(lines(answer, None, "it", 100))[:2] == [
        "Non comprare carte",
        '  {"type": "buy", "seat": 0, "count": 0}',
    ]
