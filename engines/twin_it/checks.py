"""Legality: one function a clause, and the rows that order them."""

from __future__ import annotations

from collections import Counter

from engines.core.engine import Move, Objections
from engines.core.judge import refused_in
from engines.core.records import changed
from engines.core.rulings import Undetermined, Unverified, Violation
from engines.core.sides import side_of
from engines.twin_it import rulings
from engines.twin_it.designs import NUMBER, TURNED, all_designs
from engines.twin_it.hands import as_touched, unsure_hand
from engines.twin_it.incident import erring_seats, settled_incident
from engines.twin_it.model import Claim, Count, Flip, State
from engines.twin_it.moves import claim, count, flip
from engines.twin_it.table import (
    COUNTING_RULESETS,
    ZONES,
    flippers,
    is_visible,
    own_tops_count,
    shown_by_design,
    trebles,
    trebles_that_may_show,
    unseen_tops,
)


def cards_are_turned_and_claimed(state: State, move: Flip | Claim) -> Objections:
    """TI-9.3."""
    name = state.ruleset.name
    return rulings.NOT_IN_THIS_PLAY.violated(ruleset=name) if name in COUNTING_RULESETS else None


def groups_are_counted(state: State, move: Count) -> Objections:
    """TI-9.3."""
    name = state.ruleset.name
    return rulings.NOT_IN_THIS_PLAY.violated(ruleset=name) if name not in COUNTING_RULESETS else None


def seat_is_at_the_table(state: State, move: Flip | Count) -> Objections:
    """TI-1.3: there are as many seats as piles, of which some may be empty. No seat: all count together."""
    seat = move.seat
    return None if seat is None or seat < len(state.piles) else rulings.NOT_AT_TABLE.violated("/seat", seat=seat)


def seat_has_the_turn(state: State, move: Flip) -> Objections:
    """TI-2.1, TI-8.3: in turn. Where no turn is given, any seat may flip in team play; otherwise the turn is unseen."""
    if state.turn is None:
        return None if state.ruleset.name == "team" else rulings.NOT_YOUR_TURN.unverified()
    turn = next(iter(flippers(state)), state.turn)
    if move.seat >= len(state.piles) or move.seat == turn:
        return None
    return rulings.NOT_YOUR_TURN.violated("/seat", seat=move.seat, turn=turn)


def pile_has_a_card(state: State, move: Flip) -> Objections:
    """TI-2.2: a seat without a pile is passed over."""
    return None if state.piles[move.seat] else rulings.PILE_EMPTY.violated("/seat", seat=move.seat)


def next_card_agrees_with_what_is_seen(state: State, move: Flip) -> Objections:
    """TI-2.1: what the move says of the next card agrees with what is seen."""
    if move.uncovered is None:
        return None
    return _next_card_objection(state, move.seat, move.uncovered, ZONES.seen(state), "/uncovered")


def hands_are_at_the_table(state: State, move: Claim) -> Objections:
    """TI-1.3, also of a seat that gives up a set."""
    hands = [(f"/hands/{index}/seat", each.seat) for index, each in enumerate(move.hands)]
    losses = [(f"/lose/{index}/seat", each.seat) for index, each in enumerate(move.lose or ())]
    seats = len(state.piles)
    return [rulings.NOT_AT_TABLE.violated(pointer, seat=seat) for pointer, seat in hands + losses if seat >= seats]


def touched_cards_are_visible(state: State, move: Claim) -> Objections:
    """TI-1.1, TI-3.2: every card under a hand is of the deck and visible.

    A card that is seen nowhere may be the unseen top of a pile, one for each such top: then this is not checked.
    """
    objections: list[Violation | Unverified] = []
    assumed: set[str] = set()  # cards that are taken for unseen tops
    for index, hand in enumerate(move.hands):
        card = hand.card
        if NUMBER[card] >= len(state.designs):
            cards = len(state.designs)
            objections.append(rulings.NO_SUCH_CARD.violated(f"/hands/{index}/card", card=card, count=cards))
        elif not is_visible(state, card) and card not in assumed:
            numbers = {NUMBER[other] for other in assumed}
            if len(assumed) < len(unseen_tops(state)) and NUMBER[card] not in numbers | ZONES.seen(state):
                assumed.add(card)
                objections.append(rulings.NOT_VISIBLE.unverified())
            else:
                why = _why_not_visible(state, card)
                objections.append(rulings.NOT_VISIBLE.violated(f"/hands/{index}/card", card=card, because=why))
    return objections


def _why_not_visible(state: State, card: str) -> rulings.WhyHidden | None:
    """TI-3.2: why no hand can be on the card. None: it lies below a top or is gone, and it is not seen which."""
    if is_visible(state, TURNED[card]):
        return "other-side"
    below = {under for pile in state.piles for under in pile[1:]}
    if not below.isdisjoint((card, TURNED[card])):
        return "below-a-top"
    lying = ZONES.lying(state)
    if None not in lying:
        return "gone"
    return "below-a-top" if len(lying) == len(state.designs) and not unseen_tops(state) else None


def claim_without_hands_has_something_to_do(state: State, move: Claim) -> Objections:
    """TI-2.2, TI-4.5: with it the table turns the cards of a treble over, or ends a game whose piles are empty."""
    if move.hands:
        return None
    ends_the_game = not any(state.piles)
    if ends_the_game or trebles(state):
        return None
    tops = len(unseen_tops(state))
    if tops and any(trebles_that_may_show(state, shown_by_design(state), all_designs(state.designs), tops)):
        return rulings.CARDS_LEFT.unverified()
    return rulings.CARDS_LEFT.violated("/hands")


def players_have_two_hands(state: State, move: Claim) -> Objections:
    """TI-3.8: a player has two hands, and puts them on two cards."""
    touched: dict[int, list[str]] = {}
    objections = []
    for index, hand in enumerate(move.hands):
        seat, card = hand.seat, hand.card
        cards = touched.setdefault(seat, [])
        if card in cards:
            objections.append(rulings.HAND_TWICE.violated(f"/hands/{index}/card", seat=seat, card=card))
        elif len(cards) == 2:
            objections.append(rulings.TOO_MANY_HANDS.violated(f"/hands/{index}", seat=seat))
        else:
            cards.append(card)
    return objections


def sets_are_given_up_for_mistakes(state: State, move: Claim) -> Objections:
    """TI-5.1: a seat that erred gives up one set of its side; where only pairs are lost, a pair."""
    if not move.lose:
        return None
    state, _assumed = as_touched(state, move.hands)
    if unsure_hand(state, move.hands) is not None:
        return rulings.NO_MISTAKE.unverified()
    erring = erring_seats(state, move)
    erring_by_other_option = erring_seats(_with_other_own_pile_top(state), move)
    given_up: set[tuple[int, int]] = set()
    seats: set[int] = set()
    objections = []
    for index, loss in enumerate(move.lose):
        pointer, seat, number = f"/lose/{index}", loss.seat, loss.set
        if seat not in erring:
            ruling = rulings.NO_MISTAKE_BY_OWN_TOP if seat in erring_by_other_option else rulings.NO_MISTAKE
            objections.append(ruling.violated(f"{pointer}/seat", seat=seat))
            continue
        side = side_of(state.teams, seat)
        sets = state.sets[side]
        if number >= len(sets):
            objections.append(rulings.NO_SUCH_SET.violated(f"{pointer}/set", seat=seat, set=number))
        elif state.ruleset.mistake_loses == "pairs-only" and len(sets[number]) != 2:
            objections.append(rulings.NOT_A_PAIR.violated(f"{pointer}/set", seat=seat, set=number))
        if seat in seats or (side, number) in given_up:
            objections.append(rulings.LOST_TWICE.violated(pointer, seat=seat))
        seats.add(seat)
        given_up.add((side, number))
    return objections


def _with_other_own_pile_top(state: State) -> State:
    """TI-3.2: the same table under the other value of `own_pile_top`."""
    other = "others-only" if own_tops_count(state) else "counts"
    return changed(state, ruleset=changed(state.ruleset, own_pile_top=other))


def uncovered_tops_agree_with_what_is_seen(state: State, move: Claim) -> Objections:
    """TI-3.7: only piles that lose their top, each once, and in agreement with what is seen."""
    if not move.uncovered:
        return None
    incident = settled_incident(state, move)
    if isinstance(incident, Undetermined):
        return None
    objections = []
    times = Counter(each.seat for each in move.uncovered)
    seen = ZONES.seen(state).union(NUMBER[hand.card] for hand in move.hands)
    for index, each in enumerate(move.uncovered):
        pointer = f"/uncovered/{index}"
        if each.seat not in incident.uncovered or times[each.seat] > 1:
            objections.append(rulings.NOTHING_UNCOVERED.violated(f"{pointer}/seat", seat=each.seat))
            continue
        objection = _next_card_objection(state, each.seat, each.card, seen, f"{pointer}/card")
        if objection is not None:
            objections.append(objection)
        seen.add(NUMBER[each.card])
    return objections


def _next_card_objection(state: State, seat: int, card: str, seen: set[int], pointer: str) -> Violation | None:
    """TI-1.1, TI-2.1: the objection to a card that the move states as the next of a seat's pile.

    `seen`: the numbers of the cards that are seen elsewhere.
    """
    if len(state.piles[seat]) < 2:
        return rulings.NOTHING_UNCOVERED.violated(pointer, seat=seat)
    top = state.piles[seat][1]
    if top is not None:
        return None if top == card else rulings.UNCOVERED_OTHERWISE.violated(pointer, card=card, top=top)
    if NUMBER[card] >= len(state.designs):
        return rulings.NO_SUCH_CARD.violated(pointer, card=card, count=len(state.designs))
    if NUMBER[card] in seen:
        return rulings.UNCOVERED_ELSEWHERE.violated(pointer, card=card)
    return None


def seat_counts_where_each_does(state: State, move: Count) -> Objections:
    """TI-9.1, TI-10.1: all together, or each seat for itself, once."""
    if state.ruleset.name == "cooperative":
        return None if move.seat is None else rulings.COUNTED_TOGETHER.violated("/seat", seat=move.seat)
    if move.seat is None:
        return rulings.COUNTED_FOR_EACH.violated()
    if move.seat < len(state.counts) and state.counts[move.seat] is not None:
        return rulings.HAS_COUNTED.violated("/seat", seat=move.seat)
    return None


def counted_cards_are_in_the_deck(state: State, move: Count) -> Objections:
    """TI-1.1."""
    cards = len(state.designs)
    return [
        rulings.NO_SUCH_CARD.violated(f"/groups/{group}/{index}", card=card, count=cards)
        for group, each in enumerate(move.groups)
        for index, card in enumerate(each)
        if NUMBER[card] >= cards
    ]


game_goes_on = refused_in({"game-over": rulings.GAME_IS_OVER})  #: TI-6.2: after the end there is no move.

FLIP = Move(
    Flip,
    (
        (game_goes_on, cards_are_turned_and_claimed),
        (seat_is_at_the_table, seat_has_the_turn),
        (pile_has_a_card,),
        (next_card_agrees_with_what_is_seen,),
    ),
    flip,
)
CLAIM = Move(
    Claim,
    (
        (game_goes_on, cards_are_turned_and_claimed),
        (hands_are_at_the_table,),
        (touched_cards_are_visible,),
        (claim_without_hands_has_something_to_do, players_have_two_hands),
        (sets_are_given_up_for_mistakes,),
        (uncovered_tops_agree_with_what_is_seen,),
    ),
    claim,
    gathers="hands",
)
COUNT = Move(
    Count,
    (
        (game_goes_on, groups_are_counted),
        (seat_is_at_the_table, seat_counts_where_each_does),
        (counted_cards_are_in_the_deck,),
    ),
    count,
    counts="groups",
)
MOVES = (FLIP, CLAIM, COUNT)
