"""What two cards are worth together (TW-3). Nothing here depends on states or players."""

from __future__ import annotations

from functools import cache
from typing import Final, Literal, NamedTuple, TypeAlias

COLOURS: Final = ("brown", "green", "pink", "blue", "yellow", "purple")
CARDS: Final = tuple(f"{colour}-{value}" for colour in COLOURS for value in range(1, 11))
COLOUR: Final = {card: card.partition("-")[0] for card in CARDS}
VALUE: Final = {card: int(card.partition("-")[2]) for card in CARDS}
ORDER: Final = {card: place for place, card in enumerate(CARDS)}

Kind: TypeAlias = Literal["twins", "pair", "colour", "singles"]
KINDS: Final[tuple[Kind, ...]] = ("singles", "colour", "pair", "twins")  #: TW-3.5: the weakest first.


class Combination(NamedTuple):
    """Two cards and their worth: the value of Twins and Pairs, the sum of Colours and Singles.

    `rank` is what TW-3.5 compares: the higher wins, equals tie.
    """

    kind: Kind
    strength: int
    rank: tuple[int, int]


@cache
def combination(first: str, second: str, white: tuple[str, ...]) -> Combination:
    """TW-3.1 to TW-3.4; `white`: the colours with white numerals."""
    if VALUE[first] == VALUE[second]:
        alike = (COLOUR[first] in white) == (COLOUR[second] in white)
        return _combination("twins" if alike else "pair", VALUE[first])
    return _combination("colour" if COLOUR[first] == COLOUR[second] else "singles", VALUE[first] + VALUE[second])


def _combination(kind: Kind, strength: int) -> Combination:
    """The combination with its rank: the kind first, then the strength."""
    return Combination(kind, strength, (KINDS.index(kind), strength))
