"""Bearers and their tokens: MACs over session, bearer and generation, so nothing about them is stored.

A token reads `<bearer>.<generation>.<mac>`. The generation is drawn at the opening: a session of the same name, opened
again after the first was deleted, does not honour the first one's tokens.
"""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

from service.sessions.stores.protocol import Store

KEY_BYTES = 32
MAC_BYTES = 24


class Bearer(NamedTuple):
    """Whom a request comes from. `seat` is None for the host, and for a spectator, who holds no token."""

    role: str
    seat: int | None = None

    @property
    def name(self) -> str:
        """`host`, `seat-0`, `spectator`."""
        return self.role if self.seat is None else f"seat-{self.seat}"


HOST = Bearer("host")
SPECTATOR = Bearer("spectator")


def seat(number: int) -> Bearer:
    """The bearer of a seat's token."""
    return Bearer("seat", number)


@cache
def everyone(seats: int) -> tuple[Bearer, ...]:
    """Every bearer that a table of so many seats can have, the host first."""
    return HOST, SPECTATOR, *map(seat, range(seats))


def named(name: str) -> Bearer:
    """The bearer of this name."""
    role, _, number = name.partition("-")
    return Bearer(role, int(number) if number else None)


def may_make(bearer: Bearer, move: Mapping[str, Any], deal: str | None) -> bool:
    """Whether a bearer may make a move: the host any, a seat its own, a deal, and what names no seat but its own.

    `deal`: what the game calls its deal, if it has one.
    """
    if bearer == HOST:
        return True
    seats = set(_seats_in(move))
    return bearer.seat is not None and (seats == {bearer.seat} or (move["type"] == deal and not seats))


class Tokens:
    """Makes tokens and reads them. `keys`: the first signs, all are honoured; none: one is kept in the store."""

    def __init__(self, keys: Iterable[str], store: Callable[[], Store]) -> None:
        self._keys = tuple(key.encode() for key in keys)
        self._store = store

    def token(self, session: str, bearer: Bearer, generation: str) -> str:
        """The token that makes its holder this bearer in this session."""
        return f"{bearer.name}.{generation}.{_mac(self.keys[0], session, bearer.name, generation)}"

    def read(self, token: str, session: str) -> tuple[Bearer, str] | None:
        """Bearer and generation of a token made for this session; None of any other."""
        try:
            return _genuine(self.keys, token, session)
        except Forged:
            return None

    @property
    def keys(self) -> tuple[bytes, ...]:
        """The keys in use; fetched from the store once, where none are set."""
        if not self._keys:
            self._keys = (self._store().secret("tokens", secrets.token_bytes(KEY_BYTES)),)
        return self._keys


def session_names(tokens: Tokens, key: str | None) -> list[str]:
    """The name of a session to be opened: under an idempotency key the same each time, without one a new one.

    After it the names that the session has if it was opened while another of the honoured keys was the first.
    """
    if key is None:
        return [secrets.token_hex(16)]
    message = f"opening\n{key}".encode()
    return [hmac.digest(honoured, message, "sha256")[:16].hex() for honoured in tokens.keys]


class Forged(Exception):
    """Not made with any of our keys."""


@lru_cache(maxsize=4096)
def _genuine(keys: tuple[bytes, ...], token: str, session: str) -> tuple[Bearer, str]:
    """What a token says; cached, because it comes with every request. Forged ones are not: they raise."""
    name, _, rest = token.partition(".")
    generation, _, mac = rest.partition(".")
    given = mac.encode(errors="replace")
    genuine = False
    for key in keys:
        genuine |= hmac.compare_digest(given, _mac(key, session, name, generation).encode())
    if not genuine:
        raise Forged
    return named(name), generation


def _mac(key: bytes, session: str, name: str, generation: str) -> str:
    message = f"token\n{session}\n{name}\n{generation}".encode(errors="replace")
    return urlsafe_b64encode(hmac.digest(key, message, "sha256")[:MAC_BYTES]).decode()


def _seats_in(value: Any) -> Iterable[int]:
    if isinstance(value, dict):
        for name, part in value.items():
            if name == "seat":
                if part is not None:
                    yield part
            else:
                yield from _seats_in(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _seats_in(part)
