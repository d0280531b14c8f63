"""The law of listings, which `test_laws` holds in every game, finds the mistakes that are planted here."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import pytest

import engines
from engines.core.engine import Candidates, Engine, without_chance
from engines.core.records import changed
from engines.core.shape import Drawn, Whole
from engines.gin_rummy.model import Discard, Draw, Knock, LayOff, Pass
from engines.take_that.model import Lay
from engines.twin_it.model import RULESETS, Count, Flip
from engines.twins.model import Buy, Play
from tests.engines import fishing
from tests.engines.listing import first_disagreement
from tests.engines.twin_it.tables import MOONS, SUNS, claim, minute, table

TWINS, TAKE_THAT, TWIN_IT, GIN_RUMMY = (
    engines.registry()[game] for game in ("twins", "take-that", "twin-it", "gin-rummy")
)


# --- mistakes that the law has to see ---------------------------------------------------------------------------------


def with_candidates(engine: Engine[Any], wrong: Any) -> Engine[Any]:
    """The engine with other candidates. `wrong`: (state, seat, those that there are) → the moves."""

    def candidates(state: Any, seat: Any) -> Candidates:
        moves, complete = engine.candidates(state, seat)
        return Candidates(list(wrong(state, seat, list(moves))), complete)

    return replace(engine, candidates=candidates)


def several_are_left_out(state: Any, seat: Any, moves: list[Any]) -> list[Any]:
    """Where one card does not go before several, no candidate takes several."""
    return [move for move in moves if state.ruleset.one_first == "yes" or len(move.cards) < 2]


def robberies_are_left_out(state: Any, seat: Any, moves: list[Any]) -> list[Any]:
    """Where a mistake may lose any set, no pair of another side is claimed."""
    robs = [TWIN_IT.facts(state, move).get("from") == "robbery" for move in moves]
    return [move for move, is_robbery in zip(moves, robs, strict=True) if not is_robbery or _pairs_only(state)]


def _pairs_only(state: Any) -> bool:
    """Whether a mistake loses only pairs in this state's rules."""
    return bool(state.ruleset.mistake_loses == "pairs-only")


def big_gin_is_left_out(state: Any, seat: Any, moves: list[Any]) -> list[Any]:
    """Where equal deadwood wins nothing, no big gin is a candidate."""
    left_out = state.ruleset.equal_deadwood == "nobody"
    return [move for move in moves if not (left_out and getattr(move, "big", None))]


def adds_up_to_eleven(state: Any, move: Any) -> Any:
    """A check that lets two cards pass that come to eleven."""
    eleven = (
        len(move.cards) == 2 and set(move.cards) <= set(state.table) and sum(map(fishing.number_on, move.cards)) == 11
    )
    return None if eleven else fishing.catch_adds_up(state, move)


def of_both_seats(state: Any, seat: Any, moves: list[Any]) -> Iterator[Any]:
    """The plays of the next seat beside the own."""
    yield from moves
    other = (seat + 1) % len(state.chips)
    if state.phase == "trick" and state.hands is not None and other in TWINS.to_act(state):
        yield from TWINS.candidates(state, other).moves


def with_check(wrong: Any) -> Engine[Any]:
    """Fishing with another last check."""
    return replace(fishing.ENGINE, moves=(replace(fishing.ROW, tiers=(*fishing.ROW.tiers[:-1], (wrong,))),))


def complete_always(state: Any, seat: Any) -> Candidates:
    """The candidates, said to be all also where the hand is not seen."""
    return TAKE_THAT.candidates(state, seat)._replace(complete=True)


def first_pair(state: Any, move: Any) -> Any:
    """The canonical form, but of any two red cards in the wrong order the first two of the hand."""
    form = TWINS.canonical(state, move)
    if isinstance(move, Buy) or form == move or state.hands is None or None in state.hands[move.seat]:
        return form
    return next(iter(TWINS.candidates(state, move.seat).moves))


def hand_is_not_long(state: Any, move: Any) -> None:
    """A check that fails on a seat beyond the table."""
    assert len(state.hands[move.seat]) < 20


LAY = replace(TAKE_THAT.row[Lay], tiers=((hand_is_not_long,), *TAKE_THAT.row[Lay].tiers))

MISTAKES: dict[str, tuple[Engine[Any], str]] = {
    "an omission under an option": (
        with_candidates(fishing.ENGINE, several_are_left_out),
        r'fishing: legal, but not listed: \{"type": "fish", .*"cards": \[\d+, \d+(, \d+)*\]\}; known cards: [3-6]; ',
    ),
    "robberies left out under an option": (
        with_candidates(TWIN_IT, robberies_are_left_out),
        r'twin-it: legal, but not listed: \{"type": "claim", .*; known cards: [23]; .*"mistake_loses": "any-set"',
    ),
    "big gin left out under an option": (
        with_candidates(GIN_RUMMY, big_gin_is_left_out),
        r'gin-rummy: legal, but not listed: \{"type": "knock", "seat": [01], "big": true\}; known cards: 11; ',
    ),
    "a sum too many": (
        with_check(adds_up_to_eleven),
        r'fishing: legal, but not listed: \{"type": "fish", .*"cards": \[\d+, \d+\]\}; known cards: 3; ',
    ),
    "a candidate of another seat": (
        with_candidates(TWINS, of_both_seats),
        r"twins: listed (twice|for seat \d, but not its move): ",
    ),
    "a move listed twice": (
        with_candidates(TAKE_THAT, lambda state, seat, moves: [*moves, *moves[:1]]),
        r'take-that: listed twice: \{"type": "\w+", "seat": \d.*\}; known cards: [012]; ',
    ),
    "a canonical form that is another move": (
        replace(fishing.ENGINE, canonical=lambda state, move: changed(move, cards=())),
        "fishing: listed, but not in its canonical form: ",
    ),
    "a canonical form that comes to another table": (
        replace(TWINS, canonical=first_pair),
        "twins: legal, but its canonical form comes to another table: ",
    ),
    "no canonical form where the order of cards decides nothing": (
        replace(TWINS, canonical=without_chance),
        r'twins: legal, but not listed: \{"type": "play", "seat": \d, "cards": \["[\w-]+", "[\w-]+"\]\}; ',
    ),
    "a listing that is not complete": (
        replace(TAKE_THAT, candidates=complete_always),
        r'take-that: legal, but not listed: \{"type": "\w+", .*; known cards: [01]; ',
    ),
    "a check that fails on a seat that is not there": (
        replace(TAKE_THAT, moves=(LAY, *(row for row in TAKE_THAT.moves if row.kind is not Lay))),
        r"take-that: IndexError\('tuple index out of range'\) in ",
    ),
}  # fmt: skip


@pytest.mark.no_cover
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_found_on_a_small_table(mistake: str) -> None:
    engine, message = MISTAKES[mistake]
    with pytest.raises(AssertionError) as failure:
        raise AssertionError(first_disagreement(engine))
    assert re.match(message, str(failure.value)), str(failure.value)


@pytest.mark.no_cover
def test_the_game_in_which_mistakes_are_planted_is_sound() -> None:
    assert first_disagreement(fishing.ENGINE) is None


# --- the canonical forms of each game ---------------------------------------------------------------------------------

MOONS_ON_THE_TABLE = table(table=(*MOONS, "10A"), sets=((SUNS[:2],), ()), forbidden=((), ()))
TEAMS = table(
    ruleset=RULESETS["team"], teams=(0, 1, 0, 1, 0), piles=(("3A",), ("12A",), ("13A",), ("14A",), ("15A",)),
    table=("4A",), turn=None,
)  # fmt: skip


@pytest.mark.parametrize(
    ("engine", "state", "move", "listed"),
    [
        (TWINS, None, Play(0, ("pink-2", "brown-1")), Play(0, ("brown-1", "pink-2"))),
        (TWINS, None, Buy(0, 1, ("pink-2",)), Buy(0, 1)),
        (TAKE_THAT, None, Lay(0, 12, drawn=13), Lay(0, 12)),
        (GIN_RUMMY, None, Draw(0, "stock", "AS"), Draw(0, "stock")),
        (GIN_RUMMY, None, Discard(0, "AS"), Discard(0, "AS")),
        (GIN_RUMMY, None, Pass(0), Pass(0)),
        (GIN_RUMMY, None, Knock(0, "AS", shown=("KS",)), Knock(0, "AS")),
        (GIN_RUMMY, None, Knock(0, "AS", melds=()), None),
        (GIN_RUMMY, None, LayOff(0, lay_offs=()), None),
        (GIN_RUMMY, None, LayOff(0), LayOff(0)),
        (TWIN_IT, MOONS_ON_THE_TABLE, Flip(0, "15A"), Flip(0)),
        (TWIN_IT, MOONS_ON_THE_TABLE, claim(), claim()),
        (TWIN_IT, MOONS_ON_THE_TABLE, claim((0, "4A"), (0, "3A")), claim((0, "3A"), (0, "4A"))),
        (TWIN_IT, MOONS_ON_THE_TABLE, claim((0, "3A"), (0, "10A")), None),
        (TWIN_IT, MOONS_ON_THE_TABLE, claim((0, "0A"), (0, "1A")), None),
        (TWIN_IT, MOONS_ON_THE_TABLE, claim((0, "14A"), (0, "3A")), None),
        (TWIN_IT, MOONS_ON_THE_TABLE, claim((0, "3A")), None),
        (TWIN_IT, MOONS_ON_THE_TABLE, claim((0, "3A"), (1, "4A")), None),
        (TWIN_IT, MOONS_ON_THE_TABLE, claim((0, "3A"), (0, "4A"), (1, "10A")), None),
        (TWIN_IT, TEAMS, claim((4, "4A"), (2, "3A")), claim((4, "3A"), (0, "4A"))),
        (TWIN_IT, TEAMS, claim((4, "3A"), (1, "4A")), None),
    ],
)
def test_a_legal_move_has_the_form_in_which_it_is_listed(engine: Any, state: Any, move: Any, listed: Any) -> None:
    assert engine.canonical(state, move) == listed


@dataclass(frozen=True)
class Roll:
    """A move of which chance decides a part."""

    type: ClassVar[str] = "roll"

    seat: int
    eyes: Annotated[int | None, Whole(1, 6), Drawn()] = None


def test_a_game_without_canonical_forms_lists_moves_without_what_chance_decides() -> None:
    assert without_chance(None, Roll(1, 6)) == Roll(1)


def test_a_robbery_is_listed_by_the_first_card_of_the_pair() -> None:
    """TI-3.4."""
    state = table(table=("2A",), sets=((), (SUNS[:2],)))
    assert TWIN_IT.canonical(state, claim((0, "1A"), (0, "2A"))) == claim((0, "2A"), (0, "0A"))


def test_a_claim_of_which_too_little_is_seen_has_the_form_of_the_one_that_is_listed_if_there_is_one() -> None:
    """TI-4.5: a third sun may lie on top of a pile."""
    state = table(piles=((None,), (None,)), table=SUNS[:2])
    assert TWIN_IT.canonical(state, claim((0, "1A"), (0, "0A"))) == claim((0, "0A"), (0, "1A"))
    assert TWIN_IT.canonical(state, claim((0, "0A"), (0, "2A"))) is None


def test_a_count_has_the_form_of_the_listed_one_if_it_has_all_its_groups() -> None:
    """TI-9.1."""
    state = minute("timed", 2, table=(*SUNS, *MOONS))
    assert TWIN_IT.canonical(state, Count((MOONS, SUNS[::-1]), 1)) == Count((SUNS, MOONS), 1)
    assert TWIN_IT.canonical(state, Count((SUNS,), 1)) is None
