"""The course of a game of several hands: the first deal, the dealer's turn, the end of a hand, the last hand.

For tables with the fields `phase` (`play`, `hand-over`, `game-over`), `dealer` and `scores`, one for each side.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
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
class _Course(ABC, Generic[S]):
    """What each game says of its hands: the rulings, and what is dealt.

    `deal_hand`: (table, dealer, cards in order) to the table of the new hand. `not_now` has the parameter `phase`,
    `dealt` has `dealer`, and `game_over` has `winners`.
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
        after = self._dealt(self._counted(state), dealer, cards)
        return after, [self.dealt.happened(dealer=dealer, **self._number(after))]

    def _dealt(self, table: S, dealer: int, cards: tuple[Any, ...]) -> S:
        return self.deal_hand(changed(table, phase="play", dealer=dealer), dealer, cards)

    def ended(self, state: Any, events: list[Event]) -> Step:
        """The step that ends a hand; after the last one the highest score has won."""
        events = [*events, self.hand_over.happened(**self._number(state))]
        if not self._is_last(state):
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

    @abstractmethod
    def _is_last(self, state: Any) -> bool:
        """Whether the hand that is over was the last one."""

    def _counted(self, state: Any) -> Any:
        """The table with the number of the next hand."""
        return state

    def _number(self, state: Any) -> dict[str, int]:
        """The number of the hand, as a parameter of its events."""
        return {}


@dataclass(frozen=True)
class SeveralHands(_Course[S]):
    """A game of as many hands as `ruleset.hands` says. The table has a `hand`; so have `dealt` and `hand_over`."""

    def _is_last(self, state: Any) -> bool:
        return bool(state.hand >= state.ruleset.hands)

    def _counted(self, state: Any) -> Any:
        return changed(state, hand=state.hand + 1)

    def _number(self, state: Any) -> dict[str, int]:
        return {"hand": state.hand}

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


@dataclass(frozen=True)
class ToATarget(_Course[S]):
    """A game of as many hands as it takes a side to reach `ruleset.target`. Nobody counts them: there is no `hand`.

    `equal_play_on`: whether sides that reach the target with equal scores, the highest, play another hand.
    """

    equal_play_on: bool

    def _is_last(self, state: Any) -> bool:
        return bool(_finished(state, self.equal_play_on))

    def target_ends_the_game(self, nobody_has_won: Refutes, should_be_over: Refutes) -> Callable[[S], Any]:
        """The audit `ends_at_the_target`."""
        return ends_at_the_target(nobody_has_won, should_be_over, equal_play_on=self.equal_play_on)


def ends_at_the_target(
    nobody_has_won: Refutes, should_be_over: Refutes, *, equal_play_on: bool
) -> Callable[[Any], list[Fault] | Fault | None]:
    """An audit: the game is over once a score is that of `ruleset.target`, and not before.

    Both rulings have the parameter `target`, and `should_be_over` has `score`.
    """

    def game_ends_at_the_target(state: Any) -> list[Fault] | Fault | None:
        target, finished = state.ruleset.target, _finished(state, equal_play_on)
        if state.phase == "game-over":
            return None if finished else nobody_has_won.found("/phase", "/scores", target=target)
        return [
            should_be_over.found("/phase", f"/scores/{side}", score=state.scores[side], target=target)
            for side in finished
        ] or None

    return game_ends_at_the_target


def _finished(state: Any, equal_play_on: bool) -> list[int]:
    """The sides that have reached the target; none where equal ones play on."""
    if equal_play_on and len(best(state.scores)) > 1:
        return []
    return [side for side, score in enumerate(state.scores) if score >= state.ruleset.target]
