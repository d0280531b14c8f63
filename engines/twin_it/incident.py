"""An incident settled as TI-4.6 says: mistakes and designs one after another, and what they do to the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import NamedTuple

from engines.core.records import changed
from engines.core.rulings import Event, Happens, Undetermined
from engines.twin_it import rulings
from engines.twin_it.designs import TURNED, all_designs, design, designs_of
from engines.twin_it.hands import Held, Mistake, as_touched, judged, unseen_cards, unsure_hand
from engines.twin_it.model import Claim, Hand, State
from engines.twin_it.rulings import From
from engines.twin_it.table import (
    is_own_top,
    seat_of,
    shown_by_design,
    side_of,
    trebles,
    trebles_that_may_show,
    unseen_tops,
)


class Touched(NamedTuple):
    """A design that hands are on. `shown`: those of its cards that showed, not won, when the hands fell."""

    at: int
    hands: list[Hand]
    shown: list[str]
    won: Won | None


class Won(NamedTuple):
    """A set that a side has won."""

    side: int
    cards: tuple[str, ...]


class Incident:
    """A table while an incident is settled on it."""

    def __init__(self, state: State, claim: Claim, assumed: str | None) -> None:
        """`assumed`: the card under a hand that must be the one top that is not seen; it lies in its place."""
        self.state = state
        self.assumed = assumed
        self.table = list(state.table)
        self.piles = list(state.piles)
        self.sets = [list(sets) for sets in state.sets]
        self.beside = [list(cards) for cards in state.forbidden]
        self.stated = {each.seat: each.card for each in claim.uncovered or ()}
        self.named = {each.seat: state.sets[side_of(state, each.seat)][each.set] for each in claim.lose or ()}
        self.bared: list[int] = []
        self.events: list[Event] = []
        self.lost: set[str] = set()
        self.erred: int | None = None
        self.winner: int | None = None
        self.champion: int | None = None

    def after(self) -> State:
        """The table as it now lies; turn and phase as they were."""
        piles = [(None, *pile[1:]) if pile and pile[0] == self.assumed else pile for pile in self.piles]
        return changed(
            self.state,
            table=tuple(self.table),
            piles=tuple(piles),
            sets=tuple(map(tuple, self.sets)),
            forbidden=tuple(map(tuple, self.beside)),
        )

    @property
    def restarts(self) -> int | None:
        """TI-4.6: the last who won, else the last who erred, else the seat that had the turn."""
        if self.winner is not None:
            return self.winner
        return self.state.turn if self.erred is None else self.erred

    def happened(self, ruling: Happens, **params: object) -> None:
        """Record an event."""
        self.events.append(ruling.happened(**params))

    def lift(self, card: str) -> None:
        """Take a card from the table, from a pile or from beside one (TI-7.2)."""
        if card in self.table:
            self.table.remove(card)
            return
        for side, cards in enumerate(self.beside):
            if card in cards:
                cards.remove(card)
                self.happened(rulings.FREED, seat=seat_of(self.state, side), design=design(self.state.designs, card))
                return
        self.uncover([pile[0] if pile else None for pile in self.piles].index(card))

    def uncover(self, seat: int) -> None:
        """Take the top of a pile; where the next is not seen, it is what the claim says."""
        rest = self.piles[seat][1:]
        if rest and rest[0] is None and seat in self.stated:
            rest = (self.stated[seat], *rest[1:])
        self.piles[seat] = rest
        self.bared.append(seat)

    def turn(self, card: str, on_table: Happens, from_pile: Happens) -> None:
        """Turn a card over: in its place on the table, or from elsewhere onto it."""
        on_piles = not any(card in cards for cards in (self.table, *self.beside))
        shows = TURNED[card]
        self.happened(from_pile if on_piles else on_table, card=shows, design=design(self.state.designs, shows))
        if card in self.table:
            self.table[self.table.index(card)] = shows
        else:
            self.lift(card)
            self.table.append(shows)

    def punish(self, mistake: Mistake) -> None:
        """TI-5.1, TI-8.5: a set goes to the bottom of the pile of the seat that erred, which restarts the game."""
        seat = mistake.seat
        side = side_of(self.state, seat)
        named = self.named.pop(seat, None)
        lost, other = (self.costs(side, named, pairs_only=pairs_only) for pairs_only in (True, False))
        if lost != other:
            self.happened(rulings.SET_LOST)
        if self.state.ruleset.mistake_loses == "any-set":
            lost = other
        if lost is not None:
            self.sets[side].remove(lost)
            self.piles[seat] = (*self.piles[seat], *lost)
            self.lost.update(lost)
        self.happened(mistake.ruling, seat=seat, lost=lost)
        self.erred = seat

    def costs(self, side: int, named: tuple[str, ...] | None, *, pairs_only: bool) -> tuple[str, ...] | None:
        """TI-5.1: the set that a mistake costs as things stand: the one named, if it is there and may be lost, else the
        latest that may, but for those that partners have named.
        """
        allowed = [cards for cards in self.sets[side] if len(cards) == 2 or not pairs_only]
        stated = [cards for cards in allowed if named is not None and named[0] in cards]
        theirs = {cards[0] for cards in self.named.values()}
        spare = [cards for cards in allowed if theirs.isdisjoint(cards)]
        return next(iter(stated or spare[-1:]), None)

    def award(self, ruling: Happens, hands: Sequence[Hand], cards: tuple[str, ...], source: From) -> None:
        """TI-3.6, TI-6.1: the set is won by the side of the hands, and its first hand restarts the game."""
        seat = hands[0].seat
        side = side_of(self.state, seat)
        name = design(self.state.designs, cards[0])
        self.happened(ruling, seat=seat, cards=cards, **{"from": source}, design=name)
        self.sets[side].append(cards)
        self.winner = seat
        if len(self.sets[side]) >= self.state.ruleset.sets_to_win:
            self.champion = side

    def settle(self, touched: Touched) -> None:
        """TI-4.6: the first of these that it is: a treble, two cards of one side, a tie, hands alone."""
        hands = [hand for hand in touched.hands if hand.card not in self.lost]
        two = two_of_one_side(self.state, hands)
        won = touched.won
        third = [hand.card for hand in hands if won is None or hand.card not in won.cards]
        if len(touched.shown) == 3:
            self.treble(touched.shown, hands, two)
        elif two and won is None:
            self.pair(two)
        elif two and won is not None and any(hand.card in third for hand in two):
            self.rob(two, won, third[0])
        elif third and len({side_of(self.state, hand.seat) for hand in hands}) > 1:
            self.tie(hands, third, won is not None)
        else:
            self.alone(touched.hands, rulings.NO_EFFECT)

    def pair(self, two: Sequence[Hand]) -> None:
        """TI-3.3, TI-8.1: a new set of two."""
        ruling = rulings.SET_WON_BY_TEAM if self.state.ruleset.name == "team" else rulings.SET_WON
        cards = tuple([hand.card for hand in two])
        self.award(ruling, two, cards, "table")
        for card in cards:
            self.lift(card)

    def rob(self, two: Sequence[Hand], won: Won, third: str) -> None:
        """TI-3.4: the third card takes the pair along."""
        own = won.side == side_of(self.state, two[0].seat)
        self.sets[won.side].remove(won.cards)
        if not own:
            self.happened(rulings.ROBBED, seat=seat_of(self.state, won.side), by=two[0].seat, cards=won.cards)
        self.award(rulings.SET_WON_THIRD, two, (*won.cards, third), "own-pair" if own else "robbery")
        self.lift(third)

    def treble(self, shown: Sequence[str], hands: Sequence[Hand], two: Sequence[Hand]) -> None:
        """TI-4.5, TI-4.7: two are won and the third is turned over, also under a hand; or all three are turned over."""
        self.happened(rulings.TREBLE, cards=tuple(shown))
        cards = tuple(hand.card for hand in two)
        if two:
            self.award(rulings.SET_WON_OF_TREBLE, two, cards, "table")
            for card in cards:
                self.lift(card)
        if self.champion is not None:
            return
        for card in shown:
            if card not in cards:
                self.turn(card, rulings.TURNED_IN_TREBLE, rulings.TURNED_IN_TREBLE)
        if two:
            self.alone([hand for hand in hands if hand not in two], rulings.NO_EFFECT_ON_THIRD)

    def tie(self, hands: Sequence[Hand], third: Sequence[str], robbery: bool) -> None:
        """TI-4.2 to TI-4.4, TI-8.2: what is not won is turned over, nobody wins."""
        cards = tuple(hand.card for hand in hands)
        told = {
            "seats": tuple(hand.seat for hand in hands),
            "cards": cards,
            "designs": tuple(designs_of(self.state.designs, cards)),
        }
        if robbery:
            self.happened(rulings.TIED_ROBBERY, **told)
            self.turn(third[0], rulings.TURNED_IN_ROBBERY, rulings.TURNED_IN_ROBBERY)
            return
        self.happened(rulings.TIED_TEAMS if self.state.ruleset.name == "team" else rulings.TIED, **told)
        for card in cards:
            self.turn(card, rulings.TURNED, rulings.TURNED_FROM_PILE)

    def alone(self, hands: Iterable[Hand], ruling: Happens) -> None:
        """TI-4.6, TI-4.7: hands that win nothing and tie with nobody."""
        for seat in dict.fromkeys(hand.seat for hand in hands):
            self.happened(ruling, seat=seat)


def two_of_one_side(state: State, hands: Sequence[Hand]) -> list[Hand]:
    """The hands of the first side that holds two of the cards; at most one can."""
    by_side: dict[int, list[Hand]] = {}
    for hand in hands:
        by_side.setdefault(side_of(state, hand.seat), []).append(hand)
    several = [held[:2] for held in by_side.values() if len(held) > 1]
    return several[0] if several else []


def settled(state: State, claim: Claim) -> Incident | Undetermined:
    """TI-4.6: mistakes and designs one after another, each in the turn of its first hand; at the winning number of sets
    the rest is dropped. Without hands the table turns every treble that shows (TI-4.5).
    """
    tops, assumed = unseen_tops(state), None
    if tops:
        state, assumed = as_touched(state, claim.hands)
        unsure = unsure_hand(state, claim.hands)
        if unsure is not None:
            return rulings.HAND_UNPLACED.undetermined(_first_unseen(state), card=unsure.card)
    mistakes, idle, held = judged(state, claim.hands)
    touched = _touched(state, held) if claim.hands else _untouched(state)
    unseen = _unseen(state, claim, touched) if tops else None
    if unseen is not None:
        return unseen
    incident = Incident(state, claim, assumed)
    if any(is_own_top(state, hand) for hand in claim.hands):
        incident.happened(rulings.OWN_TOP_JUDGED)
    steps: list[tuple[int, Callable[[], None]]] = [
        *[(mistake.at, partial(incident.punish, mistake)) for mistake in mistakes],
        *[(each.at, partial(incident.happened, each.ruling, seat=each.seat)) for each in idle],
        *[(each.at, partial(incident.settle, each)) for each in touched.values()],
    ]
    for _, step in sorted(steps, key=itemgetter(0)):
        step()
        if incident.champion is not None:
            break
    return incident


def _touched(state: State, held: dict[str, Held]) -> dict[str, Touched]:
    """What is known of each design that hands are on."""
    shown = shown_by_design(state)
    won = {design(state.designs, cards[0]): Won(side, cards) for side, sets in enumerate(state.sets) for cards in sets}
    return {name: Touched(at, hands, shown.get(name, []), won.get(name)) for name, (at, hands) in held.items()}


def _untouched(state: State) -> dict[str, Touched]:
    """TI-4.5: every treble that shows, in the order they lie."""
    return {name: Touched(at, [], cards, None) for at, (name, cards) in enumerate(trebles(state).items())}


def _unseen(state: State, claim: Claim, touched: dict[str, Touched]) -> Undetermined | None:
    """Where a top that is not seen decides: which pile a hand is on, or whether a third card shows."""
    tops = unseen_tops(state)
    if not tops:
        return None
    under = unseen_cards(state, claim.hands)
    names = touched if claim.hands else all_designs(state.designs)
    may_show = set(trebles_that_may_show(state, names, len(tops) - len(under)))
    for name in names:
        own = [card for card in under if design(state.designs, card) == name]
        if own:
            return rulings.HAND_UNPLACED.undetermined(_first_unseen(state), card=own[0])
        if name in may_show:
            return rulings.TREBLE_UNSEEN.undetermined(_first_unseen(state), design=name)
    return None


def _first_unseen(state: State) -> str:
    return f"/piles/{unseen_tops(state)[0]}/0"
