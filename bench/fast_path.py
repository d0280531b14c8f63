"""What the fast path saves: `python -m bench.fast_path`. CPU a request with and without it, in turn, on one core.

In process, without sockets and gunicorn: only the code between WSGI and a view differs.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from io import BytesIO
from statistics import median
from time import process_time
from typing import Any

from flask import Flask

from bench.verdicts import KNOCK, TWINS
from service.app import create_app
from service.config import Settings

ROUNDS = 40
REQUESTS = 150
"""Requests of each kind in a round, with the fast path and without."""


def environment(method: str, path: str, body: Any = None, token: str = "") -> dict[str, Any]:
    """The WSGI environment of a request. `body`: bytes, or a value to be sent as JSON."""
    sent = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    return {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "8000",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "localhost:8000",
        "HTTP_ACCEPT": "*/*",
        "HTTP_AUTHORIZATION": f"Bearer {token}",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(sent)),
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(sent),
    }


def answered(app: Flask, environ: dict[str, Any]) -> bytes:
    """The body of an answer, which must be 2xx."""

    def begin(status: str, headers: list[tuple[str, str]], error: object = None) -> Callable[[bytes], object]:
        assert status.startswith("2"), status
        return lambda _: None

    return b"".join(app.wsgi_app(environ, begin))


def cost(app: Flask, requests: list[dict[str, Any]]) -> float:
    """Microseconds of CPU a request."""
    began = process_time()
    for environ in requests:
        answered(app, environ)
    return (process_time() - began) / len(requests) * 1e6


def session_reads(app: Flask) -> list[dict[str, Any]]:
    opened = json.loads(answered(app, environment("POST", "/sessions", {"game": "twins", "seats": 3})))
    return [environment("GET", f"/sessions/{opened['id']}", token=opened["tokens"]["host"]) for _ in range(REQUESTS)]


def first_moves(app: Flask) -> list[dict[str, Any]]:
    """The first move of each of so many sessions."""
    made = []
    for _ in range(REQUESTS):
        opened = json.loads(answered(app, environment("POST", "/sessions", {"game": "twins", "seats": 3})))
        moves = {"moves": [{"type": "buy", "seat": 0, "count": 0}]}
        made.append(environment("POST", f"/sessions/{opened['id']}/moves", moves, opened["tokens"]["host"]))
    return made


KINDS: dict[str, Callable[[Flask], list[dict[str, Any]]]] = {
    "/resolve, a trick of Twins": lambda app: [environment("POST", "/resolve", TWINS) for _ in range(REQUESTS)],
    "/resolve, a knock": lambda app: [environment("POST", "/resolve", KNOCK) for _ in range(REQUESTS)],
    "a move in a session": first_moves,
    "a session read": session_reads,
}


def main() -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        short, flask = (
            create_app(Settings(store_url=f"sqlite:///{folder}/{way}.sqlite3"), fast_path=way) for way in (True, False)
        )
        for kind, requests in KINDS.items():
            rounds = [(cost(short, requests(short)), cost(flask, requests(flask))) for _ in range(ROUNDS)]
            costs = [sorted(each) for each in zip(*rounds, strict=True)]
            saved = sorted(by_flask - by_short for by_short, by_flask in rounds)
            parts = [f"{median(each):.0f} us ({each[ROUNDS // 10]:.0f} to {each[-ROUNDS // 10]:.0f})" for each in costs]
            print(f"{kind}: fast path {parts[0]}, Flask {parts[1]}, saved {median(saved):.0f} us "
                  f"({saved[ROUNDS // 10]:.0f} to {saved[-ROUNDS // 10]:.0f})")  # fmt: skip


if __name__ == "__main__":
    main()
