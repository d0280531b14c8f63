"""Legality: one function a clause, and the rows that order them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from engines.core.dealing import dealing
from engines.core.engine import Move, Objections
from engines.core.hidden import not_held, without
from engines.core.judge import refused_in
from engines.core.rulings import Forbids, Unverified, Violation
from engines.gin_rummy import rulings
from engines.gin_rummy.deadwood import least_deadwood, points_of
from engines.gin_rummy.lay_off import fits
from engines.gin_rummy.melds import BITS, CARDS, ace_would_be_high, best_arrangement, bits_of, meld_of, names_of
from engines.gin_rummy.model import Deal, Discard, Draw, Knock, LayOff, Melds, Pass, State, TakeUpcard
from engines.gin_rummy.moves import deal, discard, draw, knock, lay_off, pass_by, take_upcard
from engines.gin_rummy.table import (
    BIG,
    HANDS,
    ZONES,
    a_knock_is_possible,
    as_shown,
    highest_limit,
    laid_open,
    last_turn,
    least_with_unseen,
    limit,
    oklahoma_ace_decides,
    stock_left,
    top_of,
    whole_hand,
)

BETWEEN_HANDS: dict[str, Forbids] = {"hand-over": rulings.ONLY_THE_DEAL, "game-over": rulings.GAME_IS_OVER}


def gin_takes_no_lay_offs(state: State, move: LayOff) -> Objections:
    """GR-6.2."""
    last = state.last_hand
    ended_with_gin = state.phase in BETWEEN_HANDS and last is not None and last.kind in ("gin", "big-gin")
    return rulings.NONE_AGAINST_GIN.violated() if ended_with_gin else None


def nothing_is_drawn_yet(state: State, move: Draw) -> Objections:
    """GR-4.1: one card a turn. The refusal names the seat that has to discard."""
    return rulings.HAS_DRAWN.violated(turn=state.turn) if state.phase == "discard" else None


def seat_is_on_turn(state: State, move: TakeUpcard | Pass | Draw | Discard | Knock | LayOff) -> Objections:
    """GR-4.4."""
    if move.seat == state.turn:
        return None
    return rulings.NOT_YOUR_TURN.violated("/seat", seat=move.seat, turn=state.turn)


def knocker_lays_nothing_off(state: State, move: LayOff) -> Objections:
    """GR-6.1."""
    if move.seat == state.turn:
        return None
    return rulings.KNOCKER_LAYS_NOTHING_OFF.violated("/seat", seat=move.seat)


def drawn_card_lies_nowhere_else(state: State, move: Draw) -> Objections:
    """GR-1.1, GR-3.1: each card is there once, and the upcard never in the stock."""
    if move.drawn is None or move.drawn == _top(state, move):
        return None
    is_upcard = move.from_ == "stock" and move.drawn == state.upcard
    if is_upcard or move.drawn in ZONES.seen(state):
        return rulings.DRAWN_ELSEWHERE.violated("/drawn", card=move.drawn)
    return None


def stock_after_two_passes(state: State, move: Draw) -> Objections:
    """GR-3.1: nobody wanted the upcard; it is not there to be drawn."""
    if state.passes < 2 or move.from_ == "stock":
        return None
    return rulings.STOCK_AFTER_PASSES.violated("/from")


def there_is_a_card_to_draw(state: State, move: Draw) -> Objections:
    """GR-4.1."""
    nothing = stock_left(state) == 0 if move.from_ == "stock" else state.discards == ()
    return rulings.NOTHING_TO_DRAW.violated("/from") if nothing else None


def drawn_card_is_the_top(state: State, move: Draw) -> Objections:
    """GR-4.1: the card that the move says was drawn agrees with the pile, where it is seen."""
    top = _top(state, move)
    if move.drawn is None or top is None or top == move.drawn:
        return None
    return rulings.DRAWN_OTHERWISE.violated("/drawn", card=move.drawn, top=top)


def _top(state: State, move: Draw) -> str | None:
    """The top card of the pile that is drawn from, where it is seen."""
    return top_of(state.stock if move.from_ == "stock" else state.discards)


def last_draw_is_for_a_knock(state: State, move: Draw) -> Objections:
    """GR-4.3: in the last turn, if one is played, only the top discard is drawn, and only to knock."""
    is_last = last_turn(state)
    if is_last is False:
        return None
    can_knock: bool | None = False
    if move.from_ == "discards":
        card = _top(state, move) or move.drawn
        can_knock = None if card is None else a_knock_is_possible(state, move.seat, drawn=card, taken=card)
    if can_knock:
        return None
    if is_last is None or can_knock is None:
        return rulings.ONLY_TO_KNOCK.unverified()
    return rulings.ONLY_TO_KNOCK.violated("/from")


def last_turn_ends_with_a_knock(state: State, move: Discard) -> Objections:
    """GR-4.3."""
    is_last = last_turn(state)
    if is_last is None:
        return rulings.MUST_KNOCK.unverified()
    return rulings.MUST_KNOCK.violated() if is_last else None


def upcard_or_last_discard_is_there_to_leave(state: State, move: Pass) -> Objections:
    """GR-3.1, GR-4.3: the upcard, or the last discard where that may be left."""
    is_last = state.phase == "draw" and last_turn(state)
    if is_last is None:
        return rulings.UPCARD_IS_PAST.unverified()
    return None if is_last else ON_THE_UPCARD(state, move)


def card_is_held(state: State, move: Discard) -> Objections:
    """GR-4.4."""
    return _held(state, move.seat, [("/card", move.card)])


def cards_shown_are_the_unseen_ones(state: State, move: Knock | LayOff) -> Objections:
    """GR-1.1, GR-1.2, GR-4.2: the cards shown lie nowhere else, are no more than the unseen ones of the hand, and have
    the card just taken among them, if they are all and the hand does not list it.
    """
    shown = move.shown or ()
    if not shown:
        return None
    discard = move.discard if isinstance(move, Knock) else None
    hand = HANDS.filled(state, move.seat)
    elsewhere = ZONES.seen(state) | {discard}
    objections: list[Violation] = [
        rulings.SHOWN_ELSEWHERE.violated(f"/shown/{place}", card=card)
        for place, card in enumerate(shown)
        if card in elsewhere or card in shown[:place]
    ]
    unseen = hand.count(None)
    if discard is not None and discard not in hand:
        unseen -= 1
    if len(shown) > unseen:
        params = {"seat": move.seat, "count": len(shown), "unseen": max(unseen, 0)}
        objections.append(rulings.SHOWN_TOO_MANY.violated("/shown", **params))
    taken = state.taken
    if taken is not None and len(shown) == unseen and taken not in (*hand, *shown, discard):
        objections.append(rulings.SHOWN_WITHOUT_TAKEN.violated("/shown", card=taken))
    return objections


def discard_and_melds_are_held(state: State, move: Knock) -> Objections:
    """GR-4.4: the discarded card is gone and can be in no meld."""
    state = as_shown(state, move)
    named = [] if move.discard is None else [("/discard", move.discard)]
    return _held(state, move.seat, named + _once(_in_melds(move)))


def melds_and_lay_offs_are_held(state: State, move: LayOff) -> Objections:
    """GR-4.4."""
    state = as_shown(state, move)
    laid = [(f"/lay_offs/{place}/card", each.card) for place, each in enumerate(move.lay_offs or ())]
    return _held(state, move.seat, _once([*_in_melds(move), *laid]))


def _in_melds(move: Knock | LayOff) -> Iterator[tuple[str, str]]:
    """Every card of the stated melds, with its pointer."""
    for place, meld in enumerate(move.melds or ()):
        for index, card in enumerate(meld):
            yield f"/melds/{place}/{index}", card


def _once(named: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Each card at its first place. Other clauses judge a card that is named again."""
    first: dict[str, str] = {}
    for pointer, card in named:
        first.setdefault(card, pointer)
    return [(pointer, card) for card, pointer in first.items()]


def _held(state: State, seat: int, named: list[tuple[str, str]]) -> Objections:
    """GR-4.4: the objections to cards that a seat does not hold. `named`: their pointers and names."""
    if not named:
        return None
    cards = [card for _pointer, card in named]
    hand = whole_hand(state, seat)
    if None not in hand and len(set(cards)) == len(cards) and set(hand).issuperset(cards):
        return None
    missing = not_held(cards, hand, ZONES.seen(state))
    if missing is None:
        return rulings.NOT_HELD.unverified()
    return [rulings.NOT_HELD.violated(named[index][0], seat=seat, card=cards[index]) for index in missing]


def discard_was_not_just_taken(state: State, move: Discard | Knock) -> Objections:
    """GR-4.2: neither as an ordinary discard nor as that of a knock."""
    card = move.card if isinstance(move, Discard) else move.discard
    if card is None or card != state.taken:
        return None
    pointer = "/card" if isinstance(move, Discard) else "/discard"
    return rulings.JUST_TAKEN.violated(pointer, card=card)


def stated_melds_are_melds(state: State, move: Knock | LayOff) -> Objections:
    """GR-1.1, GR-2.1."""
    return [
        (rulings.ACE_IS_LOW if ace_would_be_high(meld) else rulings.NOT_A_MELD).violated(f"/melds/{place}", cards=meld)
        for place, meld in enumerate(move.melds or ())
        if meld_of(meld) is None
    ]


def no_card_is_in_two_melds(state: State, move: Knock | LayOff) -> Objections:
    """GR-2.2."""
    melds = move.melds or ()
    before: set[str] = set()
    objections: list[Violation] = []
    for place, meld in enumerate(melds):
        objections += [
            rulings.IN_TWO_MELDS.violated(f"/melds/{place}/{index}", card=card)
            for index, card in enumerate(meld)
            if card in before
        ]
        before.update(meld)
    return objections


def knock_has_its_discard(state: State, move: Knock) -> Objections:
    """GR-5.1: a knock that is not big gin discards a card."""
    return None if move.big or move.discard is not None else rulings.DISCARD_MISSING.violated("/discard")


def knock_is_within_limit(state: State, move: Knock) -> Objections:
    """GR-5.2, GR-5.3, GR-5.6: by the melds as stated, else by the least deadwood."""
    melds = stated_melds(move.melds)
    if move.big:  # it has no limit
        return None
    if move.discard is None or melds is None:  # other clauses forbid the move
        return None
    pointer = "/discard" if move.melds is None else "/melds"
    rest = without(whole_hand(as_shown(state, move), move.seat), move.discard)
    hand = laid_open(rest, names_of(melds))
    if hand is None:
        least, _unmatched = least_with_unseen(state, rest, None if move.melds is None else melds, move.discard)
        objection = _too_heavy(state, least, pointer)
        return objection if isinstance(objection, Violation) else _limits_unseen(state)
    cards = bits_of(hand)
    points = least_deadwood(cards) if move.melds is None else points_of(cards & ~melds)
    return _too_heavy(state, points, pointer, (cards, move.melds))


def stated_melds(melds: Sequence[Sequence[str]] | None) -> int | None:
    """The cards of stated melds, as bits, 0 if there are none; None if one is no meld, or shares a card."""
    cards = 0
    for each in melds or ():
        meld = meld_of(each)
        if meld is None or meld & cards:
            return None
        cards |= meld
    return cards


def _too_heavy(state: State, points: int, pointer: str, layout: tuple[int, Melds | None] | None = None) -> Objections:
    """GR-5.2, GR-5.3: the objection to a knock with these points of deadwood, if there is one.

    `layout`: the cards kept, as bits, and the melds as stated, if they are; None: unseen cards may add to the points.
    """
    ruleset = state.ruleset
    most = highest_limit(ruleset, state.upcard)
    if points <= most.points:
        is_unsure = points > 0 and limit(ruleset, state.upcard) is None
        return rulings.OKLAHOMA_TOO_HEAVY.unverified() if is_unsure else None
    if oklahoma_ace_decides(ruleset, state.upcard, points):
        ruling = rulings.ACE_TOO_HEAVY
    elif most.by_upcard:
        ruling = rulings.OKLAHOMA_TOO_HEAVY
    else:
        ruling = rulings.KNOCK_TOO_HEAVY
    upcard = state.upcard if ruleset.oklahoma else None
    params = {"points": points, "exact": layout is not None, "limit": most.points, "upcard": upcard}
    return ruling.violated(pointer, **params, **_layout_params(layout))


def _layout_params(layout: tuple[int, Melds | None] | None) -> dict[str, Any]:
    """The melds and the unmatched cards of a hand, by their names in rulings."""
    if layout is None:
        return {"melds": None, "deadwood_cards": None}
    cards, stated = layout
    melds = best_arrangement(cards) if stated is None else [bits_of(meld) for meld in stated]
    unmatched = cards
    for meld in melds:
        unmatched &= ~meld
    return {"melds": tuple([names_of(meld) for meld in melds]), "deadwood_cards": names_of(unmatched)}


def _limits_unseen(state: State) -> list[Unverified]:
    """GR-5.2, GR-5.3: the clauses by which a hand that is not seen may be too heavy."""
    most = highest_limit(state.ruleset, state.upcard)
    if most.by_upcard:
        return [rulings.OKLAHOMA_TOO_HEAVY.unverified()]
    if limit(state.ruleset, state.upcard) is None:
        return [rulings.KNOCK_TOO_HEAVY.unverified(), rulings.OKLAHOMA_TOO_HEAVY.unverified()]
    return [rulings.KNOCK_TOO_HEAVY.unverified()]


def big_gin_is_played(state: State, move: Knock) -> Objections:
    """GR-5.5: with a bonus of 0 there is no big gin."""
    return rulings.BIG_GIN_NOT_PLAYED.violated("/big") if move.big and not state.ruleset.big_gin else None


def big_gin_discards_nothing(state: State, move: Knock) -> Objections:
    """GR-5.5."""
    if not move.big or move.discard is None:
        return None
    return rulings.BIG_GIN_DISCARDS_NOTHING.violated("/discard", card=move.discard)


def big_gin_melds_all_eleven(state: State, move: Knock) -> Objections:
    """GR-5.5, GR-5.6: by the melds as stated, or by some melds if none are."""
    melds = stated_melds(move.melds)
    if not move.big or melds is None:  # no big gin, or other clauses forbid the melds
        return None
    rest = whole_hand(as_shown(state, move), move.seat)
    hand = laid_open(rest, names_of(melds))
    if hand is None:
        _least, unmatched = least_with_unseen(state, rest, None if move.melds is None else melds)
        if unmatched:
            return rulings.NOT_BIG_GIN.violated("/big", count=BIG - unmatched, exact=False)
        return rulings.NOT_BIG_GIN.unverified()
    if move.melds is None:
        melds = sum(best_arrangement(bits_of(hand)))
    matched = melds.bit_count()
    return None if matched == BIG else rulings.NOT_BIG_GIN.violated("/big", count=matched, exact=True)


def lay_offs_fit(state: State, move: LayOff) -> Objections:
    """GR-6.1: unmatched cards, one after another, each where it fits when its turn comes."""
    assert state.knock is not None
    if not move.lay_offs:
        return None
    shown = [bits_of(meld) for meld in state.knock.melds]
    matched = {card for _pointer, card in _in_melds(move)}
    laid: set[str] = set()
    objections: list[Violation] = []
    for place, (card, meld) in enumerate((each.card, each.meld) for each in move.lay_offs):
        where = f"/lay_offs/{place}"
        if meld >= len(shown):
            objections.append(rulings.NO_SUCH_MELD.violated(f"{where}/meld", meld=meld, melds=len(shown)))
        elif card in matched:
            objections.append(rulings.NOT_UNMATCHED.violated(f"{where}/card", card=card))
        elif card in laid:
            objections.append(rulings.LAID_OFF_TWICE.violated(f"{where}/card", card=card))
        elif not fits(BITS[card], shown[meld]):
            cards = names_of(shown[meld])
            if ace_would_be_high((*cards, card)):
                objections.append(rulings.ACE_IS_LOW.violated(where, cards=(*cards, card)))
            else:
                objections.append(rulings.DOES_NOT_FIT.violated(where, card=card, cards=cards))
        else:
            shown[meld] |= BITS[card]
        laid.add(card)
    return objections


KNOCKED = BETWEEN_HANDS | {"lay-off": rulings.ONLY_THE_LAY_OFF}
ON_THE_UPCARD = refused_in(KNOCKED | {"draw": rulings.UPCARD_IS_PAST, "discard": rulings.UPCARD_IS_PAST})
BEFORE_DRAWING = refused_in(KNOCKED | {"upcard": rulings.UPCARD_FIRST})
AFTER_DRAWING = refused_in(KNOCKED | {"upcard": rulings.UPCARD_FIRST, "draw": rulings.DRAW_FIRST})
AFTER_A_KNOCK = refused_in(BETWEEN_HANDS | dict.fromkeys(("upcard", "draw", "discard"), rulings.NOBODY_KNOCKED))
AFTER_THE_HAND = {"game-over": rulings.GAME_IS_OVER} | dict.fromkeys(
    ("upcard", "draw", "discard", "lay-off"), rulings.HAND_NOT_OVER
)
"""GR-3.1, GR-4.1, GR-6.1, GR-8.3: the upcard, then draw and discard in turn, then the knock, then the deal."""

TURN = (seat_is_on_turn,)

TAKE_UPCARD = Move(TakeUpcard, ((ON_THE_UPCARD,), TURN), take_upcard)
PASS = Move(Pass, ((upcard_or_last_discard_is_there_to_leave,), TURN), pass_by)
DRAW = Move(
    Draw,
    (
        (BEFORE_DRAWING, nothing_is_drawn_yet),
        TURN,
        (drawn_card_lies_nowhere_else, stock_after_two_passes, there_is_a_card_to_draw, drawn_card_is_the_top),
        (last_draw_is_for_a_knock,),
    ),
    draw,
)
DISCARD = Move(
    Discard,
    ((AFTER_DRAWING,), TURN, (card_is_held,), (discard_was_not_just_taken, last_turn_ends_with_a_knock)),
    discard,
)
KNOCK = Move(
    Knock,
    (
        (AFTER_DRAWING,),
        TURN,
        (cards_shown_are_the_unseen_ones, discard_and_melds_are_held),
        (
            stated_melds_are_melds,
            no_card_is_in_two_melds,
            discard_was_not_just_taken,
            knock_has_its_discard,
            knock_is_within_limit,
            big_gin_is_played,
            big_gin_discards_nothing,
            big_gin_melds_all_eleven,
        ),
    ),
    knock,
)
LAY_OFF = Move(
    LayOff,
    (
        (gin_takes_no_lay_offs, AFTER_A_KNOCK),
        (seat_is_on_turn, knocker_lays_nothing_off),
        (cards_shown_are_the_unseen_ones, melds_and_lay_offs_are_held),
        (stated_melds_are_melds, no_card_is_in_two_melds, lay_offs_fit),
    ),
    lay_off,
)
DEAL = dealing(Deal, CARDS, deal, refused=AFTER_THE_HAND, not_a_deck=rulings.NOT_A_DECK)
MOVES = (TAKE_UPCARD, PASS, DRAW, DISCARD, KNOCK, LAY_OFF, DEAL)
