"""The index of the rulebook: one line for each thing the referee of Take That can say."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from engines.core.rulings import forbids, happens, refutes, undetermined
from engines.core.shape import Length, Whole
from engines.take_that.model import Card, CardOrUnknown, Cards, Count, Line, Phase, Places, Seat, Seats

Extra: TypeAlias = Annotated[int, Whole(0, 1)]
Playable: TypeAlias = Annotated[tuple[Card, ...], Length(1, 79)]
Counts: TypeAlias = Annotated[tuple[Count, ...], Length(2, 4)]
Tally: TypeAlias = Annotated[tuple[Count, ...], Length(2, 4)]
Lines: TypeAlias = Annotated[tuple[Line, ...], Length(2, 4)]
Scores: TypeAlias = Annotated[tuple[Annotated[int, Whole(-10_000, 10_000)], ...], Length(2, 4)]

# Moves refused.
NOT_A_DECK = forbids("TT-1.2", "not-a-deck", card=Card)
DRAWN_ELSEWHERE = forbids("TT-1.2", "drawn-elsewhere", card=Card)
DRAWN_OTHERWISE = forbids("TT-2.2", "drawn-otherwise", card=Card, top=Card)
NOTHING_TO_DRAW = forbids("TT-2.3", "nothing-to-draw", card=Card)
NOT_YOUR_TURN = forbids("TT-2.5", "not-your-turn", seat=Seat, turn=Seat)
NOT_HELD = forbids("TT-2.5", "not-held", seat=Seat, card=Card)
TOO_FAR = forbids("TT-3.1", "too-far", card=Card, end=Card, least=Card, most=Card)
ONLY_A_LAY = forbids("TT-3.2", "only-a-lay")
PARTNER_NOT_IN_ROW = forbids("TT-4.1", "partner-not-in-row", card=Card, partner=Card)
TOAD_STAYS = forbids("TT-4.2", "toad-stays", card=Card)
TAKE_NOT_FORCED = forbids("TT-5.1", "take-not-forced", seat=Seat, cards=Playable)
NOTHING_TO_TAKE = forbids("TT-5.2", "nothing-to-take")
MUST_TAKE = forbids("TT-5.4", "must-take", seat=Seat)
ONLY_THE_DEAL = forbids("TT-7.4", "only-the-deal", phase=Literal["round-over"])
ROUND_NOT_OVER = forbids("TT-7.4", "round-not-over")
GAME_IS_OVER = forbids("TT-7.4", "game-is-over")

# What happened.
DEALT = happens("TT-1.5", "dealt", dealer=Seat, round=Count, counts=Counts)
DREW = happens("TT-2.2", "drew", seat=Seat, card=CardOrUnknown)
LAID = happens("TT-3.1", "laid", seat=Seat, card=Card, index=Count)
OPENED = happens("TT-3.2", "laid", seat=Seat, card=Card, index=Count)
TWISTED = happens("TT-4.1", "twisted", seat=Seat, shown=Card, removed=Card, index=Count)
TOOK = happens("TT-5.1", "took", seat=Seat, cards=Cards, extra=Extra, indexes=Places)
TOOK_EMPTY_HANDED = happens("TT-5.4", "took", seat=Seat, cards=Cards, extra=Extra, indexes=Places)
TOOK_EXTRA = happens("TT-5.5", "took", seat=Seat, cards=Cards, extra=Extra, indexes=Places)
_ROUND_OVER: dict[str, Any] = {
    "lines": Lines,
    "points": Scores,
    "face_up": Tally,
    "toads": Tally,
    "others": Tally,
}
ROUND_OVER_TAKEN = happens("TT-6.1", "round-over", **_ROUND_OVER)
ROUND_OVER_EMPTIED = happens("TT-6.1", "round-over", **_ROUND_OVER)
GAME_OVER = happens("TT-7.3", "game-over", winners=Seats, totals=Scores)

# What a posted state cannot be.
SEATS_DISAGREE = refutes("TT-1.1", "seats-disagree", seats=Count, found=Count)
NO_SUCH_SEAT = refutes("TT-1.1", "no-such-seat", seat=Seat, seats=Count)
CARD_TWICE = refutes("TT-1.2", "card-twice", card=Card)
TOO_MANY_CARDS = refutes("TT-1.2", "too-many-cards", count=Count)
_SIZE = {"seat": Seat, "count": Count, "least": Count, "most": Count}
HAND_TOO_SMALL = refutes("TT-1.4", "hand-too-small", **_SIZE)
HAND_TOO_BIG = refutes("TT-1.4", "hand-too-big", **_SIZE)
PILE_TOO_BIG = refutes("TT-1.4", "pile-too-big", count=Count, most=Count)
NOBODY_ON_TURN = refutes("TT-2.5", "nobody-on-turn")
PAIR_TORN = refutes("TT-4.1", "pair-torn", seat=Seat, card=Card, partner=Card)
ODD_FACE_UP = refutes("TT-4.1", "odd-face-up", seat=Seat, count=Count)
TOAD_FACE_UP = refutes("TT-4.2", "toad-face-up", seat=Seat, card=Card)
EXTRA_ASTRAY = refutes("TT-5.5", "extra-astray", seat=Seat, index=Count, count=Count)
NO_EXTRAS_NOW = refutes("TT-5.5", "no-extras-now")
OVER_WITH_ROW = refutes("TT-6.1", "over-with-row", count=Count)
OVER_WITH_PILE = refutes("TT-6.1", "over-with-pile", count=Count)
TOO_MANY_ROUNDS = refutes("TT-7.3", "too-many-rounds", round=Count, rounds=Count)
GAME_NOT_OVER = refutes("TT-7.3", "game-not-over", round=Count, rounds=Count)
GAME_SHOULD_BE_OVER = refutes("TT-7.3", "game-should-be-over", round=Count, rounds=Count)
SCORES_DISAGREE = refutes("TT-7.3", "scores-disagree", seat=Seat, scores=Count, found=Count)
TOO_MANY_SCORES = refutes("TT-7.3", "too-many-scores", scores=Count, most=Count)
TURN_BETWEEN_ROUNDS = refutes("TT-7.4", "turn-between-rounds", phase=Phase)

# What has to be seen before a move can be applied.
DEALER_UNSEEN = undetermined("TT-1.5", "dealer-unseen")
ROW_UNSEEN = undetermined("TT-4.1", "row-unseen", partner=Card)
PILE_UNSEEN = undetermined("TT-6.1", "pile-unseen")
FACE_DOWN_UNSEEN = undetermined("TT-7.2", "face-down-unseen", seat=Seat)
