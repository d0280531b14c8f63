"""`referee` without a terminal: what it prints, in which language, and its exit status."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

import engines
from service.cli import main
from service.contract.openapi.examples import examples
from service.contract.rows import AnyCall
from service.judging.calls import CALLS
from tests.server import ROOT

TABLE: dict[str, Any] = {
    "game": "twins",
    "state": {"phase": "buying", "chips": [2, 12, 12, 12], "pot": 10, "dealer": 3, "bought": [None] * 4},
}
FAULTY_TABLE = {**TABLE, "state": {**TABLE["state"], "pot": 11}}
TOO_DEAR = {**TABLE, "move": {"type": "buy", "seat": 0, "count": 2}}
NOTHING_BOUGHT = {**TABLE, "move": {"type": "buy", "seat": 0, "count": 0}}
IN_ITALIAN = "Questo acquisto costa 3 gettoni e chi compra ne ha 2."


@pytest.fixture(autouse=True)
def _shell_without_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run every command in a shell that sets no language."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def printed_json(capfdbinary: pytest.CaptureFixture[bytes]) -> Any:
    """What was printed, parsed."""
    return json.loads(capfdbinary.readouterr().out)


@pytest.mark.parametrize(
    ("call", "body", "status"),
    [
        ("deal", {"game": "twins", "seats": 4, "seed": "rain"}, 0),
        ("validate", NOTHING_BOUGHT, 0),
        ("validate", TOO_DEAR, 1),
        ("legal-moves", TABLE, 0),
        ("view", {**TABLE, "seat": 0}, 0),
        ("audit", TABLE, 0),
        ("audit", FAULTY_TABLE, 1),
        ("legal-moves", FAULTY_TABLE, 2),
        ("deal", {"game": "twins"}, 2),
    ],
)
def test_every_call_is_a_command_whose_exit_status_depends_on_its_answer(
    write_body: Callable[[Any], str], call: str, body: Any, status: int
) -> None:
    assert main([call, write_body(body)]) == status


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_a_command_prints_what_the_service_answers(
    call: AnyCall, client: FlaskClient, write_body: Callable[[Any], str], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    shown = next(each for each in examples("twins") if each.operation == f"/{call.name}")
    main([call.name, write_body(shown.request)])
    assert printed_json(capfdbinary) == client.post(f"/{call.name}", json=shown.request).json


@pytest.mark.parametrize("place", [0, 1, 2], ids=["first", "after the command", "last"])
def test_the_language_option_may_come_anywhere(
    write_body: Callable[[Any], str], place: int, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    arguments = ["validate", write_body(TOO_DEAR)]
    arguments[place:place] = ["--language", "it"]
    main(arguments)
    assert [each["text"] for each in printed_json(capfdbinary)["violations"]] == [IN_ITALIAN]


@pytest.mark.parametrize(
    ("shell", "title"),
    [
        ({}, "Gin rummy"),
        ({"LANG": "fr_FR.UTF-8"}, "Gin rami"),
        ({"LC_MESSAGES": "fr_FR.UTF-8", "LANG": "en_GB.UTF-8"}, "Gin rami"),
        ({"LC_ALL": "C", "LC_MESSAGES": "fr_FR.UTF-8", "LANG": "fr_FR.UTF-8"}, "Gin rummy"),
        ({"LC_ALL": "", "LANG": "fr_FR.UTF-8"}, "Gin rami"),
    ],
)
def test_by_default_the_language_is_that_of_the_shell(
    shell: dict[str, str], title: str, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for name, value in shell.items():
        monkeypatch.setenv(name, value)
    assert main(["games"]) == 0
    assert title in {game["title"] for game in printed_json(capfdbinary)["games"]}


def test_the_command_prints_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?( \([0-9a-f]{40}\))?\n", capsys.readouterr().out)


def test_the_contract_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["openapi"]) == 0
    assert capsys.readouterr().out == (ROOT / "openapi.yaml").read_text(encoding="utf-8")


# --- mistakes ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["rulebok"], "No such command 'rulebok'. Did you mean 'rulebook'?"),
        (["resolve", "--jsn", "-"], "No such option '--jsn'. Did you mean '--json'?"),
        (["resolve"], "Missing argument 'FILE'."),
        (["--language", "nl", "games"], "Invalid value for '--language': 'nl' is not one of 'en', 'it', 'fr', 'de'."),
        (
            ["rulebook", "twin"],
            f"Invalid value for 'GAME': 'twin' is not one of {', '.join(map(repr, engines.registry()))}.",
        ),
        (["judge", "-", "--processes", "x"], "Invalid value for '--processes': 'x' is not a valid integer range."),
        (["verify", "-", "--commitment", "12"], "Invalid value for '--commitment': 64 digits from 0 to f"),
    ],
)
def test_a_wrong_argument_is_named_together_with_the_right_ones(
    arguments: list[str], error: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.endswith(f"Error: {error}\n")


def test_a_new_game_is_not_written_into_an_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("service.seeds.ROOT", tmp_path)
    assert main(["new-game", "old-maid"]) == 2
    assert capsys.readouterr().err.endswith("run .venv/bin/referee in a checkout\n")
    assert list(tmp_path.iterdir()) == []


def test_a_mistake_is_one_line_on_standard_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "broken.json"
    file.write_text('{\n  "game": "twins"\n  "state": {}}', encoding="utf-8")
    assert main(["audit", str(file)]) == 2
    output = capfd.readouterr()
    assert output.err == f"referee audit: {file}: The body is not JSON: expecting a comma (line 3, column 3)\n"
    assert json.loads(output.out)["type"] == "/problems/malformed-json"
    assert main(["validate", "nowhere.json"]) == 2
    assert json.loads(capfd.readouterr().out)["detail"] == "The file nowhere.json cannot be read."


@pytest.mark.parametrize("call", ["resolve", "batch", "verify"])
def test_a_file_of_3_gb_is_not_read(call: str, tmp_path: Path) -> None:
    """The command has less memory than that."""
    file = tmp_path / "large.json"
    with file.open("wb") as stream:
        stream.truncate(3 << 30)
    shell = f'ulimit -v 2000000; exec "{sys.executable}" -m service.cli {call} "{file}"'
    done = subprocess.run(["sh", "-c", shell], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"referee {call}: {file}: The file {file} has more than 64 MiB.\n"
    assert json.loads(done.stdout)["status"] == 413


def test_a_file_of_the_largest_size_is_read(write_body: Callable[[Any], str], monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_body(NOTHING_BOUGHT)
    size = Path(file).stat().st_size
    for largest, status in ((size, 0), (size - 1, 2)):
        monkeypatch.setattr("service.cli.LARGEST_FILE", largest)
        assert main(["validate", file]) == status


def test_every_error_of_a_body_gets_a_line(write_body: Callable[[Any], str], capfd: pytest.CaptureFixture[str]) -> None:
    state = {"phase": "buying", "chips": [12, 12], "pot": -1}
    assert main(["legal-moves", write_body({"game": "twins", "state": state})]) == 2
    lines = capfd.readouterr().err.splitlines()
    assert [line.split(": ")[2] for line in lines] == ["/state/chips", "/state/pot"]


def test_a_closed_pipe_is_no_mistake() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "service.cli", "rulebook", "twins"]
    done = subprocess.run(command, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, check=True)
    os.close(writing)
    assert done.stderr == b""


def test_a_closed_standard_input_cannot_be_read() -> None:
    command = f"{sys.executable} -m service.cli --language en deal - <&-"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "referee deal: The file - cannot be read.\n")


# --- completion, help ----------------------------------------------------------------


COMPLETIONS = {
    "ru": "rulebook",
    "rulebook tw": "twin-it twins",
    "judge requests.jsonl --re": "--resume",
    "--language ''": "en it fr de",
}


def test_bash_completes_commands_options_and_games(tmp_path: Path) -> None:
    file, command = tmp_path / "completion", tmp_path / "referee"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m service.cli "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    script = f"referee completion bash > {file} && source {file}\n"
    for words in COMPLETIONS:
        script += f"""
            COMPREPLY=() COMP_WORDS=(referee {words}) COMP_CWORD={len(words.split())}
            $(complete -p referee | grep -o '_[a-z_]*') referee
            echo ${{COMPREPLY[@]}}"""
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == list(COMPLETIONS.values())


@pytest.mark.parametrize("shell", ["zsh", "fish", "powershell"])
def test_other_shells_complete_too(shell: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capfd.readouterr().out
    assert "_REFEREE_COMPLETE" in script
    assert f"{shell}_complete" in script


def test_the_help_of_deal_names_what_the_setups_of_all_games_take(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deal", "--help"]) == 0
    assert "an object with game, seats, ruleset, dealer, deck, seed, names" in capsys.readouterr().out


def test_every_command_shows_examples_that_are_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    commands = re.findall(r"^  ([a-z-]+)  ", capsys.readouterr().out, re.MULTILINE)
    assert {"verify", "doctor", "batch", "completion", *(call.name for call in CALLS)} <= set(commands)
    for command in commands:
        assert main([command, "--help"]) == 0
        shown = re.findall(r"\breferee (?:--language \w+ )?([a-z-]+)", capsys.readouterr().out.partition("example")[2])
        assert set(shown) <= set(commands), command
