"""A clock that the opening sets: nothing is counted before its end, and no count shows before all are settled."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.sessions import record
from service.sessions.backup import back_up, restore
from service.sessions.service import Sessions
from service.sessions.stores import open_store
from service.sessions.stores.protocol import Change
from service.sessions.verifying import verified
from tests.long import long
from tests.server import until
from tests.service.sessions.clocks import DECK, ON_EVERY_STORE, Time
from tests.service.sessions.tables import (
    GAMES,
    SECRET,
    SessionClient,
    open_session,
    problem,
    service_client,
    session_of_opening,
)
from tests.service.sessions.test_event_streams import listening

SECONDS = 60
CLOCK_MS = SECONDS * 1000


@pytest.fixture
def client(store_url: str, time: Time) -> FlaskClient:
    """A client of an application whose store goes by the clock `time`."""
    return time.service_client(store_url)


def open_with_clock(client: FlaskClient, name: str = "timed", **more: Any) -> SessionClient:
    """Open a table of three with a clock: nobody counts before its end."""
    return open_session(
        client, "twin-it", 3, **({"ruleset": {"name": name}, "clock_seconds": SECONDS, "public": True} | more)
    )


def open_with_ended_clock(client: FlaskClient, time: Time, name: str = "timed", **more: Any) -> SessionClient:
    """Open a table of three whose clock ended a second ago."""
    table = open_with_clock(client, name, **more)
    assert table.post("seat-0", "/clock", {}).status_code == 201
    time.ahead += CLOCK_MS + 1000
    return table


def count_move(seat: int | None, *groups: list[str]) -> Any:
    """Return the move by which a seat counts these groups of cards."""
    return {"type": "count", "groups": list(groups), **({} if seat is None else {"seat": seat})}


def cards_on_the_table(table: SessionClient) -> list[str]:
    """Return the cards that lie on the table, as its host sees it."""
    cards: list[str] = table.get("host").get_json()["state"]["table"]
    return cards


def counts_of_last_entry(table: SessionClient) -> list[Any]:
    """The seats and groups of the counts in the log's last entry."""
    entry = table.get("host", "/moves").get_json()["entries"][-1]
    return [(move.get("seat"), move["groups"]) for move in entry["moves"]]


# --- an opening ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cooperative", "timed"])
@pytest.mark.parametrize("seconds", [10, 600])
def test_a_session_shows_the_seconds_of_its_clock_to_all(client: FlaskClient, name: str, seconds: int) -> None:
    table = open_with_clock(client, name, clock_seconds=seconds)
    for bearer in table.bearers:
        shown = table.get(bearer).get_json()
        assert (shown["clock_seconds"], shown["clock"], shown["counted"]) == (seconds, None, None)


@pytest.mark.parametrize("game", GAMES)
def test_a_session_without_a_clock_shows_null(client: FlaskClient, game: str) -> None:
    shown = open_session(client, game).get("host").get_json()
    assert (shown["clock_seconds"], shown["counted"]) == (None, None)


@pytest.mark.parametrize("seconds", [9, 601, 0, 60.5, "60", True])
def test_a_clock_of_less_than_10_or_more_than_600_seconds_is_refused(client: FlaskClient, seconds: Any) -> None:
    body = {"game": "twin-it", "seats": 3, "ruleset": {"name": "timed"}, "clock_seconds": seconds}
    answer = client.post("/sessions", json=body)
    assert (problem(answer), answer.get_json()["errors"][0]["pointer"]) == ((400, "invalid-request"), "/clock_seconds")


@pytest.mark.parametrize(("game", "ruleset"), [*((game, None) for game in GAMES), ("twin-it", "team")])
def test_a_clock_is_refused_in_other_games_and_rulesets(client: FlaskClient, game: str, ruleset: str | None) -> None:
    rules = {} if ruleset is None else {"ruleset": {"name": ruleset}}
    answer = client.post("/sessions", json={"game": game, "seats": 4, "clock_seconds": 60, **rules})
    assert (problem(answer), answer.get_json()["errors"][0]["pointer"]) == ((400, "invalid-request"), "/clock_seconds")


def test_a_session_may_have_both_a_clock_and_a_joint_deal(client: FlaskClient) -> None:
    table = open_with_clock(client, fair="joint")
    early = table.move("seat-0", count_move(0))
    assert (problem(early), early.get_json()["ends_in_ms"]) == ((409, "time-running"), None)
    table.commit("a", "b", "c")
    table.reveal("a", "b", "c")
    assert table.post("seat-0", "/clock", {}).status_code == 201
    assert problem(table.move("seat-0", count_move(0))) == (409, "time-running")


@pytest.mark.parametrize("member", ["gather_ms", "clock_seconds"])
def test_openings_of_other_games_do_not_have_the_member(client: FlaskClient, member: str) -> None:
    schemas = client.get("/openapi.json").get_json()["components"]["schemas"]
    requests = {name: schema for name, schema in schemas.items() if name.endswith("SessionRequest")}
    assert [name for name, schema in requests.items() if member in schema.get("properties", {})] == [
        "TwinItSessionRequest"
    ]


# --- the start -----------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [{}, {"seconds": SECONDS}])
@pytest.mark.parametrize("bearer", ["host", "seat-2"])
def test_a_clock_is_started_without_seconds_or_with_those_of_the_opening(
    client: FlaskClient, body: Any, bearer: str
) -> None:
    """By the host or a seat, once: the second start is refused."""
    table = open_with_clock(client)
    started = table.post(bearer, "/clock", body)
    assert (started.status_code, started.get_json()["clock"]) == (201, {"ends_in_ms": CLOCK_MS})
    assert problem(table.post("seat-1", "/clock", {})) == (403, "forbidden")


@pytest.mark.parametrize("seconds", [59, 61, 0, "60"])
def test_a_clock_is_not_started_with_other_seconds(client: FlaskClient, seconds: Any) -> None:
    refused = open_with_clock(client).post("seat-0", "/clock", {"seconds": seconds})
    assert (problem(refused), refused.get_json()["errors"][0]["pointer"]) == ((400, "invalid-request"), "/seconds")


def test_a_clock_that_does_not_bind_needs_its_seconds(client: FlaskClient) -> None:
    table = open_session(client, "twin-it", 3, ruleset={"name": "timed"})
    refused = table.post("seat-0", "/clock", {})
    assert (problem(refused), refused.get_json()["errors"][0]["pointer"]) == ((400, "invalid-request"), "/seconds")
    assert table.post("seat-0", "/clock", {"seconds": 1}).status_code == 201


# --- before the end ------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "seat"), [("cooperative", None), ("timed", 1)])
@pytest.mark.parametrize("bearer", ["host", "seat-1"])
def test_a_count_before_the_end_is_409_for_every_bearer(
    client: FlaskClient, time: Time, name: str, seat: int | None, bearer: str
) -> None:
    table = open_with_clock(client, name)
    for ahead, ends in ((0, None), (0, CLOCK_MS), (CLOCK_MS - 1, 1)):
        time.ahead = ahead
        early = table.move(bearer, count_move(seat))
        assert (problem(early), early.get_json()["ends_in_ms"]) == ((409, "time-running"), ends)
        table.post(bearer, "/clock", {})
    time.ahead = CLOCK_MS
    assert table.move(bearer, count_move(seat)).status_code == (201 if name == "cooperative" else 202)


def test_an_early_count_is_refused_after_its_shape_and_bearer_but_before_its_legality(client: FlaskClient) -> None:
    """A count before the clock has ended is 409 `time-running`. The host is blind: it sees no more than a spectator."""
    table = open_with_clock(client, host="blind")
    assert problem(table.move("seat-0", {"type": "count"})) == (400, "invalid-request")
    assert problem(table.move("seat-0", count_move(0), count_move(0))) == (400, "invalid-request")
    assert problem(table.move("seat-0", count_move(1))) == (403, "forbidden")
    assert problem(table.move("host", count_move(1))) == (403, "forbidden")
    assert problem(table.move("seat-0", count_move(0, ["199A"]))) == (409, "time-running"), "no such card"
    assert problem(table.move("host", count_move(None))) == (409, "time-running"), "each counts for itself"
    assert problem(table.move("seat-0", {"type": "flip", "seat": 0})) == (422, "illegal-move"), "no count"
    assert problem(open_with_clock(client).move("host", count_move(0), count_move(1))) == (400, "invalid-request"), (
        "one a request"
    )


# --- late counts ---------------------------------------------------------------------------------


@ON_EVERY_STORE
def test_counts_of_a_timed_game_are_collected_and_settled_once_all_have_counted(
    client: FlaskClient, time: Time
) -> None:
    """TI-10.1: the first to count has the card."""
    table = open_with_ended_clock(client, time)
    lie = cards_on_the_table(table)
    tags = {seat: table.get(f"seat-{seat}").headers["ETag"] for seat in range(3)}
    for seat in (2, 0, 1):
        groups = [lie[: 2 + seat]]
        answer = table.move(f"seat-{seat}", count_move(seat, *groups))
        assert (answer.status_code, answer.get_json()) == (202, {"counted": groups, "version": 1})
        assert answer.headers["ETag"] == tags[seat]
    for bearer in table.bearers:
        shown = table.get(bearer).get_json()
        assert (shown["version"], shown["counted"], shown["result"]["rule"]) == (2, None, "TI-10.1")
    assert counts_of_last_entry(table) == [(2, [lie[:4]]), (0, [lie[:2]]), (1, [lie[:3]])]


@ON_EVERY_STORE
def test_five_seconds_after_the_end_the_missing_counts_are_empty(client: FlaskClient, time: Time) -> None:
    """`GRACE_MS` after the end of the clock the next request settles the game, although two seats have not counted."""
    table = open_with_ended_clock(client, time)
    groups = [cards_on_the_table(table)[:2]]
    assert table.move("seat-1", count_move(1, *groups)).status_code == 202
    time.ahead = CLOCK_MS + record.GRACE_MS - 1
    assert table.get("seat-0").get_json()["version"] == 1
    time.ahead = CLOCK_MS + record.GRACE_MS
    assert problem(table.move("seat-2", count_move(2))) == (409, "time-over")
    assert table.get("spectator").get_json()["version"] == 2
    assert counts_of_last_entry(table) == [(1, groups), (0, []), (2, [])]


def test_the_first_late_count_of_a_cooperative_game_settles_it_at_once(client: FlaskClient, time: Time) -> None:
    table = open_with_ended_clock(client, time, "cooperative")
    groups = [cards_on_the_table(table)[:2]]
    answer = table.move("seat-1", count_move(None, *groups))
    assert (answer.status_code, answer.get_json()["version"]) == (201, 2)
    assert answer.get_json()["result"]["rule"] == "TI-9.2"
    assert counts_of_last_entry(table) == [(None, groups)]


def test_a_repeated_count_is_202_and_a_different_one_422(client: FlaskClient, time: Time) -> None:
    table = open_with_ended_clock(client, time)
    lie = cards_on_the_table(table)
    first = table.move("seat-0", count_move(0, lie[:2]))
    again = table.move("seat-0", count_move(0, lie[:2]))
    assert (again.status_code, again.get_json()) == (202, first.get_json())
    for other in ([], [lie[:3]], [lie[:2], lie[2:4]]):
        refused = table.move("seat-0", count_move(0, *other))
        assert (problem(refused), refused.get_json()["violations"][0]["code"]) == ((422, "illegal-move"), "has-counted")
    assert table.get("seat-0").get_json()["counted"] == [lie[:2]]


def test_an_illegal_count_is_422_and_is_not_collected(client: FlaskClient, time: Time) -> None:
    table = open_with_ended_clock(client, time)
    refused = table.move("seat-0", count_move(0, ["199A", "198A"]))
    assert (problem(refused), refused.get_json()["violations"][0]["code"]) == ((422, "illegal-move"), "no-such-card")
    assert problem(table.move("host", count_move(None))) == (422, "illegal-move")
    assert problem(table.move("host", count_move(5))) == (422, "illegal-move")
    assert table.get("host").get_json()["counted"] is None
    assert table.move("seat-0", count_move(0)).status_code == 202


def test_a_count_has_at_most_16_kib(client: FlaskClient, time: Time) -> None:
    """Every reading of the session reads all that are collected."""
    table = open_with_ended_clock(client, time)
    every = [f"{number}A" for number in range(119)]
    assert problem(table.move("seat-0", count_move(0, *[every] * 24))) == (422, "too-much-asked")
    assert table.get("seat-0").get_json()["counted"] is None
    assert table.move("seat-0", count_move(0, *[every] * 20)).status_code == 202


def test_a_count_is_stored_under_its_key(client: FlaskClient, time: Time) -> None:
    """Once the counts are settled, the repeated count is answered as before."""
    table = open_with_ended_clock(client, time)
    first = table.move("seat-0", count_move(0, cards_on_the_table(table)[:2]), Idempotency_Key="k")
    assert problem(table.move("seat-0", count_move(0), Idempotency_Key="k")) == (422, "idempotency-key-reused")
    time.ahead += record.GRACE_MS
    assert table.get("seat-0").get_json()["version"] == 2
    again = table.move("seat-0", count_move(0, cards_on_the_table(table)[:2]), Idempotency_Key="k")
    assert (again.status_code, again.get_data()) == (202, first.get_data())


def test_a_host_that_sees_all_counts_for_seats_one_a_request_and_sees_every_seats(
    client: FlaskClient, time: Time
) -> None:
    table = open_with_ended_clock(client, time)
    lie = cards_on_the_table(table)
    assert problem(table.move("host", count_move(0), count_move(1))) == (400, "invalid-request")
    assert table.move("host", count_move(1, lie[:2])).status_code == 202
    assert table.get("host").get_json()["counted"] == [None, [lie[:2]], None]
    assert table.move("seat-2", count_move(2)).status_code == 202
    assert table.get("host").get_json()["counted"] == [None, [lie[:2]], []]
    assert table.get("seat-1").get_json()["counted"] == [lie[:2]]
    assert problem(table.move("seat-1", count_move(1))) == (422, "illegal-move")


def test_a_blind_host_neither_counts_nor_sees_counts(client: FlaskClient, time: Time) -> None:
    table = open_with_ended_clock(client, time, host="blind")
    assert table.move("seat-1", count_move(1, cards_on_the_table(table)[:2])).status_code == 202
    assert table.get("host").get_json()["counted"] is None
    assert problem(table.move("host", count_move(0))) == (403, "forbidden")


# --- nobody learns of another's count ------------------------------------------------------------


def answers_to(table: SessionClient, bearer: str, groups: list[list[str]]) -> list[Any]:
    """All answers to a bearer, byte by byte, without request ids and dates. It ends with the bearer's own count."""
    tag = table.get(bearer).headers["ETag"]
    answers: list[TestResponse] = [
        table.get(bearer),
        table.get(bearer, **{"If-None-Match": tag}),
        *(table.get(bearer, call) for call in ("?legal_moves=true", "/legal-moves")),
        *(
            table.get(bearer, call, **{"If-None-Match": table.get(bearer, call).headers["ETag"]})
            for call in ("?legal_moves=true", "/legal-moves")
        ),
        table.get(bearer, "/moves"),
        table.get(bearer, "/transcript"),
    ]
    if bearer != "spectator":
        seat = int(bearer[-1])
        answers += [
            table.post(bearer, "/clock", {}),
            table.move(bearer, count_move(seat, ["199A", "198A"])),
            table.move(bearer, count_move(seat), If_Match='"0"'),
            table.move(bearer, count_move(seat, *groups), If_Match=tag),
            table.move(bearer, count_move(seat, *groups), If_Match=f'"{tag[1:].split("-")[0]}"'),
            table.move(bearer, count_move(seat)),
            table.get(bearer),
        ]
    unlike = ("X-Request-ID", "Date")
    return [
        (answer.status_code, [each for each in answer.headers if each[0] not in unlike], answer.get_data())
        for answer in answers
    ]


@pytest.mark.parametrize("bearer", ["seat-0", "spectator"])
def test_no_answer_differs_by_what_others_have_counted(client: FlaskClient, time: Time, bearer: str) -> None:
    """The session is put back into the store before each try, so that only the counts of others differ."""
    table = open_with_ended_clock(client, time)
    lie = cards_on_the_table(table)
    store = open_store(client.application.extensions["settings"].store_url)
    copied = store.copy(table.id)
    assert copied is not None

    def answers_after(*others: Any) -> list[Any]:
        """All answers to the bearer, at the same table, after others have counted."""
        store.delete(table.id)
        store.put(copied)
        for seat, groups in others:
            assert table.move(f"seat-{seat}", count_move(seat, *groups)).status_code == 202
        return answers_to(table, bearer, [lie[:2]])

    nobody = answers_after()
    assert [answer[0] for answer in nobody][:6] == [200] * 6, "nothing is 304"
    for seat, groups in ((1, [lie[:2]]), (1, [lie[2:5]]), (1, list[list[str]]()), (2, [lie[:2], lie[2:4]])):
        assert answers_after((seat, groups)) == nobody
    store.close()


def test_streams_show_no_count_before_the_settlement(client: FlaskClient, time: Time) -> None:
    table = open_with_ended_clock(client, time)
    with listening(table, "spectator") as one, listening(table, "seat-0") as other:
        for listener in (one, other):
            assert [listener.entry()["version"], listener.event()["event"]] == [1, "clock"]
        for seat in (1, 2, 0):
            table.move(f"seat-{seat}", count_move(seat))
        for listener in (one, other):
            entry = listener.event()
            assert (entry["event"], entry["id"]) == ("entry", "2"), "the settlement, and nothing before"


@pytest.mark.parametrize("name", ["cooperative", "timed"])
def test_nothing_is_304_from_the_start_of_the_clock_until_the_counts_are_settled(
    client: FlaskClient, time: Time, name: str
) -> None:
    table = open_with_clock(client, name)

    def statuses() -> set[int]:
        reads = [(bearer, call) for bearer in table.bearers for call in ("", "?legal_moves=true", "/legal-moves")]
        return {
            table.get(bearer, call, **{"If-None-Match": table.get(bearer, call).headers["ETag"]}).status_code
            for bearer, call in reads
        }

    assert statuses() == {304}
    table.post("host", "/clock", {})
    for ahead in (0, CLOCK_MS - 1, CLOCK_MS, CLOCK_MS + record.GRACE_MS - 1):
        time.ahead = ahead
        assert statuses() == {200}
    time.ahead = CLOCK_MS + record.GRACE_MS
    table.get("host")  # this read makes the moves that the session owes
    assert statuses() == {304}


def test_state_and_to_act_stay_as_they_were(client: FlaskClient, time: Time) -> None:
    table = open_with_ended_clock(client, time)
    names = ("state", "to_act", "standings", "result", "version", "clock")
    before = {bearer: table.get(bearer).get_json() for bearer in table.bearers}
    table.move("seat-1", count_move(1, cards_on_the_table(table)[:2]))
    for bearer in table.bearers:
        shown = table.get(bearer).get_json()
        assert {name: shown[name] for name in names} == {name: before[bearer][name] for name in names}
    assert table.legal_moves("seat-1") == [count_move(1)]


# --- listings, logs, transcripts -----------------------------------------------------------------


@pytest.mark.parametrize("more", [{}, {"clock_seconds": SECONDS}])
@pytest.mark.parametrize("name", ["cooperative", "timed"])
def test_a_session_lists_a_count_without_groups(client: FlaskClient, name: str, more: Any) -> None:
    """The players look for groups themselves, so a session names none. The stateless call lists some."""
    table = open_session(client, "twin-it", 3, ruleset={"name": name}, designs=DECK, **more)
    for bearer in ("host", "seat-1"):
        listing = table.get(bearer, "/legal-moves").get_json()
        assert table.get(bearer, "?legal_moves=true").get_json()["legal_moves"]["moves"] == listing["moves"]
        assert listing["complete"] is False
        assert {each["move"]["type"] for each in listing["moves"]} == {"count"}
        assert [(each["move"]["groups"], each["facts"]["points"]) for each in listing["moves"]] == [
            ([], 0) for _ in listing["moves"]
        ]
    state = table.get("host").get_json()["state"]
    stateless = client.post("/legal-moves", json={"game": "twin-it", "state": state}).get_json()
    assert stateless["moves"][0]["move"]["groups"] != []


@pytest.mark.parametrize("name", ["cooperative", "timed"])
@pytest.mark.parametrize("fair", ["committed", "joint"])
def test_the_transcript_leaves_the_clock_out_and_verifies(
    client: FlaskClient, time: Time, name: str, fair: str
) -> None:
    table = open_with_clock(client, name, fair=fair)
    if fair == "joint":
        table.commit("a", "b", "c")
        table.reveal("a", "b", "c")
    table.post("host", "/clock", {})
    time.ahead += CLOCK_MS
    groups = [cards_on_the_table(table)[:2]]
    for seat in (None,) if name == "cooperative" else (2, 0, 1):
        assert table.move("host", count_move(seat, *groups)).status_code in (201, 202)
    transcript = table.get("seat-0", "/transcript").get_json()
    assert {"clock_seconds", "clock", "counted"}.isdisjoint(transcript)
    assert verified(transcript, None, "en").wrong == []
    begun = client.post("/deal", json=transcript["deal"]).get_json()
    body = {"game": "twin-it", "state": begun["state"], "moves": transcript["moves"]}
    assert client.post("/resolve", json=body).get_json()["result"] == transcript["result"]


def test_without_a_clock_a_count_is_made_at_once(client: FlaskClient, time: Time) -> None:
    table = open_session(client, "twin-it", 3, ruleset={"name": "timed"}, public=True)
    groups = [cards_on_the_table(table)[:2]]
    first = table.move("seat-0", count_move(0, *groups))
    assert (first.status_code, first.get_json()["version"], first.get_json()["to_act"]) == (201, 1, [1, 2])
    table.post("seat-1", "/clock", {"seconds": 60})
    assert table.move("host", count_move(1), count_move(2)).status_code == 201
    assert table.get("spectator").get_json()["result"] is not None


# --- stores, races, kills ------------------------------------------------------------------------


@ON_EVERY_STORE
def test_all_seats_that_count_at_once_on_several_servers_are_in_one_entry(store_url: str, time: Time) -> None:
    clients = [time.service_client(store_url) for _ in range(3)]
    for _ in range(5):
        time.ahead = 0
        first = open_with_ended_clock(clients[0], time, designs=DECK)
        lie = cards_on_the_table(first)
        tables = [replace(first, client=client) for client in clients]
        sent = [(seat, count_move(seat, lie[:2])) for seat in range(3) for _ in range(3)]
        with ThreadPoolExecutor(9) as pool:
            jobs = [
                pool.submit(tables[at % 3].move, f"seat-{seat}", move, Idempotency_Key=f"{SECRET} {seat}")
                for at, (seat, move) in enumerate(sent)
            ]
            jobs += [pool.submit(tables[at % 3].get, "spectator") for at in range(9)]
            statuses = [job.result().status_code for job in jobs]
        assert {*statuses[:9]} <= {202, 409}, statuses
        assert {*statuses[9:]} == {200}
        shown = first.get("host").get_json()
        assert (shown["version"], shown["counted"]) == (2, None)
        assert sorted(counts_of_last_entry(first)) == [(seat, [lie[:2]]) for seat in range(3)]


@ON_EVERY_STORE
def test_a_count_at_the_moment_of_settling_is_in_the_entry_or_refused(client: FlaskClient, time: Time) -> None:
    """Another server settles while a count is judged: the count does not overwrite it, and is not lost in it."""
    table = open_with_ended_clock(client, time)
    table.move("seat-1", count_move(1))
    store: Any = client.application.extensions["sessions"].store
    write, between = store.write, threading.Event()
    other = time.service_client(client.application.extensions["settings"].store_url)

    def after_the_settlement(session: str, change: Change, lifetime: float) -> Any:
        if not change.entry and not between.is_set():
            between.set()
            time.ahead = CLOCK_MS + record.GRACE_MS
            assert replace(table, client=other).get("host").get_json()["version"] == 2
        return write(session, change, lifetime)

    store.write = after_the_settlement
    assert problem(table.move("seat-2", count_move(2, cards_on_the_table(table)[:2]))) == (409, "time-over")
    assert between.is_set()
    assert counts_of_last_entry(table) == [(1, []), (0, []), (2, [])]


@ON_EVERY_STORE
def test_a_settlement_does_not_overwrite_a_count_that_came_between(client: FlaskClient, time: Time) -> None:
    """Just before the settlement is written, another server writes the count of seat 2."""
    table = open_with_ended_clock(client, time)
    groups = [cards_on_the_table(table)[:2]]
    store: Any = client.application.extensions["sessions"].store
    write, between = store.write, threading.Event()
    other = time.service_client(client.application.extensions["settings"].store_url)

    def after_a_count(session: str, change: Change, lifetime: float) -> Any:
        if change.entry and not between.is_set():
            between.set()
            time.ahead = CLOCK_MS + record.GRACE_MS - 1
            assert replace(table, client=other).move("seat-2", count_move(2, *groups)).status_code == 202
            time.ahead = CLOCK_MS + record.GRACE_MS
        return write(session, change, lifetime)

    time.ahead = CLOCK_MS + record.GRACE_MS
    store.write = after_a_count
    assert table.get("host").get_json()["version"] == 2
    assert counts_of_last_entry(table) == [(2, groups), (0, []), (1, [])]


@pytest.mark.parametrize("store_url", ["sqlite", *long("redis", "sentinel", "cluster")], indirect=True)
def test_a_timer_settles_the_counts_that_nobody_looks_at(store_url: str) -> None:
    """`store.read` is made to say that it is 10 s later, when the clock of the table has ended."""
    client = service_client(store_url)
    table = open_with_clock(client, clock_seconds=10)
    store: Any = client.application.extensions["sessions"].store
    started = table.post("host", "/clock", {})
    assert started.status_code == 201
    read = store.read
    store.read = lambda *args: (stored := read(*args)) and replace(stored, now=stored.now + 10_000)
    for seat in range(3):
        assert table.move(f"seat-{seat}", count_move(seat)).status_code == 202
    until(lambda: read(table.id).version == 2)
    sessions: Sessions = client.application.extensions["sessions"]
    until(lambda: len(sessions.timers) == 0)


@ON_EVERY_STORE
def test_a_count_outlives_its_server_and_a_backup(store_url: str, time: Time, tmp_path: Path) -> None:
    table = open_with_ended_clock(time.service_client(store_url), time)
    groups = [cards_on_the_table(table)[:2]]
    table.move("seat-2", count_move(2, *groups))
    back_up(store_url, tmp_path / "backup")
    there = f"sqlite:///{tmp_path}/restored.sqlite3"
    restore(there, tmp_path / "backup")
    for url in (store_url, there):
        table.client = time.service_client(url, token_keys=[])
        time.ahead = CLOCK_MS + 1000
        shown = table.get("seat-2").get_json()
        assert (shown["version"], shown["counted"], shown["clock_seconds"]) == (1, groups, SECONDS)
        time.ahead = CLOCK_MS + record.GRACE_MS
        assert table.get("host").get_json()["version"] == 2
        assert counts_of_last_entry(table) == [(2, groups), (0, []), (1, [])]


def test_a_settlement_leaves_out_counts_that_the_rules_do_not_allow(client: FlaskClient, time: Time) -> None:
    """A server of 0.1.0 on the same store knows no clock that binds, and may have made a count, or all."""
    table = open_with_ended_clock(client, time)
    store: Any = client.application.extensions["sessions"].store
    for seat in range(3):
        table.move(f"seat-{seat}", count_move(seat, ["0A", "1A"])) if seat else None
    stored = store.read(table.id)
    members = json.loads(stored.record)
    members["counted"] += [{"type": "later", "seat": 0}]
    members["state"]["counts"][2] = []
    changed = Change(1, json.dumps(members).encode(), b"", None, members["generation"], stored.parts)
    store.write(table.id, changed, 600)
    time.ahead = CLOCK_MS + record.GRACE_MS
    assert table.get("host").get_json()["result"] is not None
    assert counts_of_last_entry(table) == [(1, [["0A", "1A"]]), (0, [])]


def test_an_opening_sent_again_under_its_key_is_the_same(client: FlaskClient) -> None:
    body = {"game": "twin-it", "seats": 3, "ruleset": {"name": "timed"}, "clock_seconds": 30}
    one, other = (client.post("/sessions", json=body, headers={"Idempotency-Key": SECRET}) for _ in range(2))
    assert one.get_data() == other.get_data()
    assert session_of_opening(client, one.get_json()).get("host").get_json()["clock_seconds"] == 30
