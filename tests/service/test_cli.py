"""`referee`: what it prints, in which language, and with which status it exits."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from service.cli import main

TOO_DEAR = {
    "game": "twins",
    "state": {"phase": "buying", "chips": [2, 12, 12, 12], "pot": 10, "dealer": 3, "bought": [None] * 4},
    "move": {"type": "buy", "seat": 0, "count": 2},
}
IN_ITALIAN = "Questo acquisto costa 3 e chi compra ha 2."


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A question whose answer is that the move is illegal."""
    path = tmp_path / "buy.json"
    path.write_text(json.dumps(TOO_DEAR), encoding="utf-8")
    return str(path)


@pytest.fixture(autouse=True)
def _shell_without_language(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def printed(capfdbinary: pytest.CaptureFixture[bytes]) -> Any:
    return json.loads(capfdbinary.readouterr().out)


def test_an_illegal_move_exits_with_1(file: str) -> None:
    assert main(["validate", file]) == 1


def test_a_legal_move_exits_with_0(file: str) -> None:
    Path(file).write_text(json.dumps({**TOO_DEAR, "move": {"type": "buy", "seat": 0, "count": 0}}), encoding="utf-8")
    assert main(["validate", file]) == 0


def test_a_file_that_is_not_there_is_a_problem_and_exits_with_2(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["validate", "nowhere.json"]) == 2
    assert printed(capfdbinary)["detail"] == "nowhere.json: No such file or directory"


@pytest.mark.parametrize("place", [0, 1, 2], ids=["first", "after the command", "last"])
def test_the_language_may_stand_anywhere(file: str, place: int, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    arguments = ["validate", file]
    arguments[place:place] = ["--language", "it"]
    main(arguments)
    assert [each["text"] for each in printed(capfdbinary)["violations"]] == [IN_ITALIAN]


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
def test_else_the_shells_language_is_spoken(
    shell: dict[str, str], title: str, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for name, value in shell.items():
        monkeypatch.setenv(name, value)
    assert main(["games"]) == 0
    assert title in {game["title"] for game in printed(capfdbinary)["games"]}


def test_it_tells_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", capsys.readouterr().out)
