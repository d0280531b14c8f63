"""Who did what in an incident: the hands as they fell, before anything is moved. Nothing here changes a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engines.core.records import changed
from engines.core.rulings import Happens
from engines.twin_it import rulings
from engines.twin_it.designs import design
from engines.twin_it.model import Hand, State
from engines.twin_it.table import (
    forbidden_designs,
    in_one_set,
    is_own_top,
    is_visible,
    own_tops_count,
    side_of,
    unseen_tops,
)


class Fallen(NamedTuple):
    """A hand, in which place it fell, and what it is on."""

    at: int
    hand: Hand
    side: int
    design: str


class Mistake(NamedTuple):
    """A seat that erred, and by which clause. `at`: the place where it is settled; `done`: the hand that erred."""

    at: int
    done: int
    seat: int
    ruling: Happens


class Idle(NamedTuple):
    """One hand, or two, without effect, whatever the other hands do."""

    at: int
    seat: int
    ruling: Happens


class Held(NamedTuple):
    """The hands that hold the cards of a design: the first that counts on each. `at`: the place of the first."""

    at: int
    hands: list[Hand]


class Judged(NamedTuple):
    """The hands of an incident: mistakes by the order of the hands that erred, idle hands, and hands by design."""

    mistakes: list[Mistake]
    idle: list[Idle]
    held: dict[str, Held]


def judged(state: State, hands: Sequence[Hand]) -> Judged:
    """TI-4.1, TI-4.6: which seats erred, and which hand holds each card."""
    idle, fallen = [], []
    for at, hand in enumerate(hands):
        if is_own_top(state, hand) and not own_tops_count(state):
            idle.append(Idle(at, hand.seat, rulings.NO_EFFECT_OWN_TOP))
        else:
            fallen.append(Fallen(at, hand, side_of(state, hand.seat), design(state.designs, hand.card)))
    mistakes, both_on_one_set = _by_one_player(state, fallen)
    told: list[Mistake | Idle] = [*mistakes, *both_on_one_set]
    out = {each.seat for each in told}
    counting = [each for each in fallen if each.hand.seat not in out] if out else fallen
    claimed = _by_forbidden_claims(state, fallen, counting)
    mistakes += claimed.values()
    held: dict[str, Held] = {}
    for each in counting:
        if (each.side, each.design) in claimed:
            continue
        if each.design not in held:
            held[each.design] = Held(each.at, [each.hand])
        elif each.hand.card not in [hand.card for hand in held[each.design].hands]:
            held[each.design].hands.append(each.hand)
    return Judged(sorted(mistakes, key=lambda mistake: mistake.done), idle + both_on_one_set, held)


def _by_one_player(state: State, fallen: Iterable[Fallen]) -> tuple[list[Mistake], list[Idle]]:
    """TI-5.1, TI-8.1, TI-3.5: what both hands of one player did: on two designs, on one alone in a team, on one set."""
    mistakes, idle = [], []
    first: dict[int, Fallen] = {}
    began: dict[tuple[int, str], int] = {}
    for each in fallen:
        seat, card = each.hand.seat, each.hand.card
        at = began.setdefault((each.side, each.design), each.at)
        other = first.setdefault(seat, each)
        if other.design != each.design:
            mistakes.append(Mistake(other.at, each.at, seat, rulings.MISTAKE))
        elif other is not each and in_one_set(state, other.hand.card, card):
            idle.append(Idle(other.at, seat, rulings.NO_EFFECT_ONE_SET))
        elif other is not each and state.ruleset.name == "team":
            mistakes.append(Mistake(at, each.at, seat, rulings.MISTAKE_ALONE))
    return mistakes, idle


def _by_forbidden_claims(
    state: State, fallen: Sequence[Fallen], counting: Iterable[Fallen]
) -> dict[tuple[int, str], Mistake]:
    """TI-7.1: by side and design, the mistake of the seat with a hand on the second card of a forbidden design."""
    if not any(state.forbidden):
        return {}
    first: dict[tuple[int, str], str] = {}
    mistakes: dict[tuple[int, str], Mistake] = {}
    for each in counting:
        of = each.side, each.design
        if each.design in forbidden_designs(state, each.side) and of not in mistakes:
            card = first.setdefault(of, each.hand.card)
            if card != each.hand.card and not in_one_set(state, card, each.hand.card):
                at = next(other.at for other in fallen if (other.side, other.design) == of)
                mistakes[of] = Mistake(at, each.at, each.hand.seat, rulings.MISTAKE_FORBIDDEN)
    return mistakes


def as_touched(state: State, hands: Sequence[Hand]) -> tuple[State, str | None]:
    """TI-3.2: the table, in which the one unseen top is the card that a hand is on; and that card, if there is one."""
    tops = unseen_tops(state)
    under = unseen_cards(state, hands)
    if len(tops) != 1 or not under:
        return state, None
    (seat,) = tops
    piles = (*state.piles[:seat], (under[0], *state.piles[seat][1:]), *state.piles[seat + 1 :])
    return changed(state, piles=piles), under[0]


def unsure_hand(state: State, hands: Sequence[Hand]) -> Hand | None:
    """TI-3.2: a hand that may be on the unseen top of its own pile, where that decides something."""
    if own_tops_count(state):
        return None
    tops = unseen_tops(state)
    return next((hand for hand in hands if hand.seat in tops and not is_visible(state, hand.card)), None)


def unseen_cards(state: State, hands: Iterable[Hand]) -> list[str]:
    """The cards, each once, that hands are on and that are seen nowhere: they must be unseen tops."""
    return list(dict.fromkeys(hand.card for hand in hands if not is_visible(state, hand.card)))
