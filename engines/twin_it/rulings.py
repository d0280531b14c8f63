"""The index of the rulebook: one line for each thing the referee of Twin it! can say."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from engines.core.rulings import decides, forbids, happens, refutes, undetermined
from engines.core.shape import Length, Player, Unknown, Whole
from engines.twin_it.designs import MOST_CARDS
from engines.twin_it.model import Card, CardOrUnknown, Cards, Design, Play, Seat, Team

Times: TypeAlias = Annotated[int, Whole(0, 9_999)]
Number: TypeAlias = Annotated[int, Whole(0, MOST_CARDS - 1)]
Index: TypeAlias = Annotated[int, Whole(0, MOST_CARDS)]
Side: TypeAlias = Annotated[int, Whole(0, 5), Player("side")]
Seats: TypeAlias = Annotated[tuple[Seat, ...], Length(1, 6)]
Sides: TypeAlias = Annotated[tuple[Side, ...], Length(1, 6)]
Designs: TypeAlias = Annotated[tuple[Design, ...], Length(1, MOST_CARDS)]
From: TypeAlias = Literal["table", "robbery", "own-pair"]
Rating: TypeAlias = Literal["beginners", "prospects", "experts", "geniuses"]
Ending: TypeAlias = Literal["winning-number", "most-sets", "most-points"]
Reason: TypeAlias = Literal["unequal", "card-twice", "counted-by-another"]
WhyHidden: TypeAlias = Literal["below-a-top", "other-side", "gone"]
WhyNothing: TypeAlias = Literal[
    "lone-hand", "own-top", "one-player-alone", "safe-set", "won-pair", "card-taken", "card-lost"
]
Cause: TypeAlias = Literal["won", "erred", "forbidden"]
"""What keeps hands from a set, beside `WhyNothing`: their design was won, or closed by a mistake, or is forbidden."""
WhyMistake: TypeAlias = Literal["two-designs", "one-player-both-hands", "forbidden-design"]
WhyTurned: TypeAlias = Literal["tie", "tied-robbery", "treble-won", "treble-unwon", "treble-erred"]

_FLIPPED: dict[str, Any] = {
    "seat": Seat,
    "card": Card,
    "design": Design,
    "uncovered": CardOrUnknown,
    "uncovered_design": Annotated[Design | None, Unknown()],
}
_SET_WON: dict[str, Any] = {"seat": Seat, "cards": Cards, "from": From, "design": Design}
_TIED: dict[str, Any] = {"seats": Seats, "cards": Cards, "designs": Designs}
_TURNED: dict[str, Any] = {"card": Card, "design": Design, "because": WhyTurned}
_NO_EFFECT: dict[str, Any] = {
    "seat": Seat,
    "cards": Cards,
    "because": WhyNothing,
    "below": Seats | None,
    "cause": Cause | None,
    "by": Seat | None,
}
_MISTAKE: dict[str, Any] = {
    "seat": Seat,
    "lost": Cards | None,
    "because": WhyMistake,
    "cards": Cards,
    "designs": Designs,
    "seats": Seats,
}
_REJECTED: dict[str, Any] = {
    "cards": Cards,
    "reason": Reason,
    "designs": Designs | None,
    "card": Card | None,
    "by": Seat | None,
}
_OVER: dict[str, Any] = {
    "winners": Sides,
    "because": Ending,
    "totals": Annotated[tuple[Times, ...], Length(1, 6)],
}
_COUNTED: dict[str, Any] = {"seat": Seat | None, "pairs": Times, "trebles": Times, "points": Times}

# Moves refused.
NO_SUCH_CARD = forbids("TI-1.1", "no-such-card", card=Card, count=Times)
UNCOVERED_ELSEWHERE = forbids("TI-1.1", "uncovered-elsewhere", card=Card)
NOT_AT_TABLE = forbids("TI-1.3", "not-at-table", seat=Seat)
NOT_YOUR_TURN = forbids("TI-2.1", "not-your-turn", seat=Seat, turn=Seat)
UNCOVERED_OTHERWISE = forbids("TI-2.1", "uncovered-otherwise", card=Card, top=Card)
NOTHING_UNCOVERED = forbids("TI-2.1", "nothing-uncovered", seat=Seat)
PILE_EMPTY = forbids("TI-2.2", "pile-empty", seat=Seat)
CARDS_LEFT = forbids("TI-2.2", "cards-left")
NOT_VISIBLE = forbids("TI-3.2", "not-visible", card=Card, because=Annotated[WhyHidden | None, Unknown()])
TOO_MANY_HANDS = forbids("TI-3.8", "too-many-hands", seat=Seat)
HAND_TWICE = forbids("TI-3.8", "hand-twice", seat=Seat, card=Card)
NO_MISTAKE_BY_OWN_TOP = forbids("TI-3.2", "no-mistake", "own_pile_top", seat=Seat)
NO_MISTAKE = forbids("TI-5.1", "no-mistake", seat=Seat)
NO_SUCH_SET = forbids("TI-5.1", "no-such-set", seat=Seat, set=Index)
LOST_TWICE = forbids("TI-5.1", "lost-twice", seat=Seat)
NOT_A_PAIR = forbids("TI-5.1", "not-a-pair", "mistake_loses", seat=Seat, set=Index)
GAME_IS_OVER = forbids("TI-6.2", "game-is-over")
NOT_IN_THIS_PLAY = forbids("TI-9.3", "not-in-this-play", ruleset=Play)
COUNTED_TOGETHER = forbids("TI-9.1", "counted-together", seat=Seat)
COUNTED_FOR_EACH = forbids("TI-10.1", "counted-for-each")
HAS_COUNTED = forbids("TI-10.1", "has-counted", seat=Seat)

# What happened.
FLIPPED = happens("TI-2.1", "flipped", **_FLIPPED)
SET_WON = happens("TI-3.3", "set-won", **_SET_WON)
SET_WON_THIRD = happens("TI-3.4", "set-won", **_SET_WON)
SET_WON_OF_TREBLE = happens("TI-4.5", "set-won", **_SET_WON)
SET_WON_BY_TEAM = happens("TI-8.1", "set-won", **_SET_WON)
ROBBED = happens("TI-3.4", "robbed", seat=Seat, by=Seat, cards=Cards)
OWN_TOP_JUDGED = decides("TI-3.2", "own-top-judged", "own_pile_top")
NO_EFFECT_OWN_TOP = happens("TI-3.2", "no-effect", "own_pile_top", **_NO_EFFECT)
NO_EFFECT_ONE_SET = happens("TI-3.5", "no-effect", **_NO_EFFECT)
NO_EFFECT = happens("TI-4.6", "no-effect", **_NO_EFFECT)
NO_EFFECT_ON_THIRD = happens("TI-4.7", "no-effect", **_NO_EFFECT)
TIED = happens("TI-4.2", "tied", **_TIED)
TIED_ROBBERY = happens("TI-4.4", "tied", **_TIED)
TIED_TEAMS = happens("TI-8.2", "tied", **_TIED)
TURNED = happens("TI-4.2", "turned", **_TURNED)
TURNED_FROM_PILE = happens("TI-4.3", "turned", **_TURNED)
TURNED_IN_ROBBERY = happens("TI-4.4", "turned", **_TURNED)
TURNED_IN_TREBLE = happens("TI-4.5", "turned", **_TURNED)
TREBLE = happens("TI-4.5", "treble", cards=Cards)
MISTAKE = happens("TI-5.1", "mistake", **_MISTAKE)
MISTAKE_FORBIDDEN = happens("TI-7.1", "mistake", **_MISTAKE)
MISTAKE_ALONE = happens("TI-8.1", "mistake", **_MISTAKE)
SET_LOST = decides("TI-5.1", "set-lost", "mistake_loses")
FREED = happens("TI-7.2", "freed", seat=Seat, design=Design)
REJECTED = happens("TI-9.1", "rejected", **_REJECTED)
REJECTED_COUNTED = happens("TI-10.1", "rejected", **_REJECTED)
COUNTED = happens("TI-9.1", "counted", **_COUNTED)
COUNTED_BY_SEAT = happens("TI-10.1", "counted", **_COUNTED)
RATED = happens("TI-9.2", "rated", points=Times, rating=Rating, players=Times, least=Times, most=Times | None)
OUT_OF_CARDS = happens("TI-2.2", "game-over", **_OVER)
WON = happens("TI-6.1", "game-over", **_OVER)
TIME_IS_UP = happens("TI-10.1", "game-over", **_OVER)

# What a posted state cannot be.
DESIGN_TOO_OFTEN = refutes("TI-1.1", "design-too-often", design=Design, times=Times)
UNKNOWN_CARD = refutes("TI-1.1", "unknown-card", card=Card, count=Times)
CARD_TWICE = refutes("TI-1.1", "card-twice", number=Number)
TOO_MANY_CARDS = refutes("TI-1.1", "too-many-cards", shown=Times, count=Times)
CARD_MISSING = refutes("TI-1.1", "card-missing", number=Number)
NOTHING_TO_DEAL = refutes("TI-1.2", "nothing-to-deal")
SEATS_UNFIT = refutes("TI-1.3", "seats-unfit", ruleset=Play, seats=Times, least=Times, most=Times)
ENTRIES_DISAGREE = refutes("TI-1.3", "entries-disagree", due=Times, found=Times)
TEAMS_MISSING = refutes("TI-1.3", "teams-missing")
TEAMS_UNFIT = refutes("TI-1.3", "teams-unfit", ruleset=Play)
TEAM_TOO_SMALL = refutes("TI-1.3", "team-too-small", team=Team, players=Times)
NO_SUCH_SEAT = refutes("TI-1.4", "no-such-seat", seat=Seat, seats=Times)
NOBODY_BEGINS = refutes("TI-1.4", "nobody-begins", ruleset=Play)
OVER_TOO_EARLY = refutes("TI-2.2", "over-too-early")
NOT_A_SET = refutes("TI-3.3", "not-a-set", cards=Cards)
TOO_MANY_SETS = refutes("TI-6.1", "too-many-sets", side=Side, sets=Times, most=Times)
TWO_WINNERS = refutes("TI-6.1", "two-winners", sides=Annotated[tuple[Side, ...], Length(2, 6)])
FORBIDDEN_ALIKE = refutes("TI-7.1", "forbidden-alike", side=Side, design=Design)
TOO_MANY_FORBIDDEN = refutes("TI-7.1", "too-many-forbidden", side=Side, count=Times)
TOO_FEW_FORBIDDEN = refutes("TI-7.1", "too-few-forbidden", side=Side, count=Times)
FORBIDDEN_TO_SEVERAL = refutes("TI-7.1", "forbidden-to-several", sides=Annotated[tuple[Side, ...], Length(2, 6)])
FORBIDDEN_TO_WRONG_TEAM = refutes("TI-8.4", "forbidden-to-wrong-team", team=Team)
ZONE_UNFIT = refutes("TI-9.3", "zone-unfit", ruleset=Play)
NOT_A_GROUP = refutes("TI-9.1", "not-a-group", cards=Cards)
COUNTED_TWICE = refutes("TI-9.1", "counted-twice", number=Number)
PHASE_DISAGREES = refutes("TI-10.1", "phase-disagrees")
PHASE_DISAGREES_TOGETHER = refutes("TI-9.1", "phase-disagrees")

# What has to be seen before a move can be applied.
TOP_UNSEEN = undetermined("TI-2.1", "top-unseen", seat=Seat)
HAND_UNPLACED = undetermined("TI-3.2", "hand-unplaced", card=Card)
TREBLE_UNSEEN = undetermined("TI-4.5", "treble-unseen", design=Design)
