"""What gunicorn's master and its workers share: signals, descriptors, and which workers serve."""

from __future__ import annotations

import mmap
import resource
import signal
import socket
from contextlib import suppress

from service.config import Serving

END_SIGNALS = {signal.SIGINT, signal.SIGQUIT, signal.SIGTERM}  #: Signals that end a worker.
RESERVED = 512
"""Descriptors that no client gets: for the store's connections, files, and connections about to be closed."""
FEW_DESCRIPTORS = 1024  #: With a lower limit the server prints how many connections a worker can hold.
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

    Under a low limit that is a third of it, because a connection may need another descriptor for the store.
    """
    if limit == resource.RLIM_INFINITY:
        return connections
    return min(connections, max(limit - RESERVED, limit // 3))


def not_free(serving: Serving) -> str:
    """Why the address cannot be listened on; empty if it can."""
    family = socket.AF_INET6 if ":" in serving.host else socket.AF_INET
    try:
        socket.create_server((serving.host, serving.port), family=family).close()
    except OSError as error:
        return (error.strerror or str(error)).partition(" (")[0]
    return ""


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
