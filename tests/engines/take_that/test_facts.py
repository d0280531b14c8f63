"""What a player would want to know of a legal move."""

from __future__ import annotations

from engines.core.judge import legal_moves
from engines.take_that import ENGINE
from engines.take_that.model import Deal, Lay, Take, Twist
from tests.engines.take_that.tables import table


def test_moves_are_listed_in_order_lays_then_twists_then_the_take() -> None:
    """TT-2.1, TT-2.4."""
    state = table(row=(34, 41, 35), hands=((43, 14, 44, 36), ()), pile=())
    assert legal_moves(ENGINE, state) == (
        [Lay(0, 36), Lay(0, 43), Lay(0, 44), Twist(0, 14), Twist(0, 43), Take(0)],
        True,
    )


def test_twist_names_its_partner() -> None:
    """TT-1.3."""
    assert ENGINE.facts(table(), Twist(0, 94)) == {"partner": 49}


def test_take_names_what_it_costs() -> None:
    """TT-7.2."""
    assert ENGINE.facts(table(row=(22, 27, 33, 41)), Take(0)) == {"points": -12}


def test_cost_of_a_row_that_is_partly_unseen_is_not_told() -> None:
    """TT-7.2."""
    assert ENGINE.facts(table(row=(22, None)), Take(0)) == {}


def test_lay_names_the_least_and_the_greatest_card_that_may_follow() -> None:
    """TT-3.1."""
    assert [ENGINE.facts(table(), Lay(0, card)) for card in (21, 41, 97)] == [
        {"reach": (12, 31)}, {"reach": (31, 51)}, {"reach": (87, 98)},
    ]  # fmt: skip


def test_deal_has_no_facts() -> None:
    assert ENGINE.facts(table(), Deal()) == {}


def test_every_fact_has_a_type() -> None:
    assert set(ENGINE.fact_types) == {"partner", "points", "reach"}
