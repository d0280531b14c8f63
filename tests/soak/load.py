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

MOVES = 20  #: The most moves of a session before it is closed.
WELL = range(200, 500)  #: Statuses that are no fault of the server.


class Load:
    """Clients of several kinds, each in a thread. `done`: the number of times for each action."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.done: Counter[str] = Counter()
        self.amiss: list[str] = []

    def running(self) -> AbstractContextManager[None]:
        """Run all clients while the block runs."""
        kinds = (self._stateless, self._stateless, self._sessions, self._sessions, self._rude)
        return meanwhile(*(partial(self._again, each) for each in kinds))

    def _again(self, kind: Callable[[Client, random.Random], None], over: threading.Event) -> None:
        rng = random.Random()
        with Client(self.server.port) as client:
            while not over.is_set():
                try:
                    kind(client, rng)
                except (*BROKEN, AssertionError) as error:
                    self.amiss.append(f"{kind.__name__}: {error!r}")

    def _note(self, what: str, status: int) -> None:
        self.done[what] += 1
        if status not in WELL:
            self.amiss.append(f"{what}: {status}")

    # --- kinds -----------------------------------------------------------------

    def _stateless(self, client: Client, rng: random.Random) -> None:
        vector = rng.choice(STATELESS)
        body = vector.request.get("body")
        if rng.random() < 0.02:
            chosen = rng.choices(STATELESS, k=20)
            requests = [{"path": each.request["path"], "body": each.request["body"]} for each in chosen]
            self._note("batch", client.ask("POST", "/batch", {"requests": requests}).status)
        else:
            self._note(vector.request["path"], client.ask("POST", vector.request["path"], body).status)

    def _sessions(self, client: Client, rng: random.Random) -> None:
        """Play a session from its opening to its end, with a listener."""
        game, engine = rng.choice(list(engines.registry().items()))
        seats = max(engine.seats[0], min(3, engine.seats[-1]))
        opened = client.ask("POST", "/sessions", {"game": game, "seats": seats})
        self._note("opening", opened.status)
        table = Table(self.server.port, opened.body["id"], opened.body["tokens"]["host"])
        path, host = table.path, table.headers
        with self.server.connect() as listener:
            listener.sendall(table.stream_request())
            begun = listener.recv(65_536)  # otherwise the session could be closed before the stream begins
            if not begun.startswith(b"HTTP/1.1 200 "):
                self.amiss.append(f"listening: {begun[:300]!r}")
            for number in range(MOVES):
                offered = client.ask("GET", f"{path}/legal-moves", headers=host).body["moves"]
                if not offered:
                    break
                key = {"Idempotency-Key": f"{number}-{rng.random()}"}
                move = rng.choice(offered)["move"]
                self._note("move", client.ask("POST", f"{path}/moves", {"moves": [move]}, host | key).status)
            self._note("transcript", client.ask("GET", f"{path}/transcript", headers=host).status)
            self._note("closing", client.ask("DELETE", path, headers=host).status)
            self.done["events"] += _events(listener, begun)

    def _rude(self, client: Client, rng: random.Random) -> None:
        """Send bytes that are no request, an incomplete request, and malformed bodies; leave answers unread."""
        sent = rng.choice(RUDE)
        with self.server.connect() as connection:
            connection.sendall(sent)
            if rng.random() < 0.5:
                connection.shutdown(socket.SHUT_WR)
                with suppress(OSError):
                    while connection.recv(65_536):
                        pass
        self.done["rude"] += 1
        self._note("not JSON", ask_anew(self.server, post("/resolve", b'{"game": twins}')).status)
        time.sleep(0.02)


def _events(listener: socket.socket, received: bytes) -> int:
    """Count the events until the session is closed, including those in `received`."""
    listener.settimeout(30)
    while b"event: closed" not in received:
        part = listener.recv(65_536)
        if not part:
            break
        received += part
    return received.count(b"event: ")


def _posted(vector: Vector) -> bool:
    return vector.request["method"] == "POST" and isinstance(vector.request.get("body"), dict)


PATHS = [f"/{call.name}" for call in CALLS]
STATELESS = [each for each in vectors() if _posted(each) and each.request["path"] in PATHS]
RESOLVE: Any = json.dumps(STATELESS[0].request["body"]).encode()
RUDE = (
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET /games HTTP/1.1\r\nHost: soak\r\n",
    b"POST /resolve HTTP/1.1\r\nHost: soak\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{",
    b"POST /resolve HTTP/1.1\r\nHost: soak\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST /resolve HTTP/1.1\r\nHost: soak\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
    % (len(RESOLVE), RESOLVE),
    b"GET /openapi.json HTTP/1.1\r\nHost: soak\r\n\r\n" * 3,
)
