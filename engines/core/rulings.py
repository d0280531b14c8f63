"""What a referee says. A ruling is a constant; a violation, an event and a fault are rulings with their parameters.

A game's `rulings.py` lists one constant for each thing that its referee can say. Engines carry codes and parameters
only; the sentences are in `seeds/<game>/<language>.yaml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any, ClassVar, NamedTuple, Self


class Ruling:
    """One thing that a clause makes the referee say.

    `params` maps the name of each parameter to its type, annotated as in `shape`. `option` names the ruleset option
    that decides this ruling, where published texts disagree.
    """

    kind: ClassVar[str] = "ruling"

    def __init__(self, rule: str, code: str, option: str | None = None, /, **params: Any) -> None:
        self.rule, self.code, self.option = rule, code, option
        self.params: Mapping[str, Any] = params

    def decided_by(self, option: str) -> Self:
        """The same ruling where a contested option decides it."""
        return type(self)(self.rule, self.code, option, **self.params)

    def unverified(self) -> Unverified:
        """The answer of a check that needs what the poster cannot see."""
        return Unverified(self)

    def _checked(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """These parameters; raises `TypeError` unless their names are those that the ruling declares.

        Types are not checked here.
        """
        if params.keys() == self.params.keys():
            return params
        passed, declared = ", ".join(params) or "none", ", ".join(self.params) or "none"
        wrong = ", ".join(sorted(params.keys() ^ self.params.keys()))
        raise TypeError(f"{self.code} ({self.rule}): wrong parameters {wrong}: declared {declared}, given {passed}")


class Forbids(Ruling):
    """A ruling that forbids a move."""

    kind = "violation"

    def violated(self, pointer: str = "", /, **params: Any) -> Violation:
        """The violation. `pointer`: the part of the move at fault, a JSON pointer from the move (`/cards/1`)."""
        return Violation(self, self._checked(params), pointer)


class Happens(Ruling):
    """A ruling that says what happened."""

    kind = "event"

    def happened(self, **params: Any) -> Event:
        """The event, with its parameters."""
        return Event(self, self._checked(params))


class Refutes(Ruling):
    """A ruling that a posted state is impossible."""

    kind = "fault"

    def found(self, *pointers: str, **params: Any) -> Fault:
        """The fault. `pointers`: the parts of the state that contradict one another, JSON pointers from the state."""
        return Fault(self, self._checked(params), pointers)


class Decides(Happens):
    """A contested option decided that nothing happens: listed under `contested`, never among the events."""

    kind = "choice"


class LeavesUndetermined(Ruling):
    """A ruling that the effect of a move depends on what the poster cannot see."""

    kind = "undetermined"

    def undetermined(self, pointer: str, /, **params: Any) -> Undetermined:
        """The answer of the effect. `pointer`: what is not seen, as a JSON pointer from the state."""
        return Undetermined(self, self._checked(params), pointer)


forbids, happens, decides, refutes, undetermined = Forbids, Happens, Decides, Refutes, LeavesUndetermined
"""What a game's `rulings.py` declares its constants with."""


class Violation(NamedTuple):
    """A ruling that forbids this move, and why."""

    ruling: Forbids
    params: Mapping[str, Any]
    pointer: str


class Event(NamedTuple):
    """Something that happened."""

    ruling: Happens
    params: Mapping[str, Any]


class Fault(NamedTuple):
    """A contradiction in a posted state."""

    ruling: Refutes
    params: Mapping[str, Any]
    pointers: tuple[str, ...]


class Unverified(NamedTuple):
    """A check that was not made, because what it needs is not seen."""

    ruling: Ruling


class Undetermined(NamedTuple):
    """A move that cannot be applied, because its effect depends on what is not seen."""

    ruling: LeavesUndetermined
    params: Mapping[str, Any]
    pointer: str


def rulings_of(module: ModuleType) -> tuple[Ruling, ...]:
    """Every ruling that a game's `rulings` module declares, in the order of the text."""
    return tuple(value for value in vars(module).values() if isinstance(value, Ruling))
