"""Open connections and streams are counted over all workers."""

from __future__ import annotations

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
