"""An incident settled hand by hand, as TI-4.6 says, and what that does to the table."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

from engines.core.records import changed
from engines.core.rulings import Event, Happens, Undetermined
from engines.twin_it import rulings
from engines.twin_it.designs import TURNED, all_designs, design, designs_of
from engines.twin_it.hands import Fallen, Stacks, as_touched, unseen_cards, unsure_hand
from engines.twin_it.model import Claim, Hand, State
from engines.twin_it.rulings import From, WhyMistake, WhyNothing
from engines.twin_it.table import (
    forbidden_designs,
    in_one_set,
    is_own_top,
    is_safe,
    own_tops_count,
    seat_of,
    shown_by_design,
    side_of,
    trebles,
    trebles_that_may_show,
    unseen_tops,
)


class Idle(NamedTuple):
    """A hand without effect, and why."""

    hand: Fallen
    ruling: Happens
    because: WhyNothing


class Incident:
    """A table while an incident is settled on it."""

    def __init__(self, state: State, claim: Claim, assumed: str | None = None) -> None:
        """`assumed`: the card under a hand that must be the one top that is not seen; it lies in its place."""
        self.state = state
        self.assumed = assumed
        self.table = list(state.table)
        self.piles = list(state.piles)
        self.sets = [list(sets) for sets in state.sets]
        self.beside = [list(cards) for cards in state.forbidden]
        self.stated = {each.seat: each.card for each in claim.uncovered or ()}
        self.named = {
            each.seat: sets[each.set]
            for each in claim.lose or ()
            for sets in [state.sets[side_of(state, each.seat)]]
            if each.set < len(sets)
        }
        self.bared: list[int] = []
        self.events: list[Event] = []
        self.shown = shown_by_design(state)  #: By design, the cards that showed, not won, when the hands fell.
        self.unplaced = unseen_cards(state, claim.hands)
        """Cards under hands that are unseen tops, of which pile is not known."""
        for card in self.unplaced:
            self.shown.setdefault(design(state.designs, card), []).append(card)
        self.may_show = self._trebles_that_may_show(claim)
        self.awaits: Undetermined | None = None  #: The first thing that decided something and is not seen.
        self.stacks = Stacks(state)
        self.standing: dict[int, Fallen] = {}  #: By seat, its first hand that counts.
        self.closed: set[str] = set()
        self.won_trebles: set[str] = set()
        self.settled: set[Fallen] = set()  #: Hands that won, erred or were lifted.
        self.idle: list[Idle] = []
        self.lost: set[str] = set()
        self.erring: set[int] = set()
        self.erred: int | None = None
        self.winner: int | None = None
        self.champion: int | None = None

    def _trebles_that_may_show(self, claim: Claim) -> set[str]:
        """TI-4.5: designs of which an unseen top may be the third card that shows."""
        tops = len(unseen_tops(self.state)) - len(self.unplaced)
        if tops < 1:
            return set()
        names = [design(self.state.designs, hand.card) for hand in claim.hands] or all_designs(self.state.designs)
        return set(trebles_that_may_show(self.state, self.shown, names, tops, self.unplaced))

    # --- what hands do ------------------------------------------------------------------------------------------------

    def settle(self, hands: Sequence[Hand], *, to_the_end: bool = False) -> None:
        """TI-4.6: hand by hand; then ties, trebles that nobody won, hands without effect.

        The winning number of sets ends it, unless `to_the_end`.
        """
        for at, hand in enumerate(hands):
            self.fall(at, hand)
            if self.champion is not None and not to_the_end:
                return
        self.left_open()
        self.without_effect()

    def fall(self, at: int, hand: Hand) -> None:
        """TI-3.2, TI-3.5, TI-4.6, TI-5.1, TI-7.1, TI-8.1: what this hand does, with those that lie."""
        state, seat = self.state, hand.seat
        name = design(state.designs, hand.card)
        each = Fallen(at, seat, side_of(state, seat), hand.card, name, free=self.stacks.free(hand.card))
        if is_own_top(state, hand) and not own_tops_count(state):
            self.idle.append(Idle(each, rulings.NO_EFFECT_OWN_TOP, "own-top"))
            return
        if name in self.closed:
            self.idle.append(Idle(each, rulings.NO_EFFECT, "card-taken"))
            return
        self.stacks.put(each)
        other = self.standing.setdefault(seat, each)
        if other.design != name and other.design not in self.closed:
            self.lift_hands(other, each)
            self.punish(seat, rulings.MISTAKE, "two-designs")
            name = other.design
        elif other is not each and in_one_set(state, other.card, each.card):
            self.lift_hands(other, each)
            because: WhyNothing = "safe-set" if is_safe(state, each.card) else "won-pair"
            self.idle += [Idle(lifted, rulings.NO_EFFECT_ONE_SET, because) for lifted in (other, each)]
        else:
            self.judge_claim(each)
        two = None if name in self.closed else self.stacks.set_held(name, self.lost)
        if two is not None and name not in forbidden_designs(state, two[0].side):
            self.win(two)

    def judge_claim(self, each: Fallen) -> None:
        """TI-7.1, TI-8.1: a mistake closes the design: nobody wins it, a treble is turned over."""
        name = each.design
        forbidden = name in forbidden_designs(self.state, each.side)
        first = self.stacks.mistaken(each, self.lost, forbidden=forbidden)
        if first is None:
            return
        self.close(first, each)
        if forbidden:
            self.punish(each.seat, rulings.MISTAKE_FORBIDDEN, "forbidden-design")
        else:
            self.punish(each.seat, rulings.MISTAKE_ALONE, "one-player-both-hands")
        if self.is_treble(name):
            self.treble(self.shown[name])

    def lift_hands(self, *hands: Fallen) -> None:
        """TI-4.6: the next hand on each card holds it."""
        self.stacks.lift(*hands)
        del self.standing[hands[0].seat]

    def close(self, *hands: Fallen) -> None:
        """TI-4.6: the design of these hands is settled; hands that fall on it are spent."""
        self.closed.add(hands[0].design)
        self.settled.update(hands)

    def is_treble(self, name: str) -> bool:
        """TI-4.5: whether three cards of a design showed, none of them won."""
        if name in self.may_show:
            self.wait(rulings.TREBLE_UNSEEN.undetermined(_first_unseen(self.state), design=name))
        return len(self.shown.get(name, ())) == 3

    def wait(self, unseen: Undetermined) -> None:
        """Note what decides something and is not seen."""
        self.awaits = self.awaits or unseen

    def left_open(self) -> None:
        """TI-4.2, TI-4.4, TI-4.5, TI-8.2: ties, and trebles that nobody won, in the order of their second hands."""
        names = {hands[0].design for hands in self.stacks.all()} - self.closed
        held = [self.stacks.holders(name, self.lost) for name in names]
        for holders in sorted(filter(None, held), key=lambda holders: holders[:2][-1]):
            name = holders[0].design
            loose = [hand.card for hand in holders if hand.card in self.shown.get(name, ())]
            if self.is_treble(name):
                self.treble(self.shown[name])
            elif loose and len({hand.side for hand in holders}) > 1:
                self.tie(holders, loose, self.won_set(name) is not None)
            else:
                continue
            self.settled.update(holders)

    def without_effect(self) -> None:
        """TI-4.6, TI-4.7: the other hands, in the order in which they fell; those of one seat and reason together."""
        for stack in self.stacks.all():
            for above, hand in enumerate(stack):
                if hand not in self.settled:
                    because = "card-taken" if above or hand.card in self.lost else self.why_nothing(hand)
                    third = because == "lone-hand" and hand.design in self.won_trebles
                    self.idle.append(Idle(hand, rulings.NO_EFFECT_ON_THIRD if third else rulings.NO_EFFECT, because))
        alike: dict[tuple[int, str, str], list[Idle]] = {}
        for idle in sorted(self.idle, key=itemgetter(0)):
            alike.setdefault((idle.hand.seat, idle.hand.design, idle.because), []).append(idle)
        for (seat, _design, why), together in alike.items():
            cards = tuple([idle.hand.card for idle in together])
            self.happened(together[0].ruling, seat=seat, cards=cards, because=why)

    def why_nothing(self, hand: Fallen) -> WhyNothing:
        """TI-3.5, TI-4.7, TI-8.1: why a hand that holds its card has no effect."""
        if is_safe(self.state, hand.card):
            return "safe-set"
        both = [other for other in self.stacks.holders(hand.design, self.lost) if other.seat == hand.seat]
        return "one-player-alone" if len(both) > 1 and self.settled.isdisjoint(both) else "lone-hand"

    # --- what happens to the table ------------------------------------------------------------------------------------

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
        if card in self.unplaced:
            self.wait(rulings.HAND_UNPLACED.undetermined(_first_unseen(self.state), card=card))
        else:
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

    def punish(self, seat: int, ruling: Happens, because: WhyMistake) -> None:
        """TI-5.1, TI-8.5: a set goes to the bottom of the pile of the seat that erred, which restarts the game."""
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
        self.happened(ruling, seat=seat, lost=lost, because=because)
        self.erring.add(seat)
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

    def won_set(self, name: str) -> tuple[int, tuple[str, ...]] | None:
        """The side that has won a set of a design, and its cards."""
        for side, sets in enumerate(self.sets):
            for cards in sets:
                if design(self.state.designs, cards[0]) == name:
                    return side, cards
        return None

    def win(self, two: Sequence[Fallen]) -> None:
        """TI-3.3, TI-3.4, TI-4.5, TI-8.1: a new set of two, also of a treble; or a robbery."""
        name = two[0].design
        cards = tuple([hand.card for hand in two])
        won, treble = self.won_set(name), self.is_treble(name)
        self.close(*two)
        if won is not None:
            self.rob(two, *won)
        elif treble:
            self.won_trebles.add(name)
            self.treble(self.shown[name], two)
        else:
            ruling = rulings.SET_WON_BY_TEAM if self.state.ruleset.name == "team" else rulings.SET_WON
            self.award(ruling, two, cards, "table")

    def award(self, ruling: Happens, two: Sequence[Fallen], cards: tuple[str, ...], source: From) -> None:
        """TI-3.6, TI-6.1: the set is won by the side of the hands, and its first hand restarts the game."""
        seat, side, name = two[0].seat, two[0].side, two[0].design
        self.happened(ruling, seat=seat, cards=cards, **{"from": source}, design=name)
        self.sets[side].append(cards)
        self.winner = seat
        if len(self.sets[side]) >= self.state.ruleset.sets_to_win:
            self.champion = side
        for hand in two:
            if hand.card in self.shown[name]:
                self.lift(hand.card)

    def rob(self, two: Sequence[Fallen], owner: int, pair: tuple[str, ...]) -> None:
        """TI-3.4: the third card takes the pair along."""
        own = owner == two[0].side
        self.sets[owner].remove(pair)
        if not own:
            self.happened(rulings.ROBBED, seat=seat_of(self.state, owner), by=two[0].seat, cards=pair)
        third = next(hand.card for hand in two if hand.card not in pair)
        self.award(rulings.SET_WON_THIRD, two, (*pair, third), "own-pair" if own else "robbery")

    def treble(self, shown: Sequence[str], two: Sequence[Fallen] = ()) -> None:
        """TI-4.5: two are won and the third is turned over, also under a hand; or all three are turned over."""
        self.happened(rulings.TREBLE, cards=tuple(shown))
        cards = tuple([hand.card for hand in two])
        if two:
            self.award(rulings.SET_WON_OF_TREBLE, two, cards, "table")
        if self.champion is None:
            for card in shown:
                if card not in cards:
                    self.turn(card, rulings.TURNED_IN_TREBLE, rulings.TURNED_IN_TREBLE)

    def tie(self, holders: Sequence[Fallen], loose: Sequence[str], robbery: bool) -> None:
        """TI-4.2 to TI-4.4, TI-8.2: what is not won is turned over, nobody wins."""
        cards = tuple([hand.card for hand in holders])
        params = {
            "seats": tuple([hand.seat for hand in holders]),
            "cards": cards,
            "designs": tuple(designs_of(self.state.designs, cards)),
        }
        if robbery:
            self.happened(rulings.TIED_ROBBERY, **params)
            self.turn(loose[0], rulings.TURNED_IN_ROBBERY, rulings.TURNED_IN_ROBBERY)
            return
        self.happened(rulings.TIED_TEAMS if self.state.ruleset.name == "team" else rulings.TIED, **params)
        for card in cards:
            self.turn(card, rulings.TURNED, rulings.TURNED_FROM_PILE)


def settled(state: State, claim: Claim) -> Incident | Undetermined:
    """TI-4.6: hand by hand. Without hands the table turns every treble that shows (TI-4.5)."""
    tops, assumed = unseen_tops(state), None
    if tops:
        state, assumed = as_touched(state, claim.hands)
        unsure = unsure_hand(state, claim.hands)
        if unsure is not None:
            return rulings.HAND_UNPLACED.undetermined(_first_unseen(state), card=unsure.card)
    incident = Incident(state, claim, assumed)
    if any(is_own_top(state, hand) for hand in claim.hands):
        incident.happened(rulings.OWN_TOP_JUDGED)
    if claim.hands:
        incident.settle(claim.hands)
    else:
        for name in [*trebles(state), *incident.may_show]:
            if incident.is_treble(name):
                incident.treble(incident.shown[name])
    return incident.awaits or incident


def erring(state: State, claim: Claim) -> set[int]:
    """TI-5.1: the seats that make a mistake, also one that is dropped because the game is won before."""
    incident = Incident(state, claim)
    incident.settle(claim.hands, to_the_end=True)
    return incident.erring


def _first_unseen(state: State) -> str:
    return f"/piles/{unseen_tops(state)[0]}/0"
