"""Incidents of Twin it! settled by the sentences of TI-4.6, one after the other: a referee for small tables, all seen.

It shares no code with the engine or with `oracle.py`, and keeps nothing but the hands: after each it looks at all of
them anew. Nobody names a set to lose. Each pile has cards left, so that the game goes on or a side has won it.
"""

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any


@dataclass
class Laid:
    """A hand. `free`: no hand that counts lay on its card when it fell."""

    seat: int
    card: str
    free: bool = True
    counts: bool = True  #: False once it is lifted or spent, or where it lies on the own pile in vain.
    done: bool = False  #: Whether it has won, erred, or was turned over with its card.


@dataclass
class Table:
    """A table while hands fall on it; cards are `3A`, `designs` what their sides show."""

    designs: Any
    teams: Any
    table: list[str]
    piles: list[list[str]]
    sets: list[list[list[str]]]
    forbidden: list[list[str]]
    own_top_counts: bool
    any_set_is_lost: bool
    sets_to_win: int
    hands: list[Laid] = field(default_factory=list)
    closed: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    events: list[tuple[Any, ...]] = field(default_factory=list)
    won_by: int | None = None
    erred: int | None = None
    champion: int | None = None

    def __post_init__(self) -> None:
        self.loose = [
            *self.table,
            *(pile[0] for pile in self.piles if pile),
            *(card for cards in self.forbidden for card in cards),
        ]
        self.own_top = [pile[0] if pile else "" for pile in self.piles]
        self.set_of = {card: cards for sets in self.sets for cards in sets for card in cards}
        self.banned = [{self.face(card) for card in cards} for cards in self.forbidden]

    def face(self, card: str) -> str:
        """The design that lies up."""
        shown: str = self.designs[int(card[:-1])]["AB".index(card[-1])]
        return shown

    def side(self, seat: int) -> int:
        """Whom a seat wins for."""
        return self.teams[seat] if self.teams else seat

    def unwon_cards_of(self, name: str) -> list[str]:
        """TI-3.2: the cards of a design that showed and were not won, when the hands fell."""
        return [card for card in self.loose if self.face(card) == name]

    def lowest_hands_on(self, name: str) -> list[Laid]:
        """TI-4.1: of each card of a design the lowest hand, in the order in which they fell."""
        lowest: dict[str, Laid] = {}
        for hand in self.hands:
            if hand.counts and self.face(hand.card) == name:
                lowest.setdefault(hand.card, hand)
        return list(lowest.values())

    def are_a_claim(self, one: Laid, other: Laid) -> bool:
        """TI-3.1, TI-3.5: whether two hands are on two cards of a design that are not of one set."""
        apart = self.set_of.get(one.card, one.card) is not self.set_of.get(other.card, other.card)
        return one is not other and self.face(one.card) == self.face(other.card) and apart

    def add_hand(self, seat: int, card: str) -> None:
        """TI-4.6: what one more hand does."""
        name = self.face(card)
        hand = Laid(seat, card, free=all(other.card != card for other in self.hands if other.counts))
        earlier = next((other for other in self.hands if other.counts and other.seat == seat), None)
        self.hands.append(hand)
        if self.own_top[seat] == card and not self.own_top_counts:
            hand.counts = False
            return
        if name in self.closed or card in self.lost:
            hand.counts = False
            return
        if earlier and self.face(earlier.card) != name and self.face(earlier.card) not in self.closed:
            earlier.counts = hand.counts = False
            earlier.done = hand.done = True
            self.lose_a_set(seat, "TI-5.1")
            self.give_set_to_first_claim(self.face(earlier.card))
        elif earlier and card != earlier.card and card in self.set_of.get(earlier.card, ()):
            earlier.counts = hand.counts = False
            self.give_set_to_first_claim(name)
        elif not self.claims_by_mistake(hand):
            self.give_set_to_first_claim(name)

    def claims_by_mistake(self, hand: Laid) -> bool:
        """TI-7.1, TI-8.1: whether the hand makes a claim that is a mistake, with another that was on a free card."""
        name, side = self.face(hand.card), self.side(hand.seat)
        with_it = [
            other for other in self.lowest_hands_on(name) if other.free and hand.free and self.are_a_claim(hand, other)
        ]
        of_side = [other for other in with_it if self.side(other.seat) == side]
        alone = [other for other in with_it if other.seat == hand.seat] if self.teams else []
        forbidden = bool(of_side) and name in self.banned[side]
        if not forbidden and not alone:
            return False
        hand.done = (of_side if forbidden else alone)[0].done = True
        self.closed.add(name)
        self.lose_a_set(hand.seat, "TI-7.1" if forbidden else "TI-8.1")
        if len(self.unwon_cards_of(name)) == 3:
            self.turn_unwon_treble(name)
        return True

    def lose_a_set(self, seat: int, clause: str) -> None:
        """TI-5.1, TI-8.5: the latest set that may go is lost, to the bottom of the own pile."""
        sets = self.sets[self.side(seat)]
        may_go = [cards for cards in sets if self.any_set_is_lost or len(cards) == 2]
        gone = may_go[-1] if may_go else None
        self.events.append(("mistake", clause, seat, sorted(gone or [])))
        self.erred = seat
        if gone:
            sets.remove(gone)
            self.piles[seat].extend(gone)
            self.lost.update(gone)
            for hand in self.hands:
                hand.counts = hand.counts and hand.card not in gone

    def give_set_to_first_claim(self, name: str) -> None:
        """TI-3.3, TI-3.4, TI-4.5, TI-6.1, TI-8.1: the first two hands that make a set win it."""
        if name in self.closed:
            return
        for one, other in combinations(self.lowest_hands_on(name), 2):
            side = self.side(one.seat)
            partners = one.seat != other.seat if self.teams else True
            if (
                side == self.side(other.seat)
                and partners
                and self.are_a_claim(one, other)
                and name not in self.banned[side]
            ):
                self.give_set(one, other, name, side)
                return

    def give_set(self, one: Laid, other: Laid, name: str, side: int) -> None:
        """The set goes to the side, with the pair that had been won of its design; the third of a treble is turned."""
        cards = [one.card, other.card]
        treble = len(self.unwon_cards_of(name)) == 3
        self.closed.add(name)
        one.done = other.done = True
        for sets in self.sets:
            for pair in [each for each in sets if self.face(each[0]) == name]:
                sets.remove(pair)
                cards = [*pair, *(card for card in cards if card not in pair)]
        for card in cards:
            self.remove_visible(card)
        if treble:
            self.events.append(("treble", sorted(self.unwon_cards_of(name))))
        self.sets[side].append(cards)
        self.events.append(("set-won", one.seat, sorted(cards)))
        self.won_by = one.seat
        if len(self.sets[side]) >= self.sets_to_win:
            self.champion = side
        elif treble:
            for card in set(self.unwon_cards_of(name)) - set(cards):
                self.turn(card)

    def remove_visible(self, card: str) -> None:
        """Take a card from where it shows."""
        for place in (self.table, *self.forbidden):
            if card in place:
                place.remove(card)
        for pile in self.piles:
            if pile[:1] == [card]:
                del pile[0]

    def turn(self, card: str) -> None:
        """TI-4.2, TI-4.3, TI-4.6: turn a card over, on the table or onto it."""
        back = card[:-1] + "BA"["AB".index(card[-1])]
        if card in self.table:
            self.table[self.table.index(card)] = back
        else:
            self.remove_visible(card)
            self.table.append(back)

    def turn_unwon_treble(self, name: str) -> None:
        """TI-4.5: nobody has won of it: all three are turned over."""
        self.events.append(("treble", sorted(self.unwon_cards_of(name))))
        for card in self.unwon_cards_of(name):
            self.turn(card)

    def settle_open_designs(self) -> None:
        """TI-4.2, TI-4.4, TI-4.5: what is open and held by two sides is a tie, an unwon treble is turned over."""
        names = {self.face(hand.card) for hand in self.hands if hand.counts} - self.closed
        for name in sorted(names, key=lambda name: self.hands.index(self.lowest_hands_on(name)[:2][-1])):
            owners = self.lowest_hands_on(name)
            loose = [hand.card for hand in owners if hand.card in self.loose]
            if len(self.unwon_cards_of(name)) == 3:
                self.turn_unwon_treble(name)
            elif loose and len({self.side(hand.seat) for hand in owners}) > 1:
                self.events.append(("tied", [hand.seat for hand in owners]))
                for card in loose:
                    self.turn(card)
            else:
                continue
            for hand in owners:
                hand.done = True

    @property
    def hands_without_effect(self) -> list[tuple[int, str]]:
        """TI-4.6, TI-4.7: the hands without effect, as seat and card."""
        return sorted((hand.seat, hand.card) for hand in self.hands if not hand.done)

    def settle(self, hands: Any) -> None:
        """The incident: hand by hand, until a side has won the game; then what is left open."""
        for seat, card in hands:
            self.add_hand(seat, card)
            if self.champion is not None:
                return
        self.settle_open_designs()

    def next_to_flip(self, turn: int | None) -> int | None:
        """TI-3.6, TI-4.6, TI-8.3: who flips next: the last to win, else to err, else as it was; in teams anybody."""
        if self.teams:
            return None
        return self.won_by if self.won_by is not None else turn if self.erred is None else self.erred
