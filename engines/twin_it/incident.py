"""An incident: every hand that fell at once, judged as TI-4.6 says, and what it does to the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engines.core.records import changed
from engines.core.rulings import Event, Happens, Undetermined
from engines.twin_it import rulings
from engines.twin_it.designs import NUMBER, TURNED, design, designs_of, faces
from engines.twin_it.model import Claim, Hand, Loss, State
from engines.twin_it.rulings import From
from engines.twin_it.table import (
    ZONES,
    forbidden_designs,
    in_one_set,
    is_visible,
    loose,
    seat_of,
    side_of,
    unseen_tops,
)


class Mistake(NamedTuple):
    """A seat that erred, and by which clause."""

    seat: int
    ruling: Happens


class Judged(NamedTuple):
    """The hands of an incident. `held`: the first hand that counts on each card, by design, in the order they fell."""

    mistakes: list[Mistake]
    idle: list[int]
    held: dict[str, list[Hand]]


def judged(state: State, hands: Sequence[Hand]) -> Judged:
    """TI-4.1, TI-4.6: who erred, and to whom each card belongs. A mistake is made by the hand that completes it."""
    deck, by_team = state.designs, state.ruleset.name == "team"
    first: dict[int, str] = {}
    forbidden: dict[tuple[int, str], str] = {}
    barred: set[tuple[int, str]] = set()
    mistakes: list[Mistake] = []
    idle: list[int] = []
    for seat, card in ((hand.seat, hand.card) for hand in hands):
        name, side = design(deck, card), side_of(state, seat)
        other = first.setdefault(seat, card)
        if design(deck, other) != name:
            mistakes.append(Mistake(seat, rulings.MISTAKE))
        elif other != card and in_one_set(state, other, card):
            idle.append(seat)
        elif other != card and by_team:
            mistakes.append(Mistake(seat, rulings.MISTAKE_ALONE))
        elif name in forbidden_designs(state, side) and (side, name) not in barred:
            claimed = forbidden.setdefault((side, name), card)
            if claimed != card and not in_one_set(state, claimed, card):
                barred.add((side, name))
                mistakes.append(Mistake(seat, rulings.MISTAKE_FORBIDDEN))
    out = {seat for seat, ruling in mistakes if ruling is not rulings.MISTAKE_FORBIDDEN} | {*idle}
    held: dict[str, dict[str, Hand]] = {}
    for hand in hands:
        name = design(deck, hand.card)
        if hand.seat not in out and (side_of(state, hand.seat), name) not in barred:
            held.setdefault(name, {}).setdefault(hand.card, hand)
    return Judged(mistakes, idle, {name: list(each.values()) for name, each in held.items()})


class Touched(NamedTuple):
    """A design that hands are on. `shown`: how many of its cards showed, not won, when the hands fell."""

    hands: list[Hand]
    shown: list[str]
    won: Won | None


class Won(NamedTuple):
    """A set that a side has won."""

    side: int
    cards: tuple[str, ...]


class Incident:
    """A table while an incident is settled on it."""

    def __init__(self, state: State, claim: Claim) -> None:
        self.state = state
        self.table = list(state.table)
        self.piles = list(state.piles)
        self.sets = [list(sets) for sets in state.sets]
        self.beside = [list(cards) for cards in state.forbidden]
        self.stated = {each.seat: each.card for each in claim.uncovered or ()}
        self.bared: list[int] = []
        self.events: list[Event] = []
        self.lost: set[str] = set()
        self.restarts = state.turn
        self.champion: int | None = None

    def after(self) -> State:
        """The table as it now lies; turn and phase as they were."""
        return changed(
            self.state,
            table=tuple(self.table),
            piles=tuple(self.piles),
            sets=tuple(map(tuple, self.sets)),
            forbidden=tuple(map(tuple, self.beside)),
        )

    def happened(self, ruling: Happens, **params: object) -> None:
        """Something happened."""
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
        tops = [pile[0] if pile else None for pile in self.piles]
        self.uncover(tops.index(card) if card in tops else unseen_tops(self.state)[0])

    def uncover(self, seat: int) -> None:
        """Take the top of a pile; where the next is not seen, it is what the claim says."""
        rest = self.piles[seat][1:]
        if rest and rest[0] is None and seat in self.stated:
            rest = (self.stated[seat], *rest[1:])
        self.piles[seat] = rest
        self.bared.append(seat)

    def turn(self, card: str, on_table: Happens, from_pile: Happens) -> None:
        """Turn a card over: in its place on the table, or from elsewhere onto it."""
        if card in self.table:
            self.table[self.table.index(card)] = TURNED[card]
            self.happened(on_table, card=TURNED[card])
        else:
            beside = any(card in cards for cards in self.beside)
            self.happened(on_table if beside else from_pile, card=TURNED[card])
            self.lift(card)
            self.table.append(TURNED[card])

    def punish(self, mistake: Mistake, lost: tuple[str, ...] | None) -> None:
        """TI-5.1, TI-8.5: a set goes to the bottom of the pile of whoever erred, who restarts the game."""
        seat = mistake.seat
        if lost is not None:
            self.sets[side_of(self.state, seat)].remove(lost)
            self.piles[seat] = (*self.piles[seat], *lost)
            self.lost.update(lost)
        self.happened(mistake.ruling, seat=seat, lost=lost)
        self.restarts = seat

    def award(self, ruling: Happens, hands: Sequence[Hand], cards: tuple[str, ...], source: From) -> None:
        """TI-3.6, TI-6.1: the set is won by the side of the hands, and its first hand restarts the game."""
        seat = hands[0].seat
        side = side_of(self.state, seat)
        self.happened(ruling, seat=seat, cards=cards, **{"from": source})
        self.sets[side].append(cards)
        self.restarts = seat
        if len(self.sets[side]) >= self.state.ruleset.sets_to_win:
            self.champion = side

    def settle(self, touched: Touched) -> None:
        """TI-4.6: a treble, two cards of one side, a tie, or no effect, in this order."""
        hands = [hand for hand in touched.hands if hand.card not in self.lost]
        two = two_of_one_side(self.state, hands)
        won = touched.won
        third = [hand.card for hand in hands if won is None or hand.card not in won.cards]
        if len(touched.shown) == 3:
            self.treble(touched.shown, two)
        elif two and won is None:
            self.pair(two)
        elif two and won is not None and any(hand.card in third for hand in two):
            self.rob(two, won, third[0])
        elif third and len({side_of(self.state, hand.seat) for hand in hands}) > 1:
            self.tie(hands, third, won is not None)
        else:
            for seat in dict.fromkeys(hand.seat for hand in touched.hands):
                self.happened(rulings.NO_EFFECT, seat=seat)

    def pair(self, two: Sequence[Hand]) -> None:
        """TI-3.3, TI-8.1: a new set of two."""
        ruling = rulings.SET_WON_BY_TEAM if self.state.ruleset.name == "team" else rulings.SET_WON
        cards = tuple(hand.card for hand in two)
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

    def treble(self, shown: Sequence[str], two: Sequence[Hand]) -> None:
        """TI-4.5: two are won and the third is turned over, or all three are."""
        self.happened(rulings.TREBLE, cards=tuple(shown))
        cards = tuple(hand.card for hand in two)
        if two:
            self.award(rulings.SET_WON_OF_TREBLE, two, cards, "table")
            for card in cards:
                self.lift(card)
        for card in shown:
            if card not in cards and self.champion is None:
                self.turn(card, rulings.TURNED_IN_TREBLE, rulings.TURNED_IN_TREBLE)

    def tie(self, hands: Sequence[Hand], third: Sequence[str], robbery: bool) -> None:
        """TI-4.2 to TI-4.4, TI-8.2: what is not won is turned over, nobody wins."""
        seats = tuple(hand.seat for hand in hands)
        cards = tuple(hand.card for hand in hands)
        if robbery:
            self.happened(rulings.TIED_ROBBERY, seats=seats, cards=cards)
            self.turn(third[0], rulings.TURNED_IN_ROBBERY, rulings.TURNED_IN_ROBBERY)
            return
        tied = rulings.TIED_TEAMS if self.state.ruleset.name == "team" else rulings.TIED
        self.happened(tied, seats=seats, cards=cards)
        for card in cards:
            self.turn(card, rulings.TURNED, rulings.TURNED_FROM_PILE)


def two_of_one_side(state: State, hands: Sequence[Hand]) -> list[Hand]:
    """The hands of the first side that holds two of the cards; at most one can."""
    by_side: dict[int, list[Hand]] = {}
    for hand in hands:
        by_side.setdefault(side_of(state, hand.seat), []).append(hand)
    return next((held[:2] for held in by_side.values() if len(held) > 1), [])


def settled(state: State, claim: Claim) -> Incident | Undetermined:
    """TI-4.6: mistakes first, then design after design; at the winning number of sets the rest is dropped."""
    mistakes, idle, held = judged(state, claim.hands)
    touched = _touched(state, held)
    unseen = _unseen(state, touched, _under_hands(state, claim))
    if unseen is not None:
        return unseen
    incident = Incident(state, claim)
    losses, by_option = lost_sets(state, mistakes, claim.lose or ())
    if by_option:
        incident.happened(rulings.SET_LOST)
    for mistake, lost in zip(mistakes, losses, strict=True):
        incident.punish(mistake, lost)
    for seat in idle:
        incident.happened(rulings.NO_EFFECT_ONE_SET, seat=seat)
    for each in touched.values():
        incident.settle(each)
        if incident.champion is not None:
            break
    return incident


def lost_sets(
    state: State, mistakes: Iterable[Mistake], lose: Iterable[Loss]
) -> tuple[list[tuple[str, ...] | None], bool]:
    """TI-5.1: the set that each mistake costs, if any, and whether under the other option it would be another."""
    named = {loss.seat: loss.set for loss in lose}
    kept = [dict(enumerate(sets)) for sets in state.sets]
    stated = {(side_of(state, seat), index) for seat, index in named.items()}
    losses: list[tuple[str, ...] | None] = []
    by_option = False
    for seat, _ in mistakes:
        side = side_of(state, seat)
        spare = [index for index in kept[side] if (side, index) not in stated]
        pairs = [index for index in spare if len(kept[side][index]) == 2]
        if seat in named:
            index = named[seat]
            by_option = by_option or len(kept[side][index]) != 2
            losses.append(kept[side].pop(index))
            continue
        by_option = by_option or spare[-1:] != pairs[-1:]
        choice = spare if state.ruleset.mistake_loses == "any-set" else pairs
        losses.append(kept[side].pop(choice[-1]) if choice else None)
    return losses, by_option


def _touched(state: State, held: dict[str, list[Hand]]) -> dict[str, Touched]:
    """What is known of each design, in the order of its first hand."""
    deck = state.designs
    shown: dict[str, list[str]] = {name: [] for name in held}
    visible = loose(state)
    for name, card in zip(designs_of(deck, visible), visible, strict=True):
        if name in shown:
            shown[name].append(card)
    won = {design(deck, cards[0]): Won(side, cards) for side, sets in enumerate(state.sets) for cards in sets}
    return {name: Touched(hands, shown[name], won.get(name)) for name, hands in held.items()}


def _under_hands(state: State, claim: Claim) -> set[str]:
    """The cards under hands that are not seen, and so must be tops that are not."""
    if not unseen_tops(state):
        return set()
    return {hand.card for hand in claim.hands if not is_visible(state, hand.card)}


def _unseen(state: State, touched: dict[str, Touched], assumed: set[str]) -> Undetermined | None:
    """Where a top that is not seen decides: which pile a hand is on, or whether a third card shows."""
    tops = unseen_tops(state)
    if not tops:
        return None
    pointer = f"/piles/{tops[0]}/0"
    seen = ZONES.seen(state)
    for name, each in touched.items():
        own = [hand.card for hand in each.hands if hand.card in assumed]
        if own and len(tops) > 1:
            return rulings.HAND_UNPLACED.undetermined(pointer, card=own[0])
        each.shown.extend(own)
        missing = [card for card in faces(state.designs, name) if card not in each.shown]
        possible = each.won is None and not any(NUMBER[card] in seen for card in missing)
        if possible and 0 < len(missing) <= len(tops) - len(assumed) and len(each.shown) + len(missing) == 3:
            return rulings.TREBLE_UNSEEN.undetermined(pointer, design=name)
    return None
