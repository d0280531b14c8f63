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
    """A hand laid out.

    `unmatched`: the cards that are neither melded nor laid off, as bits; `deadwood`: their points (GR-2.2).
    """

    melds: tuple[tuple[str, ...], ...]
    lay_offs: tuple[LaidCard, ...]
    unmatched: int
    deadwood: int

    def deadwood_params(self) -> dict[str, Any]:
        """GR-2.2: the names of the unmatched cards, and their points, as parameters of events and as facts."""
        return {"deadwood_cards": names_of(self.unmatched), "deadwood": self.deadwood}


def of_knocker(
    hand: Sequence[str], melds: Sequence[Sequence[str]] | None, defender: Sequence[str] | None
) -> Layout | None:
    """GR-5.6; None where the choice depends on a defender's hand that is not seen."""
    cards = bits_of(hand)
    if melds is not None:
        return _laid_out(cards, melds)
    is_gin = not least_deadwood(cards)
    if defender is not None and not is_gin:
        return _laid_out(cards, map(names_of, knocker_layout(cards, bits_of(defender))))
    best = best_arrangements(cards)
    first, second = next(best), next(best, None)
    if second is not None and not is_gin:
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
    """GR-6.3. `shown`: the knocker's melds; `melds`, `lay_offs`: as the defender states them, else as is best."""
    cards = bits_of(hand)
    against = tuple([bits_of(meld) for meld in shown])
    if melds is None and lay_offs is None:
        reply = best_reply(cards, against)
        return _laid_out(cards, map(names_of, reply.melds), _named(reply.lay_offs))
    if lay_offs is None:
        unmatched = _laid_out(cards, melds or ()).unmatched
        lay_offs = _named(placed(reachable(unmatched, against), against))
    if melds is None:
        rest = cards & ~bits_of(each.card for each in lay_offs)
        melds = [names_of(meld) for meld in best_arrangement(rest)]
    return _laid_out(cards, melds, lay_offs)


def possible_lay_offs(hand: Sequence[str], shown: Sequence[Sequence[str]]) -> tuple[LaidCard, ...]:
    """GR-6.1: the cards of a hand that each shown meld takes, directly or upon others, in order of cards."""
    cards = bits_of(hand)
    possible = []
    for index, meld in enumerate(shown):
        possible += [Placed(card, index) for card in singly(reachable(cards, [bits_of(meld)]))]
    return _named(sorted(possible))


def _named(lay_offs: Iterable[Placed]) -> tuple[LaidCard, ...]:
    """These lay-offs with the names of the cards instead of their bits."""
    return tuple(LaidCard(CARDS[card.bit_length() - 1], meld) for card, meld in lay_offs)


def _laid_out(cards: int, melds: Iterable[Sequence[str]], lay_offs: tuple[LaidCard, ...] = ()) -> Layout:
    """The layout of a hand with these melds and lay-offs. `cards`: the whole hand, as bits."""
    own = tuple(map(tuple, melds))
    melded, laid_off = bits_of(chain.from_iterable(own)), bits_of([each.card for each in lay_offs])
    unmatched = cards & ~(melded | laid_off)
    return Layout(own, lay_offs, unmatched, points_of(unmatched))
