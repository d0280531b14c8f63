"""How both hands of a knock are laid out (GR-5.6, GR-6.3): what a move states binds, the rest is done as is best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

from engines.gin_rummy.deadwood import least_deadwood, points_of
from engines.gin_rummy.lay_off import Placed, best_reply, knocker_layout, placed, reachable
from engines.gin_rummy.melds import CARDS, best_arrangement, best_arrangements, bits_of, names_of, singly
from engines.gin_rummy.model import LaidCard


class Layout(NamedTuple):
    """A hand laid out: melds, cards laid off, and the cards that count, as bits; `deadwood`: their points (GR-2.2)."""

    melds: tuple[tuple[str, ...], ...]
    lay_offs: tuple[LaidCard, ...]
    left: int
    deadwood: int

    def counted(self) -> dict[str, Any]:
        """The parameters on the cards that count, in every event of a layout."""
        return {"deadwood_cards": names_of(self.left), "deadwood": self.deadwood}


def of_knocker(
    hand: Sequence[str], melds: Sequence[Sequence[str]] | None, defender: Sequence[str] | None
) -> Layout | None:
    """GR-5.6; None where the choice depends on a defender's hand that is not seen."""
    cards = bits_of(hand)
    if melds is not None:
        return _laid_out(cards, melds)
    if defender is not None and least_deadwood(cards):
        return _laid_out(cards, map(names_of, knocker_layout(cards, bits_of(defender))))
    ways = best_arrangements(cards)
    first = next(ways)
    if least_deadwood(cards) and next(ways, None) is not None:
        return None
    return _laid_out(cards, map(names_of, first))


def without_lay_offs(hand: Sequence[str]) -> Layout:
    """GR-6.2: the hand of a defender who may not lay off, with the least deadwood."""
    cards = bits_of(hand)
    return _laid_out(cards, map(names_of, best_arrangement(cards)))


def of_defender(
    hand: Sequence[str],
    shown: Sequence[Sequence[str]],
    melds: Sequence[Sequence[str]] | None,
    lay_offs: tuple[LaidCard, ...] | None,
) -> Layout:
    """GR-6.3, against the melds shown."""
    cards = bits_of(hand)
    against = tuple([bits_of(meld) for meld in shown])
    if melds is None and lay_offs is None:
        reply = best_reply(cards, against)
        return _laid_out(cards, map(names_of, reply.melds), _named(reply.lay_offs))
    if lay_offs is None:
        left = _laid_out(cards, melds or ()).left
        lay_offs = _named(placed(reachable(left, against), against))
    if melds is None:
        rest = cards & ~bits_of(each.card for each in lay_offs)
        melds = [names_of(meld) for meld in best_arrangement(rest)]
    return _laid_out(cards, melds, lay_offs)


def possible_lay_offs(hand: Sequence[str], shown: Sequence[Sequence[str]]) -> tuple[LaidCard, ...]:
    """GR-6.1: the cards of a hand that each shown meld takes, directly or upon others, in order of cards."""
    cards = bits_of(hand)
    fitting = [
        Placed(card, index) for index, meld in enumerate(shown) for card in singly(reachable(cards, [bits_of(meld)]))
    ]
    return _named(sorted(fitting))


def _named(lay_offs: Iterable[Placed]) -> tuple[LaidCard, ...]:
    return tuple(LaidCard(CARDS[card.bit_length() - 1], meld) for card, meld in lay_offs)


def _laid_out(cards: int, melds: Iterable[Sequence[str]], lay_offs: tuple[LaidCard, ...] = ()) -> Layout:
    """`cards` are the whole hand."""
    own = tuple(map(tuple, melds))
    left = cards & ~(bits_of(chain.from_iterable(own)) | bits_of([each.card for each in lay_offs]))
    return Layout(own, lay_offs, left, points_of(left))
