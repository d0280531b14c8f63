"""Games in real time: hands that several seats bring within a window become one claim; a clock ends the minute."""

from __future__ import annotations

import json
import secrets
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from engines.core.records import changed
from service.contract.session_bodies import RunningClock
from service.sessions import record
from service.sessions.backup import back_up, restore
from service.sessions.record import SessionRecord
from service.sessions.stores import open_store
from service.sessions.stores.protocol import Change, WriteResult
from service.sessions.verifying import verified
from tests.server import until
from tests.service.sessions.clocks import DECK, ON_EVERY_STORE, Time
from tests.service.sessions.tables import (
    GAMES,
    SECRET,
    SessionClient,
    fewest_seats,
    open_session,
    problem,
    service_client,
)
from tests.service.sessions.test_event_streams import listening

WINDOW_MS = 3000


@pytest.fixture
def client(store_url: str, time: Time) -> FlaskClient:
    """A client of an application whose store goes by the clock `time`."""
    return time.service_client(store_url)


def claim(*hands: tuple[int, str], **more: Any) -> Any:
    """A claim by hands in the order they were put down, as (seat, card)."""
    return {"type": "claim", "hands": hands_of(*hands), **more}


def hands_of(*hands: tuple[int, str]) -> list[Any]:
    """Return hands, given as (seat, card), as a claim has them."""
    return [{"seat": seat, "card": card} for seat, card in hands]


def state_of(table: SessionClient) -> Any:
    """The whole table, as its host sees it."""
    return table.get("host").get_json()["state"]


def flip(seat: int) -> Any:
    """The move by which a seat turns up the next card of its pile."""
    return {"type": "flip", "seat": seat}


@dataclass
class Pair:
    """A table on which two tops match: those of seats `one` and `other`, and not that of seat `third`."""

    table: SessionClient
    one: int
    other: int
    third: int
    tops: list[str]

    def put_hand(self, seat: int, pile: int) -> Any:
        """Let a seat put a hand on the top card of the pile of seat `pile`. Return the response."""
        return self.table.move(f"seat-{seat}", claim((seat, self.tops[pile])))


def open_with_a_pair(client: FlaskClient, **more: Any) -> Pair:
    """Open sessions of three seats until two of their three top cards match."""
    for _ in range(300):
        table = open_session(client, "twin-it", 3, **({"designs": DECK, "gather_ms": WINDOW_MS, "public": True} | more))
        tops = [pile[0] for pile in state_of(table)["piles"]]
        faces = [DECK[int(top[:-1])][top.endswith("B")] for top in tops]
        alike = [seat for seat in range(3) if faces.count(faces[seat]) == 2]
        if alike:
            (third,) = {0, 1, 2} - {*alike}
            return Pair(table, alike[0], alike[1], third, tops)
    raise AssertionError("no two tops match")


def event_codes(table: SessionClient, version: int = 1) -> list[str]:
    """The codes of the events that made this version."""
    entries = table.get("host", "/moves").get_json()["entries"]
    return [event["code"] for event in entries[version - 1]["events"]]


# --- hands become one claim ----------------------------------------------------------------------


@ON_EVERY_STORE
def test_hands_of_several_seats_are_one_claim_of_the_table(client: FlaskClient, time: Time) -> None:
    """TI-4.2: two seats on two matching cards tie, though each sent its hand from its own phone."""
    pair = open_with_a_pair(client)
    table, hands = pair.table, [(pair.third, pair.tops[pair.one]), (pair.one, pair.tops[pair.other])]
    for so_far, (seat, card) in enumerate(hands, 1):
        answer = table.move(f"seat-{seat}", claim((seat, card)))
        body = answer.get_json()
        assert (answer.status_code, set(body), body["version"]) == (202, {"incident", "version"}, 0)
        assert body["incident"]["hands"] == hands_of(*hands[:so_far])
        assert 0 < body["incident"]["closes_in_ms"] <= WINDOW_MS
    for bearer in table.bearers:
        shown = table.get(bearer).get_json()
        assert (shown["version"], shown["incident"]["hands"], shown["gather_ms"]) == (0, hands_of(*hands), WINDOW_MS)
    assert table.get("host", "/moves").get_json()["entries"] == []
    time.ahead += WINDOW_MS
    for bearer in table.bearers:
        assert (table.get(bearer).get_json()["version"], table.get(bearer).get_json()["incident"]) == (1, None)
        (entry,) = table.get(bearer, "/moves").get_json()["entries"]
        assert entry["moves"] == [claim(*hands)]
    assert event_codes(table)[0] == "tied"


def test_a_host_puts_hands_of_any_seat_and_a_blind_host_puts_none(client: FlaskClient, time: Time) -> None:
    pair = open_with_a_pair(client)
    both = claim((pair.third, pair.tops[pair.one]), (pair.one, pair.tops[pair.other]))
    assert pair.table.move("host", both).status_code == 202
    blind = open_with_a_pair(client, host="blind")
    card = blind.tops[blind.one]
    assert problem(blind.table.move("host", claim((blind.third, card)))) == (403, "forbidden")
    blind.put_hand(blind.third, blind.one)
    assert problem(blind.table.move("host", claim())) == (409, "incident-open")
    time.ahead += WINDOW_MS
    assert problem(blind.table.move("host", claim())) == (422, "illegal-move")


# --- what does not join --------------------------------------------------------------------------


def test_moves_that_cannot_join_an_open_incident_are_refused_and_leave_it_as_it_is(
    client: FlaskClient, time: Time
) -> None:
    pair = open_with_a_pair(client)
    table, (one, other, third) = pair.table, (pair.one, pair.other, pair.third)
    first, second, last = pair.tops[one], pair.tops[other], pair.tops[third]
    assert table.move(f"seat-{third}", claim((third, first), (third, second))).status_code == 202
    seat = f"seat-{third}"
    for bearer, moves, status, slug, where in (
        (seat, [flip(third)], 409, "incident-open", None),
        (f"seat-{one}", [claim()], 409, "incident-open", None),
        ("host", [flip(0)], 409, "incident-open", None),
        (seat, [claim((third, last))], 422, "illegal-move", ("TI-3.8", "/moves/0/hands/0")),
        (seat, [claim((third, first), (third, last))], 422, "illegal-move", ("TI-3.8", "/moves/0/hands/1")),
        (f"seat-{one}", [claim((one, "99A"))], 422, "illegal-move", ("TI-1.1", "/moves/0/hands/0/card")),
        (f"seat-{one}", [claim((third, last))], 403, "forbidden", None),
        (f"seat-{one}", [claim((one, second)), claim()], 400, "invalid-request", "/moves"),
        ("host", [claim((one, second)), flip(0)], 400, "invalid-request", "/moves"),
        ("host", [claim((one, second), lose=[{"seat": one, "set": 0}])], 400, "invalid-request", "/moves/0/lose"),
        ("host", [claim((one, second), uncovered=[])], 400, "invalid-request", "/moves/0/uncovered"),
    ):
        answer = table.move(bearer, *moves)
        body = answer.get_json()
        assert problem(answer) == (status, slug), body
        if slug == "incident-open":
            assert answer.headers["Retry-After"] == "1"
            assert 0 < body["closes_in_ms"] <= WINDOW_MS
        if slug == "illegal-move":
            assert [(each["rule"], each["pointer"]) for each in body["violations"]] == [where]
        if slug == "invalid-request":
            assert [each["pointer"] for each in body["errors"]] == [where]
    shown = table.get("host").get_json()
    assert (shown["version"], shown["incident"]["hands"]) == (0, hands_of((third, first), (third, second)))
    time.ahead += WINDOW_MS
    assert table.move(seat, flip(third)).status_code == 201


@pytest.mark.parametrize("wrong", [199, 3001, None, "300", 300.5, True])
def test_a_window_has_200_to_3000_milliseconds(client: FlaskClient, wrong: Any) -> None:
    refused = client.post("/sessions", json={"game": "twin-it", "seats": 3, "gather_ms": wrong})
    assert problem(refused) == (400, "invalid-request")
    assert [each["pointer"] for each in refused.get_json()["errors"]] == ["/gather_ms"]


@pytest.mark.parametrize("game", [*GAMES, "cooperative", "timed"])
def test_an_opening_takes_gather_ms_only_under_rules_with_claims(client: FlaskClient, game: str) -> None:
    """TI-9.3. Of `game`, a name that is no game is that of a ruleset of Twin it!"""
    ruleset = {} if game in GAMES else {"ruleset": {"name": game}}
    body = {"game": game if game in GAMES else "twin-it", "gather_ms": 300, **ruleset}
    answer = client.post("/sessions", json={"seats": fewest_seats(str(body["game"])), **body})
    if game == "twin-it":
        assert answer.status_code == 201
    else:
        assert problem(answer) == (400, "invalid-request")
        assert [each["pointer"] for each in answer.get_json()["errors"]] == ["/gather_ms"]


def test_a_seat_whose_incident_came_to_nothing_opens_no_other_before_the_next_flip(
    client: FlaskClient, time: Time
) -> None:
    """Otherwise one seat could keep the table waiting. It may still join the hands of others."""
    pair = open_with_a_pair(client)
    table = pair.table
    assert pair.put_hand(pair.one, pair.third).status_code == 202
    time.ahead += WINDOW_MS
    assert problem(pair.put_hand(pair.one, pair.third)) == (403, "forbidden")
    assert pair.put_hand(pair.other, pair.third).status_code == 202
    assert pair.put_hand(pair.one, pair.third).status_code == 202
    time.ahead += WINDOW_MS
    assert [problem(pair.put_hand(seat, pair.third))[0] for seat in (pair.one, pair.other)] == [403, 403]
    assert table.move("seat-0", flip(0)).status_code == 201
    assert pair.put_hand(pair.one, pair.third).status_code == (202 if pair.third != 0 else 422)


def test_a_claim_before_a_joint_deal_is_illegal_and_opens_no_incident(client: FlaskClient) -> None:
    joint = open_session(client, "twin-it", 3, gather_ms=WINDOW_MS, fair="joint")
    for bearer in ("seat-0", "host"):
        assert problem(joint.move(bearer, claim((0, "0A")))) == (422, "illegal-move")
    assert joint.get("host").get_json()["incident"] is None


SUNS, MOONS = ("0A", "1A"), ("2A", "3A")


def open_with_all_flipped(client: FlaskClient) -> SessionClient:
    """A table of four on which two pairs lie and no pile is left."""
    deck = [["sun", "a"], ["sun", "b"], ["moon", "c"], ["moon", "d"]]
    tables = (open_session(client, "twin-it", 4, designs=deck, gather_ms=WINDOW_MS) for _ in range(300))
    table = next(each for each in tables if all(pile[0].endswith("B") for pile in state_of(each)["piles"]))
    for seat in range(4):
        assert table.move(f"seat-{seat}", flip(seat)).status_code == 201
    assert {*state_of(table)["table"]} == {*SUNS, *MOONS}
    return table


def test_with_no_card_left_to_flip_a_seat_whose_hand_was_alone_may_claim_after_the_next_change(
    client: FlaskClient, time: Time
) -> None:
    """Otherwise a lone hand at the end of a game would shut its seat out, because no flip follows."""
    table = open_with_all_flipped(client)
    assert table.move("seat-0", claim((0, SUNS[0]))).status_code == 202
    time.ahead += WINDOW_MS
    assert problem(table.move("seat-0", claim((0, SUNS[0])))) == (403, "forbidden")
    assert table.move("seat-1", claim((1, MOONS[0]), (1, MOONS[1]))).status_code == 202
    time.ahead += WINDOW_MS
    assert table.move("seat-0", claim((0, SUNS[0]))).status_code == 202


def test_with_no_card_left_to_flip_not_every_seat_is_shut_out(client: FlaskClient, time: Time) -> None:
    """Otherwise lone hands of all seats would leave pairs that nobody could claim."""
    table = open_with_all_flipped(client)
    for seat in range(4):
        assert table.move(f"seat-{seat}", claim((seat, SUNS[0]))).status_code == 202
        time.ahead += WINDOW_MS
        if seat < 3:
            assert problem(table.move("seat-0", claim((0, SUNS[0])))) == (403, "forbidden")
    assert table.move("seat-3", claim((3, SUNS[0]), (3, SUNS[1]))).status_code == 202
    time.ahead += WINDOW_MS
    assert state_of(table)["sets"][3] == [[*SUNS]]


@pytest.mark.parametrize("foreign", [{"parts": [[{"seat": 0, "card": "99A"}]]}, {"parts": [[{}]]}, {"type": "grab"}])
def test_an_incident_that_newer_rules_forbid_is_dropped(client: FlaskClient, time: Time, foreign: Any) -> None:
    """An earlier version of the service may have stored such an incident. Until its window closes nobody can join it.

    Then the table is as before, at a new version, so that clients which know of the incident learn that it is over.
    """
    pair = open_with_a_pair(client)
    table, before = pair.table, state_of(pair.table)
    assert pair.put_hand(pair.third, pair.one).status_code == 202
    tag = table.get("seat-0").headers["ETag"]
    store = client.application.extensions["sessions"].store
    record = SessionRecord.read(store.read(table.id).record)
    head = changed(record, incident={**(record.incident or {}), **foreign}).written()
    part = Change(0, head, generation=record.generation, parts=1)
    assert store.write(table.id, part, 600) is WriteResult.WRITTEN
    joining = pair.put_hand(pair.one, pair.third)
    assert problem(joining) == (409, "incident-open")
    assert joining.headers["Retry-After"] == "1"
    time.ahead += WINDOW_MS
    shown = table.get("seat-0", **{"If-None-Match": tag})
    assert (shown.status_code, shown.get_json()["version"], shown.get_json()["incident"]) == (200, 1, None)
    assert state_of(table) == before
    assert table.get("host", "/moves").get_json()["entries"] == [{"version": 1, "moves": [], "events": []}]
    both = claim((pair.third, pair.tops[pair.one]), (pair.third, pair.tops[pair.other]))
    assert table.move(f"seat-{pair.third}", both).status_code == 202
    transcript = play_to_the_end(table, time).get("host", "/transcript").get_json()
    assert verified(transcript, None, "en").wrong == []


def test_hands_count_towards_the_share_of_moves_of_their_seat(store_url: str, time: Time) -> None:
    """Of 6 moves of a session, each of three seats has 2."""
    client = time.service_client(store_url, session_moves=6)
    pair = open_with_a_pair(client)
    for _ in range(2):
        assert pair.put_hand(pair.third, pair.one).status_code == 202
    assert problem(pair.put_hand(pair.third, pair.other)) == (409, "session-full")
    assert pair.put_hand(pair.one, pair.third).status_code == 202


# --- keys, versions, tags ------------------------------------------------------------------------


@ON_EVERY_STORE
def test_a_202_is_stored_under_its_key_and_given_again_even_after_the_incident(client: FlaskClient, time: Time) -> None:
    pair = open_with_a_pair(client)
    seat, card = f"seat-{pair.third}", pair.tops[pair.one]
    first = pair.table.move(seat, claim((pair.third, card)), Idempotency_Key=SECRET)
    assert pair.put_hand(pair.one, pair.third).status_code == 202
    again = pair.table.move(seat, claim((pair.third, card)), Idempotency_Key=SECRET)
    time.ahead += WINDOW_MS
    late = pair.table.move(seat, claim((pair.third, card)), Idempotency_Key=SECRET)
    for answer in (again, late):
        assert (answer.status_code, answer.data, answer.headers["ETag"]) == (202, first.data, first.headers["ETag"])
    other = pair.table.move(seat, claim((pair.third, pair.tops[pair.other])), Idempotency_Key=SECRET)
    assert problem(other) == (422, "idempotency-key-reused")
    entries = pair.table.get("host", "/moves").get_json()["entries"]
    assert [len(entry["moves"][0]["hands"]) for entry in entries] == [2]


def test_the_same_hand_again_changes_nothing(client: FlaskClient, time: Time) -> None:
    pair = open_with_a_pair(client)
    for _ in range(3):
        answer = pair.put_hand(pair.third, pair.one)
        assert answer.status_code == 202
        assert answer.get_json()["incident"]["hands"] == hands_of((pair.third, pair.tops[pair.one]))
    time.ahead += WINDOW_MS
    assert pair.table.get("host").get_json()["version"] == 1


def test_if_match_still_matches_after_hands_and_no_longer_after_their_settlement(
    client: FlaskClient, time: Time
) -> None:
    """Hands of an open incident make no version."""
    pair = open_with_a_pair(client)
    table, seat = pair.table, f"seat-{pair.third}"
    tag = table.get(seat).headers["ETag"]
    for card in (pair.one, pair.other):
        answer = table.move(seat, claim((pair.third, pair.tops[card])), If_Match=tag)
        assert (answer.status_code, answer.headers["ETag"]) == (202, tag)
    time.ahead += WINDOW_MS
    stale = table.move(seat, claim((pair.third, pair.tops[pair.one])), If_Match=tag)
    assert problem(stale) == (412, "version-mismatch")
    assert (stale.get_json()["version"], stale.get_json()["view"]["incident"]) == (1, None)


def test_a_read_of_an_open_incident_is_answered_200_though_its_tag_is_the_known_one(
    client: FlaskClient, time: Time
) -> None:
    """While it is open, each answer says how much time is left, and the version stays."""
    pair = open_with_a_pair(client)
    tag = pair.table.get("seat-0").headers["ETag"]
    assert pair.table.get("seat-0", If_None_Match=tag).status_code == 304
    pair.put_hand(pair.third, pair.one)
    shown = pair.table.get("seat-0", **{"If-None-Match": tag})
    assert (shown.status_code, shown.headers["ETag"]) == (200, tag)
    time.ahead += WINDOW_MS
    after = pair.table.get("seat-0", **{"If-None-Match": tag})
    assert after.status_code == 200
    assert pair.table.get("seat-0", **{"If-None-Match": after.headers["ETag"]}).status_code == 304


def test_a_renewal_of_a_token_leaves_an_incident_open(client: FlaskClient, time: Time) -> None:
    pair = open_with_a_pair(client)
    pair.put_hand(pair.third, pair.one)
    renewed = pair.table.post(f"seat-{pair.third}", "/tokens", {})
    assert renewed.status_code == 201
    pair.table.tokens[f"seat-{pair.third}"] = renewed.get_json()["token"]
    answer = pair.put_hand(pair.third, pair.other).get_json()
    assert (answer["version"], len(answer["incident"]["hands"])) == (1, 2)
    time.ahead += WINDOW_MS
    assert pair.table.get("host").get_json()["version"] == 2
    assert event_codes(pair.table, 2)[0] == "set-won"


# --- exactly once --------------------------------------------------------------------------------


@ON_EVERY_STORE
def test_no_hand_is_lost_and_none_is_settled_twice_on_several_servers(store_url: str, time: Time) -> None:
    """Six seats at once on three servers; then readers on all of them settle what is due."""
    clients = [time.service_client(store_url) for _ in range(3)]
    opened_there = open_session(clients[0], "twin-it", 6, gather_ms=WINDOW_MS)
    tops = [pile[0] for pile in state_of(opened_there)["piles"]]
    tables = [replace(opened_there, client=client) for client in clients]
    taken = []
    with ThreadPoolExecutor(12) as pool:
        for round_ in range(1, 4):
            hands = [(seat, tops[(seat + step) % 6]) for seat in range(6) for step in (1, 2)]
            jobs = [pool.submit(tables[at % 3].move, f"seat-{hand[0]}", claim(hand)) for at, hand in enumerate(hands)]
            answers = [job.result() for job in jobs]
            assert {answer.status_code for answer in answers} == {202}, [answer.text for answer in answers]
            order = max((answer.get_json()["incident"]["hands"] for answer in answers), key=len)
            assert sorted(map(json.dumps, order)) == sorted(map(json.dumps, hands_of(*hands)))
            time.ahead += WINDOW_MS
            shown = [pool.submit(tables[at % 3].get, f"seat-{at % 6}") for at in range(24)]
            assert {job.result().get_json()["version"] for job in shown} == {2 * round_ - 1}
            taken.append(order)
            turn = state_of(opened_there)["turn"]
            flipped = opened_there.move("host", flip(turn))
            assert flipped.status_code == 201, flipped.text
            tops = [pile[0] for pile in flipped.get_json()["state"]["piles"]]
    entries = opened_there.get("host", "/moves").get_json()["entries"]
    assert [entry["moves"][0]["hands"] for entry in entries[::2]] == taken


def test_a_timer_settles_an_incident_that_no_request_reads(store_url: str) -> None:
    client = service_client(store_url)
    pair = open_with_a_pair(client, gather_ms=200)
    pair.put_hand(pair.third, pair.one)
    store = open_store(store_url)
    until(lambda: (session := store.read(pair.table.id)) is not None and session.version == 1)
    store.close()


@ON_EVERY_STORE
def test_a_move_is_refused_if_a_hand_is_stored_between_its_judgement_and_its_writing(
    client: FlaskClient, time: Time
) -> None:
    """One server judges the move, another stores the hand. The move was judged without it and must not overwrite it."""
    pair = open_with_a_pair(client)
    store: Any = client.application.extensions["sessions"].store
    write, hand_was_put = store.write, threading.Event()

    def write_after_a_hand(session: str, change: Change, lifetime: float) -> Any:
        if change.entry and not hand_was_put.is_set():
            hand_was_put.set()
            threading.Thread(target=pair.put_hand, args=(pair.third, pair.one)).start()
            until(lambda: store.read(session).parts == 1)
        return write(session, change, lifetime)

    store.write = write_after_a_hand
    other = time.service_client(client.application.extensions["settings"].store_url)
    pair.table.client, mover = other, replace(pair.table)
    mover.client = client
    assert problem(mover.move("seat-0", flip(0))) == (409, "incident-open")
    assert pair.table.get("host").get_json()["version"] == 0


@ON_EVERY_STORE
def test_a_hand_does_not_open_a_second_incident_when_its_script_is_sent_again(store_url: str) -> None:
    """redis-py sends a script again if the reply is cut off; meanwhile the incident may have closed."""
    if store_url.startswith("sqlite"):
        pytest.skip("SQLite has no scripts that could be sent twice")
    store: Any = open_store(store_url)
    session = secrets.token_hex(16)
    store.write(session, Change(-1, b"dealt", generation="g"), 600)
    sent: list[Any] = []
    call = store._call

    def recorded(key: str, *commands: Any) -> Any:
        sent.append((key, commands))
        return call(key, *commands)

    store._call = recorded
    part = Change(0, b"a hand", generation="g")
    assert store.write(session, part, 600) is WriteResult.WRITTEN
    key, commands = sent[-1]
    for change in (
        Change(0, b"another hand", generation="g", parts=1),
        Change(0, b"settled", b"entry", generation="g", parts=2),
        Change(1, b"later", generation="g"),
    ):
        assert store.write(session, change, 600) is WriteResult.WRITTEN
        assert call(key, *commands)[0] == 1, "it was made"
        assert store.read(session).record == change.record
    assert store.write(session, part, 600) is WriteResult.STALE
    store.close()


# --- streams, transcript, copies -----------------------------------------------------------------


@ON_EVERY_STORE
def test_streams_show_each_hand_of_an_incident_and_a_new_stream_begins_with_all_so_far(
    client: FlaskClient, time: Time
) -> None:
    pair = open_with_a_pair(client)
    table, hands = pair.table, hands_of((pair.third, pair.tops[pair.one]), (pair.one, pair.tops[pair.other]))
    with listening(table, "spectator") as early:
        threading.Timer(0.1, pair.put_hand, (pair.third, pair.one)).start()
        first = early.event()
        with listening(table, f"seat-{pair.other}") as late:
            begun = late.event()
            pair.put_hand(pair.one, pair.other)
            second, followed = early.event(), late.event()
            assert [json.loads(each["data"])["hands"] for each in (first, begun, second, followed)] == [
                hands[:1], hands[:1], hands, hands
            ]  # fmt: skip
            for each in (first, begun, second, followed):
                assert each["event"] == "incident"
                assert "id" not in each
                assert 0 <= json.loads(each["data"])["closes_in_ms"] <= WINDOW_MS
            time.ahead += WINDOW_MS
            assert table.get("host").get_json()["version"] == 1
            for listener in (early, late):
                assert listener.entry()["moves"] == [{"type": "claim", "hands": hands}]


def play_whole_game(client: FlaskClient, time: Time, **more: Any) -> SessionClient:
    """Open a session and play a whole game: each claim is gathered from the hands of its seats."""
    table = open_session(client, "twin-it", 3, designs=DECK, gather_ms=WINDOW_MS, **more)
    if more.get("fair") == "joint":
        table.commit("a", "b", "c")
        table.reveal("a", "b", "c")
    return play_to_the_end(table, time)


def play_to_the_end(table: SessionClient, time: Time) -> SessionClient:
    """Play by claims, which win, and flips. In each claim a seat puts each hand; then another seat repeats them all."""
    time.ahead += WINDOW_MS
    for _ in range(100):
        shown = table.get("host").get_json()
        if shown["result"]:
            return table
        claims = [move for move in table.legal_moves() if move.get("hands")]
        if claims and shown["version"] % 3:
            for hand in claims[0]["hands"]:
                assert table.move(f"seat-{hand['seat']}", {"type": "claim", "hands": [hand]}).status_code == 202
            table.move(f"seat-{(claims[0]['hands'][0]['seat'] + 1) % 3}", claims[0])
            time.ahead += WINDOW_MS
            continue
        flips = [move for move in table.legal_moves() if move["type"] == "flip"]
        assert table.move("host", flips[0] if flips else claim()).status_code == 201
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("fair", ["committed", "joint"])
def test_a_transcript_of_gathered_hands_is_verified_and_resolves(client: FlaskClient, time: Time, fair: str) -> None:
    transcript = play_whole_game(client, time, fair=fair).get("host", "/transcript").get_json()
    assert verified(transcript, None, "en").wrong == []
    assert {"gather_ms", "incident", "clock"}.isdisjoint(transcript)
    begun = client.post("/deal", json=transcript["deal"]).get_json()
    body = {"game": "twin-it", "state": begun["state"], "moves": transcript["moves"]}
    replayed = client.post("/resolve", json=body).get_json()
    assert (replayed["legal"], replayed["result"]) == (True, transcript["result"])
    assert any(len(move.get("hands", ())) > 1 for move in transcript["moves"])
    transcript["entries"][-1]["moves"] = []
    assert verified(transcript, None, "en").wrong


@ON_EVERY_STORE
def test_a_backup_keeps_an_open_incident_which_closes_where_it_is_restored(
    store_url: str, time: Time, tmp_path: Path
) -> None:
    pair = open_with_a_pair(time.service_client(store_url))
    pair.put_hand(pair.third, pair.one)
    back_up(store_url, tmp_path / "backup")
    there = f"sqlite:///{tmp_path}/restored.sqlite3"
    restore(there, tmp_path / "backup")
    client = time.service_client(there, token_keys=[])
    time.ahead += WINDOW_MS
    pair.table.client = client
    assert pair.table.get("host").get_json()["version"] == 1
    assert pair.table.get("host", "/moves").get_json()["entries"][0]["moves"] == [
        claim((pair.third, pair.tops[pair.one]))
    ]


# --- the clock -----------------------------------------------------------------------------------


def under_ruleset(client: FlaskClient, name: str, **more: Any) -> SessionClient:
    """Open a session of Twin it! with three seats under the ruleset of this name."""
    return open_session(client, "twin-it", 3, ruleset={"name": name}, **more)


@pytest.mark.parametrize("name", ["cooperative", "timed"])
@pytest.mark.parametrize("bearer", ["host", "seat-2"])
def test_a_clock_is_started_once_and_makes_the_missing_counts(
    client: FlaskClient, time: Time, name: str, bearer: str
) -> None:
    """TI-9.1, TI-10.1."""
    table = under_ruleset(client, name)
    seat = None if name == "cooperative" else 0
    count = {"type": "count", "groups": [], **({} if seat is None else {"seat": seat})}
    started = table.post(bearer, "/clock", {"seconds": 60})
    assert (started.status_code, started.get_json()["version"]) == (201, 1)
    assert 59_000 < started.get_json()["clock"]["ends_in_ms"] <= 60_000
    for other in ("host", "seat-0"):
        assert problem(table.post(other, "/clock", {"seconds": 60})) == (403, "forbidden")
    tag = started.headers["ETag"]
    assert table.get(bearer, **{"If-None-Match": tag}).status_code == 200, "its clock runs on"
    time.ahead += 30_000
    assert table.get("seat-1").get_json()["clock"]["ends_in_ms"] <= 30_000
    time.ahead += 33_000
    shown = table.get("seat-1").get_json()
    assert (shown["clock"], shown["result"]) == ({"ends_in_ms": 0}, None)
    if name == "timed":
        assert table.move("seat-1", {**count, "seat": 1}).status_code == 201, "less than five seconds late"
    time.ahead += 3000
    late = table.move("host", count)
    assert problem(late) == (409, "time-over")
    shown = table.get("seat-1").get_json()
    assert shown["result"]["rule"] in ("TI-9.2", "TI-10.1")
    entries = table.get("host", "/moves").get_json()["entries"]
    moves = [(move["type"], move["groups"], move.get("seat")) for move in entries[-1]["moves"]]
    assert moves == [("count", [], seat) for seat in ((0, 2) if name == "timed" else (None,))]
    transcript = table.get("host", "/transcript").get_json()
    assert verified(transcript, None, "en").wrong == []


@pytest.mark.parametrize(("now", "left"), [(5_000, 5_000), (9_999, 1), (10_000, 0), (4_999, 0)])
def test_a_clock_counts_as_ended_if_more_time_is_left_than_it_was_set_to(now: int, left: int) -> None:
    """Then the store's time has gone back: a replica's clock took over, or the machine started again."""
    running = SessionRecord("twin-it", "", {}, {}, 2, "", clock={"ends": 10_000, "lasts": 5_000}).running_clock(now)
    assert running == RunningClock(left)


def test_a_late_move_in_a_full_session_is_answered_time_over_not_session_full(store_url: str, time: Time) -> None:
    table = under_ruleset(time.service_client(store_url, session_moves=1), "timed")
    table.post("host", "/clock", {"seconds": 1})
    time.ahead += 1000 + record.GRACE_MS
    assert problem(table.move("host", {"type": "count", "groups": [], "seat": 0})) == (409, "time-over")


@pytest.mark.parametrize(
    ("name", "body", "expected"),
    [
        ("competitive", {"seconds": 60}, (403, "forbidden")),
        ("cooperative", {"seconds": 0}, (400, "invalid-request")),
        ("cooperative", {"seconds": 601}, (400, "invalid-request")),
        ("cooperative", {}, (400, "invalid-request")),
        ("timed", {"seconds": "60"}, (400, "invalid-request")),
    ],
)
def test_a_clock_has_1_to_600_seconds_and_exists_only_under_rules_with_counts(
    client: FlaskClient, name: str, body: Any, expected: Any
) -> None:
    table = under_ruleset(client, name, public=True)
    assert problem(table.post("seat-0", "/clock", body)) == expected
    assert problem(table.post("spectator", "/clock", {"seconds": 60})) == (401, "unauthorized")


def test_a_clock_is_started_after_the_deal_and_before_the_end(client: FlaskClient) -> None:
    joint = under_ruleset(client, "timed", fair="joint")
    assert problem(joint.post("seat-0", "/clock", {"seconds": 60})) == (403, "forbidden")
    over = under_ruleset(client, "cooperative")
    assert over.move("host", {"type": "count", "groups": []}).status_code == 201
    assert problem(over.post("seat-0", "/clock", {"seconds": 60})) == (403, "forbidden")


def test_a_host_that_sees_no_cards_starts_the_clock(client: FlaskClient) -> None:
    assert under_ruleset(client, "cooperative", host="blind").post("host", "/clock", {"seconds": 60}).status_code == 201


def test_streams_show_the_start_and_the_end_of_the_clock_and_its_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A timer makes the counts: no request reads the session or moves."""
    monkeypatch.setattr(record, "GRACE_MS", 300)
    table = under_ruleset(service_client(f"sqlite:///{tmp_path}/sessions.sqlite3"), "timed", public=True)
    with listening(table, "spectator") as listener:
        table.post("seat-0", "/clock", {"seconds": 3})
        assert listener.entry()["moves"] == []
        started, ended = listener.event(), listener.event()
        assert [each["event"] for each in (started, ended)] == ["clock", "clock"]
        assert 0 < json.loads(started["data"])["ends_in_ms"] <= 3000
        assert json.loads(ended["data"]) == {"ends_in_ms": 0}
        assert [move["type"] for move in listener.entry()["moves"]] == ["count"] * 3


# --- what is printed on the cards ----------------------------------------------------------------


def test_sessions_leave_out_the_designs_of_the_house_deck(client: FlaskClient) -> None:
    house = client.get("/games/twin-it").get_json()["deck"]
    for designs, left_out in ((None, True), (house, True), (DECK, False)):
        table = open_session(client, "twin-it", 3, **({} if designs is None else {"designs": designs}))
        first = table.get("host").headers["ETag"]
        moved = table.move("host", flip(0))
        stale = table.move("host", flip(1), If_Match=first)
        transcript = table.get("host", "/transcript").get_json()
        shown = [table.get(bearer).get_json()["state"] for bearer in ("host", "seat-1")]
        for each in (*shown, moved.get_json()["state"], stale.get_json()["view"]["state"], transcript["state"]):
            assert ("designs" not in each) is left_out
            answer = client.post("/audit", json={"game": "twin-it", "state": each})
            assert answer.get_json()["consistent"] is True
