"""TI-4, TI-5, TI-7: several hands at once, ties, trebles, mistakes, forbidden designs."""

from typing import Any

import pytest

from engines.core.engine import Contested
from engines.core.judge import resolve as core_resolve
from engines.core.records import changed
from engines.twin_it import ENGINE
from engines.twin_it.model import RULESETS
from tests.engines.twin_it.tables import (
    MOONS,
    SUNS,
    TREES,
    claim,
    happened,
    match,
    mistake,
    refused,
    resolve,
    table,
    three,
    turned,
    won,
)

PAIRS_ONLY = changed(RULESETS["competitive"], mistake_loses="pairs-only")
TREBLE = ("TI-4.5", "treble", {"cards": SUNS})


def tied(*seats: int, cards: tuple[str, ...] = MOONS, rule: str = "TI-4.2") -> tuple[str, str, dict[str, Any]]:
    return rule, "tied", {"seats": seats, "cards": cards}


def freed(seat: int, design: str) -> tuple[str, str, dict[str, Any]]:
    return "TI-7.2", "freed", {"seat": seat, "design": design}


def idle(seat: int, rule: str = "TI-4.6") -> tuple[str, str, dict[str, Any]]:
    return rule, "no-effect", {"seat": seat}


def robbed(seat: int, by: int) -> tuple[str, str, dict[str, Any]]:
    return "TI-3.4", "robbed", {"seat": seat, "by": by, "cards": SUNS[:2]}


# --- ties -------------------------------------------------------------------------------------------------------------


def test_the_first_hand_has_the_card() -> None:
    """TI-4.1."""
    resolution = resolve(table(table=("10A", *MOONS)), claim((1, "3A"), (0, "3A"), (0, "4A")))
    assert happened(resolution) == [tied(1, 0), turned("3B"), turned("4B")]
    assert resolution.state == table(table=("10A", "3B", "4B"))


def test_who_was_first_on_both_wins_and_the_hands_above_have_nothing() -> None:
    """TI-4.1, TI-4.2."""
    resolution = resolve(table(table=MOONS), claim((0, "3A"), (1, "3A"), (0, "4A"), (1, "4A")))
    assert happened(resolution) == [won(0, *MOONS)]


def test_a_pile_card_is_turned_onto_the_table_in_a_tie() -> None:
    """TI-4.2, TI-4.3."""
    state = three(table=("3A", "10B"), piles=(("14A",), ("12A",), ("4A", "11A")), turn=1)
    resolution = resolve(state, claim((0, "3A"), (1, "4A")))
    assert happened(resolution) == [tied(0, 1), turned("3B"), turned("4B", "TI-4.3")]
    assert resolution.state == three(table=("3B", "10B", "4B"), piles=(("14A",), ("12A",), ("11A",)), turn=1)


def test_a_tie_that_takes_the_last_card_of_the_seat_in_turn_passes_it_over() -> None:
    """TI-2.2, TI-4.3."""
    assert resolve(table(table=("4A",), piles=(("3A",), ("12A",))), claim((0, "3A"), (1, "4A"))).state.turn == 1


def test_in_a_tie_over_a_robbery_the_pair_stays() -> None:
    """TI-4.4."""
    state = three(table=("10B", "2A"), piles=(("14A",), ("12A",), ("11A",)), sets=((SUNS[:2],), (), ()))
    resolution = resolve(state, claim((1, "0A"), (2, "2A")))
    assert happened(resolution) == [tied(1, 2, cards=("0A", "2A"), rule="TI-4.4"), turned("2B", "TI-4.4")]
    assert (resolution.state.table, resolution.state.sets) == (("10B", "2B"), ((SUNS[:2],), (), ()))


def test_the_owner_guards_the_pair_with_one_hand() -> None:
    """TI-4.4."""
    resolution = resolve(table(table=("2A",), sets=((SUNS[:2],), ())), claim((0, "0A"), (1, "0A"), (1, "2A")))
    assert happened(resolution) == [tied(0, 1, cards=("0A", "2A"), rule="TI-4.4"), turned("2B", "TI-4.4")]


def test_both_hands_on_the_pair_do_not_guard_it() -> None:
    """TI-3.5."""
    state = table(table=("2A",), sets=((SUNS[:2],), ()))
    resolution = resolve(state, claim((0, "0A"), (0, "1A"), (1, "0A"), (1, "2A")))
    assert happened(resolution) == [idle(0, "TI-3.5"), robbed(0, 1), won(1, *SUNS, source="robbery", rule="TI-3.4")]


def test_who_holds_the_third_card_and_one_of_the_pair_robs_it_though_another_holds_the_other() -> None:
    """TI-3.4, TI-4.6."""
    state = table(table=("2A",), sets=((SUNS[:2],), ()))
    resolution = resolve(state, claim((0, "0A"), (1, "2A"), (1, "1A")))
    assert happened(resolution) == [robbed(0, 1), won(1, *SUNS, source="robbery", rule="TI-3.4")]


def test_hands_of_two_sides_on_a_won_pair_have_no_effect() -> None:
    """TI-4.4: of a pair nothing is turned."""
    resolution = resolve(table(sets=((SUNS[:2],), ())), claim((1, "1A"), (0, "0A")))
    assert happened(resolution) == [idle(1), idle(0)]


# --- trebles ----------------------------------------------------------------------------------------------------------


def test_of_a_visible_treble_two_are_won_and_the_third_is_turned() -> None:
    """TI-4.5."""
    resolution = resolve(table(table=("0A", "10A", "1A", "2A")), claim((1, "1A"), (0, "0A"), (0, "2A")))
    assert happened(resolution) == [TREBLE, won(0, "0A", "2A", rule="TI-4.5"), turned("1B", "TI-4.5")]
    assert (resolution.state.table, resolution.state.sets, resolution.state.turn) == (
        ("10A", "1B"),
        ((("0A", "2A"),), ()),
        0,
    )


@pytest.mark.parametrize("hands", [((0, "0A"), (1, "1A")), ((1, "1A"),)], ids=["two sides", "one hand"])
def test_otherwise_all_three_are_turned(hands: tuple[tuple[int, str], ...]) -> None:
    """TI-4.5."""
    resolution = resolve(table(table=SUNS, turn=1), claim(*hands))
    assert happened(resolution) == [TREBLE, *(turned(card, "TI-4.5") for card in ("0B", "1B", "2B"))]
    assert (resolution.state.table, resolution.state.turn) == (("0B", "1B", "2B"), 1)


def test_the_third_of_a_treble_leaves_its_pile_for_the_table() -> None:
    """TI-4.5, TI-4.6."""
    state = table(table=("0A", "1A"), piles=(("2A", "15A"), ("12A",)))
    resolution = resolve(state, claim((1, "0A"), (1, "1A")))
    assert happened(resolution)[-1] == turned("2B", "TI-4.5")
    assert (resolution.state.table, resolution.state.piles) == (("2B",), (("15A",), ("12A",)))


def test_a_pair_won_makes_no_treble_with_the_third() -> None:
    """TI-4.5."""
    assert happened(resolve(table(table=("2A",), sets=((SUNS[:2],), ())), claim((1, "2A")))) == [idle(1)]


def test_three_members_of_a_team_win_the_first_two_of_a_treble() -> None:
    """TI-4.5, TI-8.1."""
    piles = tuple((f"{number}A",) for number in range(10, 16))
    state = match(table=SUNS, teams=(0, 1, 0, 1, 0, 1), piles=piles)
    resolution = resolve(state, claim((0, "2A"), (2, "1A"), (4, "0A")))
    assert happened(resolution) == [TREBLE, won(0, "2A", "1A", rule="TI-4.5"), turned("0B", "TI-4.5")]


# --- several designs --------------------------------------------------------------------------------------------------


def test_designs_are_settled_in_the_order_of_their_first_hands_and_the_last_winner_restarts() -> None:
    """TI-4.6."""
    state = table(table=("8A", "3A", "4A", "9A"))
    first = resolve(state, claim((0, "3A"), (1, "8A"), (0, "4A"), (1, "9A")))
    assert happened(first) == [won(0, *MOONS), won(1, *TREES)]
    assert first.state.turn == 1
    second = resolve(state, claim((1, "8A"), (0, "3A"), (0, "4A"), (1, "9A")))
    assert happened(second) == [won(1, *TREES), won(0, *MOONS)]
    assert second.state.turn == 0


def test_a_hand_that_counts_for_nothing_neither_holds_a_card_nor_orders_the_designs() -> None:
    """TI-4.6."""
    state = three(table=(*TREES, *MOONS))
    resolution = resolve(state, claim((2, "3A"), (0, "8A"), (2, "9A"), (1, "3A"), (1, "4A"), (0, "9A")))
    assert happened(resolution) == [mistake(2), won(0, *TREES), won(1, *MOONS)]
    assert resolution.state.turn == 1


def test_who_won_restarts_before_who_erred() -> None:
    """TI-4.6."""
    state = table(table=(*MOONS, "10A", "11A"))
    resolution = resolve(state, claim((0, "3A"), (0, "4A"), (1, "10A"), (1, "11A")))
    assert happened(resolution) == [mistake(1), won(0, *MOONS)]
    assert resolution.state.turn == 0


def test_the_last_who_erred_is_whose_second_hand_fell_last() -> None:
    """TI-4.6."""
    state = three(table=("3A", "8A", "5A", "0A"))
    assert resolve(state, claim((2, "3A"), (1, "5A"), (1, "0A"), (2, "8A"))).state.turn == 2
    assert resolve(state, claim((1, "5A"), (2, "3A"), (2, "8A"), (1, "0A"))).state.turn == 1


def test_a_hand_above_another_may_err_all_the_same() -> None:
    """TI-4.6, TI-5.1."""
    resolution = resolve(table(table=(*MOONS, "10A")), claim((0, "3A"), (1, "3A"), (1, "10A"), (0, "4A")))
    assert happened(resolution) == [mistake(1), won(0, *MOONS)]


def test_a_card_turned_up_in_the_incident_makes_no_treble_of_the_pair_beside_it() -> None:
    """TI-4.5, TI-4.6."""
    designs = (("moon", "sun"), ("moon", "x"), ("sun", "y"), ("sun", "z"), ("u", "v"), ("w", "t"))
    state = three(designs=designs, piles=(("4A",), ("5A",), ()), table=("0A", "1A", "2A", "3A"))
    resolution = resolve(state, claim((0, "0A"), (1, "1A"), (2, "2A"), (2, "3A")))
    assert happened(resolution)[-1] == won(2, "2A", "3A")


# --- mistakes ---------------------------------------------------------------------------------------------------------


def erring(*sets: tuple[str, ...], **fields: Any) -> Any:
    return table(**({"table": ("10A", "5A"), "sets": ((), sets)} | fields))


WRONG = ((1, "5A"), (1, "10A"))


def test_a_mistake_without_sets_costs_the_turn_only() -> None:
    """TI-5.1."""
    resolution = resolve(erring(), claim(*WRONG))
    assert (happened(resolution), resolution.contested) == ([mistake(1)], ())
    assert resolution.state == erring(turn=1)


def test_a_mistake_costs_the_latest_set_which_goes_under_the_own_pile_as_it_lay() -> None:
    """TI-5.1."""
    resolution = resolve(erring(SUNS, ("4A", "3A")), claim(*WRONG))
    assert (happened(resolution), resolution.contested) == ([mistake(1, ("4A", "3A"))], ())
    assert resolution.state == erring(SUNS, piles=(("14A", "15A"), ("12A", "13A", "4A", "3A")), turn=1)


def test_the_move_may_say_which_set_is_lost() -> None:
    """TI-5.1."""
    resolution = resolve(erring(SUNS[:2], MOONS), claim(*WRONG, lose=[(1, 0)]))
    assert (happened(resolution), resolution.contested) == ([mistake(1, SUNS[:2])], ())


def decided(value: str, other: str) -> tuple[Contested, ...]:
    return (Contested("TI-5.1", "mistake_loses", value, (other,)),)


def test_whether_a_triple_is_lost_is_contested() -> None:
    """TI-5.1."""
    resolution = resolve(erring(MOONS, SUNS), claim(*WRONG))
    assert (happened(resolution), resolution.contested) == ([mistake(1, SUNS)], decided("any-set", "pairs-only"))


def test_where_only_pairs_are_lost_a_later_triple_stays() -> None:
    """TI-5.1."""
    resolution = resolve(erring(MOONS, SUNS, ruleset=PAIRS_ONLY), claim(*WRONG))
    assert (happened(resolution), resolution.contested) == ([mistake(1, MOONS)], decided("pairs-only", "any-set"))


def test_where_only_pairs_are_lost_a_triple_alone_stays() -> None:
    """TI-5.1."""
    resolution = resolve(erring(SUNS, ruleset=PAIRS_ONLY), claim(*WRONG))
    assert (happened(resolution), resolution.contested) == ([mistake(1)], decided("pairs-only", "any-set"))


def test_a_triple_that_the_move_gives_up_is_contested_too() -> None:
    """TI-5.1."""
    resolution = resolve(erring(SUNS, MOONS), claim(*WRONG, lose=[(1, 0)]))
    assert (happened(resolution), resolution.contested) == ([mistake(1, SUNS)], decided("any-set", "pairs-only"))


def test_where_only_pairs_are_lost_a_triple_cannot_be_given_up() -> None:
    """TI-5.1."""
    state = erring(MOONS, SUNS, ruleset=PAIRS_ONLY)
    move = claim(*WRONG, lose=[(1, 1)])
    assert refused(state, move) == [("TI-5.1", "not-a-pair", "/lose/0/set", {"seat": 1, "set": 1})]
    assert core_resolve(ENGINE, state, [move]).contested == decided("pairs-only", "any-set")
    assert refused(state, claim(*WRONG, lose=[(1, 0)])) == []


def test_who_made_no_mistake_gives_up_no_set() -> None:
    """TI-5.1."""
    state = table(table=(*MOONS, "10A", "11A"), sets=((SUNS,), (TREES,)))
    hands = ((0, "3A"), (0, "4A"), (1, "10A"), (1, "11A"))
    stray = ("TI-5.1", "no-mistake", "/lose/0/seat", {"seat": 0})
    assert refused(state, claim(*hands, lose=[(0, 0), (1, 0)])) == [stray]
    assert refused(state, claim(*hands, lose=[(0, 0), (1, 1)])) == [
        stray,
        ("TI-5.1", "no-such-set", "/lose/1/set", {"seat": 1, "set": 1}),
    ]


def test_a_set_that_is_not_there_cannot_be_given_up() -> None:
    """TI-5.1."""
    assert refused(erring(MOONS), claim(*WRONG, lose=[(1, 1)])) == [
        ("TI-5.1", "no-such-set", "/lose/0/set", {"seat": 1, "set": 1})
    ]


def test_a_mistake_costs_one_set() -> None:
    """TI-5.1."""
    assert refused(erring(SUNS, MOONS), claim(*WRONG, lose=[(1, 0), (1, 1)])) == [
        ("TI-5.1", "lost-twice", "/lose/1", {"seat": 1})
    ]


def test_no_sets_given_up_are_as_good_as_none_named() -> None:
    """TI-5.1."""
    assert refused(table(table=MOONS), claim((0, "3A"), (0, "4A"), lose=[])) == []


def test_a_lost_set_is_a_new_pile_and_its_player_restarts() -> None:
    """TI-5.1."""
    resolution = resolve(erring(MOONS, piles=(("14A",), ())), claim(*WRONG))
    assert (resolution.state.piles, resolution.state.turn) == ((("14A",), MOONS), 1)


def test_a_pair_lost_in_the_incident_can_no_longer_be_robbed_in_it() -> None:
    """TI-4.6."""
    state = table(table=("2A", "10A", "11A"), sets=((SUNS[:2],), ()))
    resolution = resolve(state, claim((0, "10A"), (0, "11A"), (1, "0A"), (1, "2A")))
    assert happened(resolution) == [mistake(0, SUNS[:2]), idle(1)]


# --- forbidden designs ------------------------------------------------------------------------------------------------


def test_a_claim_of_the_forbidden_card_is_a_mistake() -> None:
    """TI-7.1."""
    state = table(table=("4A",), forbidden=(("10A", "3A"), ()), sets=((TREES,), ()), turn=1)
    resolution = resolve(state, claim((0, "4A"), (0, "3A")))
    assert happened(resolution) == [mistake(0, TREES, "TI-7.1")]
    assert (resolution.state.forbidden, resolution.state.turn) == ((("10A", "3A"), ()), 0)


def test_the_design_is_forbidden_without_that_very_card_too() -> None:
    """TI-7.1."""
    resolution = resolve(table(table=SUNS[1:], forbidden=(("0A",), ())), claim((0, "1A"), (0, "2A")))
    assert happened(resolution) == [mistake(0, rule="TI-7.1")]


def test_a_forbidden_design_cannot_be_robbed() -> None:
    """TI-7.1."""
    state = table(forbidden=(("0A",), ()), sets=((), (SUNS[1:],)))
    assert happened(resolve(state, claim((0, "0A"), (0, "1A")))) == [mistake(0, rule="TI-7.1")]


def test_both_hands_on_a_won_pair_of_a_forbidden_design_claim_nothing() -> None:
    """TI-3.5; no claim, so not TI-7.1."""
    state = table(forbidden=(("0A",), ()), sets=((), (SUNS[1:],)))
    assert happened(resolve(state, claim((0, "2A"), (0, "1A")))) == [idle(0, "TI-3.5")]


def test_others_pair_the_card_and_lift_the_design() -> None:
    """TI-7.2."""
    resolution = resolve(table(table=("4A",), forbidden=(("10A", "3A"), ())), claim((1, "3A"), (1, "4A")))
    assert happened(resolution) == [won(1, *MOONS), freed(0, "moon")]
    assert (resolution.state.forbidden, resolution.state.table) == ((("10A",), ()), ())


def test_the_hands_of_a_forbidden_claim_pass_the_cards_on() -> None:
    """TI-4.6, TI-7.1."""
    state = table(table=("4A",), forbidden=(("3A",), ()))
    resolution = resolve(state, claim((0, "3A"), (0, "4A"), (1, "3A"), (1, "4A")))
    assert happened(resolution) == [mistake(0, rule="TI-7.1"), won(1, *MOONS), freed(0, "moon")]


def test_a_card_beside_a_pile_is_turned_onto_the_table_in_a_tie() -> None:
    """TI-4.2, TI-7.2."""
    state = three(table=("4A",), forbidden=(("3A",), (), ()))
    resolution = resolve(state, claim((1, "3A"), (2, "4A")))
    assert happened(resolution) == [tied(1, 2), turned("3B"), freed(0, "moon"), turned("4B")]
    assert (resolution.state.table, resolution.state.forbidden) == (("4B", "3B"), ((), (), ()))


def test_one_hand_on_a_forbidden_design_claims_nothing() -> None:
    """TI-4.2; a claim takes two hands, so not TI-7.1."""
    state = table(piles=(("1A",), ("12A",)), forbidden=(("0A",), ()))
    resolution = resolve(state, claim((0, "1A"), (1, "0A")))
    assert happened(resolution) == [
        tied(0, 1, cards=("1A", "0A")),
        turned("1B", "TI-4.3"),
        turned("0B"),
        freed(0, "sun"),
    ]


# --- teams ------------------------------------------------------------------------------------------------------------


def test_two_members_win_a_set_and_the_turn_is_open() -> None:
    """TI-8.1, TI-8.3."""
    resolution = resolve(match(table=MOONS), claim((2, "3A"), (0, "4A")))
    assert happened(resolution) == [won(2, *MOONS, rule="TI-8.1")]
    assert resolution.state == match(sets=((MOONS,), ()), turn=None)


def test_one_player_with_both_hands_errs_and_the_set_goes_under_his_own_pile() -> None:
    """TI-8.1, TI-8.5."""
    resolution = resolve(match(table=MOONS, sets=((SUNS,), ())), claim((2, "3A"), (2, "4A")))
    assert happened(resolution) == [mistake(2, SUNS, "TI-8.1")]
    assert resolution.state.piles == (("14A",), ("15A",), ("12A", *SUNS), ("13A",))
    assert resolution.state.turn is None


def test_hands_of_both_teams_tie() -> None:
    """TI-8.2."""
    resolution = resolve(match(table=MOONS), claim((0, "3A"), (3, "4A")))
    assert happened(resolution) == [tied(0, 3, rule="TI-8.2"), turned("3B"), turned("4B")]


def test_members_on_the_two_cards_of_a_won_pair_win_nothing() -> None:
    """TI-3.5."""
    assert happened(resolve(match(sets=((SUNS[:2],), ())), claim((1, "0A"), (3, "1A")))) == [idle(1), idle(3)]


def test_a_team_on_the_pair_ties_with_the_hand_on_the_third_card() -> None:
    """TI-4.4, TI-8.2."""
    resolution = resolve(match(table=("2A",), sets=((SUNS[:2],), ())), claim((1, "0A"), (3, "1A"), (0, "2A")))
    assert happened(resolution) == [tied(1, 3, 0, cards=SUNS, rule="TI-4.4"), turned("2B", "TI-4.4")]


def test_a_robbed_team_is_named_by_its_first_seat() -> None:
    """TI-3.4, TI-8.1."""
    state = match(table=("2A",), teams=(1, 1, 0, 0), sets=((SUNS[:2],), ()))
    resolution = resolve(state, claim((0, "2A"), (1, "0A")))
    assert happened(resolution)[0] == robbed(2, 0)
    assert resolution.state.sets == ((), (SUNS,))


def test_a_teams_forbidden_design_is_claimed_by_two_and_the_second_errs() -> None:
    """TI-7.1, TI-8.5."""
    state = match(table=("4A",), forbidden=(("3A",), ()), sets=((SUNS,), ()))
    resolution = resolve(state, claim((0, "3A"), (2, "4A")))
    assert happened(resolution) == [mistake(2, SUNS, "TI-7.1")]
    assert resolution.state.piles[2] == ("12A", *SUNS)


@pytest.mark.parametrize(
    ("hands", "event"),
    [
        (((0, "4A"), (4, "3A")), mistake(4, rule="TI-7.1")),
        (((1, "4A"), (3, "3A")), won(1, *MOONS[::-1], rule="TI-8.1")),
    ],
    ids=["the three", "the two"],
)
def test_the_larger_of_uneven_teams_plays_with_forbidden_designs(hands: Any, event: Any) -> None:
    """TI-8.4."""
    piles = tuple((f"{number}A",) for number in range(10, 15))
    state = match(table=("4A",), teams=(0, 1, 0, 1, 0), piles=piles, forbidden=(("3A",), ()))
    assert happened(resolve(state, claim(*hands)))[0] == event


def test_a_third_hand_of_the_team_on_a_forbidden_design_is_no_second_mistake() -> None:
    """TI-7.1."""
    piles = tuple((f"{number}A",) for number in range(10, 16))
    state = match(table=SUNS[1:], teams=(0, 1, 0, 1, 0, 1), piles=piles, forbidden=(("0A",), ()))
    resolution = resolve(state, claim((0, "1A"), (2, "2A"), (4, "0A")))
    assert happened(resolution) == [mistake(2, rule="TI-7.1")]


def test_members_on_one_card_of_a_forbidden_design_claim_nothing() -> None:
    """TI-7.1 forbids claims only."""
    state = match(table=("4A",), forbidden=(("3A",), ()))
    assert happened(resolve(state, claim((0, "4A"), (2, "4A")))) == [idle(0)]


def test_members_on_a_won_pair_of_a_forbidden_design_claim_nothing() -> None:
    """TI-3.5; no claim, so not TI-7.1."""
    state = match(forbidden=(("0A",), ()), sets=((), (SUNS[1:],)))
    assert happened(resolve(state, claim((0, "1A"), (2, "2A")))) == [idle(0), idle(2)]


def test_two_members_who_err_lose_the_set_named_and_the_latest_of_the_others() -> None:
    """TI-5.1, TI-8.5."""
    state = match(table=("3A", "10A", "5A", "11A"), sets=((SUNS, TREES), ()))
    hands = ((0, "3A"), (0, "10A"), (2, "5A"), (2, "11A"))
    assert happened(resolve(state, claim(*hands))) == [mistake(0, TREES), mistake(2, SUNS)]
    assert happened(resolve(state, claim(*hands, lose=[(2, 1)]))) == [mistake(0, SUNS), mistake(2, TREES)]
    assert refused(state, claim(*hands, lose=[(0, 1), (2, 1)])) == [("TI-5.1", "lost-twice", "/lose/1", {"seat": 2})]


def test_the_first_team_with_enough_sets_wins() -> None:
    """TI-8.3."""
    state = match(table=MOONS, sets=((), (SUNS,)), ruleset=changed(RULESETS["team"], sets_to_win=2))
    resolution = resolve(state, claim((1, "3A"), (3, "4A")))
    assert happened(resolution)[-1] == ("TI-6.1", "game-over", {"winners": (1,)})
    assert (ENGINE.teams(resolution.state), [each.score for each in ENGINE.standings(resolution.state)]) == (
        True,
        [0, 2],
    )
