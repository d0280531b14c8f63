"""The limits on one request: each is tested at its edge and one beyond, with the same result every time."""

import json
from typing import Any

import pytest
from flask.testing import FlaskClient

import engines
from service import bounds
from service.contract.fields import PAUSES, VALUES_TO_PAUSE
from service.judging import calls
from service.scheduling import SCHEDULER
from tests.service.bodies import OF_A_TABLE, beside_state
from tests.service.test_http import FOUR_HANDS

DRAW = {"phase": "draw", "turn": 0, "hands": [[None] * 10, [None] * 10], "stock": [None] * 20}
DEFENDER = ["6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS", "AD", "2D"]
KNOCKED = {
    "phase": "lay-off",
    "turn": 1,
    "hands": [["3S", "4S", "5S", "6H", "7H", "8H", "9H", "AC", "2C", "3D"], DEFENDER],
    "knock": {"seat": 0, "melds": [["3S", "4S", "5S"], ["6H", "7H", "8H", "9H"]]},
}
PASS = {"type": "pass", "seat": 0}


def post(client: FlaskClient, path: str, body: Any) -> tuple[int, Any]:
    """Post a body twice, and expect the same answer twice. Return its status and its body."""
    sent = json.dumps(body).encode()
    answer, again = (client.post(path, data=sent, headers={"Content-Type": "application/json"}) for _ in range(2))
    assert answer.get_data() == again.get_data(), "the same request has the same answer"
    return answer.status_code, answer.get_json()


def refusal_of(client: FlaskClient, path: str, body: Any) -> str:
    """Post a body that asks too much. Return the detail of the refusal."""
    status, problem = post(client, path, body)
    assert (status, problem["type"]) == (422, "/problems/too-much-asked"), problem
    detail: str = problem["detail"]
    return detail


# --- moves times outcomes ----------------------------------------------------


def gin_body(moves: int, **options: Any) -> Any:
    """The body of a resolution of so many moves, of which the first is illegal."""
    return {"game": "gin-rummy", "state": DRAW, "moves": [PASS] * moves, **options}


ALL_VIEWS = {"views": [0, 1, None]}
ONE = {"compare": list(engines.registry()["gin-rummy"].rulesets)[:1]}
OUTCOMES = [({}, 1), ({"views": [0]}, 2), (ALL_VIEWS, 4), (ONE, 2), ({**ONE, **ALL_VIEWS}, 5), ({"compare": True}, 1)]
OUTCOMES += [({"legal_moves": True}, 2), ({"legal_moves": True, **ALL_VIEWS}, 8), ({"legal_moves": False}, 1)]


@pytest.mark.parametrize(("options", "outcomes"), OUTCOMES)
def test_the_product_of_moves_and_outcomes_is_bounded(client: FlaskClient, options: Any, outcomes: int) -> None:
    most = bounds.OUTCOMES // outcomes
    status, _answer = post(client, "/resolve", gin_body(most, **options))
    assert status == 200
    if outcomes == 1:
        status, problem = post(client, "/resolve", gin_body(most + 1, **options))
        assert (status, problem["errors"][0]["pointer"]) == (400, "/moves"), "one list is too long"
    else:
        detail = (
            f"{most + 1} moves with {outcomes} outcomes make {(most + 1) * outcomes}; at most 500 are judged at once."
        )
        assert refusal_of(client, "/resolve", gin_body(most + 1, **options)) == detail


def test_the_alternatives_of_a_comparison_count_as_outcomes(client: FlaskClient) -> None:
    """Alternatives are known only after the moves were resolved once: only contested rulings have them."""

    def body(moves: int) -> Any:
        return {"game": "gin-rummy", "state": KNOCKED, "moves": [{"type": "lay-off", "seat": 1}] + [PASS] * (moves - 1)}

    status, plain = post(client, "/resolve", body(bounds.MOVES))
    outcomes = 1 + sum(len(each["alternatives"]) for each in plain["contested"])
    assert (status, plain["applied"]) == (200, 1)
    assert outcomes > 1
    most = bounds.OUTCOMES // outcomes
    status, compared = post(client, "/resolve", body(most) | {"compare": True})
    assert status == 200
    assert sum(len(each["outcomes"]) for each in compared["contested"]) == outcomes - 1
    detail = refusal_of(client, "/resolve", body(most + 1) | {"compare": True})
    assert f"make {(most + 1) * outcomes}; at most 500" in detail


# --- cards of a state --------------------------------------------------------


def take_that_table(cards: int) -> Any:
    """Return a table with `cards` cards, far more than the game has."""
    hidden = [[None] * 79] * 4
    full = {"phase": "play", "turn": 0, "row": [], "hands": hidden, "face_up": hidden, "face_down": hidden}
    return {**full, "pile": [None] * (cards - 12 * 79)}


def twin_it_table(cards: int, *, counted: int = 0) -> Any:
    """Return a table of Twin it! with `cards` cards, `counted` of them in `counts`."""
    seen = cards - counted
    pairs, odd = divmod(seen, 20)
    groups = [["0A"] * 20] * pairs + [["0A"] * odd] * bool(odd)
    state = {"phase": "play", "piles": [[], []], "table": [], "sets": [groups[:150], groups[150:]]}
    return {**state, "counts": [[["0A"] * counted]]} if counted else state


BODIES_BEYOND_BOUNDS = {
    "take-that": (take_that_table(1_000), take_that_table(1_001)),
    "twin-it": (twin_it_table(2_000), twin_it_table(2_001)),
    "twin-it, counted": (twin_it_table(2_000, counted=150), twin_it_table(2_001, counted=150)),
}


@pytest.mark.parametrize("case", BODIES_BEYOND_BOUNDS)
@pytest.mark.parametrize("call", OF_A_TABLE)
def test_the_cards_of_a_state_are_bounded(client: FlaskClient, case: str, call: str) -> None:
    game, more = case.partition(",")[0], beside_state(call)
    if "move" in more and game == "twin-it":
        more["move"] = {"type": "flip", "seat": 0}
    edge, beyond = BODIES_BEYOND_BOUNDS[case]
    most = engines.registry()[game].most_cards
    status, answer = post(client, f"/{call}", {"game": game, "state": edge, **more})
    assert (status, answer.get("type")) == ((200, None) if call == "audit" else (422, "/problems/invalid-state"))
    detail = refusal_of(client, f"/games/{game}/{call}", {"state": beyond, **more})
    assert detail == f"The state holds {most + 1} cards; at most {most} are judged."


@pytest.mark.parametrize(
    ("bodies", "outcomes"),
    [([{"moves": [PASS] * 1_000}, {"moves": [PASS] * 1_001}], 2_001),
     ([{"moves": [], "views": [0, 1, None], "legal_moves": True}] * 251, 2_008)],
    ids=["moves", "listings"],
)  # fmt: skip
def test_the_outcomes_of_a_batch_are_bounded_together(client: FlaskClient, bodies: list[Any], outcomes: int) -> None:
    detail = refusal_of(client, "/batch", {"requests": [{"path": "/resolve", "body": body} for body in bodies]})
    assert detail == f"A batch may ask for 2000 outcomes in all; this one asks for {outcomes}. Send it in parts."


# --- values of a body --------------------------------------------------------


@pytest.mark.parametrize(("path", "most"), [("/audit", bounds.VALUES), ("/batch", bounds.VALUES_IN_BATCH)])
def test_the_values_of_a_body_are_bounded(client: FlaskClient, path: str, most: int) -> None:
    def body(values: int) -> Any:
        return {"game": "twins", "x": [1] * (values - 3)}

    status, problem = post(client, path, body(most))
    assert (status, problem["type"]) == (400, "/problems/invalid-request")
    assert (
        refusal_of(client, path, body(most + 1)) == f"The body holds {most + 1} values; at most {most} are read here."
    )


# --- reported faults and errors -------------------------------------------------


def with_doubled_cards(times: int) -> Any:
    """Return a table with `times` cards in two places each, so that it has at least as many faults."""
    cards = [f"{number}A" for number in range(times)]
    designs = [[f"a{number}", f"b{number}"] for number in range(times)]
    return {"phase": "play", "designs": designs, "piles": [cards, cards], "table": []}


def test_faults_are_listed_up_to_the_limit_and_beyond_it_the_answer_says_that_there_are_more(
    client: FlaskClient,
) -> None:
    _status, answer = post(client, "/audit", {"game": "twin-it", "state": with_doubled_cards(100)})
    assert (len(answer["faults"]) >= 100, "more" in answer) == (True, False)
    body = {"game": "twin-it", "state": with_doubled_cards(200)}
    _status, answer = post(client, "/audit", body)
    assert (len(answer["faults"]), answer["more"], answer["consistent"]) == (bounds.LISTED, True, False)
    status, problem = post(client, "/view", {**body, "seat": None})
    assert (status, len(problem["faults"]), problem["more"]) == (422, bounds.LISTED, True)
    assert problem["faults"] == answer["faults"]


@pytest.mark.parametrize("unknown", [bounds.LISTED, bounds.LISTED + 1, 40_000])
def test_errors_are_listed_up_to_the_limit_missing_members_first(client: FlaskClient, unknown: int) -> None:
    status, problem = post(client, "/games/twins/audit", {f"k{number}": 1 for number in range(unknown)})
    assert status == 400
    listed = min(unknown, bounds.LISTED - 1)
    pointers = [each["pointer"] for each in problem["errors"]]
    assert pointers == ["/state", *[f"/k{number}" for number in range(listed)]]
    assert problem.get("more") is True


# --- answers -----------------------------------------------------------------


def batch_of_long_answers(entries: int) -> Any:
    """A batch of so many entries, whose answers are long."""
    return {"requests": [{"id": place, "path": "/resolve", "body": gin_body(0)} for place in range(entries)]}


def test_an_answer_is_bounded(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    status, answer = post(client, "/resolve", gin_body(0))
    size = len(client.post("/resolve", json=gin_body(0)).get_data())
    monkeypatch.setattr("service.http.stateless.ANSWER", size)
    assert post(client, "/resolve", gin_body(0)) == (status, answer)
    monkeypatch.setattr("service.http.stateless.ANSWER", size - 1)
    assert f"would have {size} bytes" in refusal_of(client, "/resolve", gin_body(0))


def test_in_a_batch_the_entry_with_too_long_an_answer_is_refused(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = len(client.post("/resolve", json=gin_body(0)).get_data())
    monkeypatch.setattr(calls, "ANSWER", size - 1)
    other = {"path": "/audit", "body": {"game": "gin-rummy", "state": DRAW}}
    _status, answer = post(client, "/batch", {"requests": [*batch_of_long_answers(1)["requests"], other]})
    assert [each["status"] for each in answer["responses"]] == [422, 200]
    assert answer["responses"][0]["body"]["type"] == "/problems/too-much-asked"
    assert f"would have {size} bytes" in answer["responses"][0]["body"]["detail"]


def test_a_batch_contains_as_many_answers_as_its_limit_allows(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 50_000
    monkeypatch.setattr(calls, "BATCH_ANSWER", most)
    for entries in (15, 16, 20):
        reply = client.post("/batch", json=batch_of_long_answers(entries))
        responses = reply.get_json()["responses"]
        assert [each["id"] for each in responses] == list(range(entries))
        assert len(reply.get_data()) <= most
    body = {"requests": [{"path": "/legal-moves", "body": FOUR_HANDS}] * 10}
    responses = client.post("/batch", json=body).get_json()["responses"]
    fitting = [each["status"] for each in responses].index(422)
    assert 0 < fitting < len(responses) - 1
    assert "left for it in this batch" in responses[fitting]["body"]["detail"]


# --- scheduling -----------------------------------------------------------


def test_a_call_yields_to_other_requests_between_its_moves(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    yields: list[None] = []
    monkeypatch.setattr(SCHEDULER, "yield_if_due", lambda: yields.append(None))
    body = {**FOUR_HANDS, "moves": []}
    client.post("/resolve", json=body)
    without_moves = len(yields)
    yields.clear()
    plays = [
        {"type": "play", "seat": seat, "cards": [f"{colour}-{value}", f"{colour}-{value + 1}"]}
        for value in (1, 3)
        for seat, colour in enumerate(("blue", "brown", "pink", "green"))
    ]
    answer = client.post("/resolve", json={**body, "moves": plays}).get_json()
    assert answer["applied"] == len(plays)
    assert len(yields) - without_moves >= len(plays)


def test_a_long_body_of_the_wrong_shape_yields_to_other_requests_while_it_is_loaded(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[None] = []
    monkeypatch.setattr(PAUSES, "pause", lambda: pauses.append(None))
    play = {"type": "play", "seat": 0, "cards": ["blue-1", "blue-2"]}
    values_of_a_play = 6  # the play, its type, its seat, its cards, and the list of these
    counts = []
    for plays in (1, bounds.MOVES - 1):
        pauses.clear()
        body = {**FOUR_HANDS, "moves": [*[play] * plays, {**play, "seat": "x"}]}
        assert client.post("/resolve", json=body).status_code == 400
        counts.append(len(pauses))
    few, many = counts
    assert many - few >= bounds.MOVES * values_of_a_play // VALUES_TO_PAUSE


@pytest.mark.parametrize("content_type", ["application/json; a=" + '\\"' * 4_000, "application/json" + " " * 300])
def test_a_media_type_has_a_bounded_length(client: FlaskClient, content_type: str) -> None:
    answer = client.post("/audit", data=b"{}", headers={"Content-Type": content_type})
    assert (answer.status_code, answer.get_json()["type"]) == (415, "/problems/unsupported-media-type")


def test_the_bounds_on_outcomes_and_values_are_published(client: FlaskClient) -> None:
    text = json.dumps(client.get("/problems/too-much-asked").get_json())
    for bound in (bounds.OUTCOMES, bounds.OUTCOMES_IN_BATCH, bounds.VALUES, bounds.VALUES_IN_BATCH):
        assert str(bound) in text
