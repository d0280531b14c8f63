"""What the poster cannot see: unseen cards in piles, what a move tells of them, what a seat may see."""

from typing import Any

import pytest

from engines.core.judge import judge, legal_moves
from engines.core.records import changed
from engines.twin_it import ENGINE
from engines.twin_it.model import Flip
from tests.engines.twin_it.tables import (
    DECK,
    MOONS,
    SUNS,
    TREES,
    claim,
    happened,
    idle,
    mistake,
    refused,
    resolve,
    table,
    three,
    turned,
    won,
)


def test_an_unseen_card_is_uncovered_unseen() -> None:
    """TI-2.1."""
    resolution = resolve(table(piles=(("14A", None, None), ("12A",))), Flip(0))
    assert (resolution.state.piles[0], resolution.state.table) == ((None, None), ("14B",))


def test_an_unseen_top_cannot_be_flipped() -> None:
    """TI-2.1."""
    resolution = resolve(table(piles=(("14A",), (None, "12A")), turn=1), Flip(1))
    assert (resolution.legal, resolution.applied, resolution.undetermined is not None) == (True, 0, True)
    assert resolution.undetermined is not None
    assert (resolution.undetermined.ruling.rule, resolution.undetermined.pointer) == ("TI-2.1", "/piles/1/0")
    assert resolution.undetermined.params == {"seat": 1}


def test_the_move_tells_the_next_card() -> None:
    """TI-2.1."""
    assert resolve(table(piles=(("14A", None, None), ("12A",))), Flip(0, "15B")).state.piles[0] == ("15B", None)
    assert resolve(table(), Flip(0, "15A")).state.piles[0] == ("15A",)


def test_what_is_told_of_a_seen_card_agrees_with_it() -> None:
    """TI-2.1."""
    assert refused(table(), Flip(0, "15B")) == [
        ("TI-2.1", "uncovered-otherwise", "/uncovered", {"card": "15B", "top": "15A"})
    ]


def test_what_is_told_of_an_unseen_card_lies_nowhere_else() -> None:
    """TI-1.1."""
    state = table(piles=(("14A", None), ("12A", "13A")), table=("3A",), sets=((SUNS,), ()), forbidden=((), ("5A",)))
    for card in ("3B", "14B", "13B", "0B", "5B"):
        assert refused(state, Flip(0, card)) == [("TI-1.1", "uncovered-elsewhere", "/uncovered", {"card": card})]


def test_what_is_told_is_a_card_of_the_deck() -> None:
    """TI-1.1."""
    assert refused(table(piles=(("14A", None), ("12A",))), Flip(0, "16A")) == [
        ("TI-1.1", "no-such-card", "/uncovered", {"card": "16A", "count": 16})
    ]


def test_the_last_card_uncovers_nothing() -> None:
    """TI-2.1."""
    assert refused(table(piles=(("14A",), ("12A",))), Flip(0, "15A")) == [
        ("TI-2.1", "nothing-uncovered", "/uncovered", {"seat": 0})
    ]


def test_a_claim_tells_the_tops_that_it_uncovers() -> None:
    """TI-3.7."""
    state = three(piles=(("3A", None), ("4A", None, None), ("12A",)))
    resolution = resolve(state, claim((2, "3A"), (2, "4A"), uncovered=[(1, "15B"), (0, "10A")]))
    assert resolution.state.piles == (("10A",), ("15B", None), ("12A",))
    assert resolve(state, claim((2, "3A"), (2, "4A"))).state.piles == ((None,), (None, None), ("12A",))


def test_a_claim_tells_nothing_of_other_piles() -> None:
    """TI-2.1."""
    state = table(piles=(("3A", None), ("12A", None)), table=("4A",))
    move = claim((1, "3A"), (1, "4A"), uncovered=[(1, "15B"), (0, "10A")])
    assert refused(state, move) == [("TI-2.1", "nothing-uncovered", "/uncovered/0/seat", {"seat": 1})]


def test_a_claim_tells_of_a_pile_once() -> None:
    """TI-2.1."""
    state = table(piles=(("3A", None), ("12A", None)), table=("4A",))
    move = claim((1, "3A"), (1, "4A"), uncovered=[(0, "15B"), (0, "10A")])
    assert [resolution[:3] for resolution in refused(state, move)] == [
        ("TI-2.1", "nothing-uncovered", "/uncovered/0/seat"),
        ("TI-2.1", "nothing-uncovered", "/uncovered/1/seat"),
    ]


def test_two_piles_do_not_uncover_one_card() -> None:
    """TI-1.1."""
    state = three(piles=(("3A", None), ("4A", None), ("12A",)))
    move = claim((2, "3A"), (2, "4A"), uncovered=[(0, "15B"), (1, "15A")])
    assert refused(state, move) == [("TI-1.1", "uncovered-elsewhere", "/uncovered/1/card", {"card": "15A"})]


def test_a_claim_that_empties_a_pile_uncovers_nothing() -> None:
    """TI-2.1."""
    state = table(piles=(("3A",), ("12A",)), table=("4A",))
    move = claim((1, "3A"), (1, "4A"), uncovered=[(0, "15B")])
    assert refused(state, move) == [("TI-2.1", "nothing-uncovered", "/uncovered/0/card", {"seat": 0})]


def test_no_tops_told_are_as_good_as_none_named() -> None:
    assert refused(table(table=MOONS), claim((0, "3A"), (0, "4A"), uncovered=[])) == []


def test_a_tie_uncovers_too() -> None:
    """TI-4.3."""
    state = table(piles=(("3A", None), ("12A",)), table=("4A",))
    resolution = resolve(state, claim((1, "3A"), (0, "4A"), uncovered=[(0, "15B")]))
    assert (resolution.state.piles[0], resolution.state.table) == (("15B",), ("4B", "3B"))


def test_a_card_that_is_nowhere_seen_may_be_the_unseen_top() -> None:
    """TI-3.2."""
    resolution = resolve(table(piles=((None, "15A"), ("12A",)), table=("3A",)), claim((1, "3A"), (1, "4A")))
    assert (happened(resolution), resolution.unverified) == ([won(1, *MOONS)], ("TI-3.2",))
    assert resolution.state.piles == (("15A",), ("12A",))


def test_the_unseen_top_may_be_turned_in_a_tie() -> None:
    """TI-3.2, TI-4.3."""
    resolution = resolve(table(piles=((None, "15A"), ("12A",)), table=("3A",)), claim((0, "3A"), (1, "4A")))
    assert happened(resolution)[1:] == [turned("3B"), turned("4B", "TI-4.3")]
    assert (resolution.state.piles[0], resolution.state.table) == (("15A",), ("3B", "4B"))


def test_two_hands_may_be_on_the_one_unseen_top() -> None:
    """TI-3.2."""
    move = claim((0, "3A"), (1, "4A"), (0, "4A"))
    judgement = judge(ENGINE, table(piles=((None,), ("12A",)), table=("3A",)), move)
    assert (judgement.violations, judgement.unverified) == ([], ["TI-3.2"])


def test_a_card_that_lies_elsewhere_is_not_the_unseen_top() -> None:
    """TI-3.2."""
    assert refused(table(piles=((None,), ("12A",)), table=("3A", "4B")), claim((1, "3A"), (1, "4A"))) == [
        ("TI-3.2", "not-visible", "/hands/1/card", {"card": "4A", "because": "other-side"})
    ]


def test_one_unseen_top_is_not_two_cards() -> None:
    """TI-3.2."""
    state = table(piles=((None,), ("12A",)))
    assert refused(state, claim((1, "3A"), (1, "4A"))) == [
        ("TI-3.2", "not-visible", "/hands/1/card", {"card": "4A", "because": None})
    ]


def test_two_unseen_tops_are_not_the_two_sides_of_one_card() -> None:
    """TI-3.2."""
    state = table(piles=((None,), (None,)))
    assert refused(state, claim((1, "3A"), (0, "3B"))) == [
        ("TI-3.2", "not-visible", "/hands/1/card", {"card": "3B", "because": None})
    ]


def test_a_card_below_an_unseen_top_is_not_visible() -> None:
    """TI-3.2."""
    assert refused(table(piles=((None, "15A"), ("12A",))), claim((1, "15A"))) == [
        ("TI-3.2", "not-visible", "/hands/0/card", {"card": "15A", "because": "below-a-top"})
    ]


WHOLE = {"table": ("0A", *MOONS, *TREES), "sets": ((("1A", "2A"),), ())}
"""With the piles of a test, every card of the deck."""


@pytest.mark.parametrize(
    ("card", "fields", "why"),
    [
        ("0B", {}, "other-side"),
        ("14B", {}, "other-side"),
        ("1B", {"sets": ((SUNS[:2],), ())}, "other-side"),
        ("15A", {}, "below-a-top"),
        ("15B", {}, "below-a-top"),
        ("7A", {}, "gone"),
        ("7A", {"piles": (("14A", None), ("12A", "13A"))}, None),
        ("7A", {"piles": (("5A", None, None, "15A"), ("12A", "13A", "6A", "10A", "11A"))}, "below-a-top"),
        ("7A", {"piles": ((None, None), ("12A", "13A"))}, None),
    ],
)
def test_a_refused_hand_is_told_why_its_card_is_not_visible(card: str, fields: Any, why: str | None) -> None:
    """TI-3.2: None where that cannot be told."""
    state = table(**{**WHOLE, **fields})
    hands = [(1, "6B"), (1, card)] if state.piles[0][0] is None else [(1, card)]
    assert [each[3] for each in refused(state, claim(*hands))] == [{"card": card, "because": why}]


def test_on_which_of_two_unseen_tops_a_hand_is_cannot_be_told() -> None:
    """TI-3.2."""
    resolution = resolve(table(piles=(("14A",), (None, "15A"), (None,)), table=("3A",)), claim((1, "3A"), (1, "4A")))
    assert resolution.undetermined is not None
    assert (resolution.undetermined.ruling.rule, resolution.undetermined.pointer) == ("TI-3.2", "/piles/1/0")
    assert resolution.undetermined.params == {"card": "4A"}


def test_whether_the_third_card_shows_cannot_be_told() -> None:
    """TI-4.5."""
    resolution = resolve(table(piles=(("14A",), (None,)), table=SUNS[:2]), claim((1, "0A"), (1, "1A")))
    assert resolution.undetermined is not None
    assert (resolution.undetermined.ruling.rule, resolution.undetermined.pointer) == ("TI-4.5", "/piles/1/0")
    assert resolution.undetermined.params == {"design": "sun"}


def test_what_the_tops_uncover_waits_for_what_is_not_seen() -> None:
    """TI-4.5."""
    state = table(piles=(("14A", None), (None,)), table=SUNS[:2])
    assert refused(state, claim((1, "0A"), (1, "1A"), uncovered=[(0, "15A")])) == []


def test_a_third_card_that_is_seen_elsewhere_does_not_show() -> None:
    """TI-4.5."""
    for fields in ({"table": ("0A", "1A", "2B")}, {"table": ("0A", "1A"), "piles": ((None, "2A"), ("12A",))}):
        resolution = resolve(table(**({"piles": ((None,), ("12A",))} | fields)), claim((1, "0A"), (1, "1A")))
        assert happened(resolution) == [won(1, "0A", "1A")]


def test_a_single_hand_waits_for_two_unseen_tops_only() -> None:
    """TI-4.5."""
    one = resolve(table(piles=((None,), ("12A",)), table=("0A",)), claim((1, "0A")))
    assert happened(one) == [idle(1, "0A")]
    two = resolve(table(piles=((None,), (None,)), table=("0A",)), claim((1, "0A")))
    assert (two.applied, two.undetermined is not None) == (0, True)


def test_the_unseen_top_under_a_hand_is_not_the_third_card_as_well() -> None:
    """TI-4.5."""
    state = table(piles=((None, "15A"), ("12A",)), table=("0A",))
    assert happened(resolve(state, claim((1, "0A"), (1, "1A")))) == [won(1, "0A", "1A")]


def test_the_third_card_under_a_hand_completes_a_treble() -> None:
    """TI-4.5."""
    state = table(piles=((None, "15A"), ("12A",)), table=("0A", "1A"))
    resolution = resolve(state, claim((1, "0A"), (0, "2A")))
    assert happened(resolution)[0] == ("TI-4.5", "treble", {"cards": SUNS})


def test_the_unseen_top_under_a_hand_is_not_the_third_card_of_another_design() -> None:
    """TI-4.5."""
    state = three(piles=((None, "15A"), ("12A",), ("10A",)), table=("0A", "1A", "3A"))
    resolution = resolve(state, claim((1, "0A"), (1, "1A"), (2, "3A"), (2, "4A")))
    assert happened(resolution) == [won(1, "0A", "1A"), won(2, *MOONS)]


def test_a_top_uncovered_in_the_incident_is_not_the_one_under_a_hand() -> None:
    """TI-3.2, TI-3.7."""
    state = table(piles=(("8A", None), (None, "15A")), table=("3A", "9A"))
    resolution = resolve(state, claim((1, "8A"), (1, "9A"), (0, "3A"), (0, "4A")))
    assert resolution.state.piles == ((None,), ("15A",))


def test_a_design_of_two_has_no_third_card() -> None:
    """TI-4.5."""
    assert happened(resolve(table(piles=((None,), ("12A",)), table=MOONS), claim((1, "3A"), (1, "4A")))) == [
        won(1, *MOONS)
    ]


def test_a_won_pair_has_no_treble() -> None:
    """TI-4.5."""
    state = table(piles=((None,), ("12A",)), sets=((SUNS[:2],), ()))
    assert happened(resolve(state, claim((1, "0A")))) == [idle(1, "0A")]


def test_the_one_unseen_top_under_a_hand_of_its_owner_is_the_own() -> None:
    """TI-3.2."""
    state = table(piles=((None, "15A"), ("12A",)), table=("3A",))
    resolution = resolve(state, claim((0, "3A"), (0, "4A")))
    assert happened(resolution) == [idle(0, "3A"), idle(0, "4A", because="own-top", rule="TI-3.2")]
    assert resolution.state == state


def test_whether_a_hand_is_on_the_own_unseen_top_or_on_another_cannot_be_told() -> None:
    """TI-3.2: so it is not seen either whether there was a mistake to lose a set for."""
    state = three(piles=((None,), (None,), ("12A",)), table=("3A",), sets=((SUNS[:2],), (), ()))
    for lose in (None, [(0, 0)], [(0, 5)]):
        resolution = resolve(state, claim((0, "3A"), (0, "8A"), lose=lose))
        assert (resolution.legal, resolution.undetermined is not None) == (True, True)
        assert resolution.undetermined is not None
        assert resolution.undetermined.ruling.rule == "TI-3.2"
    counting = changed(state, ruleset=changed(state.ruleset, own_pile_top="counts"))
    assert happened(resolve(counting, claim((0, "3A"), (0, "8A")))) == [mistake(0, SUNS[:2])]
    assert happened(resolve(state, claim((2, "3A"), (2, "8A")))) == [mistake(2)]


def test_the_card_of_a_mistake_may_be_the_third_of_a_treble() -> None:
    """TI-4.5: it shows, no matter who touched it."""
    one = three(piles=((None,), ("12A",), ("10A",)), table=("0A", "1A", "3A"))
    hands = ((2, "2A"), (2, "3A"), (1, "0A"), (1, "1A"))
    assert happened(resolve(one, claim(*hands)))[1] == ("TI-4.5", "treble", {"cards": SUNS})
    two = changed(one, piles=((None,), (None,), ("10A",)))
    resolution = resolve(two, claim(*hands))
    assert resolution.undetermined is not None
    assert resolution.undetermined.ruling.code == "hand-unplaced"


def test_whether_the_table_may_turn_a_treble_can_hang_on_an_unseen_top() -> None:
    """TI-4.5."""
    state = table(piles=(("14A",), (None,)), table=SUNS[:2])
    resolution = resolve(state, claim())
    assert (resolution.legal, resolution.unverified) == (True, ("TI-2.2",))
    assert resolution.undetermined is not None
    assert resolution.undetermined.params == {"design": "sun"}
    assert claim() not in legal_moves(ENGINE, state)[0]
    seen_elsewhere = changed(state, table=("0A", "1A", "2B"))
    assert refused(seen_elsewhere, claim()) == [("TI-2.2", "cards-left", "/hands", {})]
    another = changed(state, table=(*SUNS, "5A", "6A"))
    assert resolve(another, claim()).undetermined is not None


def test_everyone_sees_the_tops_and_nothing_below() -> None:
    """TI-1.2, TI-3.2."""
    state = table(piles=(("14A", "15A", "10B"), ()), table=MOONS, sets=((SUNS,), ()))
    for seat in (None, 0, 1):
        assert ENGINE.view(state, seat) == table(piles=(("14A", None, None), ()), table=MOONS, sets=((SUNS,), ()))


def test_an_unseen_top_leaves_the_legal_moves_incomplete() -> None:
    """TI-3.2."""
    assert legal_moves(ENGINE, table(piles=((None,), ("12A",)), turn=1)) == ([Flip(1)], False)
    assert legal_moves(ENGINE, table(turn=1)) == ([Flip(1)], True)


def test_a_deck_is_public_so_a_card_beyond_it_is_never_the_unseen_top() -> None:
    """TI-1.1."""
    state = table(piles=((None,), ("12A",)), designs=DECK[:15])
    assert refused(state, claim((0, "15A"))) == [
        ("TI-1.1", "no-such-card", "/hands/0/card", {"card": "15A", "count": 15})
    ]
