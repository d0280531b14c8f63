"""TI-2: flips, passed-over seats, and the end when nothing is left."""

from engines.core.engine import Standing
from engines.twin_it import ENGINE
from engines.twin_it.model import RULESETS, Flip
from tests.engines.twin_it.tables import (
    MOONS,
    SUNS,
    claim,
    flipped,
    happened,
    match,
    minute,
    refused,
    resolve,
    table,
    three,
)


def test_a_flip_lays_the_other_side_on_the_table_and_passes_the_turn() -> None:
    """TI-2.1."""
    resolution = resolve(table(table=("10A",)), Flip(0))
    assert happened(resolution) == [flipped(0, "14B", "15A")]
    assert resolution.state == table(table=("10A", "14B"), piles=(("15A",), ("12A", "13A")), turn=1)


def test_the_last_card_of_a_pile_uncovers_nothing() -> None:
    """TI-2.1."""
    assert happened(resolve(table(piles=(("14A",), ("12A",))), Flip(0))) == [flipped(0, "14B")]


def test_the_last_seat_is_followed_by_seat_0() -> None:
    """TI-2.1."""
    assert resolve(three(turn=2), Flip(2)).state.turn == 0


def test_only_the_seat_in_turn_flips() -> None:
    """TI-2.1."""
    assert refused(table(), Flip(1)) == [("TI-2.1", "not-your-turn", "/seat", {"seat": 1, "turn": 0})]


def test_a_seat_without_a_pile_is_passed_over() -> None:
    """TI-2.2."""
    state = three(piles=(("14A", "15A"), (), ("12A",)))
    assert resolve(state, Flip(0)).state.turn == 2


def test_a_turn_posted_on_an_empty_pile_is_the_next_seats() -> None:
    """TI-2.2."""
    state = three(piles=(("14A",), (), ("12A",)), turn=1)
    assert refused(state, Flip(1)) == [("TI-2.1", "not-your-turn", "/seat", {"seat": 1, "turn": 2})]
    assert refused(state, Flip(2)) == []


def test_nobody_flips_from_an_empty_pile() -> None:
    """TI-2.2."""
    state = table(piles=((), ()), table=MOONS, turn=1)
    assert refused(state, Flip(1)) == [("TI-2.2", "pile-empty", "/seat", {"seat": 1})]
    assert refused(state, Flip(0)) == [("TI-2.1", "not-your-turn", "/seat", {"seat": 0, "turn": 1})]


def test_a_stranger_does_not_flip() -> None:
    """TI-1.3."""
    assert refused(table(), Flip(2)) == [("TI-1.3", "not-at-table", "/seat", {"seat": 2})]


def test_the_last_card_ends_the_game_when_nothing_matches() -> None:
    """TI-2.2."""
    resolution = resolve(table(piles=(("14A",), ()), table=("10A",), sets=((), (MOONS,))), Flip(0))
    assert happened(resolution) == [flipped(0, "14B"), ("TI-2.2", "game-over", {"winners": (1,)})]
    assert (resolution.state.phase, resolution.state.turn, ENGINE.to_act(resolution.state)) == ("game-over", None, ())
    assert ENGINE.standings(resolution.state) == (Standing(0, 0, 2), Standing(1, 1, 1))


def test_equal_sets_share_the_game() -> None:
    """TI-2.2."""
    resolution = resolve(table(piles=(("14A",), ())), Flip(0))
    result = ENGINE.result(resolution.state)
    assert result is not None
    assert (result.winners, result.rule) == ((0, 1), "TI-2.2")


def test_the_game_goes_on_while_a_pair_lies_there() -> None:
    """TI-2.2."""
    state = resolve(table(piles=(("4B",), ()), table=("3A",)), Flip(0)).state
    assert (state.phase, state.turn) == ("play", None)
    assert ENGINE.to_act(state) == (0, 1, None)


def test_the_game_goes_on_while_a_robbery_is_open() -> None:
    """TI-2.2."""
    state = resolve(table(piles=(("2B",), ()), sets=((SUNS[:2],), ())), Flip(0)).state
    assert (state.phase, ENGINE.to_act(state)) == ("play", (0, 1, None))


def test_a_safe_set_leaves_nothing_to_claim() -> None:
    """TI-2.2, TI-3.5."""
    assert resolve(table(piles=(("14A",), ()), sets=((SUNS,), ())), Flip(0)).state.phase == "game-over"


def test_a_pair_forbidden_to_one_is_left_for_the_other() -> None:
    """TI-2.2, TI-7.2."""
    state = resolve(table(piles=(("4B",), ()), forbidden=(("3A",), ())), Flip(0)).state
    assert state.phase == "play"


def test_the_table_ends_the_game_when_the_piles_are_empty() -> None:
    """TI-2.2."""
    resolution = resolve(table(piles=((), ()), table=MOONS, sets=((SUNS,), ())), claim())
    assert happened(resolution) == [("TI-2.2", "game-over", {"winners": (0,)})]
    assert resolution.state.phase == "game-over"


def test_the_table_does_not_end_the_game_before() -> None:
    """TI-2.2."""
    assert refused(table(piles=((), ("12A",))), claim()) == [("TI-2.2", "cards-left", "/hands", {})]


def test_an_open_turn_is_anyones_in_team_play_and_the_next_seat_follows() -> None:
    """TI-8.3."""
    state = match(turn=None, piles=(("14A",), (), ("12A", "13A"), ("15A",)))
    assert [refused(state, Flip(seat)) for seat in (0, 2, 3)] == [[], [], []]
    assert resolve(state, Flip(2)).state.turn == 3
    assert refused(state, Flip(1)) == [("TI-2.2", "pile-empty", "/seat", {"seat": 1})]


def test_a_turn_that_is_not_told_is_not_verified_in_competitive_play() -> None:
    """TI-2.1."""
    resolution = resolve(table(turn=None), Flip(1))
    assert (resolution.legal, resolution.unverified, resolution.state.turn) == (True, ("TI-2.1",), 0)


def test_nothing_is_flipped_where_cards_are_counted() -> None:
    """TI-9.3."""
    for name in ("cooperative", "timed"):
        assert refused(minute(name, 2), Flip(0)) == [("TI-9.3", "not-in-this-play", "", {"ruleset": name})]


def test_after_the_end_there_is_no_flip() -> None:
    """TI-6.2."""
    over = table(phase="game-over", piles=((), ()), turn=None)
    assert refused(over, Flip(0)) == [("TI-6.2", "game-is-over", "", {})]


def test_a_game_over_in_another_kind_of_play_is_refused_for_both_reasons() -> None:
    """TI-6.2, TI-9.3."""
    over = minute("cooperative", 1, phase="game-over", counts=((),))
    assert [code for _, code, _, _ in refused(over, Flip(0))] == ["game-is-over", "not-in-this-play"]


def test_competitive_play_is_the_default() -> None:
    assert next(iter(ENGINE.rulesets.values())) == RULESETS["competitive"]
    assert [rules.name for rules in RULESETS.values()] == list(RULESETS)
