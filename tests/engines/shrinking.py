"""The smallest table that shows a mistake: what of a table can be left out, is."""

import copy
import json
from collections.abc import Callable
from typing import Any

from engines.core.judge import audit
from service.contract import codecs
from service.contract.fields import Invalid
from tests.engines.laws import AnyEngine
from tests.mutation import places
from tests.secrecy import as_sent, leaves

MOST_TRIES = 800  #: How many smaller tables are tried.


def shrink(engine: AnyEngine, state: Any, shows: Callable[[Any], bool]) -> Any:
    """The smallest table found that `shows` the same, by leaving out one thing after the other while it does.

    What is left out is a member, an item of a list, or what is known of an item, which becomes null. Each table that is
    tried is one that a client may post, without faults.
    """
    smallest, tries = state, 0
    again = True
    while again:
        again = False
        table = _shortest(engine, smallest)
        for number in range(len(list(places(table)))):
            for change in (_leave_out, _hide):
                smaller = _changed_at(engine, _shortest(engine, smallest), number, change)
                tries += 1
                if tries > MOST_TRIES:
                    return smallest
                if (
                    smaller is not None
                    and size(engine, smaller) < size(engine, smallest)
                    and _shows_without_failing(shows, smaller)
                ):
                    smallest, again = smaller, True
                    break
    return smallest


def _changed_at(engine: AnyEngine, table: Any, number: int, change: Any) -> Any:
    """The table with a change at the place of this number; None: that is no table without faults."""
    here = list(places(table))
    if number >= len(here):
        return None
    holder, name = here[number]
    change(holder, name)
    try:
        state = engine.complete(codecs(engine).state.load(table))
        return None if audit(engine, state)[0] else state
    except (Invalid, LookupError):
        return None


def _leave_out(holder: Any, name: Any) -> None:
    del holder[name]


def _hide(holder: Any, name: Any) -> None:
    holder[name] = None


def _shows_without_failing(shows: Callable[[Any], bool], state: Any) -> bool:
    """Whether a table shows the mistake; not where the game fails on it, which is another one."""
    try:
        return bool(shows(state))
    except Exception:  # noqa: BLE001 whatever an engine raises
        return False


def known_cards(engine: AnyEngine, state: Any) -> int:
    """How many cards of a table are seen."""
    return len(engine.zones.seen(state))


def size(engine: AnyEngine, state: Any) -> tuple[int, int]:
    """How large a table is: by the cards that are known, then by all else."""
    return known_cards(engine, state), sum(1 for _place, value in leaves(_shortest(engine, state)) if value is not None)


def as_json(engine: AnyEngine, state: Any) -> str:
    """A table as JSON that can be posted."""
    return json.dumps(_shortest(engine, state))


def _shortest(engine: AnyEngine, state: Any) -> Any:
    """A table as JSON, without the members that are there by default."""
    table = as_sent(engine, state)
    for name in list(table):
        shorter = {other: copy.copy(value) for other, value in table.items() if other != name}
        try:
            if engine.complete(codecs(engine).state.load(shorter)) == state:
                table = shorter
        except (Invalid, LookupError):
            continue
    return table


def is_whole(engine: AnyEngine, state: Any) -> bool:
    """Whether every card of a table is seen."""
    return None not in engine.zones.lying(state) and all(
        getattr(state, name) is not None for name in engine.zones.names
    )
