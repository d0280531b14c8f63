"""Server-sent events: a stream shows events as its bearer may see them, and continues where it broke off."""

import gc
import json
import random
import threading
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import Mock

import pytest
from flask.testing import FlaskClient

from service.sessions import events, log
from service.sessions.service import Sessions
from service.sessions.session_request import SessionRequest
from service.sessions.stores.protocol import Reached
from service.sessions.table import Table
from service.sessions.tokens import Bearer, TokenClaim
from tests.server import meanwhile
from tests.service.sessions.tables import (
    SessionClient,
    open_session,
    open_session_under_key,
    problem,
    service_client,
)
from tests.service.sessions.test_sessions import halted

PASS = [{"type": "pass", "seat": 0}, {"type": "pass", "seat": 1}]
DRAW = {"type": "draw", "seat": 0, "from": "stock"}


class Listener:
    """Reads a stream block by block."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks

    def event(self) -> dict[str, str]:
        """Return the next event; skip comments."""
        for block in self._blocks:
            lines = [line.partition(": ") for line in block.decode().splitlines() if line and line[0] != ":"]
            event = {name: value for name, _, value in lines}
            if "event" in event:
                return event
        raise AssertionError("the stream ended")

    def entry(self) -> Any:
        """Return the next event, which has to be a log entry."""
        event = self.event()
        assert event["event"] == "entry"
        entry = json.loads(event["data"])
        assert event["id"] == str(entry["version"])
        return entry


@contextmanager
def listening(table: SessionClient, bearer: str, query: str = "", **headers: str) -> Iterator[Listener]:
    """Open a bearer's stream of a session, and close it when the block ends."""
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    response = table.get(bearer, f"/events{query}", **more)
    assert response.status_code == 200
    assert response.content_type == "text/event-stream"
    assert response.headers["X-Accel-Buffering"] == "no", "a proxy would wait for more"
    try:
        yield Listener(response.iter_encoded())
    finally:
        response.close()


def channel_of(table: SessionClient) -> tuple[events.Channel, TokenClaim]:
    """Return a channel of a table's session, and its host's claim."""
    sessions: Sessions = table.client.application.extensions["sessions"]
    claim = sessions.claim(table.tokens["host"], table.id)
    return events.Channel(sessions.store, table.id, sessions.expect), claim


def test_a_stream_never_continues_with_a_later_session_of_the_same_name(client: FlaskClient) -> None:
    first = open_session_under_key(client)
    with listening(first, "host") as listener:
        first.move("host", PASS[0])
        assert listener.entry()["version"] == 1
        first.delete("host")
        second = open_session_under_key(client)
        for move in (*PASS, DRAW):
            assert second.move("host", move).status_code == 201
        assert listener.event()["event"] == "closed"


def test_a_stream_shows_what_the_log_shows(table: SessionClient) -> None:
    for move in (*PASS, DRAW):
        table.move("host", move)
    for bearer in table.bearers:
        with listening(table, bearer) as listener:
            entries = [listener.entry() for _ in range(3)]
        assert entries == table.get(bearer, "/moves").get_json()["entries"]


def test_a_stream_continues_where_it_broke_off(table: SessionClient) -> None:
    for move in PASS:
        table.move("host", move)
    with listening(table, "host", Last_Event_ID="1") as listener:
        assert listener.entry()["version"] == 2
    with listening(table, "host", "?after=1") as listener:
        assert listener.entry()["version"] == 2


def test_a_deleted_session_closes_its_streams(table: SessionClient) -> None:
    with listening(table, "host") as listener:
        table.delete("host")
        assert listener.event()["event"] == "closed"


def test_a_new_token_closes_only_the_streams_of_the_old_one(table: SessionClient) -> None:
    with listening(table, "seat-0") as old, listening(table, "seat-1") as other:
        assert table.post("host", "/tokens", {"seat": 0}).status_code == 201
        assert table.move("host", PASS[0]).status_code == 201
        assert old.event()["event"] == "closed"
        assert [other.entry()["version"] for _ in range(2)] == [1, 2]


def test_a_new_token_invalidates_the_tickets_of_the_old_one(table: SessionClient) -> None:
    tickets = {bearer: table.post(bearer, "/tickets", {}).get_json()["ticket"] for bearer in ("seat-0", "seat-1")}
    assert table.post("host", "/tokens", {"seat": 0}).status_code == 201
    answers = {bearer: table.get("spectator", f"/events?ticket={each}") for bearer, each in tickets.items()}
    assert {bearer: each.status_code for bearer, each in answers.items()} == {"seat-0": 401, "seat-1": 200}
    answers["seat-1"].close()


def test_a_quiet_stream_sends_heartbeats(table: SessionClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "HEARTBEAT", 0.05)
    monkeypatch.setattr(events, "BEAT_CHECK", 0.02)
    response = table.get("host", "/events")
    blocks = iter(response.response)
    assert [next(blocks), next(blocks)] == [b"retry: 2000\n\n", b"event: ping\ndata: {}\n\n"]
    response.close()


def test_a_quiet_stream_sends_heartbeats_however_often_it_is_notified_without_news(
    table: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "HEARTBEAT", 0.3)
    feed = table.client.application.extensions["sessions"].feed

    def notify(over: threading.Event) -> None:
        while not over.wait(0.02):
            feed.notify({table.id: None})

    response = table.get("host", "/events")
    blocks = iter(response.response)
    with meanwhile(notify):
        assert [next(blocks), next(blocks)] == [b"retry: 2000\n\n", b"event: ping\ndata: {}\n\n"]
    response.close()


@pytest.mark.parametrize(
    ("reached", "reads"),
    [("known", 0), ("of another generation", 1), ("further", 1), ("unknown", 1)],
)
def test_a_message_of_a_version_that_was_read_already_causes_no_read(
    table: SessionClient, monkeypatch: pytest.MonkeyPatch, reached: str, reads: int
) -> None:
    """Such messages are frequent: the store also notifies a worker of the worker's own changes."""
    store = table.client.application.extensions["sessions"].store
    channel, claim = channel_of(table)
    table.move("host", PASS[0])
    messages = {
        "known": Reached(claim.generation, 1),
        "of another generation": Reached("another", 1),
        "further": Reached(claim.generation, 2),
        "unknown": None,
    }
    assert [each.version for each in channel.after(0, claim, "en")] == [1]
    read = Mock(wraps=store.read)
    monkeypatch.setattr(store, "read", read)
    channel.on_message(messages[reached])
    assert channel.after(1, claim, "en") == []
    assert read.call_count == reads


def test_a_listener_waits_while_another_reads_the_session(
    table: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the listener could go to sleep just before the new version arrives, and never be notified."""
    channel, claim = channel_of(table)
    assert channel.after(0, claim, "en") == []
    table.move("host", PASS[0])
    channel.news = True  # as the store's message of the move does
    versions: list[int] = []
    listeners = [
        threading.Thread(target=lambda: versions.extend(each.version for each in channel.after(0, claim, "en")))
        for _ in range(2)
    ]
    with halted(table.client.application.extensions["sessions"], "read", monkeypatch) as reached:
        listeners[0].start()
        reached.wait()
        listeners[1].start()
        listeners[1].join(0.1)
    for each in listeners:
        each.join()
    assert versions == [1, 1]


def test_a_ticket_opens_one_stream(table: SessionClient) -> None:
    ticket = table.post("seat-1", "/tickets", None).get_json()
    assert ticket["expires_in"] == 30
    table.move("host", *PASS)
    table.move("host", DRAW)
    looked = table.client.head(f"{table.path}/events?ticket={ticket['ticket']}")
    assert (looked.status_code, looked.data, looked.mimetype) == (
        200,
        b"",
        "text/event-stream",
    )  # and it is still valid
    with listening(table, "nobody", f"?ticket={ticket['ticket']}&after=1") as listener:
        assert listener.entry()["events"][0]["params"]["card"] is None
    assert table.get("nobody", f"/events?ticket={ticket['ticket']}").status_code == 401


def test_a_bearer_has_at_most_50_tickets_and_a_new_one_voids_its_oldest_alone(table: SessionClient) -> None:
    other = table.post("seat-0", "/tickets", None).get_json()["ticket"]
    tickets = [table.post("seat-1", "/tickets", None).get_json()["ticket"] for _ in range(51)]
    statuses = [
        table.get("nobody", f"/events?ticket={each}").status_code for each in (*tickets[:2], tickets[-1], other)
    ]
    assert statuses == [401, 200, 200, 200]


def test_a_ticket_is_valid_for_its_session_only_and_for_no_later_one_of_its_name(
    client: FlaskClient, table: SessionClient
) -> None:
    first = open_session_under_key(client)
    ticket = first.post("host", "/tickets", None).get_json()["ticket"]
    other = open_session(client).post("host", "/tickets", None).get_json()["ticket"]
    assert table.get("host", f"/events?ticket={other}").status_code == 401
    first.delete("host")
    second = open_session_under_key(client)
    assert second.id == first.id
    assert second.get("nobody", f"/events?ticket={ticket}").status_code == 401


def test_a_client_that_does_not_accept_events_is_refused(table: SessionClient) -> None:
    assert table.get("host", "/events", Accept="application/json").status_code == 406


def test_a_stream_shows_what_another_worker_wrote(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No heartbeat comes meanwhile: only news of the store can wake the stream."""
    monkeypatch.setattr(log, "HEARTBEAT", 600)
    one, other = service_client(store_url), service_client(store_url)
    table = open_session(one)
    with listening(table, "host") as listener:
        elsewhere = SessionClient(other, table.id, table.game, table.tokens)
        threading.Timer(0.5, elsewhere.move, ("host", PASS[0])).start()
        assert listener.entry()["version"] == 1


def test_a_worker_notifies_its_own_streams_of_its_changes(
    table: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the store never notifies anybody."""
    store = table.client.application.extensions["sessions"].store
    monkeypatch.setattr(store, "watch", lambda *_: threading.Event().wait())
    with listening(table, "host") as listener:
        threading.Timer(0.5, table.move, ("host", PASS[0])).start()
        assert listener.entry()["version"] == 1
        threading.Timer(0.5, table.delete, ("host",)).start()
        assert listener.event()["event"] == "closed"


def test_a_renewed_token_takes_tickets(table: SessionClient) -> None:
    table.tokens["seat-1"] = table.post("seat-1", "/tokens", {}).get_json()["token"]
    ticket = table.post("seat-1", "/tickets", None).get_json()["ticket"]
    with listening(table, "nobody", f"?ticket={ticket}") as listener:
        assert listener.entry()["version"] == 1


def test_the_number_of_streams_is_limited(store_url: str) -> None:
    table = open_session(service_client(store_url, streams=2))
    with listening(table, "seat-0") as first, listening(table, "seat-1") as second:
        table.move("host", PASS[0])
        assert first.entry() == second.entry()
        refused = table.get("host", "/events")
        assert problem(refused) == (429, "too-many-requests")
        assert refused.headers["Retry-After"] == "5"
        ticket = table.post("host", "/tickets", None).get_json()["ticket"]
        assert table.get("spectator", f"/events?ticket={ticket}").status_code == 429
    with listening(table, "spectator", f"?ticket={ticket}") as third:  # the refusal has not used up the ticket
        assert third.entry()["version"] == 1


def test_when_all_streams_are_taken_the_client_with_most_loses_one_to_a_new_client(store_url: str) -> None:
    """The addresses of one IPv6 network are one client."""
    table = open_session(service_client(store_url, streams=4))
    with (
        listening(table, "seat-1", X_Forwarded_For="192.0.2.2") as only,
        listening(table, "seat-0", X_Forwarded_For="2001:db8::1") as first,
        listening(table, "seat-0", X_Forwarded_For="2001:db8::2") as second,
        listening(table, "seat-0", X_Forwarded_For="2001:db8::3") as third,
    ):
        table.move("host", PASS[0])
        assert only.entry() == first.entry() == second.entry() == third.entry()  # each takes its place as it is read
        assert table.get("seat-0", "/events", **{"X-Forwarded-For": "2001:db8::4"}).status_code == 429
        with listening(table, "seat-1", X_Forwarded_For="192.0.2.1") as other:
            assert other.entry()["version"] == 1
            with pytest.raises(AssertionError, match="ended"):
                third.event()
            table.move("host", PASS[1])
            assert first.entry() == second.entry() == other.entry() == only.entry()
            assert table.get("seat-1", "/events", **{"X-Forwarded-For": "192.0.2.1"}).status_code == 429


def test_an_entry_is_encoded_once_for_each_view_and_language(
    table: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "BEAT_CHECK", 60)  # until then encoded entries are kept
    encoded: list[tuple[str, str]] = []
    original = Table.entry

    def recorded(self: Table, version: int, body: bytes, bearer: Bearer) -> Any:
        encoded.append((bearer.name, self.referee.language))
        return original(self, version, body, bearer)

    monkeypatch.setattr(Table, "entry", recorded)
    readers = [("seat-0", "en"), ("seat-0", "en"), ("seat-0", "it"), ("seat-1", "en"), ("seat-1", "en")]
    with ExitStack() as stack:
        listeners = [stack.enter_context(listening(table, who, Accept_Language=language)) for who, language in readers]
        table.move("host", PASS[0])
        assert [listener.entry()["version"] for listener in listeners] == [1] * 5
    assert sorted(encoded) == sorted(set(readers))


def test_closing_a_stream_closes_no_other(table: SessionClient) -> None:
    with listening(table, "seat-0") as first:
        with listening(table, "seat-1"):
            pass
        table.move("host", PASS[0])
        assert first.entry()["version"] == 1


def test_a_waiting_stream_does_not_keep_its_table_in_memory(
    client: FlaskClient, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = open_session(client)
    sessions = service_client(store_url).application.extensions["sessions"]
    request = SessionRequest(table.id, sessions.claim(table.tokens["host"], table.id), lambda game: "en")
    tables: list[Any] = []

    def find(request: SessionRequest) -> Any:
        snapshot = Sessions.find(sessions, request)
        tables.append(weakref.ref(snapshot.table))
        return snapshot

    monkeypatch.setattr(sessions, "find", find)
    stream = log.stream(sessions, request)
    next(stream)
    gc.collect()
    assert [each() for each in tables] == [None]


def test_a_watcher_that_fails_starts_again(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions = client.application.extensions["sessions"]
    table = open_session(client, "gin-rummy")
    other = service_client(
        sessions.settings.store_url
    )  # not later: CPython 3.11 makes no AST while a thread logs a traceback
    watch, failed = sessions.store.watch, threading.Event()

    def watch_later(*arguments: Any) -> None:
        if failed.is_set():
            watch(*arguments)
        failed.set()
        raise RuntimeError("unforeseen")

    monkeypatch.setattr(events, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(sessions.store, "watch", watch_later)
    with sessions.feed.listening("somebody", table.id) as listener:
        notified = listener.notified
        assert failed.wait(20)
        for _ in range(100):
            notified.clear()
            SessionClient(other, table.id, table.game, table.tokens).move("host", table.choose(random.Random(1)))
            if notified.wait(0.5):
                return
    raise AssertionError("no listener was notified")
