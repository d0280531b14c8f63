"""Answers made shorter for clients that take gzip."""

from __future__ import annotations

import zlib
from functools import lru_cache

from werkzeug.http import parse_accept_header

from service.web.fair_scheduling import yield_if_due

LEAST = 4 * 1024
"""Bytes of an answer that is worth it: less hardly needs fewer packets."""
LEAST_KEPT = 1024
"""The same of what is packed once and kept: on a slow line a page's modules come sooner."""
GZIP = 16 + zlib.MAX_WBITS
PIECE = 64 * 1024
"""Bytes that are packed at a stretch."""


@lru_cache(maxsize=256)
def takes_gzip(accept_encoding: str | None) -> bool:
    """Whether an `Accept-Encoding` asks for gzip."""
    return parse_accept_header(accept_encoding).quality("gzip") > 0


def packed(body: bytes, level: int = 1) -> bytes:
    """The same by gzip. Others have their turn meanwhile."""
    packer, parts = zlib.compressobj(level, wbits=GZIP), []
    for start in range(0, len(body), PIECE):
        parts.append(packer.compress(body[start : start + PIECE]))
        yield_if_due()
    return b"".join([*parts, packer.flush()])


@lru_cache(maxsize=128)
def packed_once(body: bytes) -> bytes:
    """The same for what many ask for: as short as can be, and kept."""
    return packed(body, 9)
