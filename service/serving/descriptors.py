"""How many descriptors a process may have, and how many of them clients get."""

from __future__ import annotations

import resource
from contextlib import suppress

OURS = 512
"""Descriptors that are no client's: connections to the store, files, and clients that are about to be let go."""
FEW = 1024
"""Where a process may have fewer, the operator hears what becomes of that."""


def raise_limit() -> int:
    """Raise the soft limit to the hard one, as far as the system lets us; what it is then."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft


def within(limit: int, connections: int) -> int:
    """So many of the connections asked for as the limit has room for: with few, each may need one to the store."""
    room = connections if limit == resource.RLIM_INFINITY else max(limit - OURS, limit // 3)
    return min(connections, room)
