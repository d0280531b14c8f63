"""What follows from a state: who may move, which cards are seen, how light a knock must be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from engines.core.hands import Hands, HandSize
from engines.core.records import changed, replaced
from engines.core.zones import Zones
from engines.gin_rummy.deadwood import POINTS, RANKS, least_deadwood, points_of
from engines.gin_rummy.melds import BITS, CARDS, bits_of
from engines.gin_rummy.model import Knock, LayOff, Ruleset, State
from engines.gin_rummy.unseen import Unmatched, cheapest, least_possible

POINTS_OF = {card: POINTS[place % RANKS] for place, card in enumerate(CARDS)}  #: GR-1.3.
ZONES = Zones(State, "hands", "stock", "discards", deck=CARDS)  #: GR-1.1: fifty-two cards, each once.
EACH = 10  #: GR-1.2: cards dealt to each player.
BIG = 11  #: GR-4.1, GR-5.5: the cards of a hand after a draw, and of big gin.
OVER = frozenset({"hand-over", "game-over"})


class Limit(NamedTuple):
    """The most deadwood that a knock may have; `by_upcard`: whether the upcard sets it (GR-5.3)."""

    points: int
    by_upcard: bool


def to_act(state: State) -> tuple[int | None, ...]:
    """The seats that may move now; None: the table."""
    if state.phase == "game-over":
        return ()
    return (state.turn,)


def sizes(state: State) -> tuple[HandSize, HandSize]:
    """GR-1.2, GR-4.1, GR-5.5: ten cards; eleven after a draw, and after big gin until the next deal."""
    return _size(state, 0), _size(state, 1)


def _size(state: State, seat: int) -> HandSize:
    """The least and the most cards of a seat's hand, as in `sizes`."""
    last = state.last_hand
    if state.phase == "discard" and state.turn == seat:
        return HandSize(BIG, BIG)
    if state.phase == "discard" and state.turn is None:  # a fault: either seat may have drawn
        return HandSize(EACH, BIG)
    if state.phase in OVER and last is not None and last.kind == "big-gin" and last.seat == seat:
        return HandSize(BIG, BIG)
    if state.phase in OVER and last is None and state.ruleset.big_gin and len(state.hands[1 - seat]) <= EACH:
        return HandSize(EACH, BIG)  # it may have gone big gin: how the hand ended is not known
    return HandSize(EACH, EACH)


HANDS = Hands(sizes)


def top_of(pile: Sequence[str | None] | None) -> str | None:
    """The card on top of a pile, where it is seen."""
    return pile[0] if pile else None


def face_up(state: State) -> str | None:
    """GR-3.1: the card on offer in the upcard round, where it is seen."""
    return top_of(state.discards) or state.upcard


def as_shown(state: State, move: Knock | LayOff) -> State:
    """GR-5.7: the cards that a move shows take the places of those of its hand that are not seen."""
    if not move.shown:
        return state
    shown = iter(move.shown)
    hand = tuple([next(shown, None) if card is None else card for card in HANDS.filled(state, move.seat)])
    return changed(state, hands=replaced(state.hands, move.seat, hand))


def whole_hand(state: State, seat: int) -> list[str | None]:
    """GR-4.2: every card of the seat on turn. One that is not seen is the card just taken, if the hand lacks that."""
    return with_taken(HANDS.filled(state, seat), state.taken)


def with_taken(hand: Sequence[str | None], taken: str | None) -> list[str | None]:
    """GR-4.2: the hand, in which an unseen card is the one just taken, where it does not list that."""
    cards = list(hand)
    if taken is not None and taken not in cards and None in cards:
        cards[cards.index(None)] = taken
    return cards


def pool(state: State, *elsewhere: str | None) -> int:
    """The cards, as bits, that an unseen card may be: those that are neither seen nor `elsewhere`."""
    return bits_of(set(CARDS) - ZONES.seen(state) - set(elsewhere))


def stock_left(state: State) -> int | None:
    """How many cards the stock has while a hand is played: as posted, else 52 less the hands and the discards."""
    if state.stock is not None:
        return len(state.stock)
    if state.discards is None:
        return None
    held = [size.most if None in hand else len(hand) for hand, size in zip(state.hands, sizes(state), strict=True)]
    return len(CARDS) - sum(held) - len(state.discards)


def laid_open(hand: Sequence[str | None], named: Iterable[str] = ()) -> tuple[str, ...] | None:
    """The hand with its unseen cards replaced by those named that are not seen in it; None if some stay unseen."""
    if None not in hand:
        return cast("tuple[str, ...]", tuple(hand))
    not_listed = iter([card for card in named if card not in hand])
    known = [next(not_listed, None) if card is None else card for card in hand]
    return None if None in known else cast("tuple[str, ...]", tuple(known))


LAST_OF_STOCK = 2  #: GR-4.3: the cards in the stock at which a hand ends, or its last turn begins.


def last_turn(state: State) -> bool | None:
    """GR-4.3: under `last-discard`, whether this turn is the last: after it, without a knock, the hand is dead.

    None: it may be, but the stock is not seen.
    """
    if state.ruleset.stock_end != "last-discard":
        return False
    may_take = state.phase == "draw" and state.passes < 2
    has_taken = state.phase == "discard" and state.taken is not None
    if not may_take and not has_taken:  # in the last turn no card is drawn from the stock
        return False
    left = stock_left(state)
    return None if left is None else left == LAST_OF_STOCK


def a_knock_is_possible(state: State, seat: int, drawn: str | None, taken: str | None) -> bool | None:
    """GR-4.3, GR-5: whether a seat can knock, after it has `drawn` a card, if any; None: too little is seen.

    `taken`: the card that it may not discard (GR-4.2).
    """
    cards = HANDS.filled(state, seat)
    known = with_taken(cards if drawn is None else (*cards, drawn), taken)
    hand = laid_open(known)
    if hand is None:
        return None if _may_knock(state, known, taken) else False
    bits = bits_of(hand)
    if state.ruleset.big_gin and not least_deadwood(bits):
        return True
    least = min(least_deadwood(bits ^ BITS[card]) for card in hand if card != taken)
    if least > highest_limit(state.ruleset, state.upcard).points:
        return False
    return None if least and limit(state.ruleset, state.upcard) is None else True


def _may_knock(state: State, hand: Sequence[str | None], taken: str | None) -> bool:
    """Whether a knock is possible, depending on which the unseen cards are. True if more than two are not seen.

    `taken`: the card that may not be discarded.
    """
    seen, unseen = bits_of({card for card in hand if card is not None}), hand.count(None)
    others = pool(state, *hand)
    if state.ruleset.big_gin and not least_possible(seen, unseen, others)[0]:
        return True
    most = highest_limit(state.ruleset, state.upcard).points
    if least_possible(seen, unseen - 1, others)[0] <= most:  # an unseen card is discarded
        return True
    discards = [card for card in hand if card is not None and card != taken]
    return any(least_possible(seen ^ BITS[card], unseen, others)[0] <= most for card in discards)


def least_with_unseen(
    state: State, hand: Sequence[str | None], melds: int | None = None, *elsewhere: str | None
) -> Unmatched:
    """GR-5.2, GR-5.6: the least deadwood that a hand can have, whichever cards its unseen ones are.

    `melds`: the cards of the melds that are stated, as bits; None: none are. `elsewhere`: cards that no unseen one is.
    """
    seen, unseen = bits_of({card for card in hand if card is not None}), hand.count(None)
    others = pool(state, *hand, *elsewhere)
    if melds is None:
        return least_possible(seen, unseen, others)
    melded_unseen = (melds & ~seen).bit_count()
    unseen_left = max(unseen - melded_unseen, 0)
    unmatched = seen & ~melds
    return points_of(unmatched) + cheapest(others & ~melds, unseen_left), unmatched.bit_count() + unseen_left


def limit(ruleset: Ruleset, upcard: str | None) -> Limit | None:
    """GR-5.2, GR-5.3: the limit of a knock; None where the upcard decides and is unseen."""
    return None if ruleset.oklahoma and upcard is None else highest_limit(ruleset, upcard)


def highest_limit(ruleset: Ruleset, upcard: str | None) -> Limit:
    """GR-5.2, GR-5.3: the limit of a knock; with an unseen upcard the highest that it may be: that of a king."""
    if not ruleset.oklahoma:
        return Limit(ruleset.knock_limit, by_upcard=False)
    card = upcard or "KS"
    points = 0 if card[0] == "A" and ruleset.oklahoma_ace == "gin" else POINTS_OF[card]
    return Limit(min(points, ruleset.knock_limit), by_upcard=points < ruleset.knock_limit)


def oklahoma_ace_decides(ruleset: Ruleset, upcard: str | None, points: int) -> bool:
    """GR-5.3: whether one value of `oklahoma_ace` allows a knock with these points, and the other forbids it.

    An ace as upcard limits a knock to 1 point under the value `one`, to none under the value `gin`.
    """
    is_ace = upcard is not None and upcard[0] == "A"
    return ruleset.oklahoma and is_ace and points == 1 and ruleset.knock_limit >= 1
