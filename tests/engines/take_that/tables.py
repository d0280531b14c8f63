"""Tables of Take That as tests need them, and what is seen on them as plain tuples."""

from collections.abc import Mapping
from typing import Any

from engines.core import judge as core
from engines.core.engine import Resolution
from engines.take_that import ENGINE
from engines.take_that.model import RULESETS, Ruleset, State
from engines.take_that.table import EACH

EXPERT = RULESETS["expert"]
FORCED_ONLY = Ruleset(voluntary_take="forced-only")
TAKEN_ONLY = Ruleset(end_of_round="taken-only")


def table(**fields: Any) -> State:
    """Two seats, seat 0 on turn, 34 at the right end, three unseen cards in the pile, unless a test says otherwise.

    Beside a pile with cards, a hand of fewer than were dealt is shown in part: an unseen card is added to it.
    """
    usual: dict[str, Any] = {
        "phase": "play",
        "turn": 0,
        "row": (34,),
        "hands": ((41, 43, 88), (52, 94)),
        "pile": (None, None, None),
    }
    shown = usual | fields
    each = EACH[len(shown["hands"])]
    if shown["pile"]:
        shown["hands"] = tuple(hand if None in hand or len(hand) >= each else (*hand, None) for hand in shown["hands"])
    return ENGINE.complete(State(**shown))


def over(**fields: Any) -> State:
    """A table between the first round and the second."""
    usual: dict[str, Any] = {"phase": "round-over", "turn": None, "row": (), "pile": (), "scores": ((3,), (-2,))}
    return table(**(usual | fields))


def resolve(state: State, *moves: Any) -> Resolution[State]:
    """What the moves come to, on a table that has no fault and whose outcome has none."""
    assert faults(state) == []
    resolution = core.resolve(ENGINE, state, moves)
    assert faults(resolution.state) == []
    return resolution


def after(state: State, *moves: Any) -> State:
    """The table after moves that are all applied."""
    resolution = resolve(state, *moves)
    assert resolution.applied == len(moves), resolution
    return resolution.state


def refused(state: State, move: Any) -> list[tuple[str, str, Mapping[str, Any], str]]:
    """(clause, code, parameters, pointer) of every violation; a refused move leaves the table as it is."""
    resolution = resolve(state, move)
    assert resolution.legal or resolution.state == state
    return [(ruling.rule, ruling.code, params, pointer) for ruling, params, pointer in resolution.violations]


def happened(state: State, *moves: Any) -> list[tuple[str, str, Mapping[str, Any]]]:
    """(clause, code, parameters) of every event."""
    return [(event.ruling.rule, event.ruling.code, event.params) for _, event in resolve(state, *moves).events]


def awaited(state: State, *moves: Any) -> tuple[str, str, Mapping[str, Any], str] | None:
    """(clause, code, parameters, pointer) of what has to be seen first; such a move is legal and not applied."""
    resolution = resolve(state, *moves)
    if resolution.undetermined is None:
        return None
    assert resolution.legal
    assert resolution.applied == len(moves) - 1
    ruling, params, pointer = resolution.undetermined
    return ruling.rule, ruling.code, params, pointer


def faults(state: State) -> list[tuple[str, str, Mapping[str, Any], tuple[str, ...]]]:
    """(clause, code, parameters, pointers) of every fault."""
    return [(ruling.rule, ruling.code, params, where) for ruling, params, where in core.audit(ENGINE, state)[0]]


def unverified(state: State) -> list[str]:
    """The clauses that an audit could not ask."""
    return core.audit(ENGINE, state)[1]
