"""The index of the rulebook: one line for each thing the referee of gin rummy can say."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from engines.core.rulings import decides, forbids, happens, refutes, undetermined
from engines.core.shape import Length
from engines.gin_rummy.model import (
    Card,
    CardOrUnknown,
    Cards,
    Count,
    Kind,
    LaidCards,
    MeldIndex,
    Melds,
    Phase,
    Points,
    Seat,
)

Seats: TypeAlias = Annotated[tuple[Seat, ...], Length(1, 2)]
Counts: TypeAlias = tuple[Count, Count]
Source: TypeAlias = Literal["stock", "discards"]
Declared: TypeAlias = Literal["knock", "gin", "big-gin"]
Item: TypeAlias = Literal[
    "difference", "gin-bonus", "undercut-bonus", "big-gin-bonus", "spades", "line-bonus", "game-bonus", "shutout"
]

# Moves refused.
NOT_A_DECK = forbids("GR-1.1", "not-a-deck", card=Card)
DRAWN_ELSEWHERE = forbids("GR-1.1", "drawn-elsewhere", card=Card)
NOT_A_MELD = forbids("GR-2.1", "not-a-meld", cards=Cards)
ACE_IS_LOW = forbids("GR-1.1", "ace-is-low", cards=Cards)
SHOWN_ELSEWHERE = forbids("GR-1.1", "shown-elsewhere", card=Card)
SHOWN_TOO_MANY = forbids("GR-1.2", "shown-too-many", seat=Seat, count=Count, unseen=Count)
IN_TWO_MELDS = forbids("GR-2.2", "in-two-melds", card=Card)
UPCARD_FIRST = forbids("GR-3.1", "upcard-first")
UPCARD_IS_PAST = forbids("GR-3.1", "upcard-is-past")
STOCK_AFTER_PASSES = forbids("GR-3.1", "stock-after-passes")
DRAW_FIRST = forbids("GR-4.1", "draw-first")
HAS_DRAWN = forbids("GR-4.1", "has-drawn", turn=Seat)
NOTHING_TO_DRAW = forbids("GR-4.1", "nothing-to-draw")
DRAWN_OTHERWISE = forbids("GR-4.1", "drawn-otherwise", card=Card, top=Card)
ONLY_TO_KNOCK = forbids("GR-4.3", "only-to-knock", "stock_end")
MUST_KNOCK = forbids("GR-4.3", "must-knock", "stock_end")
JUST_TAKEN = forbids("GR-4.2", "just-taken", card=Card)
SHOWN_WITHOUT_TAKEN = forbids("GR-4.2", "shown-without-taken", card=Card)
NOT_YOUR_TURN = forbids("GR-4.4", "not-your-turn", seat=Seat, turn=Seat)
NOT_HELD = forbids("GR-4.4", "not-held", seat=Seat, card=Card)
DISCARD_MISSING = forbids("GR-5.1", "discard-missing")
_TOO_HEAVY = {"points": Points, "exact": bool, "limit": Points, "upcard": CardOrUnknown}
"""`exact`: false where unseen cards may add to the points."""
_REFUSED = {**_TOO_HEAVY, "melds": Melds | None, "deadwood_cards": Cards | None}
"""Melds and unmatched cards: null where not `exact`."""
KNOCK_TOO_HEAVY = forbids("GR-5.2", "knock-too-heavy", **_REFUSED)
OKLAHOMA_TOO_HEAVY = forbids("GR-5.3", "knock-too-heavy", **_REFUSED)
ACE_TOO_HEAVY = OKLAHOMA_TOO_HEAVY.decided_by("oklahoma_ace")
BIG_GIN_NOT_PLAYED = forbids("GR-5.5", "big-gin-not-played", "big_gin")
BIG_GIN_DISCARDS_NOTHING = forbids("GR-5.5", "big-gin-discards-nothing", card=Card)
NOT_BIG_GIN = forbids("GR-5.5", "not-big-gin", count=Count, exact=bool)
NOBODY_KNOCKED = forbids("GR-6.1", "nobody-knocked")
ONLY_THE_LAY_OFF = forbids("GR-6.1", "only-the-lay-off")
KNOCKER_LAYS_NOTHING_OFF = forbids("GR-6.1", "knocker-lays-nothing-off", seat=Seat)
NO_SUCH_MELD = forbids("GR-6.1", "no-such-meld", meld=MeldIndex, melds=Count)
NOT_UNMATCHED = forbids("GR-6.1", "not-unmatched", card=Card)
LAID_OFF_TWICE = forbids("GR-6.1", "laid-off-twice", card=Card)
DOES_NOT_FIT = forbids("GR-6.1", "does-not-fit", card=Card, cards=Cards)
NONE_AGAINST_GIN = forbids("GR-6.2", "none-against-gin")
HAND_NOT_OVER = forbids("GR-8.3", "hand-not-over")
ONLY_THE_DEAL = forbids("GR-8.3", "only-the-deal")
GAME_IS_OVER = forbids("GR-8.3", "game-is-over")

# What happened.
DEALT_AGAIN = happens("GR-1.4", "dealt", dealer=Seat, hand=Count, upcard=CardOrUnknown, counts=Counts)
DEALT = DEALT_AGAIN.decided_by("next_dealer")
TOOK_UPCARD = happens("GR-3.1", "drew", **{"seat": Seat, "from": Source, "card": CardOrUnknown})
PASSED = happens("GR-3.1", "passed", seat=Seat)
PASSED_LAST = happens("GR-4.3", "passed", "stock_end", seat=Seat)
DREW = happens("GR-4.1", "drew", **{"seat": Seat, "from": Source, "card": CardOrUnknown})
DISCARDED = happens("GR-4.1", "discarded", seat=Seat, card=Card)
_KNOCKED = {
    "seat": Seat,
    "kind": Declared,
    "discard": Card | None,
    "melds": Melds,
    "deadwood_cards": Cards,
    "deadwood": Points,
}
KNOCKED = happens("GR-5.1", "knocked", **_KNOCKED)
GIN = happens("GR-5.4", "knocked", **_KNOCKED)
BIG_GIN = happens("GR-5.5", "knocked", "big_gin", **_KNOCKED)
_LAID_OFF = {
    "seat": Seat,
    "melds": Melds,
    "lay_offs": LaidCards,
    "cards": Cards,
    "deadwood_cards": Cards,
    "deadwood": Points,
}
LAID_OFF = happens("GR-6.1", "laid-off", **_LAID_OFF)
LAID_NOTHING_OFF = happens("GR-6.2", "laid-off", **_LAID_OFF)
_SCORED = {
    "seat": Seat,
    "item": Item,
    "points": Points,
    "more": Points | None,
    "less": Points | None,
    "hands": Count | None,
    "each": Points | None,
}
SPADES = happens("GR-5.3", "scored", "oklahoma_spades", **_SCORED)
DIFFERENCE = happens("GR-7.1", "scored", **_SCORED)
UNDERCUT_DIFFERENCE = happens("GR-7.2", "scored", **_SCORED)
UNDERCUT_BONUS = happens("GR-7.2", "scored", "undercut_bonus", **_SCORED)
GIN_DIFFERENCE = happens("GR-7.4", "scored", **_SCORED)
GIN_BONUS = happens("GR-7.4", "scored", "gin_bonus", **_SCORED)
BIG_GIN_DIFFERENCE = happens("GR-7.5", "scored", **_SCORED)
BIG_GIN_BONUS = happens("GR-7.5", "scored", "big_gin", **_SCORED)
LINE_BONUS = happens("GR-8.2", "scored", "line_bonus", **_SCORED)
GAME_BONUS = happens("GR-8.2", "scored", "game_bonus", **_SCORED)
SHUTOUT = happens("GR-8.2", "scored", "shutout", **_SCORED)
_OVER = {
    "seat": Seat | None,
    "points": Points,
    "kind": Kind,
    "stock": Count | None,
    "difference": Points | None,
    "bonus": Points | None,
    "spades": Points | None,
    "knocker": Points | None,
    "unmatched": Points | None,
    "laid_off": Points | None,
    "defender": Points | None,
}
DEAD = happens("GR-4.3", "hand-over", "stock_end", **_OVER)
WON_BY_KNOCK = happens("GR-7.1", "hand-over", **_OVER)
WON_BY_UNDERCUT = happens("GR-7.2", "hand-over", **_OVER)
EQUAL = happens("GR-7.3", "hand-over", "equal_deadwood", **_OVER)
WON_BY_GIN = happens("GR-7.4", "hand-over", **_OVER)
WON_BY_BIG_GIN = happens("GR-7.5", "hand-over", **_OVER)
GAME_OVER = happens("GR-8.1", "game-over", winners=Seats, totals=tuple[Points, Points])

# What an option decided, though no event says so.
STOCK_GOES_ON = decides("GR-4.3", "stock-goes-on", "stock_end")
ACE_IS_ONE = decides("GR-5.3", "ace-is-one", "oklahoma_ace")
NO_SPADES = decides("GR-5.3", "spades-count-once", "oklahoma_spades")
NO_UNDERCUT_BONUS = decides("GR-7.2", "no-undercut-bonus", "undercut_bonus")
NO_GIN_BONUS = decides("GR-7.4", "no-gin-bonus", "gin_bonus")
NO_LINE_BONUS = decides("GR-8.2", "no-line-bonus", "line_bonus")
NO_GAME_BONUS = decides("GR-8.2", "no-game-bonus", "game_bonus")
NO_SHUTOUT = decides("GR-8.2", "no-shutout", "shutout")

# What a posted state cannot be.
CARD_TWICE = refutes("GR-1.1", "card-twice", card=Card)
TOO_MANY_CARDS = refutes("GR-1.1", "too-many-cards", count=Count)
_SIZE = {"seat": Seat, "count": Count, "least": Count, "most": Count}
HAND_TOO_SMALL = refutes("GR-1.2", "hand-too-small", **_SIZE)
HAND_TOO_BIG = refutes("GR-1.2", "hand-too-big", **_SIZE)
STOCK_TOO_BIG = refutes("GR-1.2", "stock-too-big", count=Count, most=Count)
WINNER_AT_ODDS = refutes("GR-1.4", "winner-at-odds", kind=Kind)
SHOWN_ACE_IS_LOW = refutes("GR-1.1", "shown-ace-is-low", cards=Cards)
SHOWN_NOT_A_MELD = refutes("GR-2.1", "shown-not-a-meld", cards=Cards)
SHOWN_TWICE = refutes("GR-2.2", "shown-twice", card=Card)
UPCARD_ASTRAY = refutes("GR-3.1", "upcard-astray")
BOTH_HAVE_PASSED = refutes("GR-3.1", "both-have-passed")
UPCARD_OUT_OF_TURN = refutes("GR-3.1", "upcard-out-of-turn", turn=Seat)
TAKEN_OUT_OF_PHASE = refutes("GR-4.2", "taken-out-of-phase", phase=Phase)
TAKEN_NOT_HELD = refutes("GR-4.2", "taken-not-held", card=Card)
STOCK_RUN_OUT = refutes("GR-4.3", "stock-run-out")
NO_LAST_KNOCK = refutes("GR-4.3", "no-last-knock", seat=Seat)
NOBODY_ON_TURN = refutes("GR-4.4", "nobody-on-turn", phase=Phase)
SHOWN_NOT_HELD = refutes("GR-4.4", "shown-not-held", seat=Seat, card=Card)
NO_KNOCK = refutes("GR-5.1", "no-knock")
KNOCK_OUT_OF_PHASE = refutes("GR-5.1", "knock-out-of-phase", phase=Phase)
SHOWN_TOO_HEAVY = refutes("GR-5.2", "shown-too-heavy", **_TOO_HEAVY)
SHOWN_OVER_OKLAHOMA = refutes("GR-5.3", "shown-too-heavy", **_TOO_HEAVY)
DEFENDER_NOT_ON_TURN = refutes("GR-6.1", "defender-not-on-turn", seat=Seat)
GIN_NOT_SETTLED = refutes("GR-6.2", "gin-not-settled")
GAME_SHOULD_BE_OVER = refutes("GR-8.1", "game-should-be-over", score=Points, target=Points)
NOBODY_HAS_WON = refutes("GR-8.1", "nobody-has-won", target=Points)
BOTH_HAVE_WON = refutes("GR-8.1", "both-have-won", target=Points)
ON_TURN_BETWEEN_HANDS = refutes("GR-8.3", "on-turn-between-hands", phase=Phase)

# What has to be seen before a move can be applied.
DEALER_UNSEEN = undetermined("GR-1.4", "dealer-unseen")
WINNER_UNSEEN = undetermined("GR-1.4", "winner-unseen")
UPCARD_UNSEEN = undetermined("GR-3.1", "upcard-unseen")
DISCARD_UNSEEN = undetermined("GR-4.1", "discard-unseen")
STOCK_UNSEEN = undetermined("GR-4.3", "stock-unseen")
SUIT_UNSEEN = undetermined("GR-5.3", "suit-unseen")
KNOCKER_UNSEEN = undetermined("GR-5.4", "knocker-unseen", seat=Seat)
DEFENDER_UNSEEN = undetermined("GR-5.6", "defender-unseen", seat=Seat)
DEADWOOD_UNSEEN = undetermined("GR-6.3", "deadwood-unseen", seat=Seat)
GIN_DEADWOOD_UNSEEN = undetermined("GR-7.4", "deadwood-unseen", seat=Seat)
