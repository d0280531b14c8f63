"""Open connections and streams are counted over all workers."""

import json
from contextlib import ExitStack

from tests.deploy.conftest import ask_anew, get, post, read
from tests.server import Server, until
from tests.service.test_metrics import parsed


def test_connections_and_streams_are_counted_while_they_are_open() -> None:
    with Server(settings={"REFEREE_WORKERS": "2"}) as server:

        def now() -> tuple[float, float]:
            found = parsed(ask_anew(server, get("/metrics")).body.decode())
            return found["referee_connections"], found.get("referee_streams", 0)

        until(lambda: now() == (1, 0))  # the connection of /metrics itself
        body = json.dumps({"game": "twins", "seats": 3, "public": True}).encode()
        opened = json.loads(ask_anew(server, post("/sessions", body)).body)
        path, host = f"/sessions/{opened['id']}", f"Authorization: Bearer {opened['tokens']['host']}"
        with ExitStack() as held:
            for _ in range(20):
                held.enter_context(server.connect())
            for _ in range(3):
                listener = held.enter_context(server.connect())
                listener.sendall(get(f"{path}/events"))
                read(listener, until=lambda received: b"retry:" in received)
            until(lambda: now() == (24, 3))
            ask_anew(server, get(path, host).replace(b"GET", b"DELETE"))
        until(lambda: now() == (1, 0))


def test_a_closed_stream_frees_its_place_at_once() -> None:
    with Server(settings={"REFEREE_WORKERS": "1", "REFEREE_STREAMS": "20"}) as server:
        body = json.dumps({"game": "twins", "seats": 3, "public": True}).encode()
        path = f"/sessions/{json.loads(ask_anew(server, post('/sessions', body)).body)['id']}/events"

        def status(stack: ExitStack, client: str) -> bytes:
            listener = stack.enter_context(server.connect())
            listener.sendall(get(path, f"X-Forwarded-For: {client}"))
            return read(listener, until=lambda received: received.endswith(b"\r\n")).split()[1]

        for client in ("10.0.0.1", "10.0.0.2", "10.0.0.3"):
            with ExitStack() as streams:
                statuses = [until(lambda: status(streams, client) == b"200", 3) for _ in range(20)]  # noqa: B023
                assert len(statuses) == 20
