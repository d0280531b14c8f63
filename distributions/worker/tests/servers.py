"""gunicorn as a process, for tests and measurements that need sockets."""

from __future__ import annotations

import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

ROOT = Path(__file__).parents[3]  #: The repository.
TICKS = os.sysconf("SC_CLK_TCK")
STARTS = 120  #: Seconds within which a server must start, however busy the machine is.
PORTS = range(10_000, 32_000)
"""Ports below those that the system assigns to clients. A client could take such a port before the server binds it."""
_ports = itertools.count(os.getpid() * 61)


def free_port() -> int:
    """Return a free port. Each test process starts its search at another number, so collisions are rare."""
    for number in _ports:
        port = PORTS[number % len(PORTS)]
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("unreachable: the count has no end")


def until(condition: Any, seconds: float = 60) -> Any:
    """Return the condition's first true value. Raises AssertionError if there is none in time."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError(f"still not so after {seconds} s")


@contextmanager
def meanwhile(*runs: Callable[[threading.Event], object]) -> Iterator[None]:
    """Make each call in a thread of its own while the block runs. The event is set when the block is over."""
    over = threading.Event()
    threads = [threading.Thread(target=run, args=(over,), daemon=True) for run in runs]
    for each in threads:
        each.start()
    try:
        yield
    finally:
        over.set()
        for each in threads:
            each.join()


def listens(port: int) -> bool:
    """Return whether anything accepts connections at a port."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


@contextmanager
def nginx(folder: str | Path, configuration: str, port: int) -> Iterator[int]:
    """Run nginx with this configuration, which makes it listen on the port; yield the port."""
    Path(folder, "conf").write_text(configuration, "utf-8")
    process = subprocess.Popen(["nginx", "-p", folder, "-c", f"{folder}/conf"], stderr=subprocess.DEVNULL)
    try:
        until(lambda: listens(port))
        yield port
    finally:
        process.terminate()
        process.wait(10)


def ticks(process: int) -> int:
    """Return the CPU ticks that a process has used, in user and system mode. `TICKS` of them are a second."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def resident(process: int) -> int:
    """Return the bytes of memory that a process has."""
    return int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


@dataclass
class Gunicorn:
    """gunicorn, which runs in the `with` block."""

    app: str
    arguments: tuple[str, ...] = ()  #: Words of the command.
    port: int = field(default_factory=free_port)
    before: tuple[str, ...] = ()  #: Words before the command, such as `prlimit` and its options.
    patient: bool = True  #: Whether to wait until the server is ready or has failed.

    configuration: ClassVar[str]

    def environment(self) -> dict[str, str]:
        """Return the variables for gunicorn, beside those of this process."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        self.folder = tempfile.TemporaryDirectory(prefix="rules-referee-test-")
        self.out, self.err = Path(self.folder.name, "out"), Path(self.folder.name, "err")
        gunicorn = Path(sys.executable).with_name("gunicorn")
        command = [*self.before, sys.executable, str(gunicorn), "-c", self.configuration, *self.arguments, self.app]
        with self.out.open("wb") as out, self.err.open("wb") as err:
            environment = os.environ | self.environment()
            self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=err)
        if self.patient:
            try:
                until(lambda: "http://" in self.out.read_text("utf-8") or self.process.poll() is not None, STARTS)
            except BaseException:  # also when somebody interrupts the tests: otherwise the server would go on
                self.__exit__(None, None, None)
                raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.folder.cleanup()

    def stop(self, sign: signal.Signals = signal.SIGTERM) -> float:
        """Send a signal, wait for the end, and return the seconds it took."""
        began = time.monotonic()
        self.process.send_signal(sign)
        assert self.process.wait(30) == 0
        return time.monotonic() - began

    def workers(self) -> list[int]:
        """Return the workers' process ids."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text("ascii")
        return [int(pid) for pid in children.split()]

    def kill(self, worker: int) -> None:
        """Send SIGKILL; return when the master has noticed."""
        os.kill(worker, signal.SIGKILL)
        until(lambda: worker not in self.workers())

    def cpu(self) -> float:
        """Return the CPU seconds that the workers have used."""
        return sum(map(ticks, self.workers())) / TICKS

    def connect(self) -> socket.socket:
        """Open a connection to the server."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def listening(self) -> int:
        """Count the workers that listen, each on a socket of its own. 0A: what /proc calls a socket that listens."""
        sockets = [line.split() for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]]
        return sum(state == "0A" and at.endswith(f":{self.port:04X}") for _, at, _, state, *_ in sockets)


@contextmanager
def succeeded(server: Gunicorn) -> Iterator[int]:
    """Start a second server by SIGUSR2 beside the first; yield its process id. It is stopped after the block."""
    old = set(server.workers())
    server.process.send_signal(signal.SIGUSR2)
    (successor,) = until(lambda: set(server.workers()) - old)
    try:
        yield successor
    finally:
        os.kill(successor, signal.SIGTERM)


@dataclass
class Subject(Gunicorn):
    """An application of `applications` on our worker. `settings`: gunicorn's; `options`: the worker's."""

    app: str = "distributions.worker.tests.applications:create()"
    settings: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    hooks: bool = True

    configuration = "distributions/worker/tests/configuration.py"

    def environment(self) -> dict[str, str]:
        """The variables of the process. `configuration.py` reads `SUBJECT`."""
        subject = {"port": self.port, "settings": self.settings, "options": self.options, "hooks": self.hooks}
        return {"SUBJECT": json.dumps(subject), **self.variables}

    def logged(self) -> list[str]:
        """Return the request log: method, path, status and size of each."""
        return [line for line in self.out.read_text("utf-8").splitlines() if not line.startswith("http://")]

    def errors(self) -> str:
        """Return the error log."""
        return self.err.read_text("utf-8")
