"""What an author may write in a request instead of many cards: `"...rest"` in a list is the rest of the pack.

In a state that is every card which the state shows nowhere; in a deck, every card that the deck does not name. They
come in the order of the pack; two-sided cards lie with side A up.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

from engines.core.engine import Engine

REST = "...rest"


def spelled_out(engine: Engine[Any], body: Any) -> Any:
    """Return a request's body with cards in place of the shorthand."""
    if not isinstance(body, dict) or REST not in _leaves(body):
        return body
    state = body.get("state")
    if isinstance(state, dict) and REST in _leaves(state):
        shown = set(_leaves([state.get(name) for name in engine.zones.names]))
        rest = _cards_not_shown(_pack(engine, state), shown)
        body = {**body, "state": _filled(state, lambda _list: rest)}
    others = {name: value for name, value in body.items() if name != "state"}
    pack = _pack(engine, {**(state or {}), **others})
    return {**body, **_filled(others, lambda deck: _cards_not_shown(pack, set(deck)))}


def _pack(engine: Engine[Any], part: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return every card of the game as its sides. `part`: a state or a setup, which may say what the cards are."""
    own = {each.name for each in fields(engine.setup)} - {"seats", "ruleset", "dealer", "deck"}
    printed = {name: _lists_to_tuples(value) for name, value in part.items() if name in own}
    cards = engine.cards(engine.setup(seats=part.get("seats", min(engine.seats)), **printed))
    return [card if isinstance(card, tuple) else (card,) for card in cards]


def _lists_to_tuples(value: Any) -> Any:
    """The value with a tuple for each list, at any depth."""
    return tuple(map(_lists_to_tuples, value)) if isinstance(value, list) else value


def _cards_not_shown(pack: list[tuple[Any, ...]], shown: set[Any]) -> list[Any]:
    """Return the rest of the pack: the cards of which no side is shown, each written as its side A."""
    return [card[0] for card in pack if shown.isdisjoint(card)]


def _filled(value: Any, rest: Callable[[list[Any]], list[Any]]) -> Any:
    """Return a JSON value with cards in place of the shorthand. `rest` returns those for which it stands in a list."""
    if isinstance(value, dict):
        return {name: _filled(each, rest) for name, each in value.items()}
    if not isinstance(value, list):
        return value
    return [item for each in value for item in (rest(value) if each == REST else [_filled(each, rest)])]


def _leaves(value: Any) -> Iterator[Any]:
    """Yield every value in a JSON value that is neither list nor object."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each)
    else:
        yield value
