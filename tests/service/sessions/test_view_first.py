"""A bearer's move is judged on what the bearer sees, before the whole table is looked at.

A law makes that enough: a move that is legal as far as a bearer sees is legal. And the service does the same work for
all tables that look alike to a bearer. Work is counted in lines of Python, not timed, so that no test is flaky.
"""

import random
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from types import FrameType
from typing import Any, NamedTuple

import orjson
import pytest

import engines
from engines.core import judge as core
from engines.core.judge import judge, legal_moves
from engines.core.records import changed
from service.contract import Invalid, codecs
from service.contract.of_game import drawn_members
from service.judging.referee import Referee
from service.sessions.outcomes import Illegal
from service.sessions.record import SessionRecord
from service.sessions.table import Snapshot, Table
from service.sessions.tokens import HOST, Bearer, may_make
from tests.engines.games import random_game
from tests.engines.laws import AnyEngine
from tests.engines.partial_tables import with_hidden_cards_exchanged
from tests.service.sessions.stories import anything, of_seat

WITH_HANDS = [engine for engine in engines.registry().values() if "hands" in engine.state.__dataclass_fields__]
"""The games in which seats have different views."""
GAMES_OF_A_PRESET = 2  #: Random games of each preset.
TURNS_OF_A_GAME = 24  #: Turns of a game that are looked at.
MOVES_TRIED = 12  #: Moves that each bearer tries at a turn.


@cache
def tables_of(engine: AnyEngine) -> list[Any]:
    """Tables of random games under every preset, about as many of each phase."""
    phases: dict[Any, list[Any]] = {}
    for name, preset in engine.rulesets.items():
        for number in range(GAMES_OF_A_PRESET):
            for turn in random_game(engine, random.Random(f"{name} {number}"), 120, preset):
                phases.setdefault((name, getattr(turn.before, "phase", None)), []).append(turn.before)
    dice, share = random.Random(engine.game), 1 + TURNS_OF_A_GAME // len(phases)
    return [table for tables in phases.values() for table in dice.sample(tables, min(share, len(tables)))]


def bearers_of(engine: AnyEngine, table: Any) -> list[Bearer]:
    """The bearers that do not see all: a blind host, and every seat."""
    return [HOST, *(Bearer("seat", seat) for seat in range(engine.seats_of(table)))]


def moves_to_try(engine: AnyEngine, table: Any, bearer: Bearer, dice: random.Random) -> Iterator[Any]:
    """Moves for a bearer to try: legal ones of any seat, and random ones that fit the contract."""
    listed = [codecs(engine).move.dump(move) for move in legal_moves(engine, table)[0]]
    for _ in range(MOVES_TRIED):
        posted: Any = orjson.loads(orjson.dumps(dice.choice(listed))) if listed and dice.random() < 0.5 else None
        if posted is None:
            name, kind = dice.choice(list(engine.kinds.items()))
            posted = {"type": name, **anything(kind, dice, [])}
        if bearer.seat is not None and dice.random() < 0.9:
            posted = of_seat(posted, bearer.seat)
        try:
            move = codecs(engine).move.load(posted)
        except Invalid:
            continue
        yield changed(move, **dict.fromkeys(drawn_members(engine)[move.type]))  # a session draws by itself


def may_try(engine: AnyEngine, bearer: Bearer, move: Any) -> bool:
    """Whether a session judges this move of a bearer; others it refuses unread."""
    return may_make(bearer, {"type": move.type, **codecs(engine).move.dump(move)}, blind=True)


def test_a_move_that_is_legal_as_far_as_its_bearer_sees_is_legal(engine: AnyEngine) -> None:
    dice = random.Random(engine.game)
    judged = 0
    for table in tables_of(engine):
        for bearer in bearers_of(engine, table):
            seen = engine.view(table, bearer.seat)
            for move in moves_to_try(engine, table, bearer, dice):
                if may_try(engine, bearer, move) and not judge(engine, seen, move).violations:
                    judged += 1
                    drawn = changed(move, seed="any") if engine.row[type(move)].deals else move
                    assert not judge(engine, table, drawn).violations, (table, bearer, move)
    assert judged > 20


def test_a_move_that_is_illegal_on_its_bearers_view_is_refused_without_a_look_at_the_table(
    engine: AnyEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "resolve", None)  # what judges a move on the whole table: a call of it would fail
    dice = random.Random(engine.game)
    refused = 0
    for table in tables_of(engine):
        for bearer in bearers_of(engine, table):
            for move in moves_to_try(engine, table, bearer, dice):
                if judge(engine, engine.view(table, bearer.seat), move).violations:
                    assert refusal(move, table_in_session(engine, table), bearer) is not None
                    refused += 1
    assert refused > 100


# --- the work for tables that look alike ----------------------------------------------------------------------------


class Compared(NamedTuple):
    """A bearer's question about two tables that look alike to it; whether both answers and their work were equal."""

    bearer: str
    name: str
    alike: bool


def record_of(engine: AnyEngine, table: Any) -> SessionRecord:
    """The record of a session of a blind host with this table."""
    referee = Referee(engine, "en")
    return SessionRecord(
        game=engine.game,
        generation="generation",
        setup={},
        ruleset=vars(referee.ruleset(table.ruleset)).copy(),
        seats=engine.seats_of(table),
        server_seed="5" * 64,
        blind=True,
        deals=1,
        state=referee.state(table),
    )


def table_in_session(engine: AnyEngine, table: Any) -> Table:
    """Return a table as a session of it is judged."""
    return Table(Referee(engine, "en"), record_of(engine, table), table)


def refusal(move: Any, table: Table, bearer: Bearer) -> Any:
    """The answer to a bearer's illegal move; None for a legal one, whose effect may show what was hidden."""
    try:
        table.moved(bearer, [move], 1)
    except Illegal as refused:
        return [str(refused.reason), refused.violations]
    return None


def document(table: Table, bearer: Bearer) -> Any:
    """The answer to a bearer's read of the session."""
    return vars(Snapshot("name", bearer, 1, table).document())


def questions(
    engine: AnyEngine, table: Any, bearer: Bearer, dice: random.Random
) -> Iterator[tuple[str, Callable[[Table, Bearer], Any]]]:
    """Yield what a bearer asks of two tables which look alike to it, each with a name."""
    yield "document", document
    yield "legal-moves", Table.legal_moves
    for move in moves_to_try(engine, table, bearer, dice):
        if may_try(engine, bearer, move):
            yield f"moves: {move}", partial(refusal, move)


class Work(NamedTuple):
    """How many lines of engines and of the service ran for an answer, and the answer."""

    lines: int
    answer: Any


def work(ask: Callable[[Table, Bearer], Any], table: Table, bearer: Bearer) -> Work:
    """Ask a bearer's question of a table, and count the lines of engines and service that run for it."""
    ask(table, bearer)  # fills caches
    lines = 0

    def count(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if not frame.f_globals.get("__name__", "").startswith(("engines.", "service.sessions", "service.judging")):
            return None
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        answer = ask(table, bearer)
    finally:
        sys.settrace(before)
    return Work(lines, answer)


def compared(engine: AnyEngine) -> Iterator[Compared]:
    """Ask every bearer's questions of two tables that look alike to it.

    A question whose answer is None on both tables is left out: a legal move.
    """
    dice = random.Random(engine.game)
    for state in tables_of(engine):
        for bearer in bearers_of(engine, state):
            other = with_hidden_cards_exchanged(engine, state, bearer.seat, dice)
            if other is None:
                continue
            tables = [table_in_session(engine, each) for each in (state, other)]
            for name, ask in questions(engine, state, bearer, dice):
                one, two = (work(ask, table, bearer) for table in tables)
                if one.answer is not None or two.answer is not None:
                    yield Compared(bearer.name, name, one == two)


def test_the_service_works_equally_long_on_tables_that_look_alike_to_a_bearer(engine: AnyEngine) -> None:
    comparisons = list(compared(engine))
    assert len(comparisons) > 100
    assert [each for each in comparisons if not each.alike] == []


@pytest.mark.parametrize("engine", WITH_HANDS, ids=lambda engine: engine.game)
def test_the_comparison_notices_a_leak_to_a_blind_host_that_moves_for_seats(
    engine: AnyEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until a blind host was forbidden to move for seats, it learned from refusals which cards a seat holds."""
    monkeypatch.setattr(sys.modules[__name__], "may_try", lambda engine, bearer, move: True)
    assert any(each.bearer == "host" and not each.alike for each in compared(engine))


@pytest.mark.parametrize("game", ["take-that", "gin-rummy"])
def test_the_comparison_notices_work_that_depends_on_another_hand(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    original = Table.moved

    def list_moves_first(table: Table, bearer: Bearer, moves: Any, version: int) -> Any:
        core.legal_moves(table.engine, table.state)  # of the whole table
        return original(table, bearer, moves, version)

    monkeypatch.setattr(Table, "moved", list_moves_first)
    assert any(each.name.startswith("moves") and not each.alike for each in compared(engines.registry()[game]))
