"""Sessions that tests of others open, with a table or a seed of their own, and how each problem is brought about."""

import json
import logging
import random
from pathlib import Path
from time import sleep
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
from tests.service.sessions.clocks import ON_EVERY_STORE
from tests.service.sessions.forgeries import VERIFIER, in_node
from tests.service.sessions.tables import (
    GAMES,
    SECRET,
    SessionClient,
    fewest_seats,
    open_session,
    problem,
    service_client,
    session_of_opening,
)
from tests.service.sessions.test_event_streams import listening

SEED = "0123456789abcdef" * 4
SHORT_GAMES = {
    "gin-rummy": {"target": 1},
    "take-that": {"rounds": 1},
    "twins": {},
    "twin-it": {"sets_to_win": 1},
}
"""Options by which a game is soon over."""
WITH_DEALER = [game for game in GAMES if hasattr(engines.registry()[game].state, "dealer")]
ROOT = Path(__file__).parents[3]


@pytest.fixture
def service_on_each_store(store_url: str) -> FlaskClient:
    """A service with the setting for tests, on every kind of store."""
    return service_client(store_url, testing=True)


@pytest.fixture
def service(tmp_path: Path) -> FlaskClient:
    """A service with the setting for tests, on SQLite alone: what it tries is the same on every store."""
    return service_client(f"sqlite:///{tmp_path}/here.sqlite3", testing=True)


def deal_table(client: FlaskClient, game: str, **setup: Any) -> Any:
    """Return a table that was just dealt, every card of it known."""
    body = {"seats": fewest_seats(game), "seed": "a table", "ruleset": {"options": SHORT_GAMES.get(game, {})}, **setup}
    return client.post(f"/games/{game}/deal", json=body).get_json()["state"]


def post_opening(client: FlaskClient, game: str = "gin-rummy", **members: Any) -> TestResponse:
    """Try to open a session with these members; return the answer, which may be a refusal."""
    return client.post("/sessions", json={"game": game, "seats": fewest_seats(game), **members})


def error_pointers(response: TestResponse) -> list[str]:
    """The pointers of the errors of a refusal."""
    return [each["pointer"] for each in response.get_json()["errors"]]


# --- what an opening takes -------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_session_begins_with_the_table_that_was_posted(service: FlaskClient, game: str) -> None:
    state = deal_table(service, game)
    table = open_session(service, game, state=state)
    assert table.get("host").get_json()["state"].items() <= state.items()
    assert table.get("host").get_json()["ruleset"]["options"].items() >= SHORT_GAMES.get(game, {}).items()


@pytest.mark.parametrize("game", GAMES)
def test_a_table_of_which_a_card_is_unseen_is_refused(service: FlaskClient, game: str) -> None:
    state = deal_table(service, game)
    seen = service.post(f"/games/{game}/view", json={"state": state, "seat": 0}).get_json()["state"]
    response = post_opening(service, game, state=seen)
    assert (*problem(response), error_pointers(response)) == (422, "invalid-state", ["/state"])


@pytest.mark.parametrize("game", WITH_DEALER)
def test_a_table_whose_dealer_is_not_said_is_refused(service: FlaskClient, game: str) -> None:
    state = deal_table(service, game)
    del state["dealer"]
    response = post_opening(service, game, state=state)
    assert (*problem(response), error_pointers(response)) == (422, "invalid-state", ["/state"])


@pytest.mark.parametrize("moves", [0, 9, 40])
@pytest.mark.parametrize("game", GAMES)
def test_from_a_table_of_any_moment_the_game_goes_on_whatever_is_left_out_of_it(
    service: FlaskClient, game: str, moves: int
) -> None:
    """Or the table is refused: what a session does not know it could not go on from."""
    state = open_and_play(service, game, moves, seed=SEED).get("host").get_json()["state"]
    open_and_play(service, game, 30, state=state)
    for name in state:
        less = {member: value for member, value in state.items() if member != name}
        if post_opening(service, game, state=less).status_code == 201:
            open_and_play(service, game, 30, state=less)


def open_and_play(client: FlaskClient, game: str, moves: int, **members: Any) -> SessionClient:
    """Open a session and make so many random moves, or all up to the end of the game."""
    table, dice = open_session(client, game, **members), random.Random(game)
    for _ in range(moves):
        if (move := table.choose(dice)) is not None:
            assert table.move("host", move).status_code == 201
    return table


def test_a_table_with_a_single_card_that_is_null_is_refused(service: FlaskClient) -> None:
    state = deal_table(service, "gin-rummy")
    state["hands"][1][0] = None
    response = post_opening(service, state=state)
    assert (*problem(response), error_pointers(response)) == (422, "invalid-state", ["/state"])


def test_a_table_of_which_a_card_lies_nowhere_is_refused(service: FlaskClient) -> None:
    """Nothing in it is null; but its audit leaves the clause of the whole deck unverified."""
    state = deal_table(service, "gin-rummy")
    del state["stock"][-1]
    response = post_opening(service, state=state)
    assert (*problem(response), error_pointers(response)) == (422, "invalid-state", ["/state"])


def test_a_table_that_the_rulebook_contradicts_is_refused_with_its_faults(service: FlaskClient) -> None:
    state = deal_table(service, "gin-rummy")
    state["hands"][1][0] = state["hands"][0][0]
    response = post_opening(service, state=state)
    assert problem(response) == (422, "invalid-state")
    assert response.get_json()["faults"][0]["pointers"] == ["/state/hands/0/0", "/state/hands/1/0"]


def test_a_table_for_another_number_of_seats_is_refused(service: FlaskClient) -> None:
    response = post_opening(service, "twins", seats=4, state=deal_table(service, "twins", seats=3))
    assert (*problem(response), error_pointers(response)) == (422, "invalid-state", ["/seats"])


@pytest.mark.parametrize("members", [{"ruleset": {}}, {"dealer": 0}, {"fair": "joint"}, {"ruleset": {}, "dealer": 0}])
def test_with_a_table_goes_no_other_member_of_the_setup_and_no_joint_deal(
    service: FlaskClient, members: dict[str, Any]
) -> None:
    response = post_opening(service, state=deal_table(service, "gin-rummy"), **members)
    assert (*problem(response), error_pointers(response)) == (400, "invalid-request", [f"/{name}" for name in members])


@pytest.mark.parametrize(
    "members",
    [{"seed": "0" * 63}, {"seed": "g" * 64}, {"expires_in": 0}, {"expires_in": 86_401}, {"deck": []}],
    ids=str,
)
def test_an_opening_with_an_invalid_member_is_refused(service: FlaskClient, members: dict[str, Any]) -> None:
    response = post_opening(service, **members)
    assert (*problem(response), error_pointers(response)) == (400, "invalid-request", [f"/{name}" for name in members])


@pytest.mark.parametrize("game", GAMES)
def test_the_deals_follow_from_the_seed_that_was_given(service: FlaskClient, game: str) -> None:
    table = open_session(service, game, seed=SEED)
    setup = {"seats": fewest_seats(game), "seed": deal_seed(SEED, [], 1)}
    state = service.post(f"/games/{game}/deal", json=setup).get_json()["state"]
    assert table.get("host").get_json()["state"].items() <= state.items()
    assert table.get("host", "/transcript").get_json()["deal"] == {"game": game, **setup}


def test_seats_may_join_in_a_deal_of_which_the_server_s_seed_was_given(service: FlaskClient) -> None:
    table = open_session(service, seed=SEED, fair="joint")
    table.commit("rain", "snow")
    table.reveal("rain", "snow")
    deals = table.get("host", "/transcript").get_json()["deals"]
    assert deals == [{"number": 1, "seed": deal_seed(SEED, ["rain", "snow"], 1)}]


@ON_EVERY_STORE
def test_a_session_expires_after_the_seconds_that_were_given(service_on_each_store: FlaskClient) -> None:
    table = open_session(service_on_each_store, expires_in=1)
    lasting = open_session(service_on_each_store, expires_in=600)
    sleep(1.2)
    assert problem(table.get("host")) == (404, "not-found")
    assert problem(table.move("seat-0", {"type": "pass", "seat": 0})) == (404, "not-found")
    assert lasting.get("host").status_code == 200


# --- what its answers say --------------------------------------------------------------------------


def play_to_the_end(table: SessionClient) -> list[Any]:
    """Play a game to its end by its host. Returns the answers to the moves."""
    dice, answers = random.Random(1), []
    while (move := table.choose_towards_the_end(dice)) is not None:
        answers.append(table.move("host", move))
    return answers


@pytest.mark.parametrize("game", GAMES)
def test_every_answer_says_that_the_session_is_one_of_tests(service_on_each_store: FlaskClient, game: str) -> None:
    body = {"game": game, "seats": fewest_seats(game), "state": deal_table(service_on_each_store, game)}
    opening = service_on_each_store.post("/sessions", json=body, headers={"Idempotency-Key": SECRET})
    again = service_on_each_store.post("/sessions", json=body, headers={"Idempotency-Key": SECRET})
    table = session_of_opening(service_on_each_store, opening.get_json())
    stale = table.move("host", table.legal_moves()[0], If_Match='"7"')
    illegal = table.post("host", "/moves", {"moves": [table.legal_moves()[0]] * 400}, Idempotency_Key="once")
    moves = play_to_the_end(table)
    reads = [table.get("seat-0", call) for call in ("", "?legal_moves=true", "/legal-moves", "/moves", "/transcript")]
    changes = [table.post("seat-0", call, {}) for call in ("/tickets", "/rematch", "/tokens")]
    refusals = [stale, illegal, table.delete("seat-1"), table.post("host", "/seeds", {"seed": "x"})]
    answers = [opening, again, *moves, *reads, *changes, *refusals]
    assert [each.status_code for each in answers if each.get_json().get("testing") is not True] == []
    assert moves


@pytest.mark.parametrize("game", GAMES)
def test_every_event_of_a_stream_says_that_the_session_is_one_of_tests(service: FlaskClient, game: str) -> None:
    table = open_session(service, game, state=deal_table(service, game))
    table.move("host", table.legal_moves()[0])
    with listening(table, "seat-0") as listener:
        assert listener.entry()["testing"] is True
        table.delete("host")
        assert listener.event() == {"event": "closed", "data": '{"testing":true}'}


def test_events_of_incidents_and_clocks_say_that_the_session_is_one_of_tests(service: FlaskClient) -> None:
    state = deal_table(service, "twin-it")
    table = open_session(service, "twin-it", state=state, gather_ms=3000)
    claim = {"type": "claim", "hands": [{"seat": 0, "card": state["piles"][0][0]}]}
    assert table.move("seat-0", claim).get_json()["testing"] is True
    with listening(table, "seat-1") as listener:
        assert json.loads(listener.event()["data"])["testing"] is True


def test_a_server_without_the_setting_says_that_a_session_is_one_of_tests(store_url: str) -> None:
    table = open_session(service_client(store_url, testing=True), seed=SEED)
    elsewhere = SessionClient(service_client(store_url), table.id, table.game, table.tokens)
    assert elsewhere.get("host").get_json()["testing"] is True
    assert elsewhere.move("seat-0", {"type": "pass", "seat": 0}).get_json()["testing"] is True


def test_a_session_without_members_for_tests_is_an_ordinary_one(service: FlaskClient) -> None:
    table = open_session(service, "twins")
    play_to_the_end(table)
    transcript = table.get("host", "/transcript").get_json()
    assert "testing" not in table.get("host").get_json() | transcript
    assert verified(transcript, None, "en").verified


def test_a_record_of_an_earlier_version_is_of_no_test() -> None:
    record = SessionRecord("twins", "0", {}, {}, 3, SEED)
    before = {name: each for name, each in vars(record).items() if name not in ("testing", "expires_in", "from_state")}
    del before["newer"]
    read = SessionRecord.read(json.dumps(before).encode())
    assert (read.testing, read.expires_in, read.from_state) == (False, None, False)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("chosen", ["state", "seed"])
def test_a_rematch_of_a_session_of_tests_is_dealt_and_of_tests(
    service_on_each_store: FlaskClient, game: str, chosen: str
) -> None:
    ruleset = {"options": SHORT_GAMES.get(game, {})}
    members = {
        "state": {"state": deal_table(service_on_each_store, game)},
        "seed": {"seed": SEED, "ruleset": ruleset},
    }
    table = open_session(service_on_each_store, game, **members[chosen], expires_in=60)
    play_to_the_end(table)
    place = table.post("host", "/rematch", None).get_json()
    following = SessionClient(service_on_each_store, place["id"], game, {"host": place["token"]})
    shown = following.get("host").get_json()
    assert (shown["testing"], shown["version"], shown["result"]) == (True, 0, None)
    assert shown["ruleset"] == table.get("host").get_json()["ruleset"]
    assert shown["commitment"] != table.get("host").get_json()["commitment"]


# --- its transcript --------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("chosen", ["state", "seed"])
def test_no_verifier_accepts_the_transcript_of_a_test(
    service: FlaskClient, tmp_path: Path, game: str, chosen: str
) -> None:
    ruleset = {"options": SHORT_GAMES.get(game, {})}
    members = {"state": {"state": deal_table(service, game)}, "seed": {"seed": SEED, "ruleset": ruleset}}
    table = open_session(service, game, **members[chosen])
    play_to_the_end(table)
    transcript = table.get("seat-0", "/transcript").get_json()
    assert (transcript["testing"], transcript["deal"] is None) == (True, chosen == "state")
    verification = verified(transcript, transcript["commitment"], "en", table.id)
    assert (verification.verified, [each.pointer for each in verification.wrong], verification.proved) == (
        False,
        ["/testing"],
        [],
    )
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


def test_the_deals_after_a_table_that_was_posted_have_their_seeds(service: FlaskClient) -> None:
    table = open_session(
        service,
        state=deal_table(service, "gin-rummy", ruleset={"options": {"target": 10_000}}),
        seed=SEED,
    )
    dice = random.Random(1)
    while "deal" not in [move["type"] for move in table.legal_moves()]:
        table.move("host", table.choose_towards_the_end(dice))
    table.move("host", {"type": "deal"})
    transcript = table.get("host", "/transcript").get_json()
    assert transcript["deals"] == [{"number": 1, "seed": deal_seed(SEED, [], 1)}]
    assert transcript["moves"][-1]["seed"] == deal_seed(SEED, [], 1)


# --- how each problem is brought about -------------------------------------------------------------


def problem_states(client: FlaskClient) -> dict[str, Any]:
    """Return the problems that `/testing` can bring about, by name."""
    return {each["name"]: each for each in client.get("/testing").get_json()["states"]}


def test_every_kind_of_problem_is_listed_with_its_status(service: FlaskClient) -> None:
    every = problem_states(service).values()
    assert {each["problem"] for each in every} == {*KINDS}
    assert [each for each in every if each["status"] != KINDS[each["problem"]].status] == []


@pytest.mark.parametrize("name", [*KINDS, "session-gone"])
def test_the_requests_of_a_state_bring_its_problem_about(service_on_each_store: FlaskClient, name: str) -> None:
    state = problem_states(service_on_each_store)[name]
    *before, last = [send(service_on_each_store, each) for each in state["requests"]]
    assert problem(last) == (state["status"], state["problem"])
    assert [each.status_code for each in before if each.status_code >= 300] == []


def send(client: FlaskClient, request: Any) -> TestResponse:
    """Send a request as `/testing` describes it."""
    data = None if request["body"] is None else json.dumps(request["body"])
    return client.open(request["path"], method=request["method"], headers=request["headers"], data=data)


def test_each_reading_of_the_list_has_new_requests(service: FlaskClient) -> None:
    first, second = problem_states(service)["not-over"], problem_states(service)["not-over"]
    assert first["requests"][1]["path"] != second["requests"][1]["path"]


@pytest.mark.parametrize("slug", ON_DEMAND)
def test_a_problem_that_a_request_prefers_is_answered_on_any_path(service: FlaskClient, slug: str) -> None:
    prefer = f"code={KINDS[slug].status}, example={slug}"
    for path in ("/testing", "/games", f"/sessions/{'0' * 32}"):
        assert problem(service.get(path, headers={"Prefer": prefer})) == (KINDS[slug].status, slug)


@pytest.mark.parametrize(("prefer", "slug"), [("code=503", "store-unavailable"), ("code=429", "too-many-requests")])
def test_a_preferred_status_alone_brings_a_problem_about(service: FlaskClient, prefer: str, slug: str) -> None:
    response = service.post("/resolve", json={}, headers={"Prefer": prefer})
    assert problem(response) == (KINDS[slug].status, slug)
    assert int(response.headers["Retry-After"]) >= 1


@pytest.mark.parametrize("prefer", ["code=404", "return=minimal", "example=nothing", "code=503x", ""])
def test_any_other_preference_is_ignored(service: FlaskClient, prefer: str) -> None:
    assert service.get("/games", headers={"Prefer": prefer}).status_code == 200


def test_where_sessions_are_off_the_problems_of_the_calls_are_listed() -> None:
    client = create_app(Settings(store_url="none", testing=True)).test_client()
    every = [each for each in problem_states(client).values() if each["name"] not in ON_DEMAND]
    assert every
    for state in every:
        assert problem(send(client, state["requests"][-1])) == (state["status"], state["problem"])


# --- without the setting ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "members", [{"state": {}}, {"seed": SEED}, {"expires_in": 60}], ids=lambda each: next(iter(each))
)
def test_without_the_setting_an_opening_takes_no_member_for_tests(client: FlaskClient, members: dict[str, Any]) -> None:
    response = post_opening(client, **members)
    assert (*problem(response), error_pointers(response)) == (400, "invalid-request", [f"/{name}" for name in members])


def test_without_the_setting_there_is_no_list_and_no_preference(client: FlaskClient) -> None:
    assert problem(client.get("/testing")) == (404, "not-found")
    assert client.get("/games", headers={"Prefer": "code=503"}).status_code == 200


def test_the_published_contract_has_nothing_for_tests() -> None:
    text = (ROOT / "openapi.yaml").read_text(encoding="utf-8")
    assert [each for each in ("/testing", "TestingRequest", "testing:") if each in text] == []


def test_a_start_with_the_setting_logs_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    service_client(f"sqlite:///{tmp_path}/one.sqlite3")
    assert caplog.records == []
    service_client(f"sqlite:///{tmp_path}/one.sqlite3", testing=True)
    assert [(each.levelno, each.message.split()[0]) for each in caplog.records] == [
        (logging.WARNING, "REFEREE_TESTING")
    ]


def test_a_page_may_send_the_preference_where_it_is_taken(tmp_path: Path) -> None:
    preflight = {"Origin": "https://cards.example", "Access-Control-Request-Method": "GET"}
    for testing in (True, False):
        store = f"sqlite:///{tmp_path}/one.sqlite3"
        client = service_client(store, testing=testing, cors_origins=("https://cards.example",))
        allowed = client.options("/games", headers=preflight).headers["Access-Control-Allow-Headers"]
        assert ("Prefer" in allowed.split(", ")) is testing
