"""A move that is put together from parts. A part is a move of the same kind that has some of the entries.

The caller judges each part when it comes, and at the end makes one move of all entries. That move is legal if every
part was legal, as long as the state has not changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from engines.core.engine import Engine, Judgement
from engines.core.judge import judge

S = TypeVar("S")


def may_gather(engine: Engine[S], state: S) -> bool:
    """Whether a move of parts may begin at this table: the first tier of its checks, the phase, does not forbid it."""
    for row in engine.moves:
        if row.gathers:
            without_entries = row.kind(**{row.gathers: ()})
            if not any(check(state, without_entries) for check in row.tiers[0]):
                return True
    return False


def entries(engine: Engine[S], move: Any) -> Sequence[Any]:
    """The entries that a part brings; none if the move is no part."""
    name = engine.row[type(move)].gathers
    return getattr(move, name) if name else ()


def joined(engine: Engine[S], kind: type, brought: Iterable[Any]) -> Any:
    """The move with all these entries, in this order; its other fields have their defaults."""
    return kind(**{engine.row[kind].gathers: tuple(brought)})


def judge_part(engine: Engine[S], state: S, before: Sequence[Any], part: Any) -> tuple[Judgement, Sequence[Any]]:
    """The judgement of a part, and those of its entries that no earlier part has brought.

    `before`: the entries of the earlier parts, which were legal. Pointers lead from the part.
    """
    alone = judge(engine, state, part)
    if alone.violations:
        return alone, ()
    name = engine.row[type(part)].gathers
    brought = getattr(part, name)
    places = [place for place, entry in enumerate(brought) if entry not in before]  #: Of the new entries in the part.
    new = [brought[place] for place in places]
    together = judge(engine, state, joined(engine, type(part), [*before, *new]))
    violations = []
    for each in together.violations:  # its pointer counts the earlier entries, too
        index, _, rest = each.pointer.removeprefix(f"/{name}/").partition("/")
        place = places[int(index) - len(before)]
        violations.append(each._replace(pointer=f"/{name}/{place}/{rest}".rstrip("/")))
    return together._replace(violations=violations), new
