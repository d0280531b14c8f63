"""Sessions that tests of others open, with a table or a seed of their own, and how each problem is brought about."""

import json
import logging
import random
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

import engines
from service.app import create_app
from service.config import Settings
from service.http.testing import ON_DEMAND
from service.problems import KINDS
from service.sessions.record import SessionRecord, deal_seed
from service.sessions.verifying import verified
from service.words.languages import LANGUAGES
from tests.service.sessions.clocks import EVERYWHERE
from tests.service.sessions.forgeries import VERIFIER, in_node
from tests.service.sessions.tables import GAMES, SECRET, Seated, fewest, opened, problem, seated, served
from tests.service.sessions.test_event_streams import listening

SEED = "0123456789abcdef" * 4
SHORT = {
    "gin-rummy": {"target": 1},
    "take-that": {"rounds": 1},
    "twins": {},
    "twin-it": {"sets_to_win": 1},
}
"""Options by which a game is soon over."""
WITH_DEALER = [game for game in GAMES if hasattr(engines.registry()[game].state, "dealer")]
ROOT = Path(__file__).parents[3]


@pytest.fixture
def tests_of_others(store_url: str) -> FlaskClient:
    """A service that was started for tests."""
    return served(store_url, testing=True)


@pytest.fixture
def here(tmp_path: Path) -> FlaskClient:
    """The same, with a store of its own in SQLite, for what no store changes."""
    return served(f"sqlite:///{tmp_path}/here.sqlite3", testing=True)


def dealt(client: FlaskClient, game: str, **setup: Any) -> Any:
    """A table as it is dealt, every card of it known."""
    body = {"seats": fewest(game), "seed": "a table", "ruleset": {"options": SHORT.get(game, {})}, **setup}
    return client.post(f"/games/{game}/deal", json=body).get_json()["state"]


def refused(client: FlaskClient, game: str = "gin-rummy", **members: Any) -> TestResponse:
    return client.post("/sessions", json={"game": game, "seats": fewest(game), **members})


def pointers(response: TestResponse) -> list[str]:
    return [each["pointer"] for each in response.get_json()["errors"]]


# --- what an opening takes -------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_session_begins_with_the_table_that_was_posted(here: FlaskClient, game: str) -> None:
    state = dealt(here, game)
    table = opened(here, game, state=state)
    assert table.get("host").get_json()["state"].items() <= state.items()
    assert table.get("host").get_json()["ruleset"]["options"].items() >= SHORT.get(game, {}).items()


@pytest.mark.parametrize("game", GAMES)
def test_a_table_of_which_a_card_is_unseen_is_refused(here: FlaskClient, game: str) -> None:
    state = dealt(here, game)
    seen = here.post(f"/games/{game}/view", json={"state": state, "seat": 0}).get_json()["state"]
    response = refused(here, game, state=seen)
    assert (*problem(response), pointers(response)) == (422, "invalid-state", ["/state"])


@pytest.mark.parametrize("game", WITH_DEALER)
def test_a_table_whose_dealer_is_not_said_is_refused(here: FlaskClient, game: str) -> None:
    state = dealt(here, game)
    del state["dealer"]
    response = refused(here, game, state=state)
    assert (*problem(response), pointers(response)) == (422, "invalid-state", ["/state"])


@pytest.mark.parametrize("moves", [0, 9, 40])
@pytest.mark.parametrize("game", GAMES)
def test_from_a_table_of_any_moment_the_game_goes_on_whatever_is_left_out_of_it(
    here: FlaskClient, game: str, moves: int
) -> None:
    """Or the table is refused: what a session does not know it could not go on from."""
    state = opened_and_played(here, game, moves, seed=SEED).get("host").get_json()["state"]
    opened_and_played(here, game, 30, state=state)
    for name in state:
        less = {member: value for member, value in state.items() if member != name}
        if refused(here, game, state=less).status_code == 201:
            opened_and_played(here, game, 30, state=less)


def opened_and_played(client: FlaskClient, game: str, moves: int, **members: Any) -> Seated:
    """A session in which so many moves were made, if the game took so many."""
    table, dice = opened(client, game, **members), random.Random(game)
    for _ in range(moves):
        if (move := table.choose(dice)) is not None:
            assert table.move("host", move).status_code == 201
    return table


def test_a_table_with_a_single_card_that_is_null_is_refused(here: FlaskClient) -> None:
    state = dealt(here, "gin-rummy")
    state["hands"][1][0] = None
    response = refused(here, state=state)
    assert (*problem(response), pointers(response)) == (422, "invalid-state", ["/state"])


def test_a_table_of_which_a_card_lies_nowhere_is_refused(here: FlaskClient) -> None:
    """Nothing in it is null; but its audit leaves the clause of the whole deck unverified."""
    state = dealt(here, "gin-rummy")
    del state["stock"][-1]
    response = refused(here, state=state)
    assert (*problem(response), pointers(response)) == (422, "invalid-state", ["/state"])


def test_a_table_that_the_rulebook_contradicts_is_refused_with_its_faults(here: FlaskClient) -> None:
    state = dealt(here, "gin-rummy")
    state["hands"][1][0] = state["hands"][0][0]
    response = refused(here, state=state)
    assert problem(response) == (422, "invalid-state")
    assert response.get_json()["faults"][0]["pointers"] == ["/state/hands/0/0", "/state/hands/1/0"]


def test_a_table_for_another_number_of_seats_is_refused(here: FlaskClient) -> None:
    response = refused(here, "twins", seats=4, state=dealt(here, "twins", seats=3))
    assert (*problem(response), pointers(response)) == (422, "invalid-state", ["/seats"])


@pytest.mark.parametrize("members", [{"ruleset": {}}, {"dealer": 0}, {"fair": "joint"}, {"ruleset": {}, "dealer": 0}])
def test_with_a_table_goes_no_other_member_of_the_setup_and_no_joint_deal(
    here: FlaskClient, members: dict[str, Any]
) -> None:
    response = refused(here, state=dealt(here, "gin-rummy"), **members)
    assert (*problem(response), pointers(response)) == (400, "invalid-request", [f"/{name}" for name in members])


@pytest.mark.parametrize(
    "members",
    [{"seed": "0" * 63}, {"seed": "g" * 64}, {"expires_in": 0}, {"expires_in": 86_401}, {"deck": []}],
    ids=str,
)
def test_what_does_not_fit_is_refused(here: FlaskClient, members: dict[str, Any]) -> None:
    response = refused(here, **members)
    assert (*problem(response), pointers(response)) == (400, "invalid-request", [f"/{name}" for name in members])


@pytest.mark.parametrize("game", GAMES)
def test_the_deals_follow_from_the_seed_that_was_given(here: FlaskClient, game: str) -> None:
    table = opened(here, game, seed=SEED)
    setup = {"seats": fewest(game), "seed": deal_seed(SEED, [], 1)}
    state = here.post(f"/games/{game}/deal", json=setup).get_json()["state"]
    assert table.get("host").get_json()["state"].items() <= state.items()
    assert table.get("host", "/transcript").get_json()["deal"] == {"game": game, **setup}


def test_seats_may_join_in_a_deal_of_which_the_server_s_seed_was_given(here: FlaskClient) -> None:
    table = opened(here, seed=SEED, fair="joint")
    table.commit("rain", "snow")
    table.reveal("rain", "snow")
    deals = table.get("host", "/transcript").get_json()["deals"]
    assert deals == [{"number": 1, "seed": deal_seed(SEED, ["rain", "snow"], 1)}]


@EVERYWHERE
def test_a_session_expires_after_the_seconds_that_were_given(tests_of_others: FlaskClient) -> None:
    table = opened(tests_of_others, expires_in=1)
    lasting = opened(tests_of_others, expires_in=600)
    pause(1.2)
    assert problem(table.get("host")) == (404, "not-found")
    assert problem(table.move("seat-0", {"type": "pass", "seat": 0})) == (404, "not-found")
    assert lasting.get("host").status_code == 200


def pause(seconds: float) -> None:
    import time  # noqa: PLC0415 - the fixture `time` is another

    time.sleep(seconds)


# --- what its answers say --------------------------------------------------------------------------


def played_out(table: Seated) -> list[Any]:
    """Play a game to its end by its host. Returns the answers to the moves."""
    dice, answers = random.Random(1), []
    while (move := table.choose_towards_the_end(dice)) is not None:
        answers.append(table.move("host", move))
    return answers


@pytest.mark.parametrize("game", GAMES)
def test_every_answer_says_that_the_session_is_one_of_tests(tests_of_others: FlaskClient, game: str) -> None:
    body = {"game": game, "seats": fewest(game), "state": dealt(tests_of_others, game)}
    opening = tests_of_others.post("/sessions", json=body, headers={"Idempotency-Key": SECRET})
    again = tests_of_others.post("/sessions", json=body, headers={"Idempotency-Key": SECRET})
    table = seated(tests_of_others, opening.get_json())
    stale = table.move("host", table.legal()[0], If_Match='"7"')
    illegal = table.post("host", "/moves", {"moves": [table.legal()[0]] * 400}, Idempotency_Key="once")
    moves = played_out(table)
    reads = [table.get("seat-0", call) for call in ("", "?legal_moves=true", "/legal-moves", "/moves", "/transcript")]
    changes = [table.post("seat-0", call, {}) for call in ("/tickets", "/rematch", "/tokens")]
    refusals = [stale, illegal, table.delete("seat-1"), table.post("host", "/seeds", {"seed": "x"})]
    answers = [opening, again, *moves, *reads, *changes, *refusals]
    assert [each.status_code for each in answers if each.get_json().get("testing") is not True] == []
    assert moves


@pytest.mark.parametrize("game", GAMES)
def test_every_event_of_a_stream_says_so(here: FlaskClient, game: str) -> None:
    table = opened(here, game, state=dealt(here, game))
    table.move("host", table.legal()[0])
    with listening(table, "seat-0") as listener:
        assert listener.entry()["testing"] is True
        table.delete("host")
        assert listener.event() == {"event": "closed", "data": '{"testing":true}'}


def test_the_events_of_real_time_say_so(here: FlaskClient) -> None:
    state = dealt(here, "twin-it")
    table = opened(here, "twin-it", state=state, gather_ms=3000)
    claim = {"type": "claim", "hands": [{"seat": 0, "card": state["piles"][0][0]}]}
    assert table.move("seat-0", claim).get_json()["testing"] is True
    with listening(table, "seat-1") as listener:
        assert json.loads(listener.event()["data"])["testing"] is True


def test_a_server_without_the_setting_says_so_too(store_url: str) -> None:
    table = opened(served(store_url, testing=True), seed=SEED)
    elsewhere = Seated(served(store_url), table.id, table.game, table.tokens)
    assert elsewhere.get("host").get_json()["testing"] is True
    assert elsewhere.move("seat-0", {"type": "pass", "seat": 0}).get_json()["testing"] is True


def test_a_session_that_asks_for_nothing_of_this_is_one_like_any_other(here: FlaskClient) -> None:
    table = opened(here, "twins")
    played_out(table)
    transcript = table.get("host", "/transcript").get_json()
    assert "testing" not in table.get("host").get_json() | transcript
    assert verified(transcript, None, "en").verified


def test_a_record_of_before_is_of_no_test() -> None:
    record = SessionRecord("twins", "0", {}, {}, 3, SEED)
    before = {name: each for name, each in vars(record).items() if name not in ("testing", "expires_in", "from_state")}
    del before["newer"]
    read = SessionRecord.read(json.dumps(before).encode())
    assert (read.testing, read.expires_in, read.from_state) == (False, None, False)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("chosen", ["state", "seed"])
def test_a_rematch_is_dealt_and_of_tests_too(tests_of_others: FlaskClient, game: str, chosen: str) -> None:
    ruleset = {"options": SHORT.get(game, {})}
    members = {"state": {"state": dealt(tests_of_others, game)}, "seed": {"seed": SEED, "ruleset": ruleset}}
    table = opened(tests_of_others, game, **members[chosen], expires_in=60)
    played_out(table)
    place = table.post("host", "/rematch", None).get_json()
    following = Seated(tests_of_others, place["id"], game, {"host": place["token"]})
    shown = following.get("host").get_json()
    assert (shown["testing"], shown["version"], shown["result"]) == (True, 0, None)
    assert shown["ruleset"] == table.get("host").get_json()["ruleset"]
    assert shown["commitment"] != table.get("host").get_json()["commitment"]


# --- its transcript --------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("chosen", ["state", "seed"])
def test_no_verifier_accepts_its_transcript(here: FlaskClient, tmp_path: Path, game: str, chosen: str) -> None:
    ruleset = {"options": SHORT.get(game, {})}
    members = {"state": {"state": dealt(here, game)}, "seed": {"seed": SEED, "ruleset": ruleset}}
    table = opened(here, game, **members[chosen])
    played_out(table)
    transcript = table.get("seat-0", "/transcript").get_json()
    assert (transcript["testing"], transcript["deal"] is None) == (True, chosen == "state")
    found = verified(transcript, transcript["commitment"], "en", table.id)
    assert (found.verified, [each.pointer for each in found.wrong], found.proved) == (False, ["/testing"], [])
    file = tmp_path / "transcript.json"
    file.write_text(json.dumps(transcript), encoding="utf-8")
    done = in_node(VERIFIER, file, check=False)
    why = "This is the game of a test: its table or its seed was chosen, so it proves nothing."
    assert (done.returncode, done.stdout.strip()) == (1, why)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_refusal_of_a_transcript_is_worded_in_each_language(language: str) -> None:
    (wrong,) = verified({"testing": True}, None, language).wrong
    others = {verified({"testing": True}, None, other).wrong[0].detail for other in LANGUAGES}
    assert (len(wrong.detail) > 40, len(others)) == (True, len(LANGUAGES))


def test_the_deals_after_a_table_that_was_posted_have_their_seeds(here: FlaskClient) -> None:
    table = opened(here, state=dealt(here, "gin-rummy", ruleset={"options": {"target": 10_000}}), seed=SEED)
    dice = random.Random(1)
    while "deal" not in [move["type"] for move in table.legal()]:
        table.move("host", table.choose_towards_the_end(dice))
    table.move("host", {"type": "deal"})
    transcript = table.get("host", "/transcript").get_json()
    assert transcript["deals"] == [{"number": 1, "seed": deal_seed(SEED, [], 1)}]
    assert transcript["moves"][-1]["seed"] == deal_seed(SEED, [], 1)


# --- how each problem is brought about -------------------------------------------------------------


def states(client: FlaskClient) -> dict[str, Any]:
    return {each["name"]: each for each in client.get("/testing").get_json()["states"]}


def test_every_kind_of_problem_is_listed_with_its_status(here: FlaskClient) -> None:
    every = states(here).values()
    assert {each["problem"] for each in every} == {*KINDS}
    assert [each for each in every if each["status"] != KINDS[each["problem"]].status] == []


@pytest.mark.parametrize("name", [*KINDS, "session-gone"])
def test_the_requests_of_a_state_bring_its_problem_about(tests_of_others: FlaskClient, name: str) -> None:
    state = states(tests_of_others)[name]
    *before, last = [sent(tests_of_others, each) for each in state["requests"]]
    assert problem(last) == (state["status"], state["problem"])
    assert [each.status_code for each in before if each.status_code >= 300] == []


def sent(client: FlaskClient, request: Any) -> TestResponse:
    data = None if request["body"] is None else json.dumps(request["body"])
    return client.open(request["path"], method=request["method"], headers=request["headers"], data=data)


def test_the_requests_are_others_each_time(here: FlaskClient) -> None:
    first, second = states(here)["not-over"], states(here)["not-over"]
    assert first["requests"][1]["path"] != second["requests"][1]["path"]


@pytest.mark.parametrize("slug", ON_DEMAND)
def test_a_problem_that_a_request_prefers_is_answered_on_any_path(here: FlaskClient, slug: str) -> None:
    prefer = f"code={KINDS[slug].status}, example={slug}"
    for path in ("/testing", "/games", f"/sessions/{'0' * 32}"):
        assert problem(here.get(path, headers={"Prefer": prefer})) == (KINDS[slug].status, slug)


@pytest.mark.parametrize(("prefer", "slug"), [("code=503", "store-unavailable"), ("code=429", "too-many-requests")])
def test_the_status_alone_is_enough(here: FlaskClient, prefer: str, slug: str) -> None:
    response = here.post("/resolve", json={}, headers={"Prefer": prefer})
    assert problem(response) == (KINDS[slug].status, slug)
    assert int(response.headers["Retry-After"]) >= 1


@pytest.mark.parametrize("prefer", ["code=404", "return=minimal", "example=nothing", "code=503x", ""])
def test_any_other_preference_is_ignored(here: FlaskClient, prefer: str) -> None:
    assert here.get("/games", headers={"Prefer": prefer}).status_code == 200


def test_where_sessions_are_off_the_problems_of_the_calls_are_listed() -> None:
    client = create_app(Settings(store_url="none", testing=True)).test_client()
    every = [each for each in states(client).values() if each["name"] not in ON_DEMAND]
    assert every
    for state in every:
        assert problem(sent(client, state["requests"][-1])) == (state["status"], state["problem"])


# --- without the setting ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "members", [{"state": {}}, {"seed": SEED}, {"expires_in": 60}], ids=lambda each: next(iter(each))
)
def test_without_the_setting_an_opening_takes_none_of_this(client: FlaskClient, members: dict[str, Any]) -> None:
    response = refused(client, **members)
    assert (*problem(response), pointers(response)) == (400, "invalid-request", [f"/{name}" for name in members])


def test_without_the_setting_there_is_no_list_and_no_preference(client: FlaskClient) -> None:
    assert problem(client.get("/testing")) == (404, "not-found")
    assert client.get("/games", headers={"Prefer": "code=503"}).status_code == 200


def test_the_published_contract_has_none_of_this() -> None:
    text = (ROOT / "openapi.yaml").read_text(encoding="utf-8")
    assert [each for each in ("/testing", "TestingRequest", "testing:") if each in text] == []


def test_a_start_with_the_setting_is_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    served(f"sqlite:///{tmp_path}/one.sqlite3")
    assert caplog.records == []
    served(f"sqlite:///{tmp_path}/one.sqlite3", testing=True)
    assert [(each.levelno, each.message.split()[0]) for each in caplog.records] == [
        (logging.WARNING, "REFEREE_TESTING")
    ]


def test_a_page_may_send_the_preference_where_it_is_taken(tmp_path: Path) -> None:
    preflight = {"Origin": "https://cards.example", "Access-Control-Request-Method": "GET"}
    for testing in (True, False):
        store = f"sqlite:///{tmp_path}/one.sqlite3"
        client = served(store, testing=testing, cors_origins=("https://cards.example",))
        allowed = client.options("/games", headers=preflight).headers["Access-Control-Allow-Headers"]
        assert ("Prefer" in allowed.split(", ")) is testing
