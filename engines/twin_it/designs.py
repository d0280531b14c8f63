"""The deck: which design lies on which side of which card. Nothing here depends on states or players."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Final, TypeAlias

Deck: TypeAlias = tuple[tuple[str, str], ...]
"""The designs of each card, side A and side B; the index is the number of the card."""

COLOURS: Final = ("red", "orange", "yellow", "green", "blue", "purple", "pink")
FIGURES: Final = (
    "anchor", "bell", "cat", "drum", "egg", "fish", "ghost", "hat", "igloo", "jug", "kite", "leaf", "moon", "nut",
    "owl", "pear", "star",
)  # fmt: skip
DESIGNS: Final = tuple(f"{colour}-{figure}" for figure, colour in product(FIGURES, COLOURS))

_FACES: Final = DESIGNS + DESIGNS[:101] + DESIGNS[:50]
HOUSE_DECK: Final[Deck] = tuple(zip(_FACES[:135], _FACES[135:], strict=True))
"""TI-1.1: 135 cards; of 119 designs the first 50 occur three times, the next 51 twice, the last 18 once."""

MOST_CARDS: Final = 200  #: The most cards that a posted deck may have.
MOST_ALIKE: Final = 3  #: TI-1.1: how often a design may occur.

NAMES: Final = tuple((f"{number}A", f"{number}B") for number in range(MOST_CARDS))
CARDS: Final = tuple(name for card in NAMES for name in card)
NUMBER: Final = {name: number for number, card in enumerate(NAMES) for name in card}
SIDE: Final = {name: side for card in NAMES for side, name in enumerate(card)}
TURNED: Final = {name: card[1 - side] for card in NAMES for side, name in enumerate(card)}
"""What a card shows once it is turned over."""


def design(deck: Deck, card: str) -> str:
    """The design that a card shows; it must be a card of the deck."""
    return deck[NUMBER[card]][SIDE[card]]


def designs_of(deck: Deck, cards: Iterable[str]) -> list[str]:
    """The design that each card shows."""
    return [deck[NUMBER[card]][SIDE[card]] for card in cards]


def all_designs(deck: Deck) -> list[str]:
    """Every design of a deck once, in the order of its cards."""
    return list(dict.fromkeys(name for sides in deck for name in sides))


def alike(deck: Deck, cards: Iterable[str]) -> bool:
    """Whether all show one design."""
    return len(set(designs_of(deck, cards))) == 1


def faces(deck: Deck, name: str) -> Iterator[str]:
    """Every side of every card that carries a design."""
    return (
        NAMES[number][side] for number, sides in enumerate(deck) for side, shown in enumerate(sides) if shown == name
    )
