"""A SQLite store that fills its own volume, by sessions alone or beside a stranger's file, and what still goes on."""

import os
import random
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from tests.faults.clients import BROKEN, Client, Table, together
from tests.server import Server, meanwhile, until

DESIGNS = [[f"{number} {side}".ljust(40, ".") for side in "AB"] for number in range(200)]
OPENING = {"game": "twin-it", "seats": 2, "designs": DESIGNS}
"""An opening of which the store keeps some 60 KB, with its answer."""
LEAST_DELETED = 200  #: Sessions, at least, that are deleted once the volume is full.
DELETED_PART = 2
"""One session in so many is deleted, if these are more: openings need a sixteenth of all, sessions have a quarter."""
REFUSALS = 20  #: Refusals in a row after which a client takes openings, or moves, as stopped.
RECOVERY_SECONDS = 60.0  #: Seconds within which space has to come back; on 1 GB it took 17, on 256 MB 5.


class NoVolume(Exception):
    """No file system can be mounted here."""


@contextmanager
def volume(mebibytes: int) -> Iterator[Path]:
    """Mount a file system of this size. Raises `NoVolume` where nobody may."""
    with tempfile.TemporaryDirectory(prefix="referee-volume-") as folder:
        command = ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", folder]
        try:
            result = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise NoVolume(str(error)) from error
        if result.returncode:
            raise NoVolume(result.stderr.strip())
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


def fill(folder: Path, leave: int = 0, name: str = "stranger") -> None:
    """Write a file until the file system has no more than `leave` bytes left, or none."""
    with (folder / name).open("ab", buffering=0) as file, suppress(OSError):
        while True:
            if leave and free_bytes(folder) <= leave:
                return
            file.write(bytes(4096))


def free_bytes(folder: Path) -> int:
    """Return the bytes that a file system has left."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


class Outcome(NamedTuple):
    """What came of a volume that was filled.

    `after`: moves acknowledged after the first opening was refused; `deleted`, `after_kill`: statuses of DELETEs on the
    full volume, and on one that was filled again, after all processes were killed and started anew; `back`: seconds
    until a session was opened, without anybody's help; `log_left`: whether a graceful stop left a `-wal`; `wrong`:
    sessions that are not at their acknowledged version, or are there although they were deleted; `slowest`: the slowest
    answer, in seconds; `full`: what `/readyz` said of sessions on the full volume.
    """

    sessions: int
    moves: int
    after: int
    deleted: dict[int, int]
    back: float
    after_kill: dict[int, int]
    log_left: bool
    wrong: int
    slowest: float
    full: str

    @property
    def good(self) -> bool:
        """Whether the store kept its promise."""
        deleted = {*self.deleted, *self.after_kill} == {204}
        return deleted and self.back < RECOVERY_SECONDS and not self.log_left and self.wrong == 0


class Players:
    """Clients that open sessions and move in them, each request under a key, until the store takes no more."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.versions: dict[str, tuple[Table, int]] = {}  #: The last acknowledged version of each session.
        self.deleted: list[Table] = []
        self.statuses: Counter[tuple[str, int]] = Counter()
        self.after = 0
        self.slowest = 0.0
        self.lock = threading.Lock()

    def play(self, clients: int, stop: threading.Event | None = None) -> None:
        """Let clients play until openings and moves are refused, or until `stop` is set."""
        tables = [table for table, _version in self.versions.values()]
        shares = iter([tables[client::clients] for client in range(clients)])
        together(clients, lambda: self._play(next(shares), stop or threading.Event()))

    def _play(self, own: list[Table], stop: threading.Event) -> None:
        """Open a session and move in three of the last, in turn, until both are refused `REFUSALS` times in a row.

        `own`: sessions that are open already, in which nobody else moves.
        """
        refused = Counter[str]()
        with Client(self.server.port) as client:
            while min(refused["open"], refused["move"] if own else REFUSALS) < REFUSALS and not stop.is_set():
                if refused["open"] < REFUSALS:
                    table = self.open(client)
                    refused["open"] = 0 if table else refused["open"] + 1
                    own += [table] if table else []
                for table in random.sample(own[-20:], min(len(own), 3)):
                    stored = self.move(client, table)
                    refused["move"] = 0 if stored else refused["move"] + 1
                    self.after += stored and bool(self.statuses["open", 503])

    def open(self, client: Client) -> Table | None:
        """Open a session from some address; return None if that was refused."""
        address = ".".join(str(random.randrange(1, 255)) for _ in range(4))
        reply = self._ask(client, "POST", "/sessions", OPENING, {"X-Forwarded-For": address})
        if reply.status != 201:
            return None
        table = Table(self.server.port, reply.body["id"], reply.body["tokens"]["host"])
        with self.lock:
            self.versions[table.id] = table, 0
        return table

    def move(self, client: Client, table: Table) -> bool:
        """Turn a card; return whether that was stored."""
        version = self.versions[table.id][1]
        body = {"moves": [{"type": "flip", "seat": version % 2}]}
        reply = self._ask(client, "POST", f"{table.path}/moves", body, table.headers)
        if reply.status == 201:
            self.versions[table.id] = table, reply.body["version"]
        return bool(reply.status == 201)

    def delete(self, count: int) -> dict[int, int]:
        """Delete so many sessions; return how often each status came."""
        statuses = Counter[int]()
        with Client(self.server.port) as client:
            for name in [*self.versions][:count]:
                table, _version = self.versions.pop(name)
                status = self._ask(client, "DELETE", table.path, None, table.headers).status
                statuses[status] += 1
                self.deleted += [table] if status == 204 else []
        return dict(statuses)

    def readiness(self) -> str:
        """Return what the checks of `/readyz` say of sessions."""
        with Client(self.server.port) as client:
            checks = client.ask("GET", "/readyz").body["checks"]
        return f"{checks['sessions']}, room {checks.get('room')}"

    def count_wrong(self) -> int:
        """Count the sessions that are not at their last acknowledged version, or are there although deleted."""
        expected = [*self.versions.values(), *((table, None) for table in self.deleted)]
        with Client(self.server.port) as client:
            return sum(
                self._ask(client, "GET", table.path, None, table.headers).body.get("version") != version
                for table, version in expected
            )

    def _ask(self, client: Client, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        """Send a request under a key, again where the connection breaks; return the reply."""
        with_key = headers | {"Idempotency-Key": uuid4().hex}
        while True:
            with suppress(*BROKEN):
                reply = client.ask(method, path, body, with_key)
                action = {"/sessions": "open"}.get(path, "move" if method == "POST" else method)
                with self.lock:
                    self.statuses[action, reply.status] += 1
                    self.slowest = max(self.slowest, reply.seconds)
                return reply


def fill_and_recover(mebibytes: int, heavy: bool, stranger: bool, workers: int = 2) -> Outcome:
    """Fill a volume, delete sessions and play on; kill all processes on the full volume, and start them anew.

    `heavy`: eight clients fill it, else one beside other files; `stranger`: another program takes the last byte, else
    sessions do.
    """
    with volume(mebibytes) as folder, ExitStack() as stack:
        server = stack.enter_context(server_storing_in(folder, workers))
        players = Players(server)
        if not heavy:
            fill(folder, leave=(mebibytes << 20) // 3, name="ballast")
        clients = 8 if heavy else 1
        if stranger:
            with meanwhile(lambda stop: players.play(clients, stop)):
                until(lambda: free_bytes(folder) < (mebibytes << 20) // 12, seconds=600)
                fill(folder)
        players.play(clients)
        full = players.readiness()
        deleted = players.delete(max(LEAST_DELETED, len(players.versions) // DELETED_PART))
        back = seconds_until_an_opening(players)
        players.play(clients)
        if stranger:
            fill(folder)
        kill_all(server)
        players.server = server = stack.enter_context(server_storing_in(folder, workers))
        after_kill = players.delete(LEAST_DELETED)
        wrong = players.count_wrong()
        server.stop()
        return Outcome(
            sessions=players.statuses["open", 201],
            moves=players.statuses["move", 201],
            after=players.after,
            deleted=deleted,
            back=round(back, 1),
            after_kill=after_kill,
            log_left=(folder / "sessions.sqlite3-wal").exists(),
            wrong=wrong,
            slowest=round(players.slowest, 2),
            full=full,
        )


def seconds_until_an_opening(players: Players) -> float:
    """Open sessions until the store takes one, for `RECOVERY_SECONDS` at most; return how long that took."""
    began = time.monotonic()
    with Client(players.server.port) as client, suppress(AssertionError):
        until(lambda: players.open(client), RECOVERY_SECONDS)
    return time.monotonic() - began


def kill_all(server: Server) -> None:
    """Kill the master of a server and all its workers."""
    for pid in (server.process.pid, *server.workers()):
        os.kill(pid, signal.SIGKILL)
    server.process.wait()


def server_storing_in(folder: Path, workers: int) -> Server:
    """Return a server with default settings that stores sessions in a folder."""
    url = f"sqlite:///{folder}/sessions.sqlite3"
    return Server(settings={"REFEREE_WORKERS": str(workers), "REFEREE_REQUEST_LOG": "off", "REFEREE_STORE_URL": url})
