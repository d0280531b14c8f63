"""The modules that one move in a session goes through: `python -m bench.trace` (with `-v`: each in order).

`sys.setprofile` records the module of every call of a Python function of the service. The store is SQLite. Two earlier
moves fill the caches. A return is a call from a deeper layer back into one that was left before.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import groupby, pairwise
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

from flask import Flask
from werkzeug.test import EnvironBuilder, run_wsgi_app

from service.app import create_app
from service.config import Settings

LAYERS = (
    "service.http", "service.sessions", "service.judging", "service.contract", "service.strict_json",
    "service.problems", "service.words", "service.metrics", "service.scheduling",
)  # fmt: skip
MOVES = ({"type": "pass", "seat": 0}, {"type": "pass", "seat": 1}, {"type": "draw", "seat": 0, "from": "stock"})


def trace(app: Flask, path: str, body: Any, token: str) -> list[str]:
    """The modules of the calls that answer a request, in order; consecutive calls into one module count once."""
    entered: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith(LAYERS):
            entered.append(module)

    environ = EnvironBuilder(
        path, method="POST", json=body, headers=[("Authorization", f"Bearer {token}")]
    ).get_environ()
    sys.setprofile(note)
    try:
        answer, status, _ = run_wsgi_app(app, environ)
        written = b"".join(answer)
    finally:
        sys.setprofile(None)
    assert status.startswith("201"), written
    return [module for module, _ in groupby(entered)]


def returns(modules: Sequence[str]) -> list[str]:
    """Each call from a layer back into an earlier one that was left before."""
    left, found = set[int](), []
    for before, after in pairwise(modules):
        one, other = layer(before), layer(after)
        if other < one and other in left:
            found.append(f"{before} -> {after}")
        left.add(one)
    return found


def layer(module: str) -> int:
    return next(place for place, name in enumerate(LAYERS) if module.startswith(name))


def main() -> None:
    with TemporaryDirectory() as folder:
        app = create_app(Settings(store_url=f"sqlite:///{folder}/sessions.sqlite3"))
        opened = app.test_client().post("/sessions", json={"game": "gin-rummy", "seats": 2}).get_json()
        token = opened["tokens"]["host"]
        modules = [trace(app, f"/sessions/{opened['id']}/moves", {"moves": [move]}, token) for move in MOVES][-1]
    back = returns(modules)
    print(*(modules if "-v" in sys.argv else ()), sep="\n")
    print(*back, sep="\n")
    print(f"{len(set(modules))} modules, entered {len(modules)} times, {len(back)} returns")


if __name__ == "__main__":
    main()
