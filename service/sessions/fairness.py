"""Deals that nobody chose. docs/fairness.md gives the algorithm with vectors, and a verifier in another language."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Sequence


def server_seed() -> str:
    """256 random bits, in hex. What is hashed for the commitment, and the key of every deal, is this text."""
    return secrets.token_hex(32)


def deal_seed(server: str, clients: Sequence[str], number: int) -> str:
    """The seed of a session's deal, to be given to the specified shuffle. `clients`: by seat; `number`: from 1."""
    message = json.dumps([*clients, number], ensure_ascii=False, separators=(",", ":"))
    return hmac.digest(server.encode(), message.encode(), "sha256").hex()
