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
    idle,
    match,
    mistake,
    refused,
    resolve,
    table,
    three,
    tied,
    turned,
    won,
)

ANY_SET = changed(RULESETS["competitive"], mistake_loses="any-set")
PAIR = SUNS[:2]
TREBLE = ("TI-4.5", "treble", {"cards": SUNS})


def freed(seat: int, design: str) -> tuple[str, str, dict[str, Any]]:
    return "TI-7.2", "freed", {"seat": seat, "design": design}


def robbed(seat: int, by: int) -> tuple[str, str, dict[str, Any]]:
    return "TI-3.4", "robbed", {"seat": seat, "by": by, "cards": SUNS[:2]}


# --- ties -------------------------------------------------------------------------------------------------------------


def test_the_first_hand_has_the_card() -> None:
    """TI-4.1."""
    resolution = resolve(table(table=("10A", *MOONS)), claim((1, "3A"), (0, "3A"), (0, "4A")))
    assert happened(resolution) == [
        tied(1, 0),
        turned("3B"),
        turned("4B"),
        idle(0, "3A", because="card-taken"),
    ]
    assert resolution.state == table(table=("10A", "3B", "4B"))


def test_in_a_tie_over_a_robbery_the_pair_stays() -> None:
    """TI-4.4."""
    state = three(table=("10B", "2A"), piles=(("14A",), ("12A",), ("11A",)), sets=((SUNS[:2],), (), ()))
    resolution = resolve(state, claim((1, "0A"), (2, "2A")))
    assert happened(resolution) == [tied(1, 2, cards=("0A", "2A"), rule="TI-4.4"), turned("2B", "TI-4.4")]
    assert (resolution.state.table, resolution.state.sets) == (("10B", "2B"), ((SUNS[:2],), (), ()))


# --- trebles ----------------------------------------------------------------------------------------------------------


def test_of_a_visible_treble_two_are_won_and_the_third_is_turned() -> None:
    """TI-4.5, TI-4.7: the lone hand on the third has an event."""
    resolution = resolve(table(table=("0A", "10A", "1A", "2A")), claim((1, "1A"), (0, "0A"), (0, "2A")))
    assert happened(resolution) == [
        TREBLE,
        won(0, "0A", "2A", rule="TI-4.5"),
        turned("1B", "TI-4.5"),
        idle(1, "1A", rule="TI-4.7"),
    ]
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


# --- several designs --------------------------------------------------------------------------------------------------


def test_sets_are_won_in_the_order_in_which_they_are_complete_and_the_last_winner_restarts() -> None:
    """TI-4.6."""
    state = table(table=("8A", "3A", "4A", "9A"))
    first = resolve(state, claim((0, "3A"), (1, "8A"), (0, "4A"), (1, "9A")))
    assert happened(first) == [won(0, *MOONS), won(1, *TREES)]
    assert first.state.turn == 1
    second = resolve(state, claim((0, "3A"), (1, "8A"), (1, "9A"), (0, "4A")))
    assert happened(second) == [won(1, *TREES), won(0, *MOONS)]
    assert second.state.turn == 0


def test_the_hand_above_those_of_a_mistake_wins_at_once_and_the_mistake_is_told_first() -> None:
    """TI-4.6."""
    state = three(table=(*TREES, *MOONS))
    resolution = resolve(state, claim((2, "3A"), (0, "8A"), (1, "3A"), (1, "4A"), (2, "9A"), (0, "9A")))
    assert happened(resolution) == [mistake(2), won(1, *MOONS), won(0, *TREES)]
    assert resolution.state.turn == 0


def test_the_hand_above_those_on_one_won_pair_robs_at_once() -> None:
    """TI-3.5, TI-4.6."""
    state = three(table=("2A",), piles=(("14A",), ("12A",), ("11A",)), sets=((PAIR,), (), ()))
    resolution = resolve(state, claim((0, "0A"), (1, "0A"), (1, "2A"), (0, "1A")))
    robbery = won(1, *SUNS, source="robbery", rule="TI-3.4")
    lifted = idle(0, "0A", "1A", because="won-pair", rule="TI-3.5")
    assert happened(resolution) == [robbed(0, 1), robbery, lifted]


def test_both_hands_on_a_safe_set_have_no_effect() -> None:
    """TI-3.5; nor has one."""
    state = table(sets=((SUNS,), ()))
    both = resolve(state, claim((1, "0A"), (1, "2A"), (0, "1A")))
    assert happened(both) == [
        idle(1, "0A", "2A", because="safe-set", rule="TI-3.5"),
        idle(0, "1A", because="safe-set"),
    ]


def test_hands_on_cards_that_are_taken_cost_nothing() -> None:
    """TI-4.6: neither two designs, one of them won, nor a second claim of what is won."""
    state = three(table=(*MOONS, "10A"), piles=(("14A",), ("12A",), ("11A",)), sets=((), (TREES,), (PAIR,)))
    resolution = resolve(state, claim((1, "3A"), (0, "3A"), (0, "4A"), (1, "10A"), (2, "3A"), (2, "4A")))
    assert happened(resolution) == [
        mistake(1, TREES),
        won(0, *MOONS),
        idle(2, "3A", "4A", because="card-taken"),
    ]
    later = resolve(state, claim((0, "3A"), (0, "4A"), (1, "3A"), (1, "10A")))
    assert happened(later) == [won(0, *MOONS), idle(1, "3A", because="card-taken"), idle(1, "10A")]


def test_who_won_restarts_before_who_erred() -> None:
    """TI-4.6."""
    state = table(table=(*MOONS, "10A", "11A"))
    resolution = resolve(state, claim((0, "3A"), (0, "4A"), (1, "10A"), (1, "11A")))
    assert happened(resolution) == [won(0, *MOONS), mistake(1)]
    assert resolution.state.turn == 0


def test_the_last_who_erred_is_whose_second_hand_fell_last() -> None:
    """TI-4.6."""
    state = three(table=("3A", "8A", "5A", "0A"))
    assert resolve(state, claim((2, "3A"), (1, "5A"), (1, "0A"), (2, "8A"))).state.turn == 2
    assert resolve(state, claim((1, "5A"), (2, "3A"), (2, "8A"), (1, "0A"))).state.turn == 1


def test_a_card_turned_up_in_the_incident_makes_no_treble_of_the_pair_beside_it() -> None:
    """TI-4.5, TI-4.6: the third of a treble is turned before the other pair is complete."""
    designs = (("moon", "x"), ("moon", "y"), ("moon", "sun"), ("sun", "z"), ("sun", "u"), ("w", "t"), ("v", "s"))
    state = three(designs=designs, piles=(("5A",), ("6A",), ()), table=("0A", "1A", "2A", "3A", "4A"))
    resolution = resolve(state, claim((0, "0A"), (0, "1A"), (2, "3A"), (2, "4A")))
    assert happened(resolution)[-1] == won(2, "3A", "4A", named="sun")
    assert resolution.state.table == ("2B",)


def test_a_mistake_costs_its_set_at_once_and_a_robbery_is_complete_at_its_second_hand() -> None:
    """TI-4.6; worked example 5."""
    state = table(table=("2A", "10A", "5A"), sets=((PAIR,), ()))
    first = resolve(state, claim((0, "10A"), (1, "2A"), (1, "0A"), (0, "5A")))
    assert happened(first) == [robbed(0, 1), won(1, *SUNS, source="robbery", rule="TI-3.4"), mistake(0)]
    assert (first.state.sets, first.state.turn) == (((), (SUNS,)), 1)
    second = resolve(state, claim((1, "2A"), (0, "10A"), (0, "5A"), (1, "0A")))
    assert happened(second) == [mistake(0, PAIR), idle(1, "2A"), idle(1, "0A", because="card-taken")]
    assert (second.state.sets, second.state.turn) == (((), ()), 0)


def test_ties_and_trebles_are_settled_at_the_end_by_their_second_hands_and_lone_hands_after_them() -> None:
    """TI-4.6."""
    state = table(table=(*TREES, *MOONS, *SUNS, "11A"), piles=(("14A",), ("12A",), ("10A",), ("13A",)))
    resolution = resolve(state, claim((0, "8A"), (1, "3A"), (2, "4A"), (3, "9A")))
    assert [event[2].get("seats") for event in happened(resolution)] == [(1, 2), None, None, (0, 3), None, None]
    treble = resolve(state, claim((0, "8A"), (1, "0A"), (2, "11A"), (3, "9A")))
    assert [event[1] for event in happened(treble)] == ["treble", *["turned"] * 3, "tied", *["turned"] * 2, "no-effect"]
    lone = resolve(state, claim((0, "11A"), (1, "3A"), (2, "4A"), (1, "0A")))
    assert happened(lone)[0] == mistake(1)
    assert happened(lone)[1:] == [idle(0, "11A"), idle(2, "4A")]


FIVE = tuple((f"{number}A",) for number in range(10, 15))


def test_a_mistake_closes_its_design_for_all() -> None:
    """TI-4.6, TI-7.1, TI-8.1: who completes it pays; the third of a pair stays."""
    state = match(table=("4A",), forbidden=(("3A",), ()), sets=((PAIR,), ()))
    forbidden = resolve(state, claim((0, "3A"), (2, "4A"), (1, "3A"), (3, "4A")))
    taken = [idle(1, "3A", because="card-taken"), idle(3, "4A", because="card-taken")]
    assert happened(forbidden) == [mistake(2, PAIR, "TI-7.1"), *taken]
    state = match(table=("2A",), sets=((TREES,), (PAIR,)))
    alone = resolve(state, claim((1, "1A"), (0, "0A"), (0, "2A"), (2, "1A"), (3, "2A")))
    assert happened(alone)[:2] == [mistake(0, TREES, "TI-8.1"), idle(1, "1A")]
    assert alone.state.table == ("2A",)


def test_one_design_costs_a_side_one_mistake_and_a_treble_is_turned_over_then() -> None:
    """TI-4.6: TI-7.1 goes before TI-8.1."""
    piles = tuple((f"{number}A",) for number in range(10, 16))
    state = match(table=SUNS[1:], teams=(0, 1, 0, 1, 0, 1), piles=piles, forbidden=(("0A",), ()), sets=((MOONS,), ()))
    treble = ("TI-4.5", "treble", {"cards": ("1A", "2A", "0A")})
    over = [treble, turned("1B", "TI-4.5"), turned("2B", "TI-4.5"), turned("0B", "TI-4.5"), freed(0, "sun")]
    one = resolve(state, claim((0, "0A"), (2, "1A"), (4, "1A"), (4, "2A")))
    assert happened(one) == [mistake(2, MOONS, "TI-7.1"), *over, idle(4, "1A", "2A", because="card-taken")]
    other = resolve(state, claim((4, "1A"), (4, "2A")))
    assert happened(other) == [mistake(4, MOONS, "TI-7.1"), *over]


def test_a_teams_mistake_needs_cards_that_were_free() -> None:
    """TI-8.1."""
    state = match(table=MOONS, sets=((PAIR,), ()))
    above = resolve(state, claim((1, "3A"), (0, "3A"), (0, "4A")))
    assert happened(above)[0] == tied(1, 0, rule="TI-8.2")
    assert happened(above)[-1] == idle(0, "3A", because="card-taken")
    both = resolve(state, claim((1, "3A"), (3, "4A"), (0, "3A"), (0, "4A")))
    assert happened(both) == [won(1, *MOONS, rule="TI-8.1"), idle(0, "3A", "4A", because="card-taken")]


def test_hands_that_come_to_hold_both_cards_by_a_lifted_one_never_err() -> None:
    """TI-4.6, TI-7.1, TI-8.1."""
    state = match(table=(*MOONS, "10A"), piles=(("14A",), ("15A",), ("12A",), ("13A",)), sets=((PAIR,), ()))
    hands = ((1, "3A"), (0, "3A"), (0, "4A"), (1, "10A"))
    assert happened(resolve(state, claim(*hands))) == [mistake(1), idle(0, "3A", "4A", because="one-player-alone")]
    two = resolve(state, claim((1, "3A"), (0, "3A"), (2, "4A"), (1, "10A")))
    assert happened(two) == [mistake(1), won(0, *MOONS, rule="TI-8.1")]
    own = table(table=("4A", "10A"), forbidden=(("3A",), ()))
    alone = resolve(own, claim((1, "4A"), (0, "4A"), (0, "3A"), (1, "10A")))
    assert happened(alone) == [mistake(1), idle(0, "4A", "3A", because="one-player-alone")]


def test_who_holds_a_card_with_a_partner_below_claims_with_that_partner() -> None:
    """TI-8.1: the lower hand has the card."""
    resolution = resolve(match(table=MOONS), claim((2, "3A"), (0, "3A"), (0, "4A")))
    assert happened(resolution) == [won(2, *MOONS, rule="TI-8.1"), idle(0, "3A", because="card-taken")]


def test_hands_that_count_for_nothing_claim_no_forbidden_design() -> None:
    """TI-4.6, TI-7.1: seat 0 errs with two designs; its partner's one hand is no claim."""
    state = match(table=("4A", "5A"), forbidden=(("3A",), ()))
    for hands in (((0, "4A"), (0, "5A"), (2, "3A")), ((0, "5A"), (0, "4A"), (2, "3A"))):
        assert happened(resolve(state, claim(*hands))) == [mistake(0), idle(2, "3A")]
    assert happened(resolve(state, claim((2, "3A"), (0, "4A"), (0, "3A")))) == [
        mistake(0, rule="TI-7.1"),
        idle(0, "3A", because="card-taken"),
    ]


def test_a_hand_that_does_not_count_does_not_stop_the_hands_above_it() -> None:
    """TI-4.7."""
    state = three(table=(*SUNS, "11A"), piles=(("14A",), ("12A",), ("10A",)))
    resolution = resolve(state, claim((2, "0A"), (0, "0A"), (1, "1A"), (0, "2A"), (2, "11A")))
    assert happened(resolution) == [
        mistake(2),
        TREBLE,
        won(0, "0A", "2A", rule="TI-4.5"),
        turned("1B", "TI-4.5"),
        idle(1, "1A", rule="TI-4.7"),
    ]


# --- what the table claims --------------------------------------------------------------------------------------------


def test_the_table_turns_an_untouched_treble_and_leaves_the_turn() -> None:
    """TI-4.5."""
    all_three = [TREBLE, *(turned(card, "TI-4.5") for card in ("0B", "1B", "2B"))]
    resolution = resolve(table(table=("0A", "10A", "1A", "2A"), turn=1), claim())
    assert happened(resolution) == all_three
    assert resolution.state == table(table=("0B", "10A", "1B", "2B"), turn=1)
    by_team = resolve(match(table=SUNS, turn=3), claim())
    assert (happened(by_team), by_team.state.turn) == (all_three, 3)
    assert resolve(match(table=SUNS, turn=None), claim()).state.turn is None


def test_the_table_turns_every_treble_in_the_order_they_lie() -> None:
    """TI-4.5, TI-2.2: the pile that is empty then is passed over."""
    state = table(table=("5A", *SUNS, "6A"), piles=(("7A",), ("12A",)))
    resolution = resolve(state, claim())
    assert [event for event in happened(resolution) if event[1] == "treble"] == [
        ("TI-4.5", "treble", {"cards": ("5A", "6A", "7A")}),
        TREBLE,
    ]
    assert resolution.state == table(table=("5B", "0B", "1B", "2B", "6B", "7B"), piles=((), ("12A",)), turn=1)


def test_the_table_turns_nothing_but_trebles() -> None:
    """TI-2.2, TI-4.5."""
    left: Any = [("TI-2.2", "cards-left", "/hands", {})]
    assert refused(table(table=MOONS), claim()) == left
    assert refused(table(table=("2A",), sets=((PAIR,), ())), claim()) == left
    assert refused(table(table=PAIR, piles=(("14A", "2A"), ())), claim()) == left


# --- mistakes ---------------------------------------------------------------------------------------------------------


def erring(*sets: tuple[str, ...], **fields: Any) -> Any:
    return table(**({"table": ("10A", "5A"), "sets": ((), sets)} | fields))


WRONG = ((1, "5A"), (1, "10A"))


def test_a_mistake_costs_the_latest_set_which_goes_under_the_own_pile_as_it_lay() -> None:
    """TI-5.1."""
    resolution = resolve(erring(SUNS, ("4A", "3A")), claim(*WRONG))
    assert (happened(resolution), resolution.contested) == ([mistake(1, ("4A", "3A"))], ())
    assert resolution.state == erring(SUNS, piles=(("14A", "15A"), ("12A", "13A", "4A", "3A")), turn=1)


def decided(value: str, other: str) -> tuple[Contested, ...]:
    return (Contested("TI-5.1", "mistake_loses", value, (other,), "one-text-two-readings"),)


def test_whether_a_triple_is_lost_is_contested() -> None:
    """TI-5.1."""
    resolution = resolve(erring(MOONS, SUNS, ruleset=ANY_SET), claim(*WRONG))
    assert (happened(resolution), resolution.contested) == ([mistake(1, SUNS)], decided("any-set", "pairs-only"))


def test_where_only_pairs_are_lost_a_later_triple_stays() -> None:
    """TI-5.1."""
    resolution = resolve(erring(MOONS, SUNS), claim(*WRONG))
    assert (happened(resolution), resolution.contested) == ([mistake(1, MOONS)], decided("pairs-only", "any-set"))


def test_where_only_pairs_are_lost_a_triple_cannot_be_given_up() -> None:
    """TI-5.1."""
    state = erring(MOONS, SUNS)
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


def test_a_set_named_that_was_robbed_by_then_is_replaced_by_the_latest() -> None:
    """TI-5.1."""
    state = table(table=("2A", "10A", "5A"), sets=((MOONS, PAIR, TREES), ()))
    robbed_first = claim((1, "0A"), (1, "2A"), (0, "10A"), (0, "5A"), lose=[(0, 1)])
    assert happened(resolve(state, robbed_first))[-1] == mistake(0, TREES)
    robbed_later = claim((0, "10A"), (1, "0A"), (0, "5A"), (1, "2A"), lose=[(0, 1)])
    assert happened(resolve(state, robbed_later))[0] == mistake(0, PAIR)


def test_a_set_named_that_has_grown_by_then_is_lost_if_it_may_be() -> None:
    """TI-5.1."""
    team = RULESETS["team"]
    state = match(table=("2A", "5A", "15A"), teams=(0, 1, 0, 1, 0), piles=FIVE, sets=((PAIR, TREES), ()))
    move = claim((0, "0A"), (2, "2A"), (4, "5A"), (4, "15A"), lose=[(4, 0)])
    pairs = resolve(state, move)
    assert (happened(pairs)[-1], pairs.contested) == (mistake(4, TREES), decided("pairs-only", "any-set"))
    of_any = resolve(changed(state, ruleset=changed(team, mistake_loses="any-set")), move)
    assert (happened(of_any)[-1], of_any.contested) == (mistake(4, SUNS), decided("any-set", "pairs-only"))


def test_whether_there_was_a_mistake_may_rest_on_the_own_top() -> None:
    """TI-3.2, TI-5.1: then so does what the move gives up for it."""
    state = table(table=("3A",), sets=((PAIR,), ()))
    move = claim((0, "14A"), (0, "3A"), lose=[(0, 0)])
    assert refused(state, move) == [("TI-3.2", "no-mistake", "/lose/0/seat", {"seat": 0})]
    contested = core_resolve(ENGINE, state, [move]).contested
    assert contested == (Contested("TI-3.2", "own_pile_top", "others-only", ("counts",), "one-text-two-readings"),)
    counting = changed(state, ruleset=changed(state.ruleset, own_pile_top="counts"))
    assert happened(resolve(counting, move)) == [mistake(0, PAIR)]


# --- forbidden designs ------------------------------------------------------------------------------------------------


def test_a_claim_of_the_forbidden_card_is_a_mistake() -> None:
    """TI-7.1."""
    state = table(table=("4A",), forbidden=(("10A", "3A"), ()), sets=((TREES,), ()), turn=1)
    resolution = resolve(state, claim((0, "4A"), (0, "3A")))
    assert happened(resolution) == [mistake(0, TREES, "TI-7.1")]
    assert (resolution.state.forbidden, resolution.state.turn) == ((("10A", "3A"), ()), 0)


def test_a_card_beside_a_pile_is_turned_onto_the_table_in_a_tie() -> None:
    """TI-4.2, TI-7.2."""
    state = three(table=("4A",), forbidden=(("3A",), (), ()))
    resolution = resolve(state, claim((1, "3A"), (2, "4A")))
    assert happened(resolution) == [tied(1, 2), turned("3B"), freed(0, "moon"), turned("4B")]
    assert (resolution.state.table, resolution.state.forbidden) == (("4B", "3B"), ((), (), ()))


# --- teams ------------------------------------------------------------------------------------------------------------


def test_one_player_with_both_hands_errs_and_the_set_goes_under_his_own_pile() -> None:
    """TI-8.1, TI-8.5."""
    resolution = resolve(match(table=MOONS, sets=((PAIR,), ())), claim((2, "3A"), (2, "4A")))
    assert happened(resolution) == [mistake(2, PAIR, "TI-8.1")]
    assert resolution.state.piles == (("14A",), ("15A",), ("12A", *PAIR), ("13A",))
    assert resolution.state.turn is None


def test_a_teams_forbidden_design_is_claimed_by_two_and_the_second_errs() -> None:
    """TI-7.1, TI-8.5."""
    state = match(table=("4A",), forbidden=(("3A",), ()), sets=((PAIR,), ()))
    resolution = resolve(state, claim((0, "3A"), (2, "4A")))
    assert happened(resolution) == [mistake(2, PAIR, "TI-7.1")]
    assert resolution.state.piles[2] == ("12A", *PAIR)


def test_members_on_a_won_pair_of_a_forbidden_design_claim_nothing() -> None:
    """TI-3.5; no claim, so not TI-7.1."""
    state = match(forbidden=(("0A",), ()), sets=((), (SUNS[1:],)))
    assert happened(resolve(state, claim((0, "1A"), (2, "2A")))) == [idle(0, "1A"), idle(2, "2A")]


def test_two_members_who_err_lose_the_set_named_and_the_latest_of_the_others() -> None:
    """TI-5.1, TI-8.5."""
    state = match(table=("3A", "10A", "5A", "11A"), sets=((PAIR, TREES), ()))
    hands = ((0, "3A"), (0, "10A"), (2, "5A"), (2, "11A"))
    assert happened(resolve(state, claim(*hands))) == [mistake(0, TREES), mistake(2, PAIR)]
    assert happened(resolve(state, claim(*hands, lose=[(2, 1)]))) == [mistake(0, PAIR), mistake(2, TREES)]
    assert refused(state, claim(*hands, lose=[(0, 1), (2, 1)])) == [("TI-5.1", "lost-twice", "/lose/1", {"seat": 2})]
