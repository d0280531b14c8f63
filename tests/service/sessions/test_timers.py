"""What sessions owe at a time is made by one thread of a worker, which lets requests run between two sessions."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
from flask.testing import FlaskClient

from service.sessions import record, timers
from service.sessions.stores.protocol import StoreUnavailable
from service.sessions.timers import Timers
from tests.server import until
from tests.service.sessions.tables import SessionClient, open_session, service_client, sessions_of

LONG_WINDOW = 600_000  #: Milliseconds.


def open_timed_game(client: FlaskClient) -> SessionClient:
    """Open a session whose players count once a clock has ended."""
    return open_session(client, "twin-it", 2, ruleset={"name": "timed"})


def timer_threads() -> set[threading.Thread]:
    """Return the threads of timers in this process."""
    return {thread for thread in threading.enumerate() if thread.name.endswith("(_run)")}


@pytest.fixture
def looked_at() -> list[str]:
    """The sessions that were looked at."""
    return []


# --- one heap ------------------------------------------------------------------------------------


def test_a_session_is_looked_at_when_it_is_due_and_the_first_due_comes_first(looked_at: list[str]) -> None:
    waiting = Timers(looked_at.append)
    began = time.monotonic()
    for session, wait in (("c", 300), ("a", 100), ("b", 200), ("late", LONG_WINDOW)):
        waiting.expect(session, 1000 + wait, 1000)
    until(lambda: looked_at == ["a", "b", "c"])
    assert time.monotonic() - began >= 0.3
    assert len(waiting) == 1


def test_a_session_has_one_timer_the_earliest(looked_at: list[str]) -> None:
    waiting = Timers(looked_at.append)
    for at in (LONG_WINDOW, 3000, 2000, 100, 2000, LONG_WINDOW):
        for _ in range(100):
            waiting.expect("a", at, 0)
    assert len(waiting) <= 2
    until(lambda: len(waiting) == 0)
    assert looked_at == ["a"]


def test_all_timers_are_of_one_thread_which_ends_with_the_last(looked_at: list[str]) -> None:
    before, waiting = timer_threads(), Timers(looked_at.append)
    for number in range(200):
        waiting.expect(f"{number}", LONG_WINDOW, 0)
    (own,) = timer_threads() - before  # those before may end meanwhile: they wait for sessions of other tests
    for number in range(200):
        waiting.forget(f"{number}")
    until(lambda: not own.is_alive())
    waiting.expect("again", 0, 0)
    until(lambda: looked_at == ["again"])


def test_forgotten_timers_leave_the_memory_and_no_others(looked_at: list[str]) -> None:
    waiting = Timers(looked_at.append)
    for number in range(1000):
        waiting.expect(f"{number}", 500 if number == 500 else LONG_WINDOW, 0)
        waiting.forget(f"{number - 600}")
    assert len(waiting) <= 2 * 600
    for number in range(1000):
        if number != 500:
            waiting.forget(f"{number}")
    assert len(waiting) <= 2
    until(lambda: looked_at == ["500"])


def test_the_timer_thread_pauses_between_two_sessions(looked_at: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pausing = SimpleNamespace(monotonic=time.monotonic, sleep=lambda seconds: looked_at.append(f"pause {seconds > 0}"))
    monkeypatch.setattr(timers, "time", pausing)
    waiting = Timers(looked_at.append)
    for session in ("a", "b", "c"):
        waiting.expect(session, 0, 0)
    until(lambda: len(looked_at) == 6)
    assert looked_at == ["a", "pause True", "b", "pause True", "c", "pause True"]


def test_a_session_whose_timer_is_far_off_is_looked_at_before(
    looked_at: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another worker may have deleted it: then nothing of it stays here."""
    monkeypatch.setattr(timers, "LONGEST_WAIT", 0.05)
    waiting = Timers(looked_at.append)
    waiting.expect("a", LONG_WINDOW, 0)
    until(lambda: looked_at == ["a"] and len(waiting) == 0)


def test_a_session_is_tried_again_while_the_store_is_away(
    looked_at: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timers, "RETRY_SECONDS", 0.01)

    def look(session: str) -> None:
        looked_at.append(session)
        if session == "a" and looked_at.count("a") < 4:
            raise StoreUnavailable
        if session == "faulty":
            raise ValueError

    waiting = Timers(look)
    for session in ("faulty", "a", "b"):
        waiting.expect(session, 0, 0)
    until(lambda: looked_at.count("a") == 4)
    assert looked_at == ["faulty", "a", "b", "a", "a", "a"]


# --- sessions ------------------------------------------------------------------------------------


def test_a_deleted_session_leaves_no_timer(client: FlaskClient) -> None:
    waiting = sessions_of(client).timers
    tables = [open_timed_game(client) for _ in range(20)]
    gathering = open_session(client, "twin-it", 2, gather_ms=3000)
    top = gathering.get("host").get_json()["state"]["piles"][1][0]
    for table in tables:
        assert table.post("host", "/clock", {"seconds": 600}).status_code == 201
    claim: Any = {"type": "claim", "hands": [{"seat": 0, "card": top}]}
    assert gathering.move("seat-0", claim).status_code == 202
    assert len(waiting) == 21
    for table in (*tables, gathering):
        assert table.delete("host").status_code == 204
    assert len(waiting) == 0


def test_a_session_that_another_worker_deleted_leaves_no_timer(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timers, "LONGEST_WAIT", 0.2)
    here, there = service_client(store_url), service_client(store_url)
    table = open_timed_game(here)
    table.post("host", "/clock", {"seconds": 600})
    assert len(sessions_of(here).timers) == 1
    table.client = there
    assert table.delete("host").status_code == 204
    until(lambda: len(sessions_of(here).timers) == 0)


def test_clocks_that_end_together_are_all_settled(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "GRACE_MS", 100)
    tables = [open_timed_game(client) for _ in range(30)]
    for table in tables:
        table.post("host", "/clock", {"seconds": 1})
    store = sessions_of(client).store
    until(lambda: all((session := store.read(table.id)) is not None and session.version == 2 for table in tables))
    until(lambda: len(sessions_of(client).timers) == 0)
