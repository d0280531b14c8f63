"""What every store does, tested on each: SQLite, a real Redis server and a real cluster of three."""

import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.sessions.stores import redis, sqlite
from service.sessions.stores.protocol import (
    ROUNDS,
    Change,
    Clock,
    LogEntry,
    Reached,
    Store,
    StoredResponse,
    StoredSession,
    WriteResult,
)
from tests.server import until
from tests.service.sessions.tables import watching

LIFETIME = 600.0
SHORT_LIFETIME = 0.05


@pytest.fixture(autouse=True)
def short_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the slots in which SQLite collects expired sessions."""
    monkeypatch.setattr(sqlite, "SLOT", 0.01)


@pytest.fixture
def session() -> str:
    """A name of which the store has no session."""
    return secrets.token_hex(8)


@pytest.fixture
def new_session(store: Store, session: str) -> str:
    """The name of a session at version 0, which is in the store."""
    assert store.write(session, Change(-1, b"dealt"), LIFETIME) is WriteResult.WRITTEN
    return session


def response(key: str = "key", fingerprint: str = "request", body: bytes = b"answer\nof two lines") -> StoredResponse:
    """Return a response to be stored under a key."""
    return StoredResponse(key, fingerprint, body)


def test_a_session_is_opened_once_at_version_0_with_an_empty_log(store: Store, session: str) -> None:
    store.ping()
    assert (store.read(session), store.log(session, 0, 10), store.delete(session)) == (None, [], False)
    assert store.write(session, Change(-1, b"dealt", generation="first"), LIFETIME) is WriteResult.WRITTEN
    assert store.write(session, Change(-1, b"dealt anew", generation="second"), LIFETIME) is WriteResult.STALE
    assert (store.read(session), store.log(session, 0, 10)) == (StoredSession(0, b"dealt"), [])


def test_a_change_for_an_earlier_opening_finds_no_session(store: Store, session: str) -> None:
    store.write(session, Change(-1, b"dealt", generation="first"), LIFETIME)
    store.delete(session)
    store.write(session, Change(-1, b"dealt", generation="second"), LIFETIME)
    assert store.write(session, Change(0, b"moved", b"one", generation="first"), LIFETIME) is WriteResult.GONE
    assert store.write(session, Change(0, b"moved", b"one", generation="second"), LIFETIME) is WriteResult.WRITTEN


def test_the_log_of_an_opening_contains_nothing_of_a_later_one(store: Store, session: str) -> None:
    for generation in ("first", "second"):
        store.write(session, Change(-1, b"", generation=generation), LIFETIME)
        store.write(session, Change(0, b"", generation.encode(), generation=generation), LIFETIME)
        assert store.log(session, 0, 10, generation) == [LogEntry(1, generation.encode())]
        assert store.log(session, 0, 10, "third") == []
        if generation == "first":
            store.delete(session)
    assert store.log(session, 0, 10, "first") == []


def test_a_change_raises_the_version_by_one_and_adds_one_entry(store: Store, new_session: str) -> None:
    entries = [b"one\x00\xff", b"two", b"three"]
    for version, entry in enumerate(entries):
        assert store.write(new_session, Change(version, b"after " + entry, entry), LIFETIME) is WriteResult.WRITTEN
        assert store.read(new_session) == StoredSession(version + 1, b"after " + entry)
    assert store.log(new_session, 0, 10) == [LogEntry(version, entry) for version, entry in enumerate(entries, 1)]
    assert store.log(new_session, 1, 1) == [LogEntry(2, b"two")]
    assert store.log(new_session, 3, 2) == store.log(new_session, 500, 2) == []


@pytest.mark.parametrize("since", [0, 3])
def test_a_change_to_another_version_is_stale_and_changes_nothing(store: Store, new_session: str, since: int) -> None:
    store.write(new_session, Change(0, b"first", b"one"), LIFETIME)
    assert store.write(new_session, Change(since, b"second", b"two", response()), LIFETIME) is WriteResult.STALE
    assert store.read(new_session, "key") == StoredSession(1, b"first")
    assert store.log(new_session, 0, 10) == [LogEntry(1, b"one")]


def test_an_expired_session_accepts_no_change_and_leaves_nothing_to_one_of_the_same_name(
    store: Store, session: str
) -> None:
    store.write(session, Change(-1, b"old", response=response("opening")), LIFETIME)
    store.write(session, Change(0, b"old", b"old entry", response()), SHORT_LIFETIME)
    until(lambda: store.read(session) is None)
    assert store.write(session, Change(1, b"late", b"one"), LIFETIME) is WriteResult.GONE
    assert (
        store.write(session, Change(-1, b"new", response=response("opening", body=b"new")), LIFETIME)
        is WriteResult.WRITTEN
    )
    assert store.read(session, "key") == StoredSession(0, b"new", None)
    assert store.log(session, 0, 10) == []
    assert store.write(session, Change(0, b"newer", b"new entry"), LIFETIME) is WriteResult.WRITTEN


def test_a_response_is_stored_with_its_change_and_given_again(store: Store, session: str) -> None:
    opening, change = response("opening"), response()
    assert store.write(session, Change(-1, b"dealt", response=opening), LIFETIME) is WriteResult.WRITTEN
    assert store.write(session, Change(-1, b"again", response=response("opening", body=b"other")), LIFETIME) == opening
    assert store.write(session, Change(0, b"moved", b"one", change), LIFETIME) is WriteResult.WRITTEN
    assert store.write(session, Change(1, b"twice", b"two", response(body=b"other")), LIFETIME) == change
    assert store.read(session, "key") == StoredSession(1, b"moved", change)
    assert store.read(session, "another key") == StoredSession(1, b"moved", None)
    assert store.log(session, 0, 10) == [LogEntry(1, b"one")]


def test_a_response_without_a_change_is_stored_until_earlier_ones_fill_their_space(
    store: Store, new_session: str
) -> None:
    store.write(new_session, Change(0, b"moved", b"one", response("made")), LIFETIME)
    most = response("first").size + 1
    assert store.store_response(new_session, response("first"), most) is WriteResult.WRITTEN
    assert store.store_response(new_session, response("first", body=b"other"), most) == response("first")
    assert store.store_response(new_session, response("second"), most) is WriteResult.WRITTEN
    assert store.store_response(new_session, response("third"), most) is WriteResult.FULL
    assert store.store_response(new_session, response("first"), most) == response("first")
    assert store.read(new_session, "second") == StoredSession(1, b"moved", response("second"))
    assert store.read(new_session, "third") == StoredSession(1, b"moved", None)


def test_only_one_of_many_concurrent_changes_to_a_version_is_made(store: Store, new_session: str) -> None:
    def write(number: int) -> WriteResult | StoredResponse:
        return store.write(new_session, Change(0, b"", str(number).encode()), LIFETIME)

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(write, range(24)))
    assert outcomes.count(WriteResult.WRITTEN) == 1
    assert outcomes.count(WriteResult.STALE) == 23
    assert store.log(new_session, 0, 10) == [LogEntry(1, str(outcomes.index(WriteResult.WRITTEN)).encode())]


def test_a_deleted_session_accepts_no_change_and_leaves_nothing(store: Store, new_session: str) -> None:
    store.write(new_session, Change(0, b"moved", b"one", response()), LIFETIME)
    assert store.store_response(new_session, response("refused"), 1) is WriteResult.WRITTEN
    assert store.delete(new_session) is True
    assert store.write(new_session, Change(1, b"late", b"two"), LIFETIME) is WriteResult.GONE
    assert store.store_response(new_session, response(), 10) is WriteResult.GONE
    assert (store.read(new_session), store.log(new_session, 0, 10)) == (None, [])
    assert store.write(new_session, Change(-1, b"new"), LIFETIME) is WriteResult.WRITTEN
    assert store.read(new_session, "key") == StoredSession(0, b"new", None)
    assert store.store_response(new_session, response("refused"), 1) is WriteResult.WRITTEN


def test_open_sessions_are_counted(store: Store, new_session: str, session: str) -> None:
    before = store.count()
    other = secrets.token_hex(8)
    store.write(other, Change(-1, b""), LIFETIME)
    assert store.count() == before + 1
    store.delete(new_session)
    assert store.count() == before


def test_expired_sessions_are_counted_until_they_are_cleared_away_in_parts(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "SWEPT_AT_ONCE", 2)
    monkeypatch.setattr(redis, "SWEPT_AT_ONCE", 2)
    before, names = store.count(), [secrets.token_hex(8) for _ in range(5)]
    for name in names:
        store.write(name, Change(-1, b""), SHORT_LIFETIME)
    until(lambda: all(store.read(name) is None for name in names))
    assert store.count() == before + 5
    until(lambda: not store.sweep(time.time()) and store.count() <= before)


def test_a_watcher_is_notified_when_an_expired_session_is_cleared_away(store: Store, session: str) -> None:
    store.write(session, Change(-1, b""), SHORT_LIFETIME)
    notified: list[str] = []
    with watching(store, [session], notified.extend):
        until(lambda: store.read(session) is None)
        notified.clear()
        until(lambda: not store.sweep(time.time()) and notified)  # a sweep returns whether more is left


# --- wrong clocks ---------------------------------------------------------------------------

DAY = 86_400.0


@pytest.fixture
def set_clock_wrong(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Return a function that makes this machine's clock wrong by a number of seconds."""
    right = time.time
    return lambda wrong: monkeypatch.setattr(time, "time", lambda: right() + wrong)


def pass_rounds(store: Store, rounds: int) -> None:
    """Do what a server does from time to time, so many times: look at the clock and sweep expired sessions."""
    for _ in range(rounds):
        store.clock.read()
        store.sweep(store.clock.surely_past())


def test_a_clock_that_runs_ahead_for_some_minutes_ends_no_session(
    store: Store, new_session: str, set_clock_wrong: Callable[[float], None]
) -> None:
    """A wrong clock is believed once all of the last `ROUNDS` readings show it. Here it is one less."""
    pass_rounds(store, ROUNDS)
    set_clock_wrong(DAY)
    pass_rounds(store, ROUNDS - 1)
    assert store.read(new_session) == StoredSession(0, b"dealt")
    assert store.write(new_session, Change(0, b"moved", b"one"), LIFETIME) is WriteResult.WRITTEN
    set_clock_wrong(0)
    pass_rounds(store, 1)
    assert store.read(new_session) == StoredSession(1, b"moved")


def test_a_server_that_is_started_while_the_clock_runs_ahead_ends_no_session(
    store: Store, new_session: str, set_clock_wrong: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What expires is only deleted after `ROUNDS` readings, and the session is there when the clock is right again."""
    set_clock_wrong(DAY)
    monkeypatch.setattr(store, "clock", Clock())
    pass_rounds(store, ROUNDS - 1)
    store.write(secrets.token_hex(8), Change(-1, b""), LIFETIME)
    set_clock_wrong(0)
    assert store.read(new_session) == StoredSession(0, b"dealt")


def test_a_session_that_is_played_while_the_clock_is_behind_ends_no_earlier(
    store: Store, new_session: str, set_clock_wrong: Callable[[float], None]
) -> None:
    set_clock_wrong(-DAY)
    assert store.write(new_session, Change(0, b"moved", b"one"), LIFETIME) is WriteResult.WRITTEN
    set_clock_wrong(0)
    assert store.read(new_session) == StoredSession(1, b"moved")


def test_a_clock_that_stays_ahead_is_believed(
    store: Store, new_session: str, set_clock_wrong: Callable[[float], None]
) -> None:
    """All of the last `ROUNDS` readings of the clock show the other time."""
    before = store.count()
    set_clock_wrong(DAY)
    pass_rounds(store, ROUNDS)
    assert store.read(new_session) is None
    until(lambda: not store.sweep(store.clock.surely_past()) and store.count() < before)


def test_a_change_prolongs_a_session(store: Store, session: str, set_clock_wrong: Callable[[float], None]) -> None:
    store.write(session, Change(-1, b"dealt"), LIFETIME)
    assert store.write(session, Change(0, b"moved", b"one"), 2 * DAY) is WriteResult.WRITTEN
    set_clock_wrong(DAY)
    pass_rounds(store, ROUNDS)
    assert store.read(session) == StoredSession(1, b"moved")
    assert store.log(session, 0, 10) == [LogEntry(1, b"one")]
    assert session in store.names()


def test_a_ticket_is_taken_once_and_for_its_session(store: Store, new_session: str) -> None:
    store.put_ticket(new_session, "ticket", "seat-1", 60, 9)
    assert store.take_ticket("another", "ticket") is None
    assert store.take_ticket(new_session, "ticket") == "seat-1"
    assert store.take_ticket(new_session, "ticket") is None


def test_of_many_who_take_a_ticket_at_once_one_gets_it(store: Store, new_session: str) -> None:
    store.put_ticket(new_session, "ticket", "seat-1", 60, 9)
    with ThreadPoolExecutor(20) as takers:
        taken = [*takers.map(lambda _: store.take_ticket(new_session, "ticket"), range(60))]
    assert [holder for holder in taken if holder] == ["seat-1"]


def test_a_ticket_expires(store: Store, new_session: str) -> None:
    store.put_ticket(new_session, "ticket", "seat-1", SHORT_LIFETIME, 9)
    time.sleep(2 * SHORT_LIFETIME)
    assert store.take_ticket(new_session, "ticket") is None


def test_a_new_ticket_beyond_the_bound_voids_the_oldest_of_its_holder_alone(store: Store, new_session: str) -> None:
    store.put_ticket(new_session, "of another", "seat-2", 60, 3)
    for number in range(5):
        store.put_ticket(new_session, f"ticket-{number}", "seat-1", 60, 3)
    taken = [store.take_ticket(new_session, f"ticket-{number}") for number in range(5)]
    assert taken == [None, None, "seat-1", "seat-1", "seat-1"]
    assert store.take_ticket(new_session, "of another") == "seat-2"


def test_a_ticket_that_was_taken_does_not_count_towards_the_bound(store: Store, new_session: str) -> None:
    for number in range(5):
        store.put_ticket(new_session, f"ticket-{number}", "seat-1", 60, 2)
        if number:
            assert store.take_ticket(new_session, f"ticket-{number}") == "seat-1"
    assert store.take_ticket(new_session, "ticket-0") == "seat-1"


def test_tickets_are_counted_until_they_are_taken_void_or_expired(store: Store, new_session: str) -> None:
    before = store.tickets()
    store.put_ticket(new_session, "short", "seat-1", SHORT_LIFETIME, 9)
    for number in range(4):
        store.put_ticket(new_session, f"ticket-{number}", "seat-2", 60, 3)
    until(lambda: store.tickets() == before + 3)
    store.take_ticket(new_session, "ticket-3")
    assert store.tickets() == before + 2


def test_the_first_secret_of_a_name_stays(store: Store, session: str) -> None:
    assert store.secret(session, b"first\x00") == b"first\x00"
    assert store.secret(session, b"second") == b"first\x00"


def test_a_stored_secret_is_none_before_it_is_made(store: Store, session: str) -> None:
    assert store.stored_secret(session) is None
    store.secret(session, b"first\x00")  # makes it
    assert store.stored_secret(session) == b"first\x00"


def test_a_watcher_is_notified_of_earlier_changes_of_each_version_and_of_a_deletion(store: Store, session: str) -> None:
    store.write(session, Change(-1, b"", generation="first"), LIFETIME)
    messages: list[tuple[str, Reached | None]] = []
    with watching(store, [session], lambda new: messages.extend(new.items())):
        until(lambda: messages)
        messages.clear()
        store.write(session, Change(0, b"", b"one", generation="first"), LIFETIME)
        until(lambda: len(messages) >= 1)
        store.delete(session)
        until(lambda: len(messages) >= 2)
        time.sleep(0.6)  # enough time for a second message of one change, which would be wrong
        assert messages == [(session, Reached("first", 1)), (session, None)]


def test_a_signing_key_is_in_use_until_its_mark_ends(store: Store) -> None:
    store.begin()
    store.mark_in_use("5ecde7", 1000)
    store.mark_in_use("0ded00", -1)
    ends = store.keys_in_use()
    assert "5ecde7" in ends
    assert "0ded00" not in ends
    assert 0 < ends["5ecde7"] - store.clock.now() <= 1000
