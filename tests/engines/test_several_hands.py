"""The course of a game of several hands, for any game that names its rulings."""

from dataclasses import dataclass
from typing import Any

import pytest

from engines.core import SeveralHands, ToATarget, changed, one_entry_a_side, opposite, side_of, sides_of
from engines.core.rulings import Undetermined, forbids, happens, refutes, undetermined

ASTRAY = refutes("XX-2.2", "hands-astray", phase=str, hand=int, hands=int)


@dataclass(frozen=True)
class Rules:
    """How many hands are played, or to how many points."""

    hands: int = 2
    target: int = 5


@dataclass(frozen=True)
class Table:
    """All that the course of the hands reads of a table, and of a setup."""

    phase: str = "play"
    hand: int = 1
    dealer: int | None = None
    hands: tuple[Any, ...] = ((), (), ())
    scores: tuple[int, ...] = (3, 5, 5)
    ruleset: Rules = Rules()
    seats: int = 3
    deck: tuple[int, ...] = (1, 2, 3)


HANDS: SeveralHands[Table] = SeveralHands(
    lambda state, dealer, cards: changed(state, hands=tuple((card,) for card in cards)),
    forbids("XX-2.2", "not-now", phase=str),
    happens("XX-1.1", "dealt", dealer=int, hand=int),
    happens("XX-2.2", "hand-over", hand=int),
    happens("XX-2.2", "game-over", winners=tuple),
    undetermined("XX-1.1", "dealer-unseen"),
)


def test_the_last_seat_deals_the_first_hand_unless_the_setup_names_another() -> None:
    dealt = Table(dealer=2, hands=((1,), (2,), (3,)))
    assert HANDS.opening(Table(), Table()) == dealt
    assert HANDS.opening(Table(dealer=0), Table()).dealer == 0


def test_the_seat_to_the_left_deals_the_next_hand() -> None:
    step = HANDS.next_deal(Table("hand-over", dealer=2), (1, 2, 3))
    assert not isinstance(step, Undetermined)
    after, events = step
    assert (after.phase, after.hand, after.dealer, after.hands) == ("play", 2, 0, ((1,), (2,), (3,)))
    assert [(event.ruling.code, event.params) for event in events] == [("dealt", {"dealer": 0, "hand": 2})]


def test_the_next_deal_is_undetermined_if_the_dealer_is_unknown() -> None:
    answer = HANDS.next_deal(Table("hand-over"), ())
    assert isinstance(answer, Undetermined)
    assert answer.pointer == "/dealer"


@pytest.mark.parametrize(("hand", "codes"), [(1, ["hand-over"]), (2, ["hand-over", "game-over"])])
def test_the_last_hand_ends_the_game(hand: int, codes: list[str]) -> None:
    after, events = HANDS.ended(Table(hand=hand), [])
    assert (after.phase, [event.ruling.code for event in events]) == (codes[-1], codes)
    if hand == 2:
        result = HANDS.result()(after)
        assert result is not None
        assert result.winners == events[-1].params["winners"] == (1, 2)


def test_plays_are_allowed_only_within_a_hand_and_deals_only_between_hands() -> None:
    check = HANDS.while_playing()
    assert [check(Table(phase), None) is None for phase in ("play", "hand-over", "game-over")] == [True, False, False]
    assert HANDS.between_hands() == {"play": HANDS.not_now, "game-over": HANDS.not_now}


@pytest.mark.parametrize(
    ("phase", "hand", "sound"),
    [
        ("play", 1, True), ("hand-over", 1, True), ("game-over", 1, False),
        ("play", 2, True), ("hand-over", 2, False), ("game-over", 2, True), ("play", 3, False),
    ],
)  # fmt: skip
def test_a_table_that_is_over_too_soon_or_too_late_is_a_fault(phase: str, hand: int, sound: bool) -> None:
    fault = HANDS.last_ends_the_game(ASTRAY)(Table(phase, hand))
    expected = ASTRAY.found("/phase", "/hand", "/ruleset", phase=phase, hand=hand, hands=2)
    assert fault == (None if sound else expected)


# --- a game to a target, and partners --------------------------------------------------------------------------------

NOBODY = refutes("XX-2.2", "nobody-has-won", target=int)
SHOULD_BE_OVER = refutes("XX-2.2", "should-be-over", score=int, target=int)


def rules_to_a_target(*, equal_play_on: bool) -> ToATarget[Table]:
    """The rules of hands until a score is reached. `equal_play_on`: whether a tie is played on."""
    return ToATarget(
        HANDS.deal_hand, HANDS.not_now, happens("XX-1.1", "dealt", dealer=int), happens("XX-2.2", "hand-over"),
        HANDS.game_over, HANDS.dealer_unseen, equal_play_on=equal_play_on,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("scores", "equal_play_on", "phase"),
    [
        ((4, 4, 4), False, "hand-over"), ((5, 3, 3), False, "game-over"), ((5, 5, 3), False, "game-over"),
        ((5, 5, 3), True, "hand-over"), ((6, 5, 3), True, "game-over"),
    ],
)  # fmt: skip
def test_a_hand_after_which_a_side_has_the_target_is_the_last(
    scores: tuple[int, ...], equal_play_on: bool, phase: str
) -> None:
    after, events = rules_to_a_target(equal_play_on=equal_play_on).ended(Table(scores=scores), [])
    assert after.phase == phase
    assert [event.ruling.code for event in events] == ["hand-over", "game-over"][: 1 + (phase == "game-over")]


def test_the_hands_of_a_game_to_a_target_are_not_counted() -> None:
    step = rules_to_a_target(equal_play_on=True).next_deal(Table("hand-over", dealer=2), (1, 2, 3))
    assert not isinstance(step, Undetermined)
    after, (dealt,) = step
    assert (after.phase, after.hand, dealt.params) == ("play", 1, {"dealer": 0})


@pytest.mark.parametrize(
    ("phase", "scores", "faults"),
    [
        ("play", (4, 4, 4), None), ("game-over", (4, 5, 4), None), ("hand-over", (5, 5, 4), None),
        ("game-over", (4, 4, 4), NOBODY.found("/phase", "/scores", target=5)),
        ("game-over", (5, 5, 4), NOBODY.found("/phase", "/scores", target=5)),
        ("play", (4, 6, 4), [SHOULD_BE_OVER.found("/phase", "/scores/1", score=6, target=5)]),
    ],
)  # fmt: skip
def test_a_table_that_is_over_before_or_after_the_target_is_a_fault(
    phase: str, scores: tuple[int, ...], faults: Any
) -> None:
    audit = rules_to_a_target(equal_play_on=True).target_ends_the_game(NOBODY, SHOULD_BE_OVER)
    assert audit(Table(phase, scores=scores)) == faults


def test_a_side_is_a_team_or_a_seat() -> None:
    teams = opposite(4)
    assert teams == (0, 1, 0, 1)
    assert [side_of(teams, 2), side_of(None, 2), sides_of(teams, 4), sides_of(None, 4)] == [0, 2, 2, 4]


def test_a_list_without_an_entry_for_each_side_is_a_fault() -> None:
    disagree = refutes("XX-1.1", "entries-disagree", due=int, found=int)
    audit = one_entry_a_side(disagree, "hands", lambda state: 2, "scores")
    assert audit(Table()) == [disagree.found("/scores", "/hands", due=2, found=3)]
    assert audit(Table(scores=(1, 2))) is None
