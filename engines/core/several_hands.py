"""The course of a game of several hands: the first deal, the dealer's turn, the end of a hand, the last hand.

For tables with the fields `phase` (`play`, `hand-over`, `game-over`), `hand`, `dealer`, `scores` and `ruleset.hands`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from engines.core.dealing import first_dealer
from engines.core.engine import Result, Step, best, won_by_most
from engines.core.judge import refused_in
from engines.core.records import changed
from engines.core.rulings import Event, Fault, Forbids, Happens, LeavesUndetermined, Refutes, Undetermined, Violation
from engines.core.seats import left_of

S = TypeVar("S")


@dataclass(frozen=True)
class SeveralHands(Generic[S]):
    """What each game says of its hands: the rulings, and what is dealt.

    `deal_hand`: (table, dealer, cards in order) to the table of the new hand. `not_now` has the parameter `phase`;
    `dealt`: `dealer` and `hand`; `hand_over`: `hand`; `game_over`: `winners`.
    """

    deal_hand: Callable[[S, int, tuple[Any, ...]], S]
    not_now: Forbids
    dealt: Happens
    hand_over: Happens
    game_over: Happens
    dealer_unseen: LeavesUndetermined

    def opening(self, setup: Any, table: S) -> S:
        """The first hand, dealt to a bare table."""
        return self._dealt(table, first_dealer(setup), setup.deck)

    def next_deal(self, state: Any, cards: tuple[Any, ...]) -> Step | Undetermined:
        """The effect of a deal: the seat to the left of the last dealer deals."""
        if state.dealer is None:
            return self.dealer_unseen.undetermined("/dealer")
        dealer = left_of(state.dealer, len(state.hands))
        after = self._dealt(changed(state, hand=state.hand + 1), dealer, cards)
        return after, [self.dealt.happened(dealer=dealer, hand=state.hand + 1)]

    def _dealt(self, table: S, dealer: int, cards: tuple[Any, ...]) -> S:
        return self.deal_hand(changed(table, phase="play", dealer=dealer), dealer, cards)

    def ended(self, state: Any, events: list[Event]) -> Step:
        """The step that ends a hand; after the last one the highest score has won."""
        events = [*events, self.hand_over.happened(hand=state.hand)]
        if state.hand < state.ruleset.hands:
            return changed(state, phase="hand-over"), events
        return changed(state, phase="game-over"), [*events, self.game_over.happened(winners=best(state.scores))]

    def result(self) -> Callable[[S], Result | None]:
        """The `result` of the game."""
        return won_by_most(self.game_over, lambda state: state.scores)

    def while_playing(self) -> Callable[[S, Any], Violation | None]:
        """A check: no move of a hand is made when it is over."""
        return refused_in({"hand-over": self.not_now, "game-over": self.not_now})

    def between_hands(self) -> dict[str, Forbids]:
        """What forbids a deal, by phase: it is made between hands."""
        return {"play": self.not_now, "game-over": self.not_now}

    def last_ends_the_game(self, astray: Refutes) -> Callable[[S], Fault | None]:
        """An audit: the game is over after the last hand, and not before. `astray`: `phase`, `hand` and `hands`."""

        def last_hand_ends_the_game(state: Any) -> Fault | None:
            hand, hands, phase = state.hand, state.ruleset.hands, state.phase
            if hand < hands and phase != "game-over":
                return None
            if hand == hands and phase != "hand-over":
                return None
            return astray.found("/phase", "/hand", "/ruleset", phase=phase, hand=hand, hands=hands)

        return last_hand_ends_the_game
