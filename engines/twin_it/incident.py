"""An incident settled hand by hand, as TI-4.6 says, and what that does to the table."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

from engines.core.records import changed
from engines.core.rulings import Event, Happens, Undetermined
from engines.core.sides import side_of
from engines.twin_it import rulings
from engines.twin_it.designs import TURNED, all_designs, design, designs_of
from engines.twin_it.hands import Fallen, Stacks, as_touched, unseen_cards, unsure_hand
from engines.twin_it.model import Claim, Hand, State
from engines.twin_it.rulings import Cause, From, WhyMistake, WhyNothing, WhyTurned
from engines.twin_it.table import (
    forbidden_designs,
    in_one_set,
    is_own_top,
    is_safe,
    own_tops_count,
    seat_of,
    shown_by_design,
    trebles,
    trebles_that_may_show,
    unseen_tops,
)


class Idle(NamedTuple):
    """A hand without effect, and why."""

    hand: Fallen
    ruling: Happens
    because: WhyNothing


class Closing(NamedTuple):
    """How a design was settled, and by which seat."""

    cause: Cause
    by: int


class Incident:
    """A table while the hands that fell together on its cards are settled, one design after the other."""

    def __init__(self, state: State, claim: Claim, assumed: str | None = None) -> None:
        """`assumed`: a card that a hand is on. `state` has it as the one top that the client does not see."""
        self.state = state
        self.assumed = assumed
        self.table = list(state.table)
        self.piles = list(state.piles)
        self.sets = [list(sets) for sets in state.sets]  #: By side, its sets as they are by now.
        self.beside = [list(cards) for cards in state.forbidden]  #: The cards beside the piles, by side.
        self.stated_tops = {each.seat: each.card for each in claim.uncovered or ()}
        self.offered: dict[int, tuple[str, ...]] = {}  #: By seat, the set that it gives up if it makes a mistake.
        for each in claim.lose or ():
            sets = state.sets[side_of(state.teams, each.seat)]
            if each.set < len(sets):
                self.offered[each.seat] = sets[each.set]
        self.uncovered: list[int] = []  #: The seats whose piles have lost their top.
        self.events: list[Event] = []
        self.shown = shown_by_design(state)  #: By design, the cards that showed, not won, when the hands fell.
        self.unplaced = unseen_cards(state, claim.hands)  #: Tops under hands; of which pile each is, is not known.
        for card in self.unplaced:
            self.shown.setdefault(design(state.designs, card), []).append(card)
        self.may_show = self._trebles_that_may_show(claim)  #: Designs of which a top that is not seen may be the third.
        self.undetermined: Undetermined | None = None  #: Why the effect is not known, once it is not.
        self.stacks = Stacks(state)
        self.first_hands: dict[int, Fallen] = {}  #: By seat, its first hand that counts.
        self.closed: dict[str, Closing] = {}  #: The designs that are settled: hands that fall on them have no effect.
        self.won_trebles: set[str] = set()
        self.settled: set[Fallen] = set()  #: Hands that won, erred or were lifted.
        self.idle: list[Idle] = []  #: Hands without effect, each with the reason.
        self.lost: dict[str, int] = {}  #: The cards of sets that were lost for mistakes, each with the seat that erred.
        self.erring: set[int] = set()  #: The seats that have made a mistake.
        self.last_erring: int | None = None
        self.last_winner: int | None = None  #: The seat that won the last set.
        self.champion: int | None = None  #: The side that has won the game.

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

        It stops when a side has won the game, unless `to_the_end`.
        """
        for at, hand in enumerate(hands):
            self.fall(at, hand)
            if self.champion is not None and not to_the_end:
                return
        self.left_open()
        self.without_effect()

    def fall(self, at: int, hand: Hand) -> None:
        """TI-3.2, TI-3.5, TI-4.6, TI-5.1, TI-7.1, TI-8.1: what this hand does, together with those that fell before it.

        `at`: its place among all hands.
        """
        state, seat = self.state, hand.seat
        name = design(state.designs, hand.card)
        fallen = Fallen(at, seat, side_of(state.teams, seat), hand.card, name, free=self.stacks.free(hand.card))
        if is_own_top(state, hand) and not own_tops_count(state):
            self.idle.append(Idle(fallen, rulings.NO_EFFECT_OWN_TOP, "own-top"))
            return
        if name in self.closed or hand.card in self.lost:
            self.idle.append(Idle(fallen, rulings.NO_EFFECT, "card-taken"))
            return
        self.stacks.put(fallen)
        first = self.first_hands.setdefault(seat, fallen)
        if first.design != name and first.design not in self.closed:
            self.lift_hands(first, fallen)
            self.punish((first, fallen), rulings.MISTAKE, "two-designs")
            name = first.design  # the hand below the first one may hold a set now
        elif first is not fallen and in_one_set(state, first.card, fallen.card):
            self.lift_hands(first, fallen)
            because: WhyNothing = "safe-set" if is_safe(state, fallen.card) else "won-pair"
            self.idle += [Idle(lifted, rulings.NO_EFFECT_ONE_SET, because) for lifted in (first, fallen)]
        else:
            self.judge_claim(fallen)
        two = None if name in self.closed else self.stacks.set_held(name)
        if two is not None and name not in forbidden_designs(state, two[0].side):
            self.win_set(two)

    def judge_claim(self, hand: Fallen) -> None:
        """TI-7.1, TI-8.1: a mistake closes the design: nobody wins it, a treble is turned over."""
        name = hand.design
        forbidden = name in forbidden_designs(self.state, hand.side)
        first = self.stacks.mistaken(hand, forbidden=forbidden)
        if first is None:
            return
        self.close("erred", hand.seat, first, hand)
        if forbidden:
            self.punish((first, hand), rulings.MISTAKE_FORBIDDEN, "forbidden-design")
        else:
            self.punish((first, hand), rulings.MISTAKE_ALONE, "one-player-both-hands")
        if self.is_treble(name):
            self.turn_over_unwon_treble(name, "treble-erred")

    def lift_hands(self, *hands: Fallen) -> None:
        """TI-4.6: take the hands of one seat off their cards. Then the next hand on each card holds it."""
        self.stacks.lift(*hands)
        del self.first_hands[hands[0].seat]

    def close(self, cause: Cause, by: int, *hands: Fallen) -> None:
        """TI-4.6: the design of these hands is settled; hands that fall on it later have no effect."""
        self.closed[hands[0].design] = Closing(cause, by)
        self.settled.update(hands)

    def is_treble(self, name: str) -> bool:
        """TI-4.5: whether three cards of a design showed, none of them won. Undetermined if an unseen top decides."""
        if name in self.may_show:
            self.leave_undetermined(rulings.TREBLE_UNSEEN.undetermined(_first_unseen(self.state), design=name))
        return len(self.shown.get(name, ())) == 3

    def leave_undetermined(self, unseen: Undetermined) -> None:
        """Record that something is not seen and decides the incident, which is undetermined then."""
        self.undetermined = self.undetermined or unseen

    def left_open(self) -> None:
        """TI-4.2, TI-4.4, TI-4.5, TI-8.2: ties, and trebles that nobody won, in the order of their second hands."""
        names = {hands[0].design for hands in self.stacks.all()} - self.closed.keys()
        holders_by_design = [self.stacks.holders(name) for name in names]
        for holders in sorted(filter(None, holders_by_design), key=_second_or_only):
            name = holders[0].design
            loose = [hand.card for hand in holders if hand.card in self.shown.get(name, ())]
            if self.is_treble(name):
                self.turn_over_unwon_treble(name, "treble-unwon")
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
                    because = "card-taken" if above else self.why_nothing(hand)
                    third = because == "lone-hand" and hand.design in self.won_trebles
                    self.idle.append(Idle(hand, rulings.NO_EFFECT_ON_THIRD if third else rulings.NO_EFFECT, because))
        alike: dict[tuple[int, str, WhyNothing], list[Idle]] = {}
        for idle in sorted(self.idle, key=itemgetter(0)):
            is_lost = idle.because == "card-taken" and idle.hand.card in self.lost
            why: WhyNothing = "card-lost" if is_lost else idle.because
            alike.setdefault((idle.hand.seat, idle.hand.design, why), []).append(idle)
        for (_seat, _design, because), group in alike.items():
            self.report_idle(group[0].ruling, [idle.hand for idle in group], because)

    def report_idle(self, ruling: Happens, hands: Sequence[Fallen], because: WhyNothing) -> None:
        """TI-4.1, TI-4.6: these hands of one seat on one design have no effect; who held the cards or took them."""
        holders = [self.stacks.lowest(hand.card) for hand in hands] if because == "card-taken" else []
        below = tuple(dict.fromkeys([hand.seat for hand in holders if hand is not None]))
        cause, by = self.what_decided(hands[0], because)
        self.happened(
            ruling,
            seat=hands[0].seat,
            cards=tuple([hand.card for hand in hands]),
            because=because,
            below=below or None,
            cause=cause,
            by=by,
        )

    def what_decided(self, hand: Fallen, because: WhyNothing) -> tuple[Cause | None, int | None]:
        """TI-4.6, TI-7.1: why the hand won no set, and the seat that won, erred or lost its card."""
        if because == "card-lost":
            return None, self.lost[hand.card]
        if because not in {"card-taken", "lone-hand", "one-player-alone"}:
            return None, None
        if hand.design in self.closed:
            return self.closed[hand.design]
        together = because != "card-taken" and self.stacks.makes_a_claim(hand)
        return ("forbidden" if together and hand.design in forbidden_designs(self.state, hand.side) else None), None

    def why_nothing(self, hand: Fallen) -> WhyNothing:
        """TI-3.5, TI-4.7, TI-8.1: why a hand that holds its card has no effect."""
        if is_safe(self.state, hand.card):
            return "safe-set"
        both = [other for other in self.stacks.holders(hand.design) if other.seat == hand.seat]
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
        """TI-4.6: the seat that restarts the game: the last to win, else the last to err, else the one on turn."""
        if self.last_winner is not None:
            return self.last_winner
        return self.state.turn if self.last_erring is None else self.last_erring

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
            self.leave_undetermined(rulings.HAND_UNPLACED.undetermined(_first_unseen(self.state), card=card))
        else:
            tops = [pile[0] if pile else None for pile in self.piles]
            self.uncover(tops.index(card))

    def uncover(self, seat: int) -> None:
        """Take the top of a seat's pile. If the next card is not seen, it is the one that the claim states."""
        rest = self.piles[seat][1:]
        if rest and rest[0] is None and seat in self.stated_tops:
            rest = (self.stated_tops[seat], *rest[1:])
        self.piles[seat] = rest
        self.uncovered.append(seat)

    def turn_over(self, card: str, because: WhyTurned, on_table: Happens, from_pile: Happens) -> None:
        """Turn a card over: in its place on the table, or from elsewhere onto it."""
        on_piles = not any(card in cards for cards in (self.table, *self.beside))
        shows = TURNED[card]
        ruling = from_pile if on_piles else on_table
        self.happened(ruling, card=shows, design=design(self.state.designs, shows), because=because)
        if card in self.table:
            self.table[self.table.index(card)] = shows
        else:
            self.lift(card)
            self.table.append(shows)

    def punish(self, two: tuple[Fallen, Fallen], ruling: Happens, because: WhyMistake) -> None:
        """TI-5.1, TI-8.5: a set goes to the bottom of the pile of the seat that erred, which restarts the game.

        `two`: the hands of the mistake; the second is of the seat that erred.
        """
        seat, side = two[1].seat, two[1].side
        offered = self.offered.pop(seat, None)
        of_pairs = self.set_lost(side, offered, pairs_only=True)
        of_all = self.set_lost(side, offered, pairs_only=False)
        if of_pairs != of_all:
            self.happened(rulings.SET_LOST)
        lost = of_all if self.state.ruleset.mistake_loses == "any-set" else of_pairs
        if lost is not None:
            self.sets[side].remove(lost)
            self.piles[seat] = (*self.piles[seat], *lost)
            self.lose(lost, seat)
        self.happened(
            ruling,
            seat=seat,
            lost=lost,
            because=because,
            cards=tuple([hand.card for hand in two]),
            designs=tuple(dict.fromkeys([hand.design for hand in two])),
            seats=tuple(dict.fromkeys([hand.seat for hand in two])),
        )
        self.erring.add(seat)
        self.last_erring = seat

    def lose(self, cards: Sequence[str], by: int) -> None:
        """TI-4.6: hands on cards that are lost with a set are spent, whether they fell before or fall later."""
        self.lost.update(dict.fromkeys(cards, by))
        for hand in self.stacks.clear(cards):
            if self.first_hands.get(hand.seat) is hand:
                del self.first_hands[hand.seat]
            if hand not in self.settled:
                self.idle.append(Idle(hand, rulings.NO_EFFECT, "card-taken"))

    def set_lost(self, side: int, offered: tuple[str, ...] | None, *, pairs_only: bool) -> tuple[str, ...] | None:
        """TI-5.1: the set that a mistake costs; None if there is none.

        It is the set offered, if the side still has it and it may be lost; else the latest that may be lost, without
        those that partners have offered for mistakes of theirs.
        """
        allowed = [cards for cards in self.sets[side] if len(cards) == 2 or not pairs_only]
        for cards in allowed:
            if offered is not None and offered[0] in cards:
                return cards
        offered_by_partners = {cards[0] for cards in self.offered.values()}
        others = [cards for cards in allowed if offered_by_partners.isdisjoint(cards)]
        return others[-1] if others else None

    def won_set(self, name: str) -> tuple[int, tuple[str, ...]] | None:
        """The side that has a set of this design now, and the set's cards. None: nobody has one."""
        for side, sets in enumerate(self.sets):
            for cards in sets:
                if design(self.state.designs, cards[0]) == name:
                    return side, cards
        return None

    def win_set(self, two: Sequence[Fallen]) -> None:
        """TI-3.3, TI-3.4, TI-4.5, TI-8.1: two hands win two cards, two of a treble, or the third of a won pair."""
        name = two[0].design
        cards = tuple([hand.card for hand in two])
        won, treble = self.won_set(name), self.is_treble(name)
        self.close("won", two[0].seat, *two)
        if won is not None:
            self.rob(two, *won)
        elif treble:
            self.win_of_treble(two)
        else:
            ruling = rulings.SET_WON_BY_TEAM if self.state.ruleset.name == "team" else rulings.SET_WON
            self.award(ruling, two, cards, "table")

    def award(self, ruling: Happens, two: Sequence[Fallen], cards: tuple[str, ...], source: From) -> None:
        """TI-3.6, TI-6.1: the set is won by the side of the hands, and its first hand restarts the game."""
        seat, side, name = two[0].seat, two[0].side, two[0].design
        self.happened(ruling, seat=seat, cards=cards, **{"from": source}, design=name)
        self.sets[side].append(cards)
        self.last_winner = seat
        if len(self.sets[side]) >= self.state.ruleset.sets_to_win:
            self.champion = side
        for hand in two:
            if hand.card in self.shown[name]:
                self.lift(hand.card)

    def rob(self, two: Sequence[Fallen], owner: int, pair: tuple[str, ...]) -> None:
        """TI-3.4: a side wins the third card of a design, and takes the pair of its owner along, or its own."""
        own = owner == two[0].side
        self.sets[owner].remove(pair)
        if not own:
            self.happened(rulings.ROBBED, seat=seat_of(self.state, owner), by=two[0].seat, cards=pair)
        third = next(hand.card for hand in two if hand.card not in pair)
        self.award(rulings.SET_WON_THIRD, two, (*pair, third), "own-pair" if own else "robbery")

    def win_of_treble(self, two: Sequence[Fallen]) -> None:
        """TI-4.5: two hands win their cards. The third of the treble is turned over, also under a hand."""
        three, won = self.shown[two[0].design], tuple([hand.card for hand in two])
        self.won_trebles.add(two[0].design)
        self.happened(rulings.TREBLE, cards=tuple(three))
        self.award(rulings.SET_WON_OF_TREBLE, two, won, "table")
        self.turn_over_in_treble([card for card in three if card not in won], "treble-won")

    def turn_over_unwon_treble(self, name: str, because: WhyTurned) -> None:
        """TI-4.5: nobody wins the treble of this design, so all three cards are turned over."""
        self.happened(rulings.TREBLE, cards=tuple(self.shown[name]))
        self.turn_over_in_treble(self.shown[name], because)

    def turn_over_in_treble(self, cards: Sequence[str], because: WhyTurned) -> None:
        """TI-4.5: turn these cards of a treble over, unless a side has won the game."""
        if self.champion is None:
            for card in cards:
                self.turn_over(card, because, rulings.TURNED_IN_TREBLE, rulings.TURNED_IN_TREBLE)

    def tie(self, holders: Sequence[Fallen], loose: Sequence[str], robbery: bool) -> None:
        """TI-4.2 to TI-4.4, TI-8.2: nobody wins, and the cards that no side has won are turned over.

        `loose`: those of the holders' cards that no side has won. `robbery`: whether a side has won the others.
        """
        cards = tuple([hand.card for hand in holders])
        params = {
            "seats": tuple([hand.seat for hand in holders]),
            "cards": cards,
            "designs": tuple(designs_of(self.state.designs, cards)),
        }
        if robbery:
            self.happened(rulings.TIED_ROBBERY, **params)
            self.turn_over(loose[0], "tied-robbery", rulings.TURNED_IN_ROBBERY, rulings.TURNED_IN_ROBBERY)
            return
        self.happened(rulings.TIED_TEAMS if self.state.ruleset.name == "team" else rulings.TIED, **params)
        for card in cards:
            self.turn_over(card, "tie", rulings.TURNED, rulings.TURNED_FROM_PILE)


def _second_or_only(holders: list[Fallen]) -> Fallen:
    """The second hand of a design, or its only one: when the design was decided."""
    return holders[1] if len(holders) > 1 else holders[0]


def settled_incident(state: State, claim: Claim) -> Incident | Undetermined:
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
                incident.turn_over_unwon_treble(name, "treble-unwon")
    return incident.undetermined or incident


def erring_seats(state: State, claim: Claim) -> set[int]:
    """TI-5.1: the seats that make a mistake, also one after the hand that wins the game, which has no effect."""
    incident = Incident(state, claim)
    incident.settle(claim.hands, to_the_end=True)
    return incident.erring


def _first_unseen(state: State) -> str:
    """The pointer to the first top that is not seen."""
    return f"/piles/{unseen_tops(state)[0]}/0"
