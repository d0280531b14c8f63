"""`referee`: what it prints, in which language, and with which status it exits."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from flask.testing import FlaskClient

from service.cli import main
from service.contract.calls import AnyCall
from service.contract.openapi.examples import examples
from service.judging.calls import CALLS, judged

TOO_DEAR: dict[str, Any] = {
    "game": "twins",
    "state": {"phase": "buying", "chips": [2, 12, 12, 12], "pot": 10, "dealer": 3, "bought": [None] * 4},
    "move": {"type": "buy", "seat": 0, "count": 2},
}
IN_ITALIAN = "Questo acquisto costa 3 gettoni e chi compra ne ha 2."


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
    assert printed(capfdbinary)["detail"] == "The file nowhere.json cannot be read."


TABLE = {"game": "twins", "state": TOO_DEAR["state"]}
BROKEN = {**TABLE, "state": {**TABLE["state"], "pot": 11}}


@pytest.mark.parametrize(
    ("call", "body", "status"),
    [
        ("deal", {"game": "twins", "seats": 4, "seed": "rain"}, 0),
        ("legal-moves", TABLE, 0),
        ("view", {**TABLE, "seat": 0}, 0),
        ("audit", TABLE, 0),
        ("audit", BROKEN, 1),
        ("legal-moves", BROKEN, 2),
        ("deal", {"game": "twins"}, 2),
    ],
)
def test_every_call_is_a_command_that_exits_by_its_answer(file: str, call: str, body: Any, status: int) -> None:
    Path(file).write_text(json.dumps(body), encoding="utf-8")
    assert main([call, file]) == status


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_a_command_prints_what_the_service_answers(
    call: AnyCall, client: FlaskClient, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    shown = next(each for each in examples(CALLS, judged, "twins") if each.call == call.name)
    file = tmp_path / "body.json"
    file.write_text(json.dumps(shown.request), encoding="utf-8")
    main([call.name, str(file)])
    assert printed(capfdbinary) == client.post(f"/{call.name}", json=shown.request).json


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


def test_the_contract_is_printed_for_clients_or_to_the_last_member(capsys: pytest.CaptureFixture[str]) -> None:
    paths = []
    for options in ([], ["--exact"]):
        assert main(["openapi", *options]) == 0
        paths.append(yaml.load(capsys.readouterr().out, Loader=yaml.CSafeLoader)["paths"].keys())
    assert paths[1] - paths[0] >= {"/livez", "/readyz", "/metrics", "/docs", "/openapi.yaml"}
