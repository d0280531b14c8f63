"""The specified shuffle: any language can repeat it from the seed (docs/fairness.md gives it step by step).

Block i of the stream is HMAC-SHA-256(key = the seed in UTF-8, message = i as eight bytes, big-endian). The stream is
read as 32-bit big-endian words. A number below n is a word below the largest multiple of n that fits 32 bits, modulo n;
other words are skipped. Fisher and Yates: for i from the last index down to 1, swap i with a number below i + 1.
Two-sided cards then take one word each, from index 0: its lowest bit turns the card.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, TypeVar

Card = TypeVar("Card")


def words(seed: str) -> Iterator[int]:
    """The endless stream of 32-bit words that a seed stands for."""
    key = seed.encode()
    block = 0
    while True:
        digest = hmac.digest(key, block.to_bytes(8, "big"), "sha256")
        for start in range(0, 32, 4):
            yield int.from_bytes(digest[start : start + 4], "big")
        block += 1


def below(bound: int, stream: Iterator[int]) -> int:
    """A number from 0 to `bound` - 1, each equally likely."""
    limit = (1 << 32) - (1 << 32) % bound
    while (word := next(stream)) >= limit:
        pass
    return word % bound


def shuffled(cards: Sequence[Card], seed: str) -> tuple[Card, ...]:
    """The deck in the order that the seed gives it; index 0 is the top."""
    return _shuffle(cards, words(seed))


def shuffled_two_sided(cards: Sequence[tuple[Card, Card]], seed: str) -> tuple[Card, ...]:
    """As `shuffled`, for cards given as (side A, side B): the sides that lie up."""
    stream = words(seed)
    return tuple(card[next(stream) & 1] for card in _shuffle(cards, stream))


def in_order(cards: Sequence[Any], seed: str) -> tuple[Any, ...]:
    """A deck, shuffled by a seed. Two-sided cards, which are tuples, are also turned by it."""
    return shuffled_two_sided(cards, seed) if cards and isinstance(cards[0], tuple) else shuffled(cards, seed)


def commitment(seed: str) -> str:
    """The SHA-256 of a seed, in hex. Published before the deal, it proves afterwards that the seed was this one."""
    return sha256(seed.encode()).hexdigest()


def _shuffle(cards: Sequence[Card], stream: Iterator[int]) -> tuple[Card, ...]:
    """The shuffle of Fisher and Yates, by the numbers of a stream."""
    order = list(cards)
    for i in range(len(order) - 1, 0, -1):
        j = below(i + 1, stream)
        order[i], order[j] = order[j], order[i]
    return tuple(order)
