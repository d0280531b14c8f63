"""What comes of a move, in the form of its facts: a law compares both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engines.core.engine import Applied
from engines.core.rulings import Undetermined
from engines.gin_rummy.checks import (
    discard_and_melds_are_held,
    lay_offs_fit,
    no_card_is_in_two_melds,
    stated_melds_are_melds,
)
from engines.gin_rummy.melds import BITS
from engines.gin_rummy.model import Discard, Knock, LaidCard, LayOff
from engines.gin_rummy.moves import knock


def _laid_out(name: str) -> Callable[[Applied], Any]:
    """GR-5.6: a particular of a knock with the melds that the facts name; of a lay-off what is laid out."""

    def laid_out(applied: Applied) -> Any:
        if isinstance(applied.move, LayOff):
            return applied.param("laid-off", name)
        declared = _knock(applied, applied.facts["melds"])
        for check in (discard_and_melds_are_held, stated_melds_are_melds, no_card_is_in_two_melds):
            if check(applied.state, declared):
                return f"the melds are none, by {check.__name__}"
        return _knocked(applied, declared, name)

    return laid_out


def deadwood(applied: Applied) -> Any:
    """GR-2.3: the deadwood of a knock that states no melds, in points; of a lay-off that which it leaves."""
    if isinstance(applied.move, LayOff):
        return applied.param("laid-off", "deadwood")
    return _knocked(applied, _knock(applied, None), "deadwood")


def _knock(applied: Applied, melds: Any) -> Knock:
    """The knock by the move, or with its discard."""
    move = applied.move
    discard = move.card if isinstance(move, Discard) else move.discard
    return Knock(move.seat, discard, big=None if discard else True, melds=melds)


def _knocked(applied: Applied, move: Knock, name: str) -> Any:
    """A particular of the event of a knock, whether or not it is within the limit; None where too little is seen."""
    step = knock(applied.state, move)
    return None if isinstance(step, Undetermined) else step[1][0].params[name]


def possible(applied: Applied) -> tuple[LaidCard, ...]:
    """GR-6.1: the cards that each shown meld takes one after the other, in order of cards."""
    state, seat = applied.state, applied.move.seat
    possible: list[LaidCard] = []
    for meld in range(len(state.knock.melds)):
        laid: tuple[LaidCard, ...] = ()
        for _ in state.hands[seat]:  # each time around one card more may fit
            for card in state.hands[seat]:
                longer = (*laid, LaidCard(card, meld))
                if not lay_offs_fit(state, LayOff(seat, melds=(), lay_offs=longer)):
                    laid = longer
        possible += laid
    return tuple(sorted(possible, key=lambda each: (BITS[each.card], each.meld)))


EVIDENCE: Mapping[str, Callable[[Applied], Any]] = {
    "melds": _laid_out("melds"),
    "deadwood_cards": _laid_out("deadwood_cards"),
    "deadwood": deadwood,
    "lay_offs": lambda applied: applied.param("laid-off", "lay_offs"),
    "possible": possible,
}
