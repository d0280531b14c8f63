"""Run servers with a wrong clock for a while. A file says by how many hours: `wrong_clock` reads it for Python's clock,
and libfaketime, if installed, for Redis's clock (Python cannot sleep under it).
"""

import os
import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.faults.clients import Client, Table, opened
from tests.faults.runs import PORTS
from tests.faults.servers import free_port, one_redis
from tests.server import Server

WRONG = 25
"""Hours."""


class Ahead(NamedTuple):
    """Statuses of reads while the clock is ahead, of openings at a server started then, and of reads afterwards."""

    meanwhile: list[int]
    opened: list[int]
    after: list[int]


def library() -> Path | None:
    """Return the path of Debian's libfaketime, or None if it is not installed."""
    return next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)


def ahead(kind: str, sessions: int, seconds: float) -> Ahead:
    """Open sessions, run the clock 25 hours ahead for `seconds`, restart the service, and set the clock right."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="referee-clocks-")))
        _set(folder, 0)
        url = f"sqlite:///{folder}/sessions.sqlite3"
        if kind == "redis":
            steered = {"FAKETIME_TIMESTAMP_FILE": f"{folder}/redis", "FAKETIME_NO_CACHE": "1"}
            faked = {"LD_PRELOAD": str(library()), **steered} if library() else {}
            url = stack.enter_context(one_redis(environment=faked)).url
        path = os.pathsep.join([str(Path(__file__).parent / "wrong_clock"), os.environ.get("PYTHONPATH", "")])
        wrong = {"PYTHONPATH": path, "WRONG_CLOCK": f"{folder}/python"}
        settings = {"REFEREE_WORKERS": "1", "REFEREE_STORE_URL": url, **wrong}
        with Server(settings=settings, port=free_port(PORTS)) as server:
            tables = [opened(server.port) for _ in range(sessions)]
            _set(folder, WRONG)
            opened(server.port)
            time.sleep(seconds)
            meanwhile = _read(server, tables)
        with Server(settings=settings, port=free_port(PORTS)) as server, Client(server.port) as client:
            opening = {"game": "gin-rummy", "seats": 2}
            made = [client.ask("POST", "/sessions", opening).status for _ in range(2)]
            _set(folder, 0)
            return Ahead(meanwhile, made, _read(server, tables))


def _set(folder: Path, hours: int) -> None:
    """Set both clocks. Each file is replaced atomically: a reader finds the old time or the new one."""
    for name, text in (("python", f"{hours}"), ("redis", f"+{hours}h")):
        (folder / "new").write_text(text)
        (folder / "new").rename(folder / name)


def _read(server: Server, tables: list[Table]) -> list[int]:
    with Client(server.port) as client:
        return [client.ask("GET", table.path, None, table.headers).status for table in tables]
