"""The index of the rulebook: one line for each thing the referee of Twins can say."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from engines.core.rulings import decides, forbids, happens, refutes, undetermined
from engines.core.shape import Length, Unknown, Whole
from engines.twins.combinations import Kind
from engines.twins.model import Card, CardOrUnknown, Chips, Number, Phase, Seat, Seats, Shown

TrickNumber: TypeAlias = Annotated[int, Whole(1, 4)]
Strength: TypeAlias = Annotated[int, Whole(1, 19)]
Count: TypeAlias = Annotated[int, Whole(0, 99_999)]
Counts: TypeAlias = Annotated[tuple[Annotated[int, Whole(0, 60)], ...], Length(3, 6)]
Lies: TypeAlias = Literal["hands", "plays", "stock", "discards"] | None  #: In which zone a card is seen.
Owner: TypeAlias = Annotated[Seat | None, Unknown()]  #: Whose hand or play it is; None for the stock and the discards.
Shows: TypeAlias = Annotated[tuple[Shown, ...], Length(1, 6)]
Totals: TypeAlias = Annotated[tuple[Chips, ...], Length(3, 6)]

# Moves refused.
NOT_BETWEEN_HANDS = forbids("TW-7.5", "only-the-deal")
GAME_IS_OVER = forbids("TW-7.5", "game-is-over")
HAND_NOT_OVER = forbids("TW-7.5", "hand-not-over", phase=Literal["buying", "trick"])
BUYING_IS_OVER = forbids("TW-2.1", "buying-is-over")
BUYING_FIRST = forbids("TW-2.1", "buying-first")
NOT_YOUR_PURCHASE = forbids("TW-2.1", "not-your-purchase", seat=Seat, turn=Seat)
HAS_BOUGHT = forbids("TW-2.1", "has-bought", seat=Seat)
CANNOT_PAY = forbids("TW-2.3", "cannot-pay", price=Chips, chips=Chips)
STOCK_TOO_SHORT = forbids("TW-2.1", "stock-too-short", count=Count, stock=Count)
DRAWN_COUNT = forbids("TW-2.1", "drawn-count", count=Count, named=Count)
DRAWN_OTHERWISE = forbids("TW-2.1", "drawn-otherwise", card=Card, top=Card)
DRAWN_ELSEWHERE = forbids("TW-1.2", "drawn-elsewhere", card=Card, lies=Lies, owner=Owner)
NAMED_TWICE = forbids("TW-1.2", "named-twice", card=Card)
NOT_AT_TABLE = forbids("TW-7.6", "not-at-table", seat=Seat)
IS_BANKRUPT = forbids("TW-7.6", "is-bankrupt", seat=Seat)
MISSES_TRICK = forbids("TW-7.6", "misses-trick", seat=Seat)
HAS_PLACED = forbids("TW-7.6", "has-placed", seat=Seat)
NOT_HELD = forbids("TW-7.6", "not-held", seat=Seat, card=Card, lies=Lies, owner=Owner)
NOT_A_DECK = forbids("TW-1.2", "not-a-deck", card=Card)

# What happened.
DEALT = happens("TW-1.5", "dealt", dealer=Annotated[Seat | None, Unknown()], hand=Number, counts=Counts)
BOUGHT = happens(
    "TW-2.2",
    "bought",
    seat=Seat,
    count=Annotated[int, Whole(0, 2)],
    price=Annotated[int, Whole(0, 3)],
    cards=Annotated[tuple[CardOrUnknown, ...], Length(0, 2)],
)
PLACED = happens("TW-4.1", "placed", seat=Seat)
REVEALED = happens("TW-3.5", "revealed", plays=Shows)
_WITH = {"kind": Kind, "strength": Strength}
_PAID = {"seat": Seat, "amount": Chips, **_WITH, "because": Literal["among-weakest", "tied-with-last"]}
PAID = happens("TW-4.3", "paid", **_PAID)
PAID_TIED_FIRST = happens("TW-5.1", "paid", **_PAID)
PAID_TIED_THIRD = happens("TW-5.3", "paid", **_PAID)
_WON = {"seat": Seat, "amount": Chips, **_WITH, "because": Literal["among-best", "best", "tied-and-covered", "split"]}
WON = happens("TW-4.3", "won", **_WON)
WON_SHORT = happens("TW-6.1", "won", **_WON)
WON_TIED = happens("TW-5.2", "won", "second_trick_ties", **_WON)
WON_SPLIT = happens("TW-6.2", "won", "short_pot_ties", **_WON)
_UNPAID = {"seats": Seats, **_WITH, "because": Literal["tied-too-many", "tied-short", "empty-pot"]}
UNPAID_EMPTY = happens("TW-6.1", "unpaid", **_UNPAID)
UNPAID_TIED = happens("TW-5.2", "unpaid", "second_trick_ties", **_UNPAID)
UNPAID_SHORT = happens("TW-6.2", "unpaid", "short_pot_ties", **_UNPAID)
BANKRUPTED = happens("TW-7.1", "bankrupted", seat=Seat, owed=Chips, had=Chips, **_WITH)
SITS_OUT = happens("TW-4.3", "sits-out", seat=Seat)
SITS_OUT_TIED = happens("TW-5.3", "sits-out", seat=Seat)
POT_EMPTY = happens("TW-4.3", "pot-kept", pot=Chips, seats=Seats)
POT_KEPT_TIED = happens("TW-5.4", "pot-kept", pot=Chips, seats=Seats)
POT_KEPT_EMPTY_TRICK = happens("TW-5.5", "pot-kept", pot=Chips, seats=Seats)
HAND_OVER = happens("TW-4.1", "hand-over")
GAME_OVER = happens("TW-7.4", "game-over", winners=Seats, chips=Chips, totals=Totals)

# What an option decided, though no event says so.
NEXT_HAND_BEGINS = decides("TW-2.1", "next-hand-begins", "buying")

# What a posted state cannot be.
SEATS_DISAGREE = refutes("TW-1.1", "seats-disagree", seats=Count, found=Count)
NO_SUCH_SEAT = refutes("TW-1.1", "no-such-seat", seat=Seat, seats=Count)
CARD_TWICE = refutes("TW-1.2", "card-twice", card=Card)
TOO_MANY_CARDS = refutes("TW-1.2", "too-many-cards", count=Count)
CHIPS_ASTRAY = refutes("TW-1.4", "chips-astray", sum=Count, due=Count)
_SIZE = {"seat": Seat, "count": Count, "least": Count, "most": Count}
HAND_TOO_SMALL = refutes("TW-2.1", "hand-too-small", **_SIZE)
HAND_TOO_BIG = refutes("TW-2.1", "hand-too-big", **_SIZE)
STOCK_TOO_BIG = refutes("TW-1.5", "stock-too-big", count=Count, most=Count)
DISCARDS_TOO_MANY = refutes("TW-4.2", "discards-too-many", count=Count, most=Count)
FIRST_HAND_ONLY = refutes("TW-2.1", "first-hand-only", hand=Number)
BOUGHT_OUT_OF_TURN = refutes("TW-2.1", "bought-out-of-turn", seat=Seat)
TURN_OUT_OF_PHASE = refutes("TW-2.1", "turn-out-of-phase", phase=Phase)
ALL_HAVE_BOUGHT = refutes("TW-2.1", "all-have-bought")
TRICK_MISSING = refutes("TW-4.1", "trick-missing")
NOT_SETTLED = refutes("TW-4.1", "not-settled")
PLACED_OUT_OF_PHASE = refutes("TW-4.1", "placed-out-of-phase", phase=Phase)
OUT_TOO_EARLY = refutes("TW-4.3", "out-too-early", seat=Seat)
NOBODY_LEFT = refutes("TW-5.5", "nobody-left", trick=TrickNumber)
BANKRUPT_WITH_CHIPS = refutes("TW-7.1", "bankrupt-with-chips", seat=Seat, chips=Chips)
BANKRUPT_TOO_LATE = refutes("TW-7.2", "bankrupt-too-late", phase=Phase)
OVER_WITHOUT_BANKRUPT = refutes("TW-7.2", "over-without-bankrupt")
PLACED_THOUGH_OUT = refutes("TW-7.6", "placed-though-out", seat=Seat)

# What has to be seen before a move can be applied.
DEALER_UNSEEN = undetermined("TW-1.5", "dealer-unseen")
LAST_PURCHASE_UNSEEN = undetermined("TW-2.1", "last-purchase-unseen")
PLAY_UNSEEN = undetermined("TW-3.5", "play-unseen", seat=Seat)
