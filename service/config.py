"""Settings, read from the environment once, when the app is built."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

KIB = 1024


@dataclass(frozen=True)
class Settings:
    """What an operator may set; every name is an environment variable `REFEREE_<NAME>`."""

    body_limit: int = 1024 * KIB
    """The largest request body, in bytes."""
    batch_limit: int = 8 * 1024 * KIB
    """The largest body of `/batch`, in bytes."""
    cors_origins: tuple[str, ...] = ()
    """Origins of web pages that may call from a browser; `*` for any. None by default."""
    store_url: str = field(default="sqlite:///var/sessions.sqlite3", repr=False)
    """Where sessions are kept: `sqlite:///relative/path`, `sqlite:////absolute/path`, or a Redis address."""
    token_keys: tuple[str, ...] = field(default=(), repr=False)
    """Keys that session tokens are signed with: the first signs, all are honoured. None: made and kept in the store."""
    session_hours: float = 24.0
    """How long a session lives after its last move."""
    session_moves: int = 10_000
    """How many moves a session may take."""
    session_bytes: int = 16 * 1024 * KIB
    """How long a session's log may grow, in bytes."""
    open_sessions: int = 100_000
    """How many sessions may be open at once."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """The defaults, overridden by what is set; a value that cannot be read is refused by name."""
        given: dict[str, Any] = {}
        for name, default in vars(cls()).items():
            raw = environment.get(f"REFEREE_{name.upper()}")
            if raw is None:
                continue
            try:
                given[name] = _read(raw, default)
            except ValueError as error:
                kind = "whole number" if isinstance(default, int) else "number"
                raise ValueError(f"REFEREE_{name.upper()}: {raw!r} is no {kind} above zero") from error
        return cls(**given)


def _read(raw: str, default: Any) -> Any:
    if isinstance(default, tuple):
        return tuple(part.strip() for part in raw.split(",") if part.strip())
    if isinstance(default, str):
        return raw
    number = type(default)(raw)
    if not 0 < number < inf:
        raise ValueError
    return number
