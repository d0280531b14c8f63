"""What gunicorn's master and its workers share: signals, ports, descriptors, and which workers serve."""

from __future__ import annotations

import mmap
import resource
import signal
import socket
from contextlib import suppress

END_SIGNALS = {signal.SIGINT, signal.SIGQUIT, signal.SIGTERM}  #: Signals that end a worker.
RESERVED = 512
"""Descriptors that no client gets: for what the application opens, and for connections about to be closed."""
SLOTS = 65_536  #: More workers than a system runs. Slots that are not used take no memory.
GENERATION, WORKERS, FIRST_SLOT = range(3)


def raise_descriptor_limit() -> int:
    """Raise the soft limit to the hard one, as far as the system allows; return the new soft limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft


def connections_within(limit: int, connections: int) -> int:
    """How many of these connections the descriptor limit allows.

    Under a low limit that is a third of it, because the application may need another descriptor for each.
    """
    if limit == resource.RLIM_INFINITY:
        return connections
    return min(connections, max(limit - RESERVED, limit // 3))


def family_of(host: str) -> socket.AddressFamily:
    """The family of a host's address: IPv6 has colons."""
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def not_free(host: str, port: int) -> str:
    """Why no process can listen on this port; empty if one can."""
    try:
        socket.create_server((host, port), family=family_of(host)).close()
    except OSError as error:
        return (error.strerror or str(error)).partition(" (")[0]
    return ""


def hold_port(host: str, port: int) -> socket.socket:
    """A socket that keeps others from this port until workers listen there. Until then a client is refused."""
    held = socket.socket(family_of(host))
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    with suppress(OSError):  # for a minute, connections of an earlier program may hinder this
        held.bind((host, port))
    return held


class Handover:
    """Memory shared by the master and all workers: old workers serve until the new ones do (SIGHUP).

    The master starts generations of workers, counted from 1. Each worker has a slot, in which it writes its generation
    once it accepts clients; 0 means that no worker serves there.
    """

    def __init__(self) -> None:
        self._shared = memoryview(mmap.mmap(-1, (FIRST_SLOT + SLOTS) * 4)).cast("I")
        self._shared[GENERATION] = 1

    @property
    def generation(self) -> int:
        """The newest generation."""
        return self._shared[GENERATION]

    def start_generation(self, workers: int) -> None:
        """Begin a generation of so many workers. The master calls this before it starts them."""
        self._shared[WORKERS] = workers
        self._shared[GENERATION] += 1

    def serve(self, slot: int, generation: int) -> None:
        """Note that the worker in this slot accepts clients from now on; with generation 0, that none serves there."""
        self._shared[FIRST_SLOT + slot] = generation

    def is_needed(self, generation: int) -> bool:
        """Whether workers of this generation must go on, because their successors do not all serve yet."""
        newest = self.generation
        return generation != newest and self._shared[FIRST_SLOT:].tolist().count(newest) < self._shared[WORKERS]
