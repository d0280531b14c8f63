"""TT-6 and TT-7: the end of a round, its lines, the end of a game, the next deal."""

from __future__ import annotations

from collections import Counter

from engines.core.engine import Result, Standing, ranked
from engines.core.records import changed
from engines.take_that import ENGINE
from engines.take_that.model import Deal, Lay, Line, Ruleset, Take, Twist
from engines.take_that.row import CARDS
from engines.take_that.scoring import cost, line
from tests.engines.take_that.tables import EXPERT, TAKEN_ONLY, after, contested, happened, over, refused, resolve, table

LAST_TWIST = {"row": (49,), "hands": ((94, 12), (52,)), "pile": ()}


def test_row_taken_with_an_empty_pile_ends_the_round() -> None:
    """TT-6.1."""
    state = after(table(pile=()), Take(0))
    assert (state.phase, state.turn, state.row, state.round) == ("round-over", None, (), 1)
    assert state.hands == ((41, 43, 88), (52, 94))
    assert state.scores == ((-1,), (0,))


def test_take_while_the_pile_has_a_card_does_not_end_the_round() -> None:
    """TT-6.1."""
    assert after(table(pile=(17,)), Take(0)).phase == "play"


def test_end_by_a_take_is_the_same_under_every_option() -> None:
    """TT-6.1."""
    state = table(pile=(), hands=((88,), (52,)))
    assert contested(state, Take(0)) == []
    assert after(changed(state, ruleset=TAKEN_ONLY), Take(0)).phase == "round-over"


def test_last_card_twisted_with_an_empty_pile_ends_the_round() -> None:
    """TT-6.1."""
    state = after(table(**LAST_TWIST), Twist(0, 94))
    assert (state.phase, state.turn, state.scores) == ("round-over", None, ((2,), (0,)))
    assert contested(table(**LAST_TWIST), Twist(0, 94)) == [
        ("TT-6.1", "end_of_round", "taken-or-emptied", ("taken-only",))
    ]


def test_taken_only_lets_the_next_player_open_again() -> None:
    """TT-6.1."""
    state = table(**LAST_TWIST, ruleset=TAKEN_ONLY)
    resolution = resolve(state, Twist(0, 94))
    assert (resolution.state.phase, resolution.state.turn, resolution.state.row) == ("play", 1, ())
    assert resolution.state.scores == ((), ())
    assert [event.ruling.code for _, event in resolution.events] == ["twisted"]
    assert contested(state, Twist(0, 94)) == [("TT-6.1", "end_of_round", "taken-only", ("taken-or-emptied",))]


def test_taken_only_passes_over_players_without_cards() -> None:
    """TT-6.1."""
    state = table(row=(49,), hands=((94, 12), (), (52,)), pile=(), ruleset=TAKEN_ONLY)
    assert after(state, Twist(0, 94)).turn == 2
    assert after(changed(state, hands=((94, 12), (), ())), Twist(0, 94)).turn == 0
    assert after(changed(state, turn=2, hands=((), (52,), (94,))), Twist(2, 94)).turn == 1
    assert after(changed(state, hands=((94, 12), (52,), (53,))), Twist(0, 94)).turn == 1


def test_taken_only_ends_the_round_when_nobody_can_open() -> None:
    """TT-6.1."""
    state = table(row=(49,), hands=((94,), ()), pile=(), ruleset=TAKEN_ONLY)
    assert after(state, Twist(0, 94)).phase == "round-over"


def test_twist_that_leaves_a_card_does_not_end_the_round() -> None:
    """TT-6.1."""
    assert after(table(row=(49, 52), hands=((94,), (61,)), pile=()), Twist(0, 94)).phase == "play"


def test_round_is_itemised_seat_by_seat() -> None:
    """TT-7.1, TT-7.2."""
    state = table(
        row=(22, 27, 33, 41),
        hands=((88,), (52,)),
        pile=(),
        face_up=((12, 21), ()),
        face_down=((13,), (44,)),
    )
    assert happened(state, Take(0))[1] == (
        "TT-6.1",
        "round-over",
        {"lines": (Line(0, 2, 2, 3, -11), Line(1, 0, 1, 0, -5))},
    )


def test_twelve_up_and_two_toads_and_seven_others_down_make_minus_five() -> None:
    """TT-7.1, TT-7.2."""
    up = (12, 21, 13, 31, 14, 41, 15, 51, 16, 61, 17, 71)
    assert line(3, up, (22, 33, 18, 19, 23, 24, 25, 26, 27)) == Line(3, 12, 2, 7, -5)


def test_taking_22_27_33_41_costs_twelve() -> None:
    """TT-7.2."""
    assert cost((22, 27, 33, 41)) == -12


def test_cards_in_hand_count_nothing() -> None:
    """TT-7.2."""
    assert after(table(pile=(), hands=((22,), (33, 44))), Take(0)).scores == ((-1,), (0,))


def test_game_goes_on_while_rounds_are_left() -> None:
    """TT-7.3."""
    resolution = resolve(table(pile=()), Take(0))
    assert [event.ruling.code for _, event in resolution.events] == ["took", "round-over"]
    assert ENGINE.result(resolution.state) is None
    assert ENGINE.to_act(resolution.state) == (None,)


def test_last_round_ends_the_game_and_the_highest_total_wins() -> None:
    """TT-7.3."""
    state = table(pile=(), round=2, scores=((3,), (1,)))
    assert happened(state, Take(0))[2] == ("TT-7.3", "game-over", {"winners": (0,)})
    end = after(state, Take(0))
    assert (end.phase, end.turn, end.scores) == ("game-over", None, ((3, -1), (1, 0)))
    assert ENGINE.to_act(end) == ()
    assert ENGINE.result(end) == Result("TT-7.3", winners=(0,))


def test_equal_totals_share_the_win() -> None:
    """TT-7.3."""
    state = table(pile=(), round=2, scores=((2,), (1,)))
    assert ENGINE.result(after(state, Take(0))) == Result("TT-7.3", winners=(0, 1))


def test_number_of_rounds_is_an_option() -> None:
    """TT-7.3."""
    assert after(table(pile=(), ruleset=Ruleset(rounds=1)), Take(0)).phase == "game-over"
    assert after(table(pile=(), ruleset=Ruleset(rounds=3), round=2), Take(0)).phase == "round-over"


def test_standings_count_finished_rounds_only() -> None:
    """TT-7.3."""
    state = table(round=3, scores=((3, -5), (4, 0)), ruleset=Ruleset(rounds=3), face_up=((12, 21), ()))
    assert ENGINE.standings(state) == (Standing(0, -2, 2), Standing(1, 4, 1))
    assert ENGINE.standings(table()) == ranked((0, 0))


def test_next_deal_passes_to_the_left() -> None:
    """TT-1.5."""
    state = over(dealer=1, hands=((12,), (13,)), face_up=((14, 41), ()), face_down=((15,), ()))
    dealt = after(state, Deal(deck=CARDS))
    assert (dealt.phase, dealt.round, dealt.dealer, dealt.turn, dealt.row) == ("play", 2, 0, 1, ())
    assert dealt.hands == (CARDS[1:18:2], CARDS[0:18:2])
    assert dealt.pile == CARDS[18:]
    assert (dealt.face_up, dealt.face_down) == (((), ()), ((), ()))
    assert dealt.scores == ((3,), (-2,))
    assert happened(state, Deal(deck=CARDS)) == [("TT-1.5", "dealt", {"dealer": 0, "round": 2, "counts": (9, 9)})]


def test_next_deal_of_an_expert_game_forgets_the_extra_cards() -> None:
    """TT-5.5."""
    state = table(pile=(77,), ruleset=EXPERT, dealer=1, hands=((88, 41), (52,)))
    ended = after(state, Take(0), Lay(0, 88), Take(1))
    assert (ended.extras, ended.face_down, ended.scores) == (None, ((34, 77), (88,)), ((-6,), (-5,)))
    assert after(ended, Deal(seed="round two")).extras is None


def test_bare_deal_deals_cards_that_nobody_sees() -> None:
    """TT-1.4."""
    dealt = after(over(dealer=0), Deal())
    assert dealt.hands == ((None,) * 9, (None,) * 9)
    assert dealt.pile == (None,) * 61
    assert (dealt.dealer, dealt.turn) == (1, 0)


def test_deal_from_a_seed_shows_every_card_once() -> None:
    """TT-1.2."""
    dealt = after(over(dealer=0), Deal(seed="any"))
    assert dealt.pile is not None
    assert Counter([*dealt.hands[0], *dealt.hands[1], *dealt.pile]) == Counter(CARDS)
    assert dealt.hands[0] != CARDS[:9]


def test_deck_of_a_deal_has_every_card_once() -> None:
    """TT-1.2."""
    deck = (12, 12, 12, *CARDS[3:])
    assert refused(over(dealer=0), Deal(deck=deck)) == [
        ("TT-1.2", "not-a-deck", {"card": 12}, "/deck/1"),
        ("TT-1.2", "not-a-deck", {"card": 12}, "/deck/2"),
    ]


def test_no_deal_before_the_round_is_over() -> None:
    """TT-7.4."""
    assert refused(table(dealer=0), Deal()) == [("TT-7.4", "round-not-over", {}, "")]


def test_no_deal_after_the_game() -> None:
    """TT-7.4."""
    state = over(phase="game-over", round=2, scores=((3, 1), (-2, 2)), dealer=0)
    assert refused(state, Deal(deck=(12,) * 79)) == [("TT-7.4", "game-is-over", {}, "")]
