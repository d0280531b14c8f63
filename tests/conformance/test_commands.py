"""The two commands around the vectors: what they do, and what they say where they cannot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engines.gin_rummy.melds import CARDS
from tests.conformance import complete, run
from tests.conformance.layout import laid_out
from tests.conformance.vectors import vector_of
from tests.server import Server


@pytest.mark.parametrize("game", ["take-that", "take_that"])
def test_a_game_is_run_by_its_name_or_its_folders(
    server: Server, game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.main(["--url", f"http://127.0.0.1:{server.port}/", "--game", game]) == 0
    assert capsys.readouterr().out.endswith(" passed, 0 failed\n")


def test_where_no_game_has_the_name_the_known_ones_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run.main(["--url", "http://127.0.0.1", "--game", "whist"])
    assert "'take-that', 'twin-it', 'twins')" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, ": No such file or directory"),
        ("[\n{]", ":2: not JSON: Expecting property name enclosed in double quotes, in column 2"),
        ("{}", ": a file of vectors is a list of cases, at least one"),
        ('[{"id": "twins-tie", "clauses": [], "request": {}}]', ": twins-tie: why and response missing"),
    ],
    ids=["missing", "not JSON", "no list", "half a case"],
)
def test_a_file_that_cannot_be_completed_is_named(
    tmp_path: Path, text: str | None, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ties.json"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit, match="2"):
        complete.main([str(file)])
    assert capsys.readouterr().err.endswith(f"error: {file}{why}\n")


def case(request: Any, response: Any) -> Any:
    return {"id": "one", "clauses": ["GR-1.1"], "why": "To try the tool.", "request": request, "response": response}


def posted(call: str, body: Any) -> Any:
    return {"method": "POST", "path": f"/{call}", "body": {"game": "gin-rummy", **body}}


def file_of(folder: Path, *cases: Any) -> Path:
    file = folder / "gin_rummy" / "vectors" / "some.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(cases), encoding="utf-8")
    return file


TABLE = {"phase": "discard", "turn": 0, "hands": [["AS", "2S", None], ["3S", None]], "discards": ["4S"]}
WORKED = {"game": "gin-rummy", "consistent": True, "faults": [], "unverified": ["GR-1.1"]}


def completed(file: Path) -> Any:
    assert complete.main([str(file)]) == 0
    text = file.read_text(encoding="utf-8")
    assert text == laid_out(json.loads(text))
    return json.loads(text)


def test_the_rest_of_the_pack_is_spelled_out(tmp_path: Path) -> None:
    hands = [["KS", "KD", "AS", "3S", "5S", "7S", "9S", "JS", "AH", "3H"]]
    hands += [["KH", "KC", "2S", "4S", "6S", "8S", "TS", "QS", "2H", "4H"]]
    deal = posted("deal", {"seats": 2, "deck": ["KS", "KH", "KD", "KC", "...rest"]})
    audit = posted("audit", {"state": {**TABLE, "stock": ["KS", "...rest"]}})
    faults = [{"rule": "GR-1.1", "code": "too-many-cards"}, {"rule": "GR-1.2", "code": "stock-too-big"}]
    file = file_of(
        tmp_path,
        case(deal, {"status": 200, "body": {"state": {"hands": hands}}}),
        case(audit, {"status": 200, "body": {"consistent": False, "faults": faults}}),
    )
    dealt, audited = (each["request"]["body"] for each in completed(file))
    kings = ("KS", "KH", "KD", "KC")
    assert dealt["deck"] == [*kings, *(card for card in CARDS if card not in kings)]
    shown = {"KS", "AS", "2S", "3S", "4S"}
    assert audited["state"]["stock"] == ["KS", *(card for card in CARDS if card not in shown)]


def test_what_follows_from_the_request_is_left_out_of_the_answer(tmp_path: Path) -> None:
    file = file_of(tmp_path, case(posted("audit", {"state": TABLE}), {"status": 200, "body": WORKED}))
    assert completed(file)[0]["response"]["body"] == {"consistent": True, "unverified": ["GR-1.1"]}


@pytest.mark.parametrize(
    ("status", "worked", "why"),
    [
        (200, {}, "expects nothing: work out what the rules demand"),
        (422, WORKED, "expected status 422, got 200: "),
        (200, {**WORKED, "consistent": False}, "/consistent: expected false, got true"),
        (200, {"consistent": True}, '/unverified: not shown, so it should be []; got ["GR-1.1"]'),
    ],
    ids=["nothing", "status", "wrong", "not shown"],
)
def test_nothing_is_written_where_the_referee_disagrees(
    tmp_path: Path, status: int, worked: Any, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = file_of(tmp_path, case(posted("audit", {"state": TABLE}), {"status": status, "body": worked}))
    before = file.read_text(encoding="utf-8")
    assert complete.main([str(file)]) == 1
    assert capsys.readouterr().out.startswith(f"some.json: one: {why}")
    assert file.read_text(encoding="utf-8") == before


def test_a_run_names_every_difference(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    request = posted("audit", {"state": TABLE})
    cases = [case(request, {"status": 200, "body": body}) for body in (WORKED, {**WORKED, "consistent": False})]
    monkeypatch.setattr(run, "vectors", lambda game: [vector_of(each, Path("some.json")) for each in cases])
    assert run.main(["--url", f"http://127.0.0.1:{server.port}", "--game", "gin-rummy"]) == 1
    assert capsys.readouterr().out == ("some.json: one: /consistent: expected false, got true\n1 passed, 1 failed\n")
