"""The load of a soak: vectors, whole sessions with listeners, malformed requests, clients that disconnect."""

import json
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Any

import engines
from distributions.worker.tests.raw_http import ask_anew, post
from service.judging.calls import CALLS
from service.seeds import Vector
from tests.conformance import vectors
from tests.faults.clients import BROKEN, Client, Table
from tests.server import Server, meanwhile

MOST_MOVES = 20  #: The most moves of a session before it is closed.
EXPECTED_STATUSES = range(200, 500)  #: Statuses that are no fault of the server.


class Load:
    """Clients of several kinds, each in a thread.

    `counts`: how often each action was done; `faults`: what went wrong, each as a line.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []

    def run(self) -> AbstractContextManager[None]:
        """Run all clients while the block runs."""
        kinds = (self._stateless, self._stateless, self._sessions, self._sessions, self._rude)
        return meanwhile(*(partial(self._repeat, each) for each in kinds))

    def _repeat(self, kind: Callable[[Client, random.Random], None], stop: threading.Event) -> None:
        """Call a kind of client again and again, until `stop` is set."""
        rng = random.Random()
        with Client(self.server.port) as client:
            while not stop.is_set():
                try:
                    kind(client, rng)
                except (*BROKEN, AssertionError) as error:
                    self.faults.append(f"{kind.__name__}: {error!r}")

    def _count(self, action: str, status: int) -> None:
        """Count an action; its status may be a fault."""
        self.counts[action] += 1
        if status not in EXPECTED_STATUSES:
            self.faults.append(f"{action}: {status}")

    # --- kinds -----------------------------------------------------------------

    def _stateless(self, client: Client, rng: random.Random) -> None:
        """Post the body of a vector, or now and then twenty of them as a batch."""
        vector = rng.choice(STATELESS)
        body = vector.request.get("body")
        if rng.random() < 0.02:
            chosen = rng.choices(STATELESS, k=20)
            requests = [{"path": each.request["path"], "body": each.request["body"]} for each in chosen]
            self._count("batch", client.ask("POST", "/batch", {"requests": requests}).status)
        else:
            self._count(vector.request["path"], client.ask("POST", vector.request["path"], body).status)

    def _sessions(self, client: Client, rng: random.Random) -> None:
        """Play a session from its opening to its end, with a listener."""
        game, engine = rng.choice(list(engines.registry().items()))
        seats = max(engine.seats[0], min(3, engine.seats[-1]))
        opening = client.ask("POST", "/sessions", {"game": game, "seats": seats})
        self._count("opening", opening.status)
        table = Table(self.server.port, opening.body["id"], opening.body["tokens"]["host"])
        path, host = table.path, table.headers
        with self.server.connect() as listener:
            listener.sendall(table.stream_request())
            first_bytes = listener.recv(65_536)  # otherwise the session could be closed before the stream begins
            if not first_bytes.startswith(b"HTTP/1.1 200 "):
                self.faults.append(f"listening: {first_bytes[:300]!r}")
            for number in range(MOST_MOVES):
                offered = client.ask("GET", f"{path}/legal-moves", headers=host).body["moves"]
                if not offered:
                    break
                key = {"Idempotency-Key": f"{number}-{rng.random()}"}
                move = rng.choice(offered)["move"]
                self._count("move", client.ask("POST", f"{path}/moves", {"moves": [move]}, host | key).status)
            self._count("transcript", client.ask("GET", f"{path}/transcript", headers=host).status)
            self._count("closing", client.ask("DELETE", path, headers=host).status)
            self.counts["events"] += _count_events(listener, first_bytes)

    def _rude(self, client: Client, rng: random.Random) -> None:
        """Send bytes that are no request, an incomplete request, and malformed bodies; leave answers unread."""
        request = rng.choice(RUDE_CLIENTS)
        with self.server.connect() as connection:
            connection.sendall(request)
            if rng.random() < 0.5:
                connection.shutdown(socket.SHUT_WR)
                with suppress(OSError):
                    while connection.recv(65_536):
                        pass
        self.counts["rude"] += 1
        self._count("not JSON", ask_anew(self.server, post("/resolve", b'{"game": twins}')).status)
        time.sleep(0.02)


def _count_events(listener: socket.socket, received: bytes) -> int:
    """Count the events until the session is closed, including those in `received`."""
    listener.settimeout(30)
    while b"event: closed" not in received:
        part = listener.recv(65_536)
        if not part:
            break
        received += part
    return received.count(b"event: ")


def _is_post(vector: Vector) -> bool:
    """Whether a vector posts an object."""
    return vector.request["method"] == "POST" and isinstance(vector.request.get("body"), dict)


PATHS = [f"/{call.name}" for call in CALLS]
STATELESS = [each for each in vectors() if _is_post(each) and each.request["path"] in PATHS]
RESOLVE: Any = json.dumps(STATELESS[0].request["body"]).encode()
RUDE_CLIENTS = (
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET /games HTTP/1.1\r\nHost: soak\r\n",
    b"POST /resolve HTTP/1.1\r\nHost: soak\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{",
    b"POST /resolve HTTP/1.1\r\nHost: soak\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST /resolve HTTP/1.1\r\nHost: soak\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
    % (len(RESOLVE), RESOLVE),
    b"GET /openapi.json HTTP/1.1\r\nHost: soak\r\n\r\n" * 3,
)
