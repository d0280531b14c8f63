"""The next table of the same people: who gets which token of it, and that only one is ever opened."""

import json
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

import engines
import service.sessions.rematch as module
from engines.core.shuffle import commitment
from service.contract.session_bodies import EncodedSessionRequest
from service.sessions import changes
from service.sessions.capacity import lifetime
from service.sessions.outcomes import Refused
from service.sessions.record import SessionRecord
from service.sessions.stores.protocol import StoreUnavailable, WriteResult
from service.sessions.table import Table
from service.sessions.verifying import verified
from service.words.phrases import phrase
from tests.mutation import items_of
from tests.service.sessions.conftest import store_of
from tests.service.sessions.stories import cases
from tests.service.sessions.tables import (
    SECRET,
    SessionClient,
    open_session,
    problem,
    service_client,
    session_of_opening,
    sessions_of,
)
from tests.tokens_shown import Owner, owners_in

OVER_AT_FIRST_KNOCK = {
    "name": "standard",
    "options": {"knock_limit": 99, "target": 1},
}  #: Gin rummy that ends at the first knock.
STORES = ["sqlite", "redis", "cluster", "sentinel", "tls"]


@pytest.fixture
def old_table(client: FlaskClient) -> SessionClient:
    """A table of gin rummy whose game is over."""
    return play_to_the_end(open_session(client, ruleset=OVER_AT_FIRST_KNOCK))


def play_to_the_end(table: SessionClient) -> SessionClient:
    """Play a game of gin rummy to its end, each seat for itself."""
    dice = random.Random(1)
    while mover := next((each for each in table.tokens if table.legal_moves(each)), None):
        assert table.move(mover, table.choose_towards_the_end(dice, mover)).status_code == 201
    assert table.get("host").get_json()["result"] is not None
    return table


def ask_for_rematch(table: SessionClient, bearer: str = "seat-0", **headers: str) -> TestResponse:
    """Let a bearer ask for its place at the next table."""
    return table.post(bearer, "/rematch", None, **headers)


def next_table_of(table: SessionClient, bearer: str = "seat-0") -> SessionClient:
    """Let a bearer ask for a rematch; return a client of the next table, with the bearer's token alone."""
    place = ask_for_rematch(table, bearer).get_json()
    return SessionClient(table.client, place["id"], table.game, {bearer: place["token"]})


def rematch_shown_to(table: SessionClient, bearer: str = "seat-0") -> Any:
    """Return what a session shows a bearer of its next table."""
    return table.get(bearer).get_json()["rematch"]


def record_of(table: SessionClient) -> SessionRecord:
    """Return what the store has of a session."""
    stored = sessions_of(table.client).store.read(table.id)
    assert stored is not None
    return SessionRecord.read(stored.record)


# --- who gets what ---------------------------------------------------------------------------------------------------


def test_the_first_call_opens_the_next_table_and_later_calls_find_it(old_table: SessionClient) -> None:
    bearers = ["seat-1", "seat-1", "seat-0", "host", "host"]
    answers = [ask_for_rematch(old_table, bearer) for bearer in bearers]
    assert [each.status_code for each in answers] == [201, 200, 200, 200, 200]
    assert {frozenset(each.get_json()) for each in answers} == {frozenset({"id", "token"})}
    assert len({each.get_json()["id"] for each in answers} - {old_table.id}) == 1
    assert answers[0].headers["Location"] == f"/sessions/{answers[0].get_json()['id']}"
    assert [name for each in answers[1:] for name, _ in each.headers if name in {"Location", "RateLimit"}] == []


def test_each_bearer_gets_its_own_token_which_plays_its_own_place(old_table: SessionClient) -> None:
    for bearer in old_table.tokens:
        answer = ask_for_rematch(old_table, bearer)
        table = next_table_of(old_table, bearer)
        assert {(owner.session, owner.bearer) for owner in owners_in(answer.get_data())} == {(table.id, bearer)}
        seen = table.get(bearer)
        assert (seen.status_code, f"-{bearer}-" in seen.headers["ETag"]) == (200, True)
        hands = seen.get_json()["state"]["hands"]
        assert [None not in hand for hand in hands] == [bearer in ("host", f"seat-{seat}") for seat in range(2)]


@pytest.mark.parametrize("bearer", ["host", "seat-0", "seat-1"])
def test_a_game_that_goes_on_has_no_next_table(client: FlaskClient, bearer: str) -> None:
    table = open_session(client)
    refused = ask_for_rematch(table, bearer)
    assert problem(refused) == (409, "not-over")
    assert (rematch_shown_to(table), table.get(bearer).get_json()["version"]) == (None, 0)


def test_a_game_that_waits_for_seeds_has_no_next_table(client: FlaskClient) -> None:
    assert problem(ask_for_rematch(open_session(client, fair="joint"))) == (409, "not-over")


def test_a_spectator_has_no_place_at_the_next_table(client: FlaskClient) -> None:
    table = play_to_the_end(open_session(client, ruleset=OVER_AT_FIRST_KNOCK, public=True))
    assert table.get("spectator").status_code == 200
    assert problem(ask_for_rematch(table, "spectator")) == (401, "unauthorized")
    assert rematch_shown_to(table) is None


def test_an_invite_that_was_not_taken_is_taken_at_the_old_table_first(client: FlaskClient) -> None:
    table = play_to_the_end(open_session(client, ruleset=OVER_AT_FIRST_KNOCK, invite=True))
    table.tokens["invited"] = table.invites[1]
    assert problem(ask_for_rematch(table, "invited")) == (401, "unauthorized")
    taken = table.post("nobody", "/seats/1", {"invite": table.invites[1]})
    assert taken.status_code == 201
    table.tokens["seat-1"] = taken.get_json()["token"]
    assert ask_for_rematch(table, "seat-1").status_code == 201
    next_table = next_table_of(table, "seat-1")
    assert next_table.get("seat-1").get_json()["taken"] == []


def test_a_void_token_of_the_old_table_gives_no_place(old_table: SessionClient) -> None:
    old_table.tokens["old"] = old_table.tokens["seat-0"]
    old_table.tokens["seat-0"] = old_table.post("seat-0", "/tokens", {}).get_json()["token"]
    assert [ask_for_rematch(old_table, "old").status_code, ask_for_rematch(old_table).status_code] == [
        401,
        201,
    ]


@pytest.mark.parametrize("bearer", ["host", "seat-1"])
def test_a_token_that_was_renewed_at_the_next_table_is_given_to_nobody_else(
    old_table: SessionClient, bearer: str
) -> None:
    table = next_table_of(old_table, bearer)
    assert table.post(bearer, "/tokens", {}).status_code == 201
    refused = ask_for_rematch(old_table, bearer)
    assert (problem(refused), owners_in(refused.get_data())) == ((409, "seat-taken"), set())
    assert ask_for_rematch(old_table, "seat-0").status_code == 200


def test_a_seat_whose_token_the_next_host_renewed_gets_none(old_table: SessionClient) -> None:
    table = next_table_of(old_table, "host")
    assert table.post("host", "/tokens", {"seat": 1}).status_code == 201
    assert problem(ask_for_rematch(old_table, "seat-1")) == (409, "seat-taken")
    assert rematch_shown_to(old_table)["seated"] == []


# --- the old session -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("opener", "by"), [("seat-1", 1), ("host", None)])
def test_the_old_session_shows_who_opened_the_next_table_and_who_sits_there(
    old_table: SessionClient, opener: str, by: Any
) -> None:
    assert [rematch_shown_to(old_table, bearer) for bearer in old_table.tokens] == [None] * 3
    first = [] if by is None else [by]
    for bearer, seats in [(opener, first), ("host", first), ("seat-1", [1]), ("seat-0", [0, 1]), ("seat-1", [0, 1])]:
        table = next_table_of(old_table, bearer)
        expected = {"id": table.id, "by": by, "seated": seats}
        assert [rematch_shown_to(old_table, each) for each in old_table.tokens] == [expected] * 3


def test_each_first_call_of_a_seat_is_one_change_without_moves_and_no_other_call_is(
    old_table: SessionClient,
) -> None:
    before = old_table.get("host").get_json()["version"]
    versions = []
    for bearer in ("seat-0", "seat-0", "host", "seat-1", "seat-1", "host"):
        ask_for_rematch(old_table, bearer)
        versions.append(old_table.get("host").get_json()["version"] - before)
    assert versions == [1, 1, 1, 2, 2, 2]
    entries = old_table.get("seat-0", f"/moves?after={before}").get_json()["entries"]
    assert entries == [{"version": before + each, "moves": [], "events": []} for each in (1, 2)]


def test_a_stream_gets_the_change_as_an_entry(old_table: SessionClient) -> None:
    before = old_table.get("seat-1").get_json()["version"]
    ask_for_rematch(old_table)
    stream = old_table.get("seat-1", f"/events?after={before}")
    begun = b"".join(islice(iter(stream.response), 2))  # type: ignore[arg-type]
    stream.close()
    assert begun.startswith(b"retry: 2000\n\nid: %d\nevent: entry\n" % (before + 1))


def test_a_stale_if_match_opens_nothing(old_table: SessionClient) -> None:
    assert problem(ask_for_rematch(old_table, If_Match='"0"')) == (412, "version-mismatch")
    assert rematch_shown_to(old_table) is None
    assert ask_for_rematch(old_table, If_Match=old_table.get("seat-0").headers["ETag"]).status_code == 201


def test_a_session_without_room_for_the_change_opens_nothing(store_url: str) -> None:
    table = play_to_the_end(open_session(service_client(store_url), ruleset=OVER_AT_FIRST_KNOCK))
    little = SessionClient(service_client(store_url, session_bytes=100), table.id, table.game, table.tokens)
    assert problem(ask_for_rematch(little)) == (409, "session-full")
    assert sessions_of(table.client).store.count() == 1


# --- keys ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bearer", ["seat-0", "host"])
def test_a_repeated_request_has_the_same_answer_byte_for_byte(old_table: SessionClient, bearer: str) -> None:
    first, second = (ask_for_rematch(old_table, bearer, Idempotency_Key=SECRET) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert (first.get_data(), first.headers["RateLimit"]) == (second.get_data(), second.headers["RateLimit"])
    assert ask_for_rematch(old_table, bearer).status_code == 200


def test_one_key_of_two_bearers_gives_each_its_own_token(old_table: SessionClient) -> None:
    answers = {
        bearer: ask_for_rematch(old_table, bearer, Idempotency_Key=SECRET)
        for _ in range(2)
        for bearer in old_table.tokens
    }
    for bearer, answer in answers.items():
        assert {owner.bearer for owner in owners_in(answer.get_data())} == {bearer}


@pytest.mark.parametrize(("key", "status"), [("k" * 15, 400), ("k" * 16, 201), ("k" * 256, 400)])
def test_a_key_has_at_least_16_characters(old_table: SessionClient, key: str, status: int) -> None:
    assert ask_for_rematch(old_table, Idempotency_Key=key).status_code == status


def test_a_key_of_another_call_is_refused(old_table: SessionClient) -> None:
    assert old_table.post("seat-0", "/tokens", {}, Idempotency_Key=SECRET).status_code == 201
    old_table.tokens["seat-0"] = old_table.post("host", "/tokens", {"seat": 0}).get_json()["token"]
    assert problem(ask_for_rematch(old_table, Idempotency_Key=SECRET)) == (422, "idempotency-key-reused")
    assert (rematch_shown_to(old_table), sessions_of(old_table.client).store.count()) == (None, 1)


# --- an opening of its caller ----------------------------------------------------------------------------------------


def test_a_rematch_counts_as_an_opening_of_its_caller(store_url: str) -> None:
    """The two old tables have used up the share of the usual address."""
    client = service_client(store_url, client_openings=2)
    first, second = (play_to_the_end(open_session(client, ruleset=OVER_AT_FIRST_KNOCK)) for _ in range(2))
    other = {"X_Forwarded_For": "192.0.2.7"}
    refused = ask_for_rematch(first)
    assert (problem(refused), int(refused.headers["Retry-After"]) > 0) == ((429, "too-many-requests"), True)
    assert rematch_shown_to(first) is None
    answer = ask_for_rematch(first, **other)
    assert (answer.status_code, answer.headers["RateLimit"].startswith('"openings";r=1;')) == (201, True)
    assert ask_for_rematch(first, "seat-1").status_code == 200  # it opens nothing
    assert [ask_for_rematch(second, **other).status_code, ask_for_rematch(second).status_code] == [201, 200]


def test_a_store_without_room_for_openings_refuses_one_and_still_seats_players(store_url: str) -> None:
    tables = [play_to_the_end(open_session(service_client(store_url), ruleset=OVER_AT_FIRST_KNOCK)) for _ in range(2)]
    ask_for_rematch(tables[0])
    full = service_client(store_url, open_sessions=1)
    there, none = (SessionClient(full, table.id, table.game, table.tokens) for table in tables)
    assert problem(ask_for_rematch(none)) == (503, "store-unavailable")
    assert ask_for_rematch(there, "seat-1").status_code == 200


# --- the setup -------------------------------------------------------------------------------------------------------

ANIMALS = [f"animal {number}" for number in range(60)]
DESIGNS = [[design, ANIMALS[(place + 1) % 60]] for place, design in enumerate(ANIMALS)]
OWN_MEMBERS = {"generation", "server_seed", "setup", "state", "deals", "moves", "size", "spent", "taken", "renewals",
       "commitments", "seeds", "incident", "idle", "clock", "counted", "rematch", "is_rematch", "newer"}  # fmt: skip
"""Members of a record that each session has of its own."""
SETUPS: list[dict[str, Any]] = [
    {"game": "gin-rummy", "seats": 2, "ruleset": OVER_AT_FIRST_KNOCK, "names": ["Anna", "Bo"], "host": "blind"},
    {"game": "twins", "seats": 4, "dealer": 2, "public": True, "fair": "joint", "names": ["A", "B", "C", "D"]},
    {"game": "twin-it", "seats": 4, "ruleset": {"name": "team"}, "teams": [0, 1, 0, 1], "gather_ms": 700},
    {"game": "twin-it", "seats": 3, "ruleset": {"name": "timed"}, "clock_seconds": 30},
    {
        "game": "twin-it",
        "seats": 2,
        "designs": DESIGNS,
        "forbidden": [["3A", "21A", "30A"], []],
        "first": 1,
        "public": True,
    },
    {"game": "take-that", "seats": 3, "fair": "joint", "host": "blind", "invite": True},
]


@pytest.fixture
def every_game_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every game for finished."""
    monkeypatch.setattr(Table, "over", property(lambda table: True))


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: f"{setup['game']} {sorted(setup)[-2:]}")
def test_the_next_table_is_set_up_as_the_old_one_was_without_forbidden_cards(
    client: FlaskClient, every_game_is_over: None, setup: dict[str, Any]
) -> None:
    table = open_session(client, **setup)
    before, after = record_of(table), record_of(next_table_of(table, "host"))
    same = [each.name for each in fields(SessionRecord) if each.name not in OWN_MEMBERS]
    assert {name: getattr(after, name) for name in same} == {name: getattr(before, name) for name in same}
    assert after.setup == {name: value for name, value in before.setup.items() if name != "forbidden"}
    assert len({before.generation, after.generation, before.server_seed, after.server_seed}) == 4
    assert (after.moves, after.taken, after.renewals, after.is_rematch) == (0, [], {}, True)


def test_each_member_that_an_opening_takes_is_tried() -> None:
    """Those of every game, and those that a game's own setup adds. `deck` is none: a session shuffles its own decks."""
    takers = [EncodedSessionRequest, *(engine.setup for engine in engines.registry().values())]
    members = {each.name for taker in takers for each in fields(taker)}
    assert members - {"deck"} == {name for setup in SETUPS for name in setup} - {"game"}


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_joint_deal_needs_commitments_anew(client: FlaskClient, every_game_is_over: None) -> None:
    table = open_session(client, fair="joint")
    table.commit("rain", "wind")
    table.reveal("rain", "wind")
    next_table = next_table_of(table)
    seen = next_table.get("seat-0").get_json()
    assert (seen["state"], seen["commitments"], seen["to_act"]) == (None, [None, None], [0, 1])
    assert problem(next_table.post("seat-0", "/seeds", {"seed": "rain"})) == (403, "forbidden")
    next_table.tokens["seat-1"] = next_table_of(table, "seat-1").tokens["seat-1"]
    next_table.commit("snow", "hail")
    next_table.reveal("snow", "hail")
    assert next_table.get("seat-0").get_json()["state"]["phase"] == "upcard"


def test_the_next_table_has_a_next_table_again(old_table: SessionClient) -> None:
    table = next_table_of(old_table)
    table.tokens["seat-1"] = next_table_of(old_table, "seat-1").tokens["seat-1"]
    table.tokens["host"] = next_table_of(old_table, "host").tokens["host"]
    assert problem(ask_for_rematch(table)) == (409, "not-over")
    play_to_the_end(table)
    assert ask_for_rematch(table).status_code == 201
    assert len({old_table.id, table.id, rematch_shown_to(table)["id"]}) == 3


# --- its life --------------------------------------------------------------------------------------------------------


def test_the_next_table_lives_as_long_as_a_session_after_a_move(old_table: SessionClient) -> None:
    """A day, although it is not played yet. Other unplayed sessions live for an hour."""
    table = next_table_of(old_table)
    sessions = sessions_of(old_table.client)
    copied = sessions.store.copy(table.id)
    assert copied is not None
    assert copied.ends - sessions.store.clock.now() > 23.9 * 3600
    assert table.post("seat-0", "/tokens", {}).status_code == 201
    assert lifetime(record_of(table), sessions.settings) == 24 * 3600


@pytest.mark.parametrize("opener", ["seat-1", "host"])
def test_a_next_table_that_is_gone_is_followed_by_another(old_table: SessionClient, opener: str) -> None:
    gone = next_table_of(old_table, "host")
    ask_for_rematch(old_table, "seat-0")
    assert gone.delete("host").status_code == 204
    assert rematch_shown_to(old_table)["id"] == gone.id
    answer = ask_for_rematch(old_table, opener)
    assert answer.status_code == 201
    seat = None if opener == "host" else 1
    assert rematch_shown_to(old_table) == {
        "id": answer.get_json()["id"],
        "by": seat,
        "seated": [] if seat is None else [1],
    }
    assert rematch_shown_to(old_table)["id"] != gone.id
    assert ask_for_rematch(old_table, "seat-0").status_code == 200


# --- what the transcript tells ---------------------------------------------------------------------------------------


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value."""
    if isinstance(value, str):
        yield value
    for _name, part in items_of(value):
        yield from texts_in(part)


def test_the_holder_of_a_transcript_can_open_and_see_nothing_of_the_next_table(old_table: SessionClient) -> None:
    table = next_table_of(old_table)
    transcript = old_table.get("seat-1", "/transcript").get_json()
    assert {"rematch", "clock_seconds"} & transcript.keys() == set()
    assert table.id not in json.dumps(transcript)
    record, texts = record_of(table), [*texts_in(transcript)]
    secrets = [record.generation, record.server_seed, record_of(old_table).generation]
    assert [secret for secret in secrets if secret in json.dumps(transcript)] == []
    statuses = {old_table.client.get(f"/sessions/{text}").status_code for text in texts if len(text) == 32}
    assert statuses == {401}
    for key in {text for text in texts if 16 <= len(text) <= 255}:
        for path, headers in (
            (f"/sessions/{table.id}/rematch", {"Authorization": f"Bearer {key}"}),
            (f"/sessions/{table.id}", {"Authorization": f"Bearer {key}"}),
            (f"/sessions/{old_table.id}/rematch", {"Idempotency-Key": key}),
        ):
            assert old_table.client.post(path, headers=headers).status_code in {401, 405}


def test_the_disclosed_seed_does_not_lead_to_the_next_table(old_table: SessionClient) -> None:
    """Earlier versions made the key of its opening of the seed that the transcript discloses."""
    table = next_table_of(old_table)
    seed = old_table.get("seat-0", "/transcript").get_json()["server_seed"]
    body = {
        "game": "gin-rummy",
        "seats": 2,
        "ruleset": OVER_AT_FIRST_KNOCK,
        "host": "blind",
        "invite": True,
        "fair": "committed",
    }
    stranger = old_table.client.post("/sessions", json=body, headers={"Idempotency-Key": commitment(f"{seed} again")})
    assert stranger.get_json()["id"] not in {table.id, old_table.id}


def test_a_transcript_is_verified_after_a_rematch(old_table: SessionClient) -> None:
    for bearer in old_table.tokens:
        ask_for_rematch(old_table, bearer)
    assert verified(old_table.get("seat-0", "/transcript").get_json(), None, "en").verified


# --- the law ---------------------------------------------------------------------------------------------------------


def place_of_another_seat(sessions: Any, snapshot: Any, place: Any = module._place) -> Any:
    """Return a place of the next table with the token of another seat, as a faulty service would."""
    other = {"seat-0": 1, "seat-1": 0, "host": 0}[snapshot.bearer.name]
    return place(sessions, snapshot._replace(bearer=snapshot.bearer.__class__("seat", other)))


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_at_every_kind_of_table_each_bearer_gets_its_own_token_alone(
    client: FlaskClient, every_game_is_over: None
) -> None:
    for case in cases(1):
        table = session_of_opening(client, client.post("/sessions", json=case.body()).get_json())
        for seat, invite in enumerate(table.invites):
            table.tokens[f"seat-{seat}"] = table.post("", f"/seats/{seat}", {"invite": invite}).get_json()["token"]
        answers = {bearer: ask_for_rematch(table, bearer) for _ in range(2) for bearer in table.tokens}
        (name,) = {answer.get_json()["id"] for answer in answers.values()}
        assert len(answers) == case.seats + 1
        for bearer, answer in answers.items():
            assert owners_in(answer.get_data()) == {Owner(name, bearer)}, case
            for call in ("", "/moves", "/legal-moves", "/transcript"):
                assert owners_in(table.get(bearer, call).get_data()) == set(), case


def test_an_answer_that_holds_the_token_of_another_is_noticed(
    old_table: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`tests/tokens_shown.py` searches every answer of the tests for tokens of others."""
    monkeypatch.setattr(module, "_place", place_of_another_seat)
    for bearer in old_table.tokens:
        with pytest.raises(AssertionError, match="holds the token of seat"):
            ask_for_rematch(old_table, bearer)


def test_an_invite_in_an_answer_is_noticed(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """`tests/tokens_shown.py` searches every answer of the tests for tokens of others."""
    table = open_session(client, invite=True)
    document = SessionRecord.next_table
    monkeypatch.setattr(SessionRecord, "next_table", property(lambda record: {"see": table.invites[1]}))
    with pytest.raises(AssertionError, match="holds the token of invite-1"):
        table.get("host")
    monkeypatch.setattr(SessionRecord, "next_table", document)
    assert table.get("host").status_code == 200


# --- races -----------------------------------------------------------------------------------------------------------

UNPATCHED_OPEN = module._open


@pytest.fixture(params=STORES)
def any_store(patience: None, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a store of each kind."""
    return store_of(request, tmp_path)


class Race(NamedTuple):
    """A table, the answers to the callers of its rematch, and the tables that they left in the store beside it."""

    table: SessionClient
    answers: list[TestResponse]
    left: set[str]


def call_at_once(url: str, bearers: list[str], monkeypatch: pytest.MonkeyPatch) -> Race:
    """Let these bearers of a new table ask for a rematch at once. All open a table before the first is named."""
    table = open_session(service_client(url), "take-that", seats=4)
    before = {*sessions_of(table.client).store.names()}  # other tests may have left sessions there
    everywhere = [SessionClient(service_client(url), table.id, table.game, table.tokens) for _ in bearers]
    gate = threading.Barrier(len(bearers))

    def opened_together(*arguments: Any) -> Any:
        own = UNPATCHED_OPEN(*arguments)
        with suppress(threading.BrokenBarrierError):  # the store did not answer another caller in time
            gate.wait(15)
        return own

    monkeypatch.setattr(module, "_open", opened_together)
    with ThreadPoolExecutor(len(bearers)) as pool:
        answers = list(pool.map(ask_for_rematch, everywhere, bearers))
    return Race(table, answers, {*sessions_of(table.client).store.names()} - before)


def test_twenty_callers_at_once_come_to_one_table_and_the_others_delete_theirs(
    any_store: str, every_game_is_over: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has a server of its own. A race in which the store was away for somebody is run again."""
    bearers = ["host", "seat-0", "seat-1", "seat-2", "seat-3"] * 4
    races = (call_at_once(any_store, bearers, monkeypatch) for _ in range(4))
    table, answers, left = next(race for race in races if 503 not in {each.status_code for each in race.answers})
    assert sorted(each.status_code for each in answers) == [200] * 19 + [201]
    (name,) = {each.get_json()["id"] for each in answers}
    assert left == {name}
    tokens = {(bearer, each.get_json()["token"]) for bearer, each in zip(bearers, answers, strict=True)}
    assert len(tokens) == 5
    for bearer, token in tokens:
        assert SessionClient(table.client, name, table.game, {bearer: token}).get(bearer).status_code == 200
    seen = table.get("host").get_json()
    winner = bearers[[each.status_code for each in answers].index(201)]
    by = None if winner == "host" else int(winner[-1])
    assert seen["rematch"] == {"id": name, "by": by, "seated": [0, 1, 2, 3]}
    assert seen["version"] == (5 if by is None else 4)


def test_a_table_that_was_opened_is_named_though_another_change_comes_first(
    old_table: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token is renewed between the opening and the write that names the new table. That write is tried again."""
    open_one = module._open

    def opened_late(*arguments: Any) -> Any:
        own = open_one(*arguments)
        other = service_client(sessions_of(old_table.client).settings.store_url)
        assert (
            SessionClient(other, old_table.id, old_table.game, old_table.tokens)
            .post("seat-1", "/tokens", {})
            .status_code
            == 201
        )
        return own

    monkeypatch.setattr(module, "_open", opened_late)
    assert ask_for_rematch(old_table).status_code == 201
    assert sessions_of(old_table.client).store.count() == 2


def test_a_table_that_cannot_be_named_is_deleted(old_table: SessionClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other changes always come first."""
    monkeypatch.setattr(module, "write", lambda *_: WriteResult.STALE)
    assert problem(ask_for_rematch(old_table)) == (503, "store-unavailable")
    assert sessions_of(old_table.client).store.count() == 1


def test_a_table_that_may_have_been_named_is_left(old_table: SessionClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store made the change, and its answer was lost."""

    def lost(*arguments: Any) -> Any:
        changes.write(*arguments)
        raise StoreUnavailable

    monkeypatch.setattr(module, "write", lost)
    assert problem(ask_for_rematch(old_table)) == (503, "store-unavailable")
    monkeypatch.undo()
    answer = ask_for_rematch(old_table)
    assert (answer.status_code, rematch_shown_to(old_table)["by"]) == (200, 0)
    assert sessions_of(old_table.client).store.count() == 2


def test_a_loser_whose_table_cannot_be_deleted_answers_all_the_same(
    old_table: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two servers open a next table at once. The one whose change comes second gives the table of the other."""
    other = SessionClient(
        service_client(sessions_of(old_table.client).settings.store_url),
        old_table.id,
        old_table.game,
        old_table.tokens,
    )
    open_one, store = module._open, sessions_of(old_table.client).store

    def beaten(*arguments: Any) -> Any:
        own = open_one(*arguments)
        monkeypatch.setattr(module, "_open", open_one)
        assert ask_for_rematch(other, "seat-1").status_code == 201
        return own

    def away(session: str) -> bool:
        raise StoreUnavailable

    monkeypatch.setattr(module, "_open", beaten)
    monkeypatch.setattr(type(store), "delete", lambda store, session: away(session))
    assert (ask_for_rematch(old_table).status_code, rematch_shown_to(old_table)["by"]) == (200, 1)


def test_a_request_that_is_refused_after_it_has_opened_a_table_deletes_it(
    old_table: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any) -> Any:
        raise Refused("store-unavailable", phrase("store-full"))

    monkeypatch.setattr(module, "write", refused)
    assert problem(ask_for_rematch(old_table)) == (503, "store-unavailable")
    assert sessions_of(old_table.client).store.count() == 1
