"""What is open is counted over all workers of a server, and no longer than it is open."""

from __future__ import annotations

import json
from contextlib import ExitStack

from tests.deploy.conftest import ask, get, post
from tests.server import Server, until
from tests.service.test_metrics import parsed


def test_connections_and_streams_are_counted_while_they_are_open() -> None:
    with Server(settings={"REFEREE_WORKERS": "2"}) as server:

        def now() -> tuple[float, float]:
            with server.connect() as client:
                found = parsed(ask(client, get("/metrics")).body.decode())
            return found["referee_connections"], found.get("referee_streams", 0)

        until(lambda: now() == (1, 0))  # the one that asks
        with ExitStack() as held:
            for _ in range(20):
                held.enter_context(server.connect())
            with server.connect() as client:
                body = json.dumps({"game": "twins", "seats": 3, "public": True}).encode()
                session = json.loads(ask(client, post("/sessions", body)).body)["id"]
            for _ in range(3):
                held.enter_context(server.connect()).sendall(get(f"/sessions/{session}/events"))
            until(lambda: now() == (24, 3))
        until(lambda: now() == (1, 0))
