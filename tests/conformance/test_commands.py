"""The two commands around the vectors: what they do, and what they say where they cannot."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import engines
from engines.core.records import changed
from engines.core.shuffle import shuffled
from engines.gin_rummy.melds import CARDS
from service import cli, conformance, seeds
from tests.conformance import complete
from tests.conformance.layout import as_laid_out_text
from tests.server import Server, free_port


def test_every_vector_of_every_part_passes_on_a_server_and_is_counted_in_the_report(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["test", f"http://127.0.0.1:{server.port}/"]) == 0
    vectors_by_part = Counter(vector.part for part in conformance.parts() for vector in conformance.vectors_of(part))
    rows = (line.split() for line in capsys.readouterr().out.splitlines())  # such as "twins 45 passed 0 failed"
    assert {part: int(passed) for part, passed, _, failed, _ in rows if failed == "0"} == vectors_by_part


def test_an_unknown_part_is_refused_and_the_known_ones_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["test", "http://127.0.0.1", "--only", "whist"]) == 2
    known = ", ".join(map(repr, conformance.parts()))
    assert f"'--only': 'whist' is not one of {known}." in capsys.readouterr().err


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "ftp://127.0.0.1", "http://"])
def test_an_argument_that_is_no_http_address_is_refused(url: str, capsys: pytest.CaptureFixture[str]) -> None:
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
    assert complete.main([str(file)]) == 2
    assert capsys.readouterr().err == f"{file}{why}\n"


def case(request: Any, response: Any) -> Any:
    """Return a case, as it stands in a file of vectors, that expects this response to this request."""
    return {"id": "one", "clauses": ["GR-1.1"], "why": "To try the tool.", "request": request, "response": response}


def gin_request(call: str, body: Any) -> Any:
    """Return the request of a case, which posts this body for Gin rummy to a call."""
    return {"method": "POST", "path": f"/{call}", "body": {"game": "gin-rummy", **body}}


def write_vectors(folder: Path, *cases: Any, part: str = "gin_rummy") -> Path:
    """Write cases into a file where the vectors of a part belong, and return the file."""
    file = folder / part / "vectors" / "some.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(cases), encoding="utf-8")
    return file


TABLE = {"phase": "discard", "turn": 0, "hands": [["AS", "2S", None], ["3S", None]], "discards": ["4S"]}
AUDIT_OF_TABLE = {"game": "gin-rummy", "consistent": True, "faults": [], "unverified": ["GR-1.1"]}
"""The answer when `TABLE` is audited."""


def complete_file(file: Path) -> Any:
    """Complete a file of vectors with the command, and return the cases that it has now."""
    assert complete.main([str(file)]) == 0
    text = file.read_text(encoding="utf-8")
    assert text == as_laid_out_text(json.loads(text))
    return json.loads(text)


def test_the_rest_of_the_pack_is_spelled_out(tmp_path: Path) -> None:
    hands = [["KS", "KD", "AS", "3S", "5S", "7S", "9S", "JS", "AH", "3H"]]
    hands += [["KH", "KC", "2S", "4S", "6S", "8S", "TS", "QS", "2H", "4H"]]
    deal = gin_request("deal", {"seats": 2, "deck": ["KS", "KH", "KD", "KC", "...rest"]})
    audit = gin_request("audit", {"state": {**TABLE, "stock": ["KS", "...rest"]}})
    faults = [{"rule": "GR-1.1", "code": "too-many-cards"}, {"rule": "GR-1.2", "code": "stock-too-big"}]
    file = write_vectors(
        tmp_path,
        case(deal, {"status": 200, "body": {"state": {"hands": hands}}}),
        case(audit, {"status": 200, "body": {"consistent": False, "faults": faults}}),
    )
    dealt, audited = (each["request"]["body"] for each in complete_file(file))
    kings = ("KS", "KH", "KD", "KC")
    assert dealt["deck"] == [*kings, *(card for card in CARDS if card not in kings)]
    shown = {"KS", "AS", "2S", "3S", "4S"}
    assert audited["state"]["stock"] == ["KS", *(card for card in CARDS if card not in shown)]


def test_completing_a_file_leaves_out_of_the_answer_what_follows_from_the_request(tmp_path: Path) -> None:
    file = write_vectors(
        tmp_path, case(gin_request("audit", {"state": TABLE}), {"status": 200, "body": AUDIT_OF_TABLE})
    )
    (audited,) = complete_file(file)
    assert audited["response"]["body"] == {"consistent": True, "unverified": ["GR-1.1"]}


@pytest.mark.parametrize(
    ("status", "worked", "why"),
    [
        (200, {}, "expects nothing: work out what the rules demand"),
        (422, AUDIT_OF_TABLE, "expected status 422, got 200: "),
        (200, {**AUDIT_OF_TABLE, "consistent": False}, "/consistent: expected false, got true"),
        (200, {"consistent": True}, '/unverified: not shown, so it should be []; got ["GR-1.1"]'),
    ],
    ids=["nothing", "status", "wrong", "not shown"],
)
def test_a_file_with_a_case_that_the_referee_answers_otherwise_stays_as_it_is(
    tmp_path: Path, status: int, worked: Any, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_vectors(tmp_path, case(gin_request("audit", {"state": TABLE}), {"status": status, "body": worked}))
    before = file.read_text(encoding="utf-8")
    assert complete.main([str(file)]) == 1
    assert capsys.readouterr().out.startswith(f"{file}: one: {why}")
    assert file.read_text(encoding="utf-8") == before


CASE = """\
- id: twins-one
  why: One card costs a chip.
  clauses: [TW-1.4]
  resolve:
    state: {phase: buying, chips: [12, 12, 12], pot: 0, bought: [null, null, null], dealer: 2}
    moves: [{type: buy, seat: 0, count: 1}]
  answer: {events: [{code: bought, params: {seat: 0, count: 1}}]}
"""
DEALT = """\
- id: twins-order
  why: The order of the pack is that of the numbers.
  clauses: [TW-1.2]
  deal: {seats: 3, seed: spring}
  answer: {state: {hands: ...dealt}}
"""


def write_worked(folder: Path, cases: str) -> Path:
    """Write cases into a file where the worked ones of Twins belong, and return the file."""
    file = folder / "twins" / "worked" / "some.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(cases, encoding="utf-8")
    return file


def test_a_worked_file_stays_as_it_is_and_its_vectors_are_published_whole(tmp_path: Path) -> None:
    file = write_worked(tmp_path, CASE)
    assert complete.main([str(file)]) == 0
    assert file.read_text(encoding="utf-8") == CASE
    (vector,) = json.loads((tmp_path / "twins/vectors/some.json").read_text(encoding="utf-8"))
    assert list(vector) == ["id", "clauses", "why", "request", "response"]
    assert vector["clauses"] == ["TW-1.4", "TW-2.2"]
    assert vector["request"]["path"] == "/resolve"
    assert vector["request"]["body"]["game"] == "twins"
    assert vector["response"]["body"]["events"] == [
        {"rule": "TW-2.2", "code": "bought", "params": {"seat": 0, "count": 1}}
    ]


def test_what_a_seed_deals_is_written_by_the_tool(tmp_path: Path) -> None:
    assert complete.main([str(write_worked(tmp_path, DEALT))]) == 0
    (vector,) = json.loads((tmp_path / "twins/vectors/some.json").read_text(encoding="utf-8"))
    engine = engines.registry()["twins"]
    setup = engine.setup(seats=3)
    opening = engine.opening(changed(setup, deck=shuffled(engine.cards(setup), "spring")))
    assert vector["response"]["body"]["state"] == {"hands": [list(hand) for hand in opening.hands]}


@pytest.mark.parametrize(
    ("cases", "why"),
    [
        (CASE.replace("code: bought", "code: bid"), ": twins-one: 'bid' is no code of rulings.py."),
        (CASE.replace("code: bought", "code: paid"), ": twins-one: 'paid' is of TW-4.3 and of TW-5.1 "),
        (CASE.replace("answer:", "answers:"), ": twins-one: request and response missing; a case has one of "),
        (DEALT.replace(", seed: spring", ""), ": twins-order: '...dealt' stands for what a seed deals; it has none."),
        (CASE.replace("[{type", "[{{type"), ":6 is not YAML: "),
        ("", ": a file of cases is a list of them: `- id: …`."),
    ],
    ids=["code", "clause", "half a case", "no seed", "not YAML", "empty"],
)
def test_a_worked_file_with_a_mistake_is_named(
    tmp_path: Path, cases: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_worked(tmp_path, cases)
    assert complete.main([str(file)]) == 2
    assert capsys.readouterr().err.startswith(f"{file}{why}")


def test_a_file_of_vectors_that_is_made_of_a_worked_one_is_not_completed_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_worked(tmp_path, CASE)
    complete.main([str(file)])
    assert complete.main([str(vectors_file := tmp_path / "twins/vectors/some.json")]) == 2
    assert capsys.readouterr().err == f"{vectors_file} is written from {file}: complete that.\n"


@pytest.fixture
def one_vector_passes_and_one_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command find two vectors alone: the service answers the first as expected, and the second otherwise."""
    request, file = gin_request("audit", {"state": TABLE}), Path("gin_rummy/vectors/some.json")
    cases = [
        case(request, {"status": 200, "body": body})
        for body in (AUDIT_OF_TABLE, {**AUDIT_OF_TABLE, "consistent": False})
    ]
    monkeypatch.setattr(conformance, "vectors_of", lambda part: [seeds.vector_of(each, file) for each in cases])


@pytest.mark.usefixtures("one_vector_passes_and_one_fails")
def test_a_run_prints_each_failed_vector_with_its_differences(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["test", f"http://127.0.0.1:{server.port}", "--only", "gin-rummy"]) == 1
    assert capsys.readouterr().out == (
        "one (gin_rummy/vectors/some.json): To try the tool.\n"
        "    /consistent: expected false, got true\n"
        "\n"
        "gin-rummy       1 passed    1 failed\n"
    )


@pytest.mark.usefixtures("one_vector_passes_and_one_fails")
def test_with_json_a_run_is_reported_as_json(server: Server, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
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


def test_completing_a_file_of_the_part_http_changes_no_case(tmp_path: Path) -> None:
    """The part `http` has the vectors of no game: nothing follows from a game's rules, so nothing is left out."""
    refused = {"status": 404, "body": {"type": "/problems/not-found"}}
    file = write_vectors(tmp_path, case({"method": "GET", "path": "/judge"}, refused), part="http")
    (unchanged,) = complete_file(file)
    assert unchanged["response"] == refused
