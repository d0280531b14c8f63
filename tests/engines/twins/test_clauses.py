"""Twins clause by clause, in the order of the rulebook, worked out by hand; the vectors hold the rest."""

from itertools import combinations
from typing import Any

import pytest

from engines.core.engine import Resolution
from engines.core.judge import audit, judge, legal_moves, resolve
from engines.twins import ENGINE
from engines.twins.model import Buy, Deal, Play, Ruleset, Setup, State
from tests.engines.twins.tables import buying, table

COLOURS = ("brown", "green", "pink", "blue", "yellow", "purple")
SINGLES = (
    "brown-10 green-9",
    "pink-10 blue-8",
    "yellow-9 purple-8",
    "brown-9 green-7",
    "pink-8 blue-7",
    "yellow-7 purple-6",
)
"""Six plays, the best first, no two alike."""
PAIRS_OF_THREE = ("brown-3 blue-3", "green-3 yellow-3", "pink-3 purple-3")
TWINS_OF_NINE = ("brown-9 green-9", "blue-9 yellow-9")
TWO_BEST = (*TWINS_OF_NINE, *PAIRS_OF_THREE)
"""Five plays: two tie for best."""
THREE_SECOND = (TWINS_OF_NINE[0], *PAIRS_OF_THREE, "blue-1 green-4")
"""Five plays: one is best, three tie behind it."""


def played(state: State, plays: tuple[str, ...] = SINGLES) -> Resolution[State]:
    """A trick in which every seat that is to act places the two cards that stand at its place."""
    return resolve(ENGINE, state, [placing(seat, plays[seat]) for seat in ENGINE.to_act(state) if seat is not None])


def placing(seat: int, play: str) -> Play:
    first, second = play.split()
    return Play(seat, (first, second))


def to_the_end(state: State) -> tuple[list[int | None], State]:
    """The numbers of the tricks played from here to the end of the hand, and the table after it."""
    tricks = []
    while state.phase == "trick":
        tricks.append(state.trick)
        state = played(state).state
    return tricks, state


def happened(resolution: Resolution[State]) -> list[tuple[Any, ...]]:
    """What happened, as (clause, code, parameters), without reasons; placing and turning up are left out."""
    reasons = ("kind", "strength", "because")
    events = [event for _, event in resolution.events]
    return [
        (event.ruling.rule, event.ruling.code, *(each for name, each in event.params.items() if name not in reasons))
        for event in events
        if event.ruling.code not in ("placed", "revealed")
    ]


def refused(state: State, move: Any) -> list[tuple[str, str, str]]:
    """What forbids a move, as (clause, code, pointer)."""
    return [(each.ruling.rule, each.ruling.code, each.pointer) for each in judge(ENGINE, state, move).violations]


def faults(state: State) -> list[tuple[Any, ...]]:
    """What a table cannot be, as (clause, code, parameters)."""
    return [(each.ruling.rule, each.ruling.code, *each.params.values()) for each in audit(ENGINE, state)[0]]


def test_three_to_six_play() -> None:
    """TW-1.1: three to six players."""
    assert tuple(ENGINE.seats) == (3, 4, 5, 6)


def test_the_deck_has_ten_values_in_six_colours() -> None:
    """TW-1.2: sixty cards."""
    every_card = [f"{colour}-{value}" for colour in COLOURS for value in range(1, 11)]
    assert sorted(ENGINE.cards(Setup(4))) == sorted(every_card)


def test_by_default_three_colours_are_black_and_three_are_white() -> None:
    """TW-1.3: brown, green and pink are black; blue, yellow and purple white."""

    combination = {
        (one, other): ENGINE.facts(table(), Play(0, (f"{one}-5", f"{other}-5")))["combination"]
        for one, other in combinations(COLOURS, 2)
    }
    assert {pair for pair, kind in combination.items() if kind == "twins"} == {
        ("brown", "green"),
        ("brown", "pink"),
        ("green", "pink"),
        ("blue", "yellow"),
        ("blue", "purple"),
        ("yellow", "purple"),
    }


def test_no_chip_comes_or_goes() -> None:
    """TW-1.4: chips and pot of four players are 48, here 49."""
    assert faults(table(chips=(12, 12, 12, 12), pot=1)) == [("TW-1.4", "chips-astray", 49, 48)]


@pytest.mark.parametrize(("count", "price"), [(0, 0), (1, 1), (2, 3)])
def test_a_purchase_is_paid_into_the_pot(count: int, price: int) -> None:
    """TW-2.2: one card costs 1, two cost 3."""
    after = resolve(ENGINE, buying(), [Buy(0, count)])
    assert happened(after) == [("TW-2.2", "bought", 0, count, price, (None,) * count)]
    assert (after.state.chips, after.state.pot) == ((12 - price, 12, 12, 12), price)


@pytest.mark.parametrize(("count", "chips"), [(1, 1), (2, 3)])
def test_the_last_chip_may_be_spent(count: int, chips: int) -> None:
    """TW-2.3: buying down to 0 is legal."""
    assert refused(buying(chips=(chips, 15, 15, 18 - chips)), Buy(0, count)) == []


def test_cards_played_are_out() -> None:
    """TW-4.2: they lie on the discards and in no hand."""
    hands = (("brown-10", "green-9", "blue-1", None), ("pink-10", "blue-8", None), ("yellow-9", "purple-8", None))
    after = played(table(chips=(12,) * 3, hands=hands, discards=())).state
    assert after.hands == (("blue-1", None), (None,), (None,))
    assert set(after.discards or ()) == {"blue-8", "brown-10", "green-9", "pink-10", "purple-8", "yellow-9"}


@pytest.mark.parametrize(
    ("trick", "chips", "pot", "out"),
    [
        (1, (10, 10, 8), 8, ()),
        (1, (10, 10, 8, 8), 12, ()),
        (1, (10, 10, 8, 8, 8), 16, ()),
        (1, (10, 10, 10, 8, 8, 8), 18, ()),
        (2, (13, 10, 10), 3, ()),
        (2, (13, 10, 10, 10), 5, ()),
        (2, (13, 13, 10, 10, 10), 4, ()),
        (2, (13, 13, 10, 10, 10, 10), 6, ()),
        (3, (10, 10, 9), 7, (2,)),
        (3, (10, 10, 10, 9), 9, (3,)),
        (3, (10, 10, 10, 9, 9), 12, (3, 4)),
        (3, (10, 10, 10, 10, 9, 9), 14, (4, 5)),
        (4, (16, 10, 10), 0, ()),
        (4, (18, 10, 10, 10), 0, ()),
        (4, (20, 10, 10, 10, 10), 0, ()),
        (4, (22, 10, 10, 10, 10, 10), 0, ()),
    ],
    ids=[f"TW-4.3 trick {trick}, {players} players" for trick in range(1, 5) for players in range(3, 7)],
)
def test_what_a_trick_does(trick: int, chips: tuple[int, ...], pot: int, out: tuple[int, ...]) -> None:
    """TW-4.3: seat 0 is the best, the last seat the weakest; before the trick everyone has 10."""
    players = len(chips)
    after = played(table(trick=trick, chips=(10,) * players, pot=2 * players)).state
    assert (after.chips, after.pot, after.out) == (chips, pot, out)


def test_the_pot_takes_payments_and_gives_prizes() -> None:
    """TW-4.4: two of four pay 2 each, then one wins 3."""
    paid = played(table()).state
    won = played(paid).state
    assert (paid.pot, won.pot) == (4, 1)


def test_who_ties_with_the_last_payer_pays_too() -> None:
    """TW-5.1: two must pay; Singles of 7, 12 and 12 are three."""
    after = played(table(), ("blue-9 blue-7", "blue-3 green-4", "yellow-5 pink-7", "brown-2 purple-10"))
    assert happened(after) == [("TW-4.3", "paid", 1, 2), ("TW-5.1", "paid", 2, 2), ("TW-5.1", "paid", 3, 2)]
    assert (after.state.chips, after.state.pot) == ((12, 10, 10, 10), 6)


@pytest.mark.parametrize(
    ("options", "chips", "pot", "after"),
    [
        ({}, (12, 9, 9, 9, 9), 12, ((15, 9, 9, 9, 9), 9)),
        ({"second_trick_ties": "paid-if-covered"}, (12, 9, 9, 9, 9), 12, ((15, 12, 12, 12, 9), 0)),
        ({}, (14, 10, 10, 10, 10), 6, ((17, 10, 10, 10, 10), 3)),
        ({"second_trick_ties": "paid-if-covered"}, (14, 10, 10, 10, 10), 6, ((17, 10, 10, 10, 10), 3)),
    ],
)
def test_three_tie_for_the_second_of_two_prizes(options: Any, chips: Any, pot: int, after: Any) -> None:
    """TW-5.2: a group that does not fit the prize places wins nothing, or 3 each if the pot covers them all."""
    state = table(trick=2, chips=chips, pot=pot, ruleset=Ruleset(**options))
    ended = played(state, THREE_SECOND).state
    assert (ended.chips, ended.pot) == after


def test_who_ties_with_the_last_payer_of_the_third_trick_is_out_too() -> None:
    """TW-5.3: one of four must pay; two tie for weakest, both pay and miss trick 4."""
    after = played(table(trick=3, chips=(10,) * 4, pot=8), (*SINGLES[:2], "brown-2 blue-3", "green-1 yellow-4"))
    assert happened(after) == [
        ("TW-5.3", "paid", 2, 1),
        ("TW-5.3", "paid", 3, 1),
        ("TW-5.3", "sits-out", 2),
        ("TW-5.3", "sits-out", 3),
    ]
    assert (after.state.chips, after.state.pot, after.state.out) == ((10, 10, 9, 9), 10, (2, 3))


def test_a_tie_for_best_leaves_the_pot_for_the_next_hand() -> None:
    """TW-5.4."""
    after = played(table(trick=4, chips=(8,) * 5, pot=20), TWO_BEST)
    assert happened(after) == [("TW-5.4", "pot-kept", 20, (0, 1)), ("TW-4.1", "hand-over")]
    assert resolve(ENGINE, after.state, [Deal()]).state.pot == 20


def test_if_all_tie_in_the_third_trick_nobody_plays_the_fourth() -> None:
    """TW-5.5: all pay 1, and the pot stays."""
    after = played(table(trick=3, chips=(10,) * 3, pot=6), PAIRS_OF_THREE)
    assert happened(after)[-2:] == [("TW-5.5", "pot-kept", 9, ()), ("TW-4.1", "hand-over")]
    assert (after.state.phase, after.state.chips, after.state.pot) == ("hand-over", (9, 9, 9), 9)


def test_prizes_are_paid_from_the_best_down() -> None:
    """TW-6.1: of a pot of 4 the best wins 3, the second what is left."""
    after = played(table(trick=2, chips=(12, 11, 11, 11, 11), pot=4))
    assert happened(after) == [("TW-4.3", "won", 0, 3), ("TW-6.1", "won", 1, 1)]
    assert (after.state.chips, after.state.pot) == ((15, 12, 11, 11, 11), 0)


@pytest.mark.parametrize(
    ("pot", "event"), [(2, ("TW-6.1", "won", 0, 2)), (0, ("TW-6.1", "unpaid", (0,)))], ids=["short pot", "empty pot"]
)
def test_a_single_winner_takes_what_is_there(pot: int, event: tuple[Any, ...]) -> None:
    """TW-6.1: a pot of less than 3."""
    assert happened(played(table(trick=2, chips=(12 - pot, 12, 12, 12), pot=pot))) == [event]


@pytest.mark.parametrize(
    ("options", "chips", "pot", "events"),
    [
        ({}, (11, 11, 11, 11, 11), 5, [("TW-6.2", "unpaid", (0, 1))]),
        ({"short_pot_ties": "split"}, (13, 13, 11, 11, 11), 1, [("TW-6.2", "won", 0, 2), ("TW-6.2", "won", 1, 2)]),
    ],
)
def test_a_short_pot_for_two_best(options: Any, chips: Any, pot: int, events: list[tuple[Any, ...]]) -> None:
    """TW-6.2: two fit the places, but 5 does not cover 6: nobody is paid, or equal whole chips are."""
    after = played(table(trick=2, chips=(11,) * 5, pot=5, ruleset=Ruleset(**options)), TWO_BEST)
    assert happened(after) == events
    assert (after.state.chips, after.state.pot) == (chips, pot)


def test_who_owes_more_than_they_have_pays_all_and_is_bankrupt() -> None:
    """TW-7.1: seat 3 owes 2 and has 1."""
    after = played(table(chips=(15, 15, 17, 1)))
    assert happened(after) == [("TW-4.3", "paid", 2, 2), ("TW-4.3", "paid", 3, 1), ("TW-7.1", "bankrupted", 3)]
    assert (after.state.chips, after.state.pot, after.state.bankrupt) == ((15, 15, 15, 0), 3, (3,))


def test_the_others_finish_the_hand_and_the_game_ends() -> None:
    """TW-7.2: seat 3 went bankrupt in trick 1."""
    tricks, after = to_the_end(table(trick=2, chips=(15, 15, 15, 0), pot=3, bankrupt=(3,)))
    assert (tricks, after.phase) == ([2, 3, 4], "game-over")


def test_a_bankruptcy_does_not_change_the_row() -> None:
    """TW-7.3: five began, so two of the three still playing pay in trick 3."""
    after = played(table(trick=3, chips=(20, 20, 14, 0, 0), pot=6, bankrupt=(3, 4))).state
    assert (after.chips, after.pot, after.out) == ((20, 19, 13, 0, 0), 8, (1, 2))


@pytest.mark.parametrize(
    ("chips", "pot", "winners"),
    [((28, 20, 0), 0, (0,)), ((18, 18, 0), 0, (0, 1)), ((5, 6, 0), 25, (1,))],
    ids=["the most chips", "equal chips", "a pot that nobody won"],
)
def test_the_most_chips_win(chips: tuple[int, ...], pot: int, winners: tuple[int, ...]) -> None:
    """TW-7.4: equal chips share the win, and a pot that nobody won belongs to nobody."""
    state = table(phase="game-over", trick=None, chips=chips, pot=pot, bankrupt=(2,))
    result = ENGINE.result(state)
    assert result is not None
    assert (result.rule, result.winners) == ("TW-7.4", winners)
    assert tuple(standing.score for standing in ENGINE.standings(state)) == chips


@pytest.mark.parametrize(("phase", "moves"), [("hand-over", [Deal()]), ("game-over", [])])
def test_between_hands_only_the_deal_is_left_and_after_the_end_nothing(phase: str, moves: list[Any]) -> None:
    """TW-7.5."""
    assert legal_moves(ENGINE, table(phase=phase, trick=None)) == (moves, True)


@pytest.mark.parametrize(
    ("phase", "move", "code"),
    [
        ("hand-over", Buy(0, 0), "only-the-deal"),
        ("hand-over", Play(0, ("blue-1", "blue-2")), "only-the-deal"),
        ("game-over", Buy(0, 0), "game-is-over"),
        ("game-over", Play(0, ("blue-1", "blue-2")), "game-is-over"),
        ("game-over", Deal(), "game-is-over"),
        ("buying", Deal(), "hand-not-over"),
        ("trick", Deal(), "hand-not-over"),
    ],
)
def test_the_deal_has_its_time(phase: str, move: Any, code: str) -> None:
    """TW-7.5: between hands, and only then."""
    assert refused(table(phase=phase), move) == [("TW-7.5", code, "")]


def test_a_card_is_played_from_the_own_hand() -> None:
    """TW-7.6."""
    state = table(hands=(("blue-1", None), ("blue-2", None), (None,), (None,)))
    assert refused(state, Play(0, ("blue-1", "blue-2"))) == [("TW-7.6", "not-held", "/cards/1")]
