"""Which calls a breaker refuses for a Redis server, and for how long. Tests wait a moment for what must not happen."""

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager

import pytest
from redis import Redis
from redis.exceptions import ConnectionError  # noqa: A004

from service.sessions.stores import outage, redis_servers
from service.sessions.stores.protocol import StoreUnavailable
from service.sessions.stores.redis_servers import AT_ONCE, Server
from tests.server import until

MOMENT = 0.1


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let calls wait for their turn as long as a busy machine needs, and let probes follow each other at once."""
    monkeypatch.setattr(redis_servers, "TIMEOUT", 30)
    monkeypatch.setattr(outage, "PROBING", 0)


def call(server: Server) -> str:
    """Make a call that the breaker guards."""
    with server.guarding():
        return "answered"


@contextmanager
def one_call_more(server: Server) -> Iterator[tuple[Future[str], ExitStack]]:
    """Make as many calls as are allowed at once, and one more. Yield the additional call and the others."""
    with ThreadPoolExecutor(1) as pool, ExitStack() as others:
        for _ in range(AT_ONCE):
            others.enter_context(server.guarding())
        more = pool.submit(call, server)
        wait([more], timeout=MOMENT)
        yield more, others


def test_a_call_beyond_the_limit_waits_for_its_turn() -> None:
    with one_call_more(Server(Redis(), lambda: None)) as (more, others):
        waited = not more.done()
        others.close()
        assert (waited, more.result()) == (True, "answered")


def test_a_waiting_call_is_refused_when_the_server_fails() -> None:
    back = threading.Event()
    with one_call_more(Server(Redis(), back.wait)) as (more, others):  # the probe of the server waits for the event
        with pytest.raises(StoreUnavailable), others:
            raise ConnectionError("no route")
        with pytest.raises(StoreUnavailable, match="no route"):
            more.result()
    back.set()


def test_a_retired_server_is_not_probed() -> None:
    probed = threading.Event()
    server = Server(Redis(), probed.set)
    server.retire()
    with pytest.raises(StoreUnavailable), server.guarding():
        raise ConnectionError
    assert not probed.wait(MOMENT)


def test_probes_continue_after_any_exception() -> None:
    failures: list[Exception] = [ConnectionError(), OSError(), RuntimeError("unforeseen")]

    def probe() -> None:
        if failures:
            raise failures.pop(0)

    server = Server(Redis(), probe)
    with pytest.raises(StoreUnavailable), server.guarding():
        raise ConnectionError
    until(lambda: server.there)
    assert (failures, call(server)) == ([], "answered")
