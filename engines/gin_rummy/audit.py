"""Every fault that a posted state can have: one function a clause, each fault by itself."""

from __future__ import annotations

from engines.core.engine import Audit
from engines.core.hidden import not_held
from engines.core.places import doubled
from engines.core.rulings import Fault, Unverified
from engines.core.several_hands import ends_at_the_target
from engines.gin_rummy import rulings
from engines.gin_rummy.checks import stated_melds
from engines.gin_rummy.deadwood import points_of
from engines.gin_rummy.melds import CARDS, ace_would_be_high, bits_of, meld_of
from engines.gin_rummy.model import State
from engines.gin_rummy.table import (
    BIG,
    EACH,
    HANDS,
    LAST_OF_STOCK,
    OVER,
    ZONES,
    a_knock_is_possible,
    highest_limit,
    laid_open,
    last_turn,
    least_with_unseen,
    limit,
    sizes,
    stock_left,
)

STOCK = len(CARDS) - 2 * EACH - 1  #: GR-1.2: what the deal leaves in the stock.


def stock_is_no_bigger_than_the_deal_leaves(state: State) -> Fault | None:
    """GR-1.2: 31 cards."""
    if state.stock is None or len(state.stock) <= STOCK:
        return None
    return rulings.STOCK_TOO_BIG.found("/stock", count=len(state.stock), most=STOCK)


def cards_not_listed_fit_into_the_pack(state: State) -> Fault | None:
    """GR-1.1: there are no more than fifty-two cards, those counted that a hand must have and does not list."""
    hands = zip(state.hands, sizes(state), strict=True)
    held = sum([max(len(hand), size.least) if None in hand else len(hand) for hand, size in hands])
    count = held + len(state.discards or ()) + len(state.stock or ())
    if count <= len(CARDS):
        return None
    if ZONES.count(state) > len(CARDS):  # the cards listed are too many already: `each_card_once` names that fault
        return None
    piles = ("/stock", state.stock), ("/discards", state.discards)
    return rulings.TOO_MANY_CARDS.found("/hands", *(pointer for pointer, pile in piles if pile), count=count)


def last_hand_was_won_or_not(state: State) -> Fault | None:
    """GR-1.4: a dead hand and equal deadwood are won by nobody, all else by a player."""
    last = state.last_hand
    if last is None:
        return None
    nobody_wins = last.kind in ("dead", "equal")
    if nobody_wins == (last.seat is None):
        return None
    return rulings.WINNER_AT_ODDS.found("/last_hand/seat", "/last_hand/kind", kind=last.kind)


def melds_shown_are_melds(state: State) -> list[Fault] | None:
    """GR-1.1, GR-2.1."""
    return [
        (rulings.SHOWN_ACE_IS_LOW if ace_would_be_high(meld) else rulings.SHOWN_NOT_A_MELD).found(
            f"/knock/melds/{place}", cards=meld
        )
        for place, meld in enumerate(state.knock.melds if state.knock is not None else ())
        if meld_of(meld) is None
    ] or None


def melds_shown_share_no_card(state: State) -> list[Fault] | None:
    """GR-2.2."""
    shown = [
        (f"/knock/melds/{place}/{index}", card)
        for place, meld in enumerate(state.knock.melds if state.knock is not None else ())
        for index, card in enumerate(meld)
    ]
    return [rulings.SHOWN_TWICE.found(*places, card=card) for card, places in doubled(shown).items()] or None


def upcard_lies_face_up(state: State) -> list[Fault] | None:
    """GR-3.1: until it is taken or the first card drawn, it alone is the discard pile. It is never in the stock."""
    faults = []
    upcard = state.upcard
    untouched = state.phase == "upcard" or (state.phase == "draw" and state.passes == 2)
    if untouched and state.discards is not None:
        lies_alone = len(state.discards) == 1 and (upcard is None or state.discards[0] in (None, upcard))
        if not lies_alone:
            faults.append(rulings.UPCARD_ASTRAY.found("/discards", "/upcard"))
    if upcard is not None:
        elsewhere = {"/stock": state.stock or ()}
        if untouched:
            elsewhere |= {f"/hands/{seat}": hand for seat, hand in enumerate(state.hands)}
        faults += [
            rulings.UPCARD_ASTRAY.found("/upcard", f"{pointer}/{cards.index(upcard)}")
            for pointer, cards in elsewhere.items()
            if upcard in cards
        ]
    return faults or None


def upcard_goes_round_once(state: State) -> Fault | Unverified | None:
    """GR-3.1: first to the player who did not deal, then to the dealer; then the first one draws."""
    if state.phase == "upcard" and state.passes == 2:
        return rulings.BOTH_HAVE_PASSED.found("/phase", "/passes")
    goes_round = state.phase == "upcard" or (state.phase == "draw" and state.passes == 2)
    if not goes_round or state.turn is None:
        return None
    if state.dealer is None:
        return rulings.UPCARD_OUT_OF_TURN.unverified()
    is_dealers_turn = state.passes == 1
    if is_dealers_turn == (state.turn == state.dealer):
        return None
    return rulings.UPCARD_OUT_OF_TURN.found("/turn", "/dealer", "/passes", turn=state.turn)


def card_taken_is_in_hand(state: State) -> Fault | Unverified | None:
    """GR-4.2."""
    card = state.taken
    if card is None:
        return None
    if state.phase != "discard":
        return rulings.TAKEN_OUT_OF_PHASE.found("/taken", "/phase", phase=state.phase)
    if state.turn is None or card in state.hands[state.turn]:
        return None
    if None in state.hands[state.turn] and card not in ZONES.seen(state):
        return rulings.TAKEN_NOT_HELD.unverified()
    return rulings.TAKEN_NOT_HELD.found("/taken", f"/hands/{state.turn}", card=card)


def stock_lasts_while_cards_are_drawn(state: State) -> Fault | None:
    """GR-4.3: nobody has to draw from an empty stock, nor under `last-discard` from fewer than two cards."""
    if state.phase != "draw":
        return None
    left = stock_left(state)
    least = LAST_OF_STOCK if state.ruleset.stock_end == "last-discard" else 1
    if left is None or left >= least:
        return None
    piles = ("/hands", "/discards") if state.stock is None else ("/stock",)
    return rulings.STOCK_RUN_OUT.found(*piles, "/phase")


def last_card_taken_is_to_knock_with(state: State) -> Fault | Unverified | None:
    """GR-4.3: under `last-discard` the last discard was drawn only if a knock is possible."""
    seat = state.turn
    if seat is None or state.phase != "discard" or last_turn(state) is False:
        return None
    hand = state.hands[seat]
    if None not in hand and (len(hand) != BIG or len(set(hand)) != BIG):  # other audits name that fault
        return None
    possible = a_knock_is_possible(state, seat, None, state.taken)
    if possible:
        return None
    if possible is None or last_turn(state) is None:
        return rulings.NO_LAST_KNOCK.unverified()
    return rulings.NO_LAST_KNOCK.found("/taken", f"/hands/{seat}", "/stock", seat=seat)


def somebody_is_on_turn(state: State) -> Fault | None:
    """GR-4.4, GR-8.3: during a hand one seat, between hands and after the game none."""
    if state.turn is None and state.phase not in OVER:
        return rulings.NOBODY_ON_TURN.found("/turn", "/phase", phase=state.phase)
    if state.turn is not None and state.phase in OVER:
        return rulings.ON_TURN_BETWEEN_HANDS.found("/turn", "/phase", phase=state.phase)
    return None


def melds_shown_are_held(state: State) -> list[Fault] | Unverified | None:
    """GR-4.4: the knocker holds the cards of the melds that the knock shows."""
    if state.knock is None:
        return None
    seat = state.knock.seat
    where: dict[str, str] = {}
    for place, meld in enumerate(state.knock.melds):
        for index, card in enumerate(meld):
            where.setdefault(card, f"/knock/melds/{place}/{index}")
    cards = list(where)
    missing = not_held(cards, HANDS.filled(state, seat), ZONES.seen(state))
    if missing is None:
        return rulings.SHOWN_NOT_HELD.unverified()
    return [
        rulings.SHOWN_NOT_HELD.found(where[cards[index]], f"/hands/{seat}", seat=seat, card=cards[index])
        for index in missing
    ] or None


def knock_waits_for_its_lay_off(state: State) -> Fault | None:
    """GR-5.1, GR-6.1: in the phase `lay-off`, and in no other, there is a knock, and the other seat is on turn."""
    if state.phase != "lay-off" and state.knock is None:
        return None
    if state.phase != "lay-off":
        return rulings.KNOCK_OUT_OF_PHASE.found("/knock", "/phase", phase=state.phase)
    if state.knock is None:
        return rulings.NO_KNOCK.found("/knock", "/phase")
    if state.turn == state.knock.seat:
        return rulings.DEFENDER_NOT_ON_TURN.found("/turn", "/knock/seat", seat=state.turn)
    return None


def knock_was_legal(state: State) -> Fault | Unverified | None:
    """GR-5.2, GR-5.3, GR-6.2: the knock was light enough, and not gin, which would have been settled."""
    if state.phase != "lay-off" or state.knock is None:
        return None
    melds = stated_melds(state.knock.melds)
    whole = HANDS.filled(state, state.knock.seat)
    hand = laid_open(whole, (card for meld in state.knock.melds for card in meld))
    is_faulty = hand is not None and (len(set(hand)) < len(hand) or (melds or 0) & ~bits_of(hand) != 0)
    if melds is None or is_faulty:  # other audits name these faults of melds and hand
        return None
    points = points_of(bits_of(hand) & ~melds) if hand is not None else least_with_unseen(state, whole, melds)[0]
    where = ("/knock/melds", f"/hands/{state.knock.seat}")
    ruleset, upcard = state.ruleset, state.upcard if state.ruleset.oklahoma else None
    if not points:
        return rulings.GIN_NOT_SETTLED.found(*where)
    most = highest_limit(ruleset, state.upcard)
    ruling = rulings.SHOWN_OVER_OKLAHOMA if most.by_upcard else rulings.SHOWN_TOO_HEAVY
    if points > most.points:
        return ruling.found(*where, points=points, exact=hand is not None, limit=most.points, upcard=upcard)
    if limit(ruleset, state.upcard) is None:
        return rulings.SHOWN_OVER_OKLAHOMA.unverified()
    return ruling.unverified() if hand is None else None


def game_ends_at_the_target(state: State) -> list[Fault] | Fault | None:
    """GR-8.1."""
    if min(state.scores) >= state.ruleset.target:
        return rulings.BOTH_HAVE_WON.found("/scores", target=state.ruleset.target)
    return _one_has_won_or_nobody(state)


_one_has_won_or_nobody = ends_at_the_target(rulings.NOBODY_HAS_WON, rulings.GAME_SHOULD_BE_OVER, equal_play_on=False)


AUDITS: tuple[Audit, ...] = (
    ZONES.each_card_once(rulings.CARD_TWICE, rulings.TOO_MANY_CARDS),
    HANDS.are_whole(rulings.HAND_TOO_SMALL, rulings.HAND_TOO_BIG),
    stock_is_no_bigger_than_the_deal_leaves,
    cards_not_listed_fit_into_the_pack,
    last_hand_was_won_or_not,
    melds_shown_are_melds,
    melds_shown_share_no_card,
    upcard_lies_face_up,
    upcard_goes_round_once,
    card_taken_is_in_hand,
    stock_lasts_while_cards_are_drawn,
    last_card_taken_is_to_knock_with,
    somebody_is_on_turn,
    melds_shown_are_held,
    knock_waits_for_its_lay_off,
    knock_was_legal,
    game_ends_at_the_target,
)
