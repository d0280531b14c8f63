"""A move is one row: the type checker holds it to its class, and a table that forgets something is refused."""

import re
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from engines import twin_it, twins
from engines.core.engine import Move
from engines.core.rulings import Refutes, refutes
from engines.twins.checks import BUY, DEAL, PLAY
from engines.twins.model import Deal

ROOT = Path(__file__).resolve().parents[2]
ROWS = """\
from dataclasses import replace

from engines import twin_it, twins
from engines.core.engine import Move
from engines.take_that import view as other_view
from engines.take_that.checks import LAY, player_is_on_turn
from engines.twins import table
from engines.twins.checks import BUY, DEAL, buyer_can_pay, cards_are_held
from engines.twins.model import Buy, Play
from engines.twins.moves import buy, play

RIGHT = Move(Play, ((cards_are_held,),), play)
CHECK_OF_A_PURCHASE = Move(Play, ((buyer_can_pay,),), play)  # wrong
CHECK_IN_A_LATER_TIER = Move(Play, ((cards_are_held,), (cards_are_held, buyer_can_pay)), play)  # wrong
EFFECT_OF_A_PURCHASE = Move(Play, ((cards_are_held,),), buy)  # wrong
CLASS_OF_A_PURCHASE = Move(Buy, ((cards_are_held,),), play)  # wrong
CHECK_OF_ANOTHER_GAME = Move(Play, ((player_is_on_turn,),), play)  # wrong

RIGHT_TABLE = replace(twins.ENGINE, moves=(BUY, RIGHT, DEAL))
ROW_OF_ANOTHER_GAME = replace(twins.ENGINE, moves=(BUY, RIGHT, LAY))  # wrong

FACTS_OF_ANOTHER_TYPE = replace(twins.ENGINE, facts=table.to_act)  # wrong
VIEW_OF_ANOTHER_GAME = replace(twins.ENGINE, view=other_view.view)  # wrong
"""


def test_a_check_or_an_effect_under_the_wrong_move_is_a_type_error(tmp_path: Path) -> None:
    file = tmp_path / "rows.py"
    file.write_text(ROWS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", str(file)],
        cwd=ROOT, capture_output=True, text=True, timeout=170, check=False,
    )  # fmt: skip
    failing = {int(line) for line in re.findall(r"rows\.py:(\d+): error", done.stdout)}
    wrong = {number for number, line in enumerate(ROWS.splitlines(), 1) if "# wrong" in line}
    assert failing == wrong, done.stdout + done.stderr


@dataclass(frozen=True)
class Nameless:
    """A move whose author forgot `type`."""


@dataclass(frozen=True)
class AlsoCalledBuy:
    """A move under the name of another."""

    type: ClassVar[str] = "buy"


@dataclass(frozen=True)
class DealAgain(Deal):
    """A second deal."""

    type: ClassVar[str] = "deal-again"


def check_that_always_passes(state: Any, move: Any) -> None:
    """A check."""


def effect_that_changes_nothing(state: Any, move: Any) -> Any:
    """An effect."""


NOTHING: Any = None  #: Typed as anything, so that the type checker lets it stand for a function.
ANOTHER_MOVE: Any = BUY  #: Typed as anything, so that the type checker lets its parts stand in a row of `Play`.
NO_TIER = "the move Play has a tier without checks, or no tier at all"
NO_FUNCTION = "the effect of the move Play, or one of its checks, is no function"
MISTAKES = {
    "no row for a class of the model": (
        (BUY, DEAL), "no row for the move 'play', the class Play of engines.twins.model"
    ),
    "no name": (
        (BUY, PLAY, DEAL, Move(Nameless, ((check_that_always_passes,),), effect_that_changes_nothing)),
        "the move Nameless has no `type`, its name on the wire",
    ),
    "no tier": ((BUY, DEAL, replace(PLAY, tiers=())), NO_TIER),
    "a tier without checks": ((BUY, DEAL, replace(PLAY, tiers=((check_that_always_passes,), ()))), NO_TIER),
    "no effect": ((BUY, DEAL, replace(PLAY, effect=NOTHING)), NO_FUNCTION),
    "no check": ((BUY, DEAL, replace(PLAY, tiers=((NOTHING,),))), NO_FUNCTION),
    "a check of another move": (
        (BUY, DEAL, replace(PLAY, tiers=(ANOTHER_MOVE.tiers[1][2:],))),
        "buyer_is_at_the_table is a check of the move Play, but takes Buy",
    ),
    "an effect of another move": (
        (BUY, DEAL, replace(PLAY, effect=ANOTHER_MOVE.effect)), "buy is an effect of the move Play, but takes Buy"
    ),
    "a field that is not all that a part says": (
        (BUY, replace(PLAY, gathers="cards"), DEAL),
        "the move Play gathers 'cards': that has to be its one field without a default",
    ),
    "a field that is not all that a count says": (
        (BUY, replace(PLAY, counts="cards"), DEAL),
        "the move Play counts 'cards': that has to be its one field without a default",
    ),
    "two rows of one class": ((BUY, PLAY, DEAL, BUY), "two rows for the move 'buy', of Buy and of Buy"),
    "two deals": ((BUY, PLAY, DEAL, replace(DEAL, kind=DealAgain)), "more than one move deals"),
    "two rows of one name": (
        (BUY, PLAY, DEAL, Move(AlsoCalledBuy, ((check_that_always_passes,),), effect_that_changes_nothing)),
        "two rows for the move 'buy', of Buy and of AlsoCalledBuy",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("moves", "sentence"), MISTAKES.values(), ids=MISTAKES)
def test_a_game_with_a_mistake_in_its_moves_is_refused_in_a_sentence_that_names_it(
    moves: tuple[Move[Any, Any], ...], sentence: str
) -> None:
    with pytest.raises(ValueError, match=f"^twins: {re.escape(sentence)}$"):
        replace(twins.ENGINE, moves=moves)


@pytest.mark.parametrize(
    "ruling", [None, refutes("TW-1.1", "no-such-seat", seat=int)], ids=["missing", "without seats"]
)
def test_a_game_without_a_ruling_for_a_seat_beyond_its_table_is_refused(ruling: Refutes | None) -> None:
    with pytest.raises(ValueError, match=r"^twins: no_such_seat"):
        replace(twins.ENGINE, no_such_seat=ruling)


def test_a_game_says_which_move_deals_if_any_does() -> None:
    assert (twins.ENGINE.deal, twins.ENGINE.deal_name) == (DEAL, "deal")
    assert (twin_it.ENGINE.deal, twin_it.ENGINE.deal_name) == (None, None)
