"""What follows from a state: whose turn it is, what is visible, which claims are open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from engines.core.records import changed
from engines.core.zones import Zones
from engines.twin_it.designs import NUMBER, design, designs_of, faces
from engines.twin_it.model import Count, Hand, State

ZONES = Zones(
    State,
    *("table", "piles", "sets", "forbidden"),
    card_of=NUMBER.get,
    counted=("counts",),
    by={"sets": "side", "forbidden": "side"},
)
"""TI-1.1: the cards of the deck, each once, whichever side is up."""
MOST_IN_ALL = 2_000  #: The most cards in all lists of a posted state: `counts` lists cards a second time.
COUNTING_RULESETS = frozenset({"cooperative", "timed"})
"""TI-9.3: the rulesets in which groups of cards are counted after a minute; nobody flips, claims, or has a pile."""


def entry_counts(ruleset: str, seats: int) -> tuple[int, int]:
    """How many entries a state's lists have: first `sets` and `forbidden`, one a side; then `counts`."""
    if ruleset == "team":
        return 2, 0
    return seats, {"cooperative": 1, "timed": seats}.get(ruleset, 0)


def sides(state: State) -> int:
    """TI-1.3: how many sides there are: seats, or teams."""
    return entry_counts(state.ruleset.name, len(state.piles))[0]


def complete(state: State) -> State:
    """The state with an empty entry for each side, or for each count, in lists that are left out."""
    sides_of_state, entries_of_counts = entry_counts(state.ruleset.name, len(state.piles))
    return changed(
        state,
        sets=state.sets or ((),) * sides_of_state,
        forbidden=state.forbidden or ((),) * sides_of_state,
        counts=state.counts or (None,) * entries_of_counts,
    )


def seat_of(state: State, side: int) -> int:
    """The seat by which a side is named in rulings about seats: itself, or the first of the team."""
    return side if state.teams is None else state.teams.index(side)


def next_with_cards(piles: Sequence[Sequence[object]], seat: int) -> int | None:
    """TI-2.2: the first seat from this one on that has a pile; None: all piles are empty."""
    seats = len(piles)
    for at in range(seat, seat + seats):
        if piles[at % seats]:
            return at % seats
    return None


def flippers(state: State) -> tuple[int, ...]:
    """TI-2.1, TI-8.3: the seats that may flip now: the one whose turn it is, or, where the turn is open, any."""
    if state.turn is None:
        return tuple(seat for seat, pile in enumerate(state.piles) if pile)
    seat = next_with_cards(state.piles, state.turn)
    return () if seat is None else (seat,)


def loose(state: State) -> list[str]:
    """TI-3.2: the cards that show and are not won: on the table, on top of every pile, beside the piles."""
    cards = [*state.table, *[pile[0] for pile in state.piles if pile and pile[0] is not None]]
    for beside in state.forbidden:
        cards += beside
    return cards


def is_visible(state: State, card: str) -> bool:
    """TI-3.2. The cards of a safe set lie open too; a hand on them has no effect."""
    return (
        card in state.table
        or any(pile[0] == card for pile in state.piles if pile)
        or any(card in cards for sets in state.sets for cards in sets)
        or any(card in beside for beside in state.forbidden)
    )


def own_tops_count(state: State) -> bool:
    """TI-3.2: whether a hand on the top of the own pile counts."""
    return state.ruleset.own_pile_top == "counts"


def is_own_top(state: State, hand: Hand) -> bool:
    """TI-3.2: whether a hand is on the top of its seat's own pile."""
    return state.piles[hand.seat][:1] == (hand.card,)


def unseen_tops(state: State) -> list[int]:
    """The seats on whose pile the top is not seen."""
    return [seat for seat, pile in enumerate(state.piles) if pile and pile[0] is None]


def is_safe(state: State, card: str) -> bool:
    """TI-3.5: whether a card lies in a set of three."""
    return any(card in cards and len(cards) > 2 for sets in state.sets for cards in sets)


def in_one_set(state: State, first: str, second: str) -> bool:
    """Whether both cards lie in one set that was won."""
    return any(first in cards and second in cards for sets in state.sets for cards in sets)


def forbidden_designs(state: State, side: int) -> set[str]:
    """TI-7.1: the designs that a side must not claim."""
    return {design(state.designs, card) for card in state.forbidden[side]}


def won_pair(state: State, name: str) -> int | None:
    """The side that has won two cards of a design, and not the third."""
    for side, sets in enumerate(state.sets):
        if any(len(cards) == 2 and design(state.designs, cards[0]) == name for cards in sets):
            return side
    return None


def counted_by_others(state: State, entry: int) -> dict[int, int]:
    """TI-10.1: the numbers of the cards in all counts but that at index `entry`, each with the seat that counted it."""
    return {
        NUMBER[card]: seat
        for seat, groups in enumerate(state.counts)
        if seat != entry
        for group in groups or ()
        for card in group
    }


def trebles(state: State) -> dict[str, list[str]]:
    """TI-4.5: the designs of which three cards show, none of them won, in the order they lie."""
    return {name: cards for name, cards in shown_by_design(state).items() if len(cards) == 3}


def trebles_that_may_show(
    state: State, showing: Mapping[str, Sequence[str]], names: Iterable[str], tops: int, under: Iterable[str] = ()
) -> Iterator[str]:
    """TI-4.5: those of the designs `names` of which three cards may show, some of them unseen tops.

    `showing`: the cards that show and are not won, by design. `tops`: how many tops are unseen. `under`: cards that
    show under hands, on piles that are not known.
    """
    seen = ZONES.seen(state).union(map(NUMBER.__getitem__, under))
    for name in names:
        shown = showing.get(name, [])
        missing = {NUMBER[card] for card in faces(state.designs, name) if card not in shown}
        if len(shown) + len(missing) == 3 and 0 < len(missing) <= tops and missing.isdisjoint(seen):
            yield name


def shown_by_design(state: State) -> dict[str, list[str]]:
    """The cards that show and are not won, by design, in the order in which they lie."""
    visible = loose(state)
    shown: dict[str, list[str]] = {}
    for name, card in zip(designs_of(state.designs, visible), visible, strict=True):
        shown.setdefault(name, []).append(card)
    return shown


class Opening(NamedTuple):
    """Two visible cards that are worth a claim; for a robbery the second is the first of the pair."""

    design: str
    cards: tuple[str, str]


def openings(state: State) -> list[Opening]:
    """TI-3.3, TI-3.4: every two cards that make a set, in the order in which they lie."""
    deck = state.designs
    pairs = {design(deck, cards[0]): cards[0] for sets in state.sets for cards in sets if len(cards) == 2}
    pairs_open = []
    for name, cards in shown_by_design(state).items():
        if name in pairs:
            pairs_open += [Opening(name, (card, pairs[name])) for card in cards]
        else:
            pairs_open += [Opening(name, two) for two in combinations(cards, 2)]
    return pairs_open


def open_designs(state: State) -> set[str]:
    """The designs of all openings."""
    deck = state.designs
    pairs = {design(deck, cards[0]) for sets in state.sets for cards in sets if len(cards) == 2}
    return {name for name, times in Counter(designs_of(deck, loose(state))).items() if times > 1 or name in pairs}


def is_spent(state: State) -> bool:
    """TI-2.2: all piles are empty, and no pair or robbery is left to claim. What one side may not claim others may."""
    return not any(state.piles) and not open_designs(state)


def to_act(state: State) -> tuple[int | None, ...]:
    """The seats that may move now. Where cards are claimed, every seat, whether or not there is a claim to find. Once
    the piles are empty also the table (None), which may end the game.
    """
    name = state.ruleset.name
    if state.phase == "game-over":
        return ()
    if name == "cooperative":
        return (None,)
    if name == "timed":
        return tuple(seat for seat, groups in enumerate(state.counts) if groups is None)
    seats = range(len(state.piles))
    return tuple(seats) if any(state.piles) else (*seats, None)


def owed(state: State) -> list[Count]:
    """TI-9.1, TI-10.1: a count of nothing, of all together or of each seat that has not counted."""
    return [Count((), seat) for seat in to_act(state)] if state.ruleset.name in COUNTING_RULESETS else []
