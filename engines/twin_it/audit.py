"""Every fault that a posted state can have: one function a clause, each fault by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any, TypeVar

from engines.core.engine import Audit
from engines.core.places import doubled
from engines.core.rulings import Fault, Unverified
from engines.core.seats import seats_at_the_table
from engines.core.sides import one_entry_a_side
from engines.core.zones import Zones
from engines.twin_it import rulings
from engines.twin_it.designs import HOUSE_DECK, MOST_ALIKE, NUMBER, Deck, design
from engines.twin_it.model import Ruleset, State
from engines.twin_it.scoring import is_group
from engines.twin_it.table import COUNTING_RULESETS, ZONES, entry_counts, sides

R = TypeVar("R")

PLAYERS = {"competitive": (2, 6), "team": (4, 6), "cooperative": (1, 6), "timed": (2, 6)}
"""TI-1.3: the least and the most that can play."""
MOST_BESIDE = 3  #: TI-7.1: the most cards that lie beside a pile.


def designs_occur_three_times_at_most(state: State) -> list[Fault] | None:
    """TI-1.1."""
    return too_often(state.designs)


def too_often(deck: Deck) -> list[Fault] | None:
    """TI-1.1: each design that occurs more than three times."""
    if deck is HOUSE_DECK:
        return None
    times = Counter(chain.from_iterable(deck))
    if max(times.values()) <= MOST_ALIKE:
        return None
    return [
        rulings.DESIGN_TOO_OFTEN.found(
            *(
                f"/designs/{number}/{side}"
                for number, sides in enumerate(deck)
                for side, shown in enumerate(sides)
                if shown == name
            ),
            design=name,
            times=count,
        )
        for name, count in times.items()
        if count > MOST_ALIKE
    ]


def each_card_is_there_once(state: State) -> list[Fault] | Unverified | None:
    """TI-1.1: cards of the deck, each once, whichever side is up; unseen ones count as cards."""
    size, lying = len(state.designs), ZONES.lying(state)
    faults = card_faults(ZONES, state, lying, size)
    if len(lying) > size:
        faults.append(rulings.TOO_MANY_CARDS.found("/piles", "/table", shown=len(lying), count=size))
    if faults:
        return faults
    return None if len(lying) == size and None not in lying else rulings.CARD_TWICE.unverified()


def card_faults(zones: Zones[R], record: R, lying: list[Any], size: int) -> list[Fault]:
    """TI-1.1: cards that are not of the deck, and cards that are there twice."""
    different = set(lying)
    unseen = lying.count(None) if None in different else 0
    different.discard(None)
    if len(different) + unseen == len(lying) and max(different, default=0) < size:
        return []
    return [
        *(
            rulings.UNKNOWN_CARD.found(pointer, "/designs", card=card, count=size)
            for pointer, card in zones.places(record)
            if NUMBER[card] >= size
        ),
        *(rulings.CARD_TWICE.found(*places, number=number) for number, places in zones.twice(record).items()),
    ]


def players_fit_the_ruleset(state: State) -> list[Fault]:
    """TI-1.3."""
    return players_fit(state.ruleset, len(state.piles), state.teams, "/piles")


def players_fit(ruleset: Ruleset, seats: int, teams: Sequence[int] | None, pointer: str) -> list[Fault]:
    """TI-1.3: how many play, and in two teams of at least two. `pointer`: what gives the number of seats."""
    name = ruleset.name
    faults = []
    least, most = PLAYERS[name]
    if not least <= seats <= most:
        fault = rulings.SEATS_UNFIT.found("/ruleset", pointer, ruleset=name, seats=seats, least=least, most=most)
        faults.append(fault)
    if teams is None:
        if name == "team":
            faults.append(rulings.TEAMS_MISSING.found("/teams"))
        return faults
    if name != "team":
        faults.append(rulings.TEAMS_UNFIT.found("/ruleset", "/teams", ruleset=name))
    elif len(teams) != seats:
        faults.append(rulings.ENTRIES_DISAGREE.found("/teams", pointer, due=seats, found=len(teams)))
    else:
        sizes = Counter(teams)
        faults += [
            rulings.TEAM_TOO_SMALL.found("/teams", team=team, players=sizes[team]) for team in (0, 1) if sizes[team] < 2
        ]
    return faults


def counts_have_one_entry_a_seat(state: State) -> Fault | None:
    """TI-1.3: `counts` has one entry a seat in timed play, and one for all in cooperative play.

    In other rulesets nothing is counted: that `counts` is empty there is not checked here.
    """
    _sides, entries = entry_counts(state.ruleset.name, len(state.piles))
    if not entries or len(state.counts) == entries:
        return None
    return rulings.ENTRIES_DISAGREE.found("/counts", "/piles", due=entries, found=len(state.counts))


def sets_are_of_one_design(state: State) -> list[Fault] | None:
    """TI-3.3, TI-3.4: two or three cards."""
    return [
        rulings.NOT_A_SET.found(f"/sets/{side}/{index}", cards=cards)
        for side, sets in enumerate(state.sets)
        for index, cards in enumerate(sets)
        if _known(state, cards) and not is_group(state.designs, cards)
    ] or None


def _known(state: State, cards: Sequence[str]) -> bool:
    """Whether all these cards are of the deck."""
    size = len(state.designs)
    return all(NUMBER[card] < size for card in cards)


def winning_number_ends_the_game(state: State) -> list[Fault] | None:
    """TI-6.1, TI-2.2: one side at most has the winning number of sets, and only when the game is over.

    A game that nobody has won ends when the piles are empty.
    """
    winning_number = state.ruleset.sets_to_win
    over = state.phase == "game-over"
    most = winning_number if over else winning_number - 1
    faults = [
        rulings.TOO_MANY_SETS.found(f"/sets/{side}", "/phase", side=side, sets=len(sets), most=most)
        for side, sets in enumerate(state.sets)
        if len(sets) > most
    ]
    if not over:
        return faults or None
    winners = tuple(side for side, sets in enumerate(state.sets) if len(sets) >= winning_number)
    if len(winners) > 1:
        faults.append(rulings.TWO_WINNERS.found(*(f"/sets/{side}" for side in winners), sides=winners))
    if not winners and any(state.piles) and state.ruleset.name not in COUNTING_RULESETS:
        faults.append(rulings.OVER_TOO_EARLY.found("/phase", "/piles"))
    return faults or None


def forbidden_designs_differ(state: State) -> list[Fault] | None:
    """TI-7.1."""
    return forbidden_faults(state.designs, state.forbidden)


def forbidden_cards_are_the_larger_teams(state: State) -> list[Fault] | None:
    """TI-8.4."""
    return wrong_team_faults(state.ruleset, state.teams, state.forbidden)


def wrong_team_faults(
    ruleset: Ruleset, teams: Sequence[int] | None, forbidden: Sequence[Sequence[str]]
) -> list[Fault] | None:
    """TI-8.4: in team play cards lie beside the piles of a team that has more players than the other."""
    if ruleset.name != "team" or teams is None:
        return None
    sizes = Counter(teams)
    return [
        rulings.FORBIDDEN_TO_WRONG_TEAM.found(f"/forbidden/{team}", "/teams", team=team)
        for team, cards in enumerate(forbidden[:2])
        if cards and sizes[team] <= sizes[1 - team]
    ] or None


def forbidden_faults(deck: Deck, forbidden: Sequence[Sequence[str]]) -> list[Fault] | None:
    """TI-7.1: three cards at most, of different designs, and beside the piles of one side only."""
    faults = []
    sides = tuple(side for side, cards in enumerate(forbidden) if cards)
    if len(sides) > 1:
        faults.append(rulings.FORBIDDEN_TO_SEVERAL.found(*(f"/forbidden/{side}" for side in sides), sides=sides))
    for side, cards in enumerate(forbidden):
        if len(cards) > MOST_BESIDE:
            faults.append(rulings.TOO_MANY_FORBIDDEN.found(f"/forbidden/{side}", side=side, count=len(cards)))
        designs = [
            (f"/forbidden/{side}/{index}", design(deck, card))
            for index, card in enumerate(cards)
            if NUMBER[card] < len(deck)
        ]
        faults += [
            rulings.FORBIDDEN_ALIKE.found(*pointers, side=side, design=name)
            for name, pointers in doubled(designs).items()
        ]
    return faults or None


def zones_belong_to_the_ruleset(state: State) -> list[Fault] | None:
    """TI-9.3: piles, sets and forbidden cards where cards are turned and claimed, counts where they are counted."""
    name = state.ruleset.name
    if name in COUNTING_RULESETS:
        filled = {"piles": any(state.piles), "sets": any(state.sets), "forbidden": any(state.forbidden)}
    else:
        filled = {"counts": any(groups is not None for groups in state.counts)}
    unfit = [zone for zone, is_filled in filled.items() if is_filled]
    return [rulings.ZONE_UNFIT.found(f"/{zone}", "/ruleset", ruleset=name) for zone in unfit] or None


def counted_groups_score(state: State) -> list[Fault] | None:
    """TI-9.1: a count has groups of two or three cards of one design, and no two counts list one card."""
    faults = []
    counted: list[tuple[str, int]] = []
    for entry, groups in enumerate(state.counts):
        for index, cards in enumerate(groups or ()):
            pointer = f"/counts/{entry}/{index}"
            places = [(f"{pointer}/{place}", card) for place, card in enumerate(cards)]
            if not _known(state, cards):
                faults += [
                    rulings.UNKNOWN_CARD.found(place, "/designs", card=card, count=len(state.designs))
                    for place, card in places
                    if NUMBER[card] >= len(state.designs)
                ]
            elif not is_group(state.designs, cards):
                faults.append(rulings.NOT_A_GROUP.found(pointer, cards=cards))
            counted += [(place, NUMBER[card]) for place, card in places]
    faults += [rulings.COUNTED_TWICE.found(*places, number=number) for number, places in doubled(counted).items()]
    return faults or None


def counting_ends_the_game(state: State) -> Fault | None:
    """TI-9.1, TI-10.1: the game is over when all have counted, and not before."""
    name = state.ruleset.name
    _sides, entries = entry_counts(name, len(state.piles))
    if name not in COUNTING_RULESETS or len(state.counts) != entries:
        return None
    all_have_counted = None not in state.counts
    if all_have_counted == (state.phase == "game-over"):
        return None
    ruling = rulings.PHASE_DISAGREES if name == "timed" else rulings.PHASE_DISAGREES_TOGETHER
    return ruling.found("/phase", "/counts")


AUDITS: tuple[Audit, ...] = (
    designs_occur_three_times_at_most,
    each_card_is_there_once,
    players_fit_the_ruleset,
    one_entry_a_side(rulings.ENTRIES_DISAGREE, "piles", sides, "sets", "forbidden"),
    counts_have_one_entry_a_seat,
    seats_at_the_table(rulings.NO_SUCH_SEAT, "piles", "turn"),
    sets_are_of_one_design,
    winning_number_ends_the_game,
    forbidden_designs_differ,
    forbidden_cards_are_the_larger_teams,
    zones_belong_to_the_ruleset,
    counted_groups_score,
    counting_ends_the_game,
)
