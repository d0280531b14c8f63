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
from engines.twins.combinations import KINDS
from engines.twins.model import Ruleset

PAYERS = {3: {1: 1, 3: 1}, 4: {1: 2, 3: 1}, 5: {1: 3, 3: 2}, 6: {1: 3, 3: 2}}
"""TW-4.3: how many of the weakest pay in tricks 1 and 3, by the number of players that the game began with."""
WINNERS = {3: 1, 4: 1, 5: 2, 6: 2}  #: TW-4.3: how many of the best win in trick 2.
DUE = {1: 2, 3: 1}  #: TW-4.3: what each of them pays.
PRIZE = 3  #: TW-4.3: what each winner of trick 2 gets.


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
    """TW-4.3, TW-5.1, TW-5.3, TW-7.1: tricks 1 and 3. As many of the weakest pay as `PAYERS` says, and all that tie
    with the last of them.
    """
    is_third = trick.number == 3
    paid_when_tied = rulings.PAID_TIED_THIRD if is_third else rulings.PAID_TIED_FIRST
    places = min(PAYERS[len(trick.chips)][trick.number], len(trick.shown))
    limit = sorted([rank for _seat, rank in trick.shown])[places - 1]
    weakest = [(seat, rank) for seat, rank in trick.shown if rank <= limit]
    more_than_places = len(weakest) > places
    chips, pot, due = list(trick.chips), trick.pot, DUE[trick.number]
    events, sitting_out, bankrupt = [], [], []
    for seat, rank in weakest:
        tied = more_than_places and rank == limit
        amount = min(due, chips[seat])
        chips[seat] -= amount
        pot += amount
        kind, strength = rank
        play = {"kind": KINDS[kind], "strength": strength}
        if amount:
            paid = paid_when_tied if tied else rulings.PAID
            because = "tied-with-last" if tied else "among-weakest"
            events.append(paid.happened(seat=seat, amount=amount, **play, because=because))
        if amount < due:
            bankrupt.append(seat)
            events.append(rulings.BANKRUPTED.happened(seat=seat, owed=due, had=amount, **play))
        if is_third:
            sits_out = rulings.SITS_OUT_TIED if tied else rulings.SITS_OUT
            sitting_out.append(sits_out.happened(seat=seat))
    losers = tuple([seat for seat, _rank in weakest])
    return Settled(tuple(chips), pot, events + sitting_out, losers, tuple(bankrupt))


def best_win_three(trick: Trick) -> Settled:
    """TW-4.3, TW-5.2, TW-6: trick 2, the prizes from the best down; nothing passes below a group that goes short."""
    chips, pot = list(trick.chips), trick.pot
    places = min(WINNERS[len(chips)], len(trick.shown))
    events: list[Event] = []
    for rank, tied in groupby(sorted(trick.shown, key=_best_first), key=itemgetter(1)):
        if places <= 0:
            break
        group = tuple([seat for seat, _rank in tied])
        kind, strength = rank
        ruling, because, amount = _prize(trick.ruleset, len(group), places, pot)
        params = {"kind": KINDS[kind], "strength": strength, "because": because}
        if not amount:
            events.append(ruling.happened(seats=group, **params))
        else:
            for seat in group:
                chips[seat] += amount
                pot -= amount
                events.append(ruling.happened(seat=seat, amount=amount, **params))
        places -= len(group)
    return Settled(tuple(chips), pot, events)


def _best_first(worth: Worth) -> tuple[int, int, int]:
    """The key that sorts plays from the best down; equal ones by seat."""
    seat, (kind, strength) = worth
    return -kind, -strength, seat


def _prize(ruleset: Ruleset, group: int, places: int, pot: int) -> tuple[Happens, str, int]:
    """The ruling on a group of equal plays, its reason, and what each of them gets; 0: they are unpaid."""
    covered = PRIZE * group <= pot
    if group > places:
        if ruleset.second_trick_ties == "tied-unpaid":
            return rulings.UNPAID_TIED, "tied-too-many", 0
        return (rulings.WON_TIED, "tied-and-covered", PRIZE) if covered else (rulings.UNPAID_TIED, "tied-short", 0)
    if covered:
        return rulings.WON, "among-best", PRIZE
    if group == 1:
        return (rulings.WON_SHORT, "among-best", pot) if pot else (rulings.UNPAID_EMPTY, "empty-pot", 0)
    share = pot // group if ruleset.short_pot_ties == "split" else 0
    return (rulings.WON_SPLIT, "split", share) if share else (rulings.UNPAID_SHORT, "tied-short", 0)


def best_takes_the_pot(trick: Trick) -> Settled:
    """TW-4.3, TW-5.4: trick 4. If several are best, or the pot is empty, it stays as it is."""
    top = max(rank for _seat, rank in trick.shown)
    best = tuple([seat for seat, rank in trick.shown if rank == top])
    if len(best) > 1 or not trick.pot:
        ruling = rulings.POT_KEPT_TIED if len(best) > 1 else rulings.POT_EMPTY
        return Settled(trick.chips, trick.pot, [ruling.happened(pot=trick.pot, seats=best)])
    chips = list(trick.chips)
    chips[best[0]] += trick.pot
    kind, strength = top
    won = rulings.WON.happened(seat=best[0], amount=trick.pot, kind=KINDS[kind], strength=strength, because="best")
    return Settled(tuple(chips), 0, [won])


SETTLEMENTS = {1: weakest_pay, 2: best_win_three, 3: weakest_pay, 4: best_takes_the_pot}
