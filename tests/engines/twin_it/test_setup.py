"""TI-1: the deal, and what cannot be dealt."""

from typing import Any

import pytest

from engines.core.records import changed
from engines.core.shuffle import in_order
from engines.twin_it import ENGINE
from engines.twin_it.designs import HOUSE_DECK
from engines.twin_it.model import RULESETS, Setup
from tests.engines.twin_it.tables import DECK, setup_faults

FOUR = (("a", "b"), ("c", "d"), ("e", "f"), ("g", "h"))
ORDER = ("3B", "0A", "2A", "1B")


def small(seats: int = 2, **fields: Any) -> Setup:
    return Setup(seats, **({"designs": FOUR, "deck": ORDER} | fields))


def test_cards_are_dealt_in_turn_the_first_on_top_and_seat_0_begins() -> None:
    """TI-1.2, TI-1.4."""
    state = ENGINE.opening(small())
    assert (state.piles, state.table, state.turn, state.phase) == ((("3B", "2A"), ("0A", "1B")), (), 0, "play")
    assert (state.sets, state.forbidden, state.counts, state.teams) == (((), ()), ((), ()), (), None)


def test_the_extra_cards_go_to_the_first_seats_after_the_dealer() -> None:
    """TI-1.2."""
    assert ENGINE.opening(small(3, dealer=0)).piles == (("2A",), ("3B", "1B"), ("0A",))
    assert (
        ENGINE.opening(small(3, dealer=2)).piles == ENGINE.opening(small(3)).piles == (("3B", "1B"), ("0A",), ("2A",))
    )


def test_the_named_seat_begins() -> None:
    """TI-1.4."""
    assert ENGINE.opening(small(first=1)).turn == 1
    assert ENGINE.opening(small(4, ruleset=RULESETS["team"], first=3)).turn == 3


def test_a_seat_without_a_pile_is_passed_over_at_the_beginning() -> None:
    """TI-1.4."""
    few = small(3, designs=FOUR[:2], deck=("1A", "0A"))
    assert ENGINE.opening(changed(few, first=2)).turn == 0
    assert ENGINE.opening(changed(few, dealer=0)).turn == 1


@pytest.mark.parametrize(("name", "counts"), [("cooperative", (None,)), ("timed", (None, None))])
def test_where_cards_are_counted_all_lie_on_the_table(name: str, counts: tuple[None, ...]) -> None:
    """TI-9.1, TI-10.1."""
    state = ENGINE.opening(small(ruleset=RULESETS[name]))
    assert (state.piles, state.table, state.turn, state.counts) == (((), ()), ORDER, None, counts)


def test_neighbours_are_opponents_unless_teams_are_told() -> None:
    """TI-1.3."""
    team = RULESETS["team"]
    state = ENGINE.opening(small(5, ruleset=team))
    assert (state.teams, state.sets, state.forbidden) == ((0, 1, 0, 1, 0), ((), ()), ((), ()))
    assert ENGINE.opening(small(4, ruleset=team, teams=(0, 0, 1, 1))).teams == (0, 0, 1, 1)


def test_cards_beside_a_pile_are_not_shuffled_in() -> None:
    """TI-7.1."""
    setup = small(forbidden=(("3B",), ()), deck=None)
    assert ENGINE.cards(setup) == (("0A", "0B"), ("1A", "1B"), ("2A", "2B"))
    state = ENGINE.opening(changed(setup, deck=in_order(ENGINE.cards(setup), "seed")))
    assert state.forbidden == (("3B",), ())
    assert {card[:-1] for pile in state.piles for card in pile if card} == {"0", "1", "2"}


def test_the_larger_of_uneven_teams_may_be_dealt_forbidden_designs() -> None:
    """TI-8.4."""
    setup = Setup(
        5, ruleset=RULESETS["team"], designs=DECK[:6], forbidden=(("3A",), ()), deck=("0A", "1A", "2A", "4A", "5A")
    )
    assert setup_faults(setup) == []
    state = ENGINE.opening(setup)
    assert (state.teams, state.forbidden) == ((0, 1, 0, 1, 0), (("3A",), ()))


def test_the_house_deck_is_dealt_evenly() -> None:
    """TI-1.2."""
    setup = Setup(4)
    assert setup_faults(setup) == []
    state = ENGINE.opening(changed(setup, deck=in_order(ENGINE.cards(setup), "seed")))
    assert [len(pile) for pile in state.piles] == [34, 34, 34, 33]
    assert state.designs is HOUSE_DECK


def test_a_whole_deck_has_no_faults() -> None:
    assert setup_faults(small()) == []
    assert setup_faults(small(forbidden=(("3A",), ("0B",)), deck=("2A", "1B"))) == []
    assert setup_faults(small(dealer=1, forbidden=())) == []


@pytest.mark.parametrize(
    ("setup", "expected"),
    [
        (
            small(designs=(("a", "a"), ("b", "a"), ("a", "c"), ("d", "e"))),
            [
                (
                    "TI-1.1",
                    "design-too-often",
                    ("/designs/0/0", "/designs/0/1", "/designs/1/1", "/designs/2/0"),
                    {"design": "a", "times": 4},
                )
            ],
        ),
        (
            small(deck=("0A", "0B", "1A", "4A")),
            [
                ("TI-1.1", "unknown-card", ("/deck/3", "/designs"), {"card": "4A", "count": 4}),
                ("TI-1.1", "card-twice", ("/deck/0", "/deck/1"), {"number": 0}),
                ("TI-1.1", "card-missing", ("/deck", "/designs"), {"number": 2}),
                ("TI-1.1", "card-missing", ("/deck", "/designs"), {"number": 3}),
            ],
        ),
        (
            small(forbidden=(("0B",), ("1A",)), deck=("0A", "2A", "3A")),
            [("TI-1.1", "card-twice", ("/deck/0", "/forbidden/0/0"), {"number": 0})],
        ),
        (
            small(forbidden=(("3A",), ("4B",)), deck=None),
            [("TI-1.1", "unknown-card", ("/forbidden/1/0", "/designs"), {"card": "4B", "count": 4})],
        ),
        (
            small(designs=(("a", "b"),), forbidden=(("0A",), ()), deck=()),
            [("TI-1.2", "nothing-to-deal", ("/designs", "/forbidden"), {})],
        ),
        (small(1), [("TI-1.3", "seats-unfit", ("/ruleset", "/seats"), {"ruleset": "competitive", "seats": 1})]),
        (
            small(1, ruleset=RULESETS["timed"]),
            [("TI-1.3", "seats-unfit", ("/ruleset", "/seats"), {"ruleset": "timed", "seats": 1})],
        ),
        (small(1, ruleset=RULESETS["cooperative"]), []),
        (
            small(3, ruleset=RULESETS["team"], teams=(0, 1, 0)),
            [
                ("TI-1.3", "seats-unfit", ("/ruleset", "/seats"), {"ruleset": "team", "seats": 3}),
                ("TI-1.3", "team-too-small", ("/teams",), {"team": 1, "players": 1}),
            ],
        ),
        (
            small(4, ruleset=RULESETS["team"], teams=(1, 1, 1, 1)),
            [("TI-1.3", "team-too-small", ("/teams",), {"team": 0, "players": 0})],
        ),
        (
            small(4, ruleset=RULESETS["team"], teams=(0, 1, 0, 1, 0)),
            [("TI-1.3", "entries-disagree", ("/teams", "/seats"), {"due": 4, "found": 5})],
        ),
        (small(teams=(0, 1)), [("TI-1.3", "teams-unfit", ("/ruleset", "/teams"), {"ruleset": "competitive"})]),
        (
            small(4, ruleset=RULESETS["team"], forbidden=((), (), (), ())),
            [("TI-1.3", "entries-disagree", ("/forbidden", "/seats"), {"due": 2, "found": 4})],
        ),
        (small(first=2), [("TI-1.4", "no-such-seat", ("/first", "/seats"), {"seat": 2, "seats": 2})]),
        (
            small(ruleset=RULESETS["timed"], first=0),
            [("TI-1.4", "nobody-begins", ("/first", "/ruleset"), {"ruleset": "timed"})],
        ),
        (
            small(1, ruleset=RULESETS["cooperative"], first=1),
            [
                ("TI-1.4", "no-such-seat", ("/first", "/seats"), {"seat": 1, "seats": 1}),
                ("TI-1.4", "nobody-begins", ("/first", "/ruleset"), {"ruleset": "cooperative"}),
            ],
        ),
        (small(dealer=2), [("TI-1.4", "no-such-seat", ("/dealer", "/seats"), {"seat": 2, "seats": 2})]),
        (
            Setup(2, designs=DECK, forbidden=((), ("0A", "3A", "1A"))),
            [("TI-7.1", "forbidden-alike", ("/forbidden/1/0", "/forbidden/1/2"), {"side": 1, "design": "sun"})],
        ),
        (
            Setup(2, designs=DECK, forbidden=(("0A", "3A", "5A", "8A"), ())),
            [("TI-7.1", "too-many-forbidden", ("/forbidden/0",), {"side": 0, "count": 4})],
        ),
        (
            small(1, ruleset=RULESETS["cooperative"], forbidden=(("0A",),), deck=None),
            [("TI-9.3", "zone-unfit", ("/forbidden", "/ruleset"), {"ruleset": "cooperative"})],
        ),
        (small(1, ruleset=RULESETS["cooperative"], forbidden=((),)), []),
    ],
)
def test_what_cannot_be_dealt_is_said_with_every_fault(setup: Setup, expected: list[Any]) -> None:
    """TI-1.1, TI-1.2, TI-1.3, TI-1.4, TI-7.1, TI-9.3."""
    assert setup_faults(setup) == expected
