"""GR-5: what is said of knocks where cards are not seen or melds are stated."""

import pytest

from engines import registry
from engines.gin_rummy.model import Knock, LayOff, State
from engines.gin_rummy.table import a_knock_is_possible

ENGINE = registry()["gin-rummy"]
MELDED = ("4S", "5S", "6S", "9H", "9D", "9C", "KH", "KD", "KC")
UNMATCHED_CARDS = ("AS", "3H", "5C", "7D", "8H", "TS", "QC", "KD")


def state(*hand: str | None) -> State:
    """A state in the phase discard with this hand of seat 0, which is on turn; nothing of the other hand is seen."""
    return State(phase="discard", turn=0, hands=(hand, (None,) * 10))


@pytest.mark.parametrize(
    ("hand", "possible"),
    [
        ((*MELDED, "KS", None), None),  # with the 7S it is big gin
        ((*MELDED, "7D", None), None),  # the unseen card may be thrown, and 7 points are left
        ((*UNMATCHED_CARDS, "JH", "4D", None), False),
        ((*UNMATCHED_CARDS, None, None, None), None),
    ],
    ids=["big gin", "one thrown", "too heavy", "three unseen"],
)
def test_a_knock_with_unseen_cards_is_undecided_or_impossible(
    hand: tuple[str | None, ...], possible: bool | None
) -> None:
    assert a_knock_is_possible(state(*hand), 0, None, None) is possible


@pytest.mark.parametrize(
    "move", [Knock(0, discard="2S", melds=(MELDED[:3],)), LayOff(1, melds=(MELDED[:3],)), LayOff(1, lay_offs=())]
)
def test_a_move_that_states_its_melds_or_lay_offs_has_no_facts(move: Knock | LayOff) -> None:
    """Facts would be those of the best melds, not of the stated ones."""
    assert ENGINE.facts(state(*MELDED, "2S", "7D"), move) == {}
