"""The two commands around the vectors: what they do, and what they say where they cannot."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engines.gin_rummy.melds import CARDS
from service import cli, conformance, seeds
from tests.conformance import complete
from tests.conformance.layout import laid_out
from tests.server import Server, free_port


def test_every_part_is_tried_on_a_server_and_reported(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["test", f"http://127.0.0.1:{server.port}/"]) == 0
    counted = Counter(vector.part for part in conformance.parts() for vector in conformance.vectors_of(part))
    rows = (line.split() for line in capsys.readouterr().out.splitlines())
    assert {part: int(passed) for part, passed, _, failed, _ in rows if failed == "0"} == counted


def test_a_part_that_is_not_there_is_refused_and_the_known_ones_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["test", "http://127.0.0.1", "--only", "whist"]) == 2
    known = ", ".join(map(repr, conformance.parts()))
    assert f"'--only': 'whist' is not one of {known}." in capsys.readouterr().err


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "ftp://127.0.0.1", "http://"])
def test_what_is_no_address_of_a_server_is_refused(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["test", url]) == 2
    assert f"'{url}' is no address such as http://127.0.0.1:8000" in capsys.readouterr().err


@pytest.mark.parametrize("port", ["free", "none"])
def test_a_server_that_does_not_answer_exits_with_2_and_one_line(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"http://127.0.0.1:{free_port() if port == 'free' else port}"
    assert cli.main(["test", url, "--only", "http"]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"referee test: {url}: ")
    assert output.err.count("\n") == 1


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


def file_of(folder: Path, *cases: Any, part: str = "gin_rummy") -> Path:
    file = folder / part / "vectors" / "some.json"
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


@pytest.fixture
def one_agrees_and_one_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    request, file = posted("audit", {"state": TABLE}), Path("gin_rummy/vectors/some.json")
    cases = [case(request, {"status": 200, "body": body}) for body in (WORKED, {**WORKED, "consistent": False})]
    monkeypatch.setattr(conformance, "vectors_of", lambda part: [seeds.vector_of(each, file) for each in cases])


@pytest.mark.usefixtures("one_agrees_and_one_does_not")
def test_a_run_names_every_difference(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["test", f"http://127.0.0.1:{server.port}", "--only", "gin-rummy"]) == 1
    assert capsys.readouterr().out == (
        "one (gin_rummy/vectors/some.json): To try the tool.\n"
        "    /consistent: expected false, got true\n"
        "\n"
        "gin-rummy       1 passed    1 failed\n"
    )


@pytest.mark.usefixtures("one_agrees_and_one_does_not")
def test_a_run_is_reported_as_json_on_request(server: Server, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    url = f"http://127.0.0.1:{server.port}"
    assert cli.main(["test", f"{url}/", "--only", "gin-rummy", "--json"]) == 1
    assert json.loads(capfdbinary.readouterr().out) == {
        "url": url,
        "parts": {"gin-rummy": {"passed": 1, "failed": 1}},
        "failures": [
            {
                "id": "one",
                "file": "gin_rummy/vectors/some.json",
                "clauses": ["GR-1.1"],
                "why": "To try the tool.",
                "differences": ["/consistent: expected false, got true"],
            }
        ],
    }


def test_a_file_around_the_games_is_laid_out_and_nothing_of_it_recorded(tmp_path: Path) -> None:
    refused = {"status": 404, "body": {"type": "/problems/not-found"}}
    file = file_of(tmp_path, case({"method": "GET", "path": "/judge"}, refused), part="http")
    assert completed(file)[0]["response"] == refused
