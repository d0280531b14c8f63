"""What a trick does to chips and pot (TW-4.3 to TW-7.3), from strengths alone.

Each function takes the `Trick` as it is turned up and returns what it comes to, `Settled`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from engines.core.rulings import Event, Happens
from engines.twins import rulings
from engines.twins.model import Ruleset

PAYERS = {3: {1: 1, 3: 1}, 4: {1: 2, 3: 1}, 5: {1: 3, 3: 2}, 6: {1: 3, 3: 2}}
"""TW-4.3: how many of the weakest pay in tricks 1 and 3, by the number of players that the game began with."""
WINNERS = {3: 1, 4: 1, 5: 2, 6: 2}
"""TW-4.3: how many of the best win in trick 2."""
DUE = {1: 2, 3: 1}
"""TW-4.3: what each of them pays."""
PRIZE = 3
"""TW-4.3: what each winner of trick 2 gets."""


Worth: TypeAlias = tuple[int, tuple[int, int]]
"""A seat, and the rank of its two cards, by which plays are compared (TW-3.5)."""


class Trick(NamedTuple):
    """A trick turned up, before any chip moves. `chips` has one entry for each seat at the table."""

    number: int
    ruleset: Ruleset
    shown: Sequence[Worth]
    chips: tuple[int, ...]
    pot: int


class Settled(NamedTuple):
    """The chips after a trick. `losers`: who pays, and after trick 3 misses trick 4; `bankrupt`: who cannot."""

    chips: tuple[int, ...]
    pot: int
    events: list[Event]
    losers: tuple[int, ...] = ()
    bankrupt: tuple[int, ...] = ()


def weakest_pay(trick: Trick) -> Settled:
    """TW-4.3, TW-5.1, TW-5.3, TW-7.1: tricks 1 and 3, everyone at or below the strength of the last who must pay."""
    third = trick.number == 3
    places = min(PAYERS[len(trick.chips)][trick.number], len(trick.shown))
    limit = sorted([rank for _, rank in trick.shown])[places - 1]
    losers = [(seat, rank == limit) for seat, rank in trick.shown if rank <= limit]
    overflow = len(losers) > places
    chips, pot, due = list(trick.chips), trick.pot, DUE[trick.number]
    events, after, bankrupt = [], [], []
    for seat, last in losers:
        tied = overflow and last
        amount = min(due, chips[seat])
        chips[seat] -= amount
        pot += amount
        if amount:
            paid = rulings.PAID if not tied else rulings.PAID_TIED_THIRD if third else rulings.PAID_TIED_FIRST
            events.append(paid.happened(seat=seat, amount=amount))
        if amount < due:
            bankrupt.append(seat)
            events.append(rulings.BANKRUPTED.happened(seat=seat))
        if third:
            after.append((rulings.SITS_OUT_TIED if tied else rulings.SITS_OUT).happened(seat=seat))
    return Settled(tuple(chips), pot, events + after, tuple([seat for seat, _ in losers]), tuple(bankrupt))


def best_win_three(trick: Trick) -> Settled:
    """TW-4.3, TW-5.2, TW-6: trick 2, the prizes from the best down; nothing passes below a group that goes short."""
    chips, pot = list(trick.chips), trick.pot
    places = min(WINNERS[len(chips)], len(trick.shown))
    events: list[Event] = []
    for _, tied in groupby(sorted(trick.shown, key=_best_first), key=itemgetter(1)):
        if places <= 0:
            break
        group = tuple(seat for seat, _ in tied)
        ruling, amount = _prize(trick.ruleset, len(group), places, pot)
        for seat in group if amount else ():
            chips[seat] += amount
            pot -= amount
            events.append(ruling.happened(seat=seat, amount=amount))
        if not amount:
            events.append(ruling.happened(seats=group))
        places -= len(group)
    return Settled(tuple(chips), pot, events)


def _best_first(worth: Worth) -> tuple[int, int, int]:
    seat, (kind, strength) = worth
    return -kind, -strength, seat


def _prize(ruleset: Ruleset, group: int, places: int, pot: int) -> tuple[Happens, int]:
    """The ruling on a group of equal plays, and what each of them gets; 0: nothing, and the ruling says why."""
    covered = PRIZE * group <= pot
    if group > places:
        if ruleset.second_trick_ties == "paid-if-covered" and covered:
            return rulings.WON_TIED, PRIZE
        return rulings.UNPAID_TIED, 0
    if covered:
        return rulings.WON, PRIZE
    if group == 1:
        return (rulings.WON_SHORT, pot) if pot else (rulings.UNPAID_EMPTY, 0)
    share = pot // group if ruleset.short_pot_ties == "split" else 0
    return (rulings.WON_SPLIT, share) if share else (rulings.UNPAID_SHORT, 0)


def best_takes_the_pot(trick: Trick) -> Settled:
    """TW-4.3, TW-5.4: trick 4, unless the best tie."""
    top = max(rank for _, rank in trick.shown)
    best = [seat for seat, rank in trick.shown if rank == top]
    if len(best) > 1:
        return Settled(trick.chips, trick.pot, [rulings.POT_KEPT_TIED.happened(pot=trick.pot)])
    chips = list(trick.chips)
    chips[best[0]] += trick.pot
    return Settled(tuple(chips), 0, [rulings.WON.happened(seat=best[0], amount=trick.pot)] if trick.pot else [])


SETTLEMENTS = {1: weakest_pay, 2: best_win_three, 3: weakest_pay, 4: best_takes_the_pot}
