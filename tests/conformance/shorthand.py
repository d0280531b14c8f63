"""What an author may write in a request instead of many cards: `"...rest"` in a list is the rest of the pack.

In a state that is every card which the state shows nowhere; in a deck, every card that the deck does not name. They
come in the order of the pack; two-sided cards lie with side A up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from engines.core.engine import Engine
from engines.core.shape import OneOf

REST = "...rest"


def spelled_out(engine: Engine[Any], body: Any) -> Any:
    """A request's body with every card written."""
    if not isinstance(body, dict) or REST not in _leaves(body):
        return body
    state = body.get("state")
    if isinstance(state, dict) and REST in _leaves(state):
        shown = _cards_in(engine.state, state, frozenset(_sides(_pack(engine, state))))
        body = {**body, "state": _filled(state, _rest(_pack(engine, state), shown))}
    others = {name: value for name, value in body.items() if name != "state"}
    return {**body, **_decks_filled(others, _pack(engine, {**(state or {}), **others}))}


def _pack(engine: Engine[Any], part: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Every card of the game as its sides. `part`: a state or a setup, which may say what the cards are."""
    own = {each.name for each in fields(engine.setup)} - {"seats", "ruleset", "dealer", "deck"}
    given = {name: _tuples(value) for name, value in part.items() if name in own}
    cards = engine.cards(engine.setup(seats=min(engine.seats), **given))
    return [card if isinstance(card, tuple) else (card,) for card in cards]


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _sides(pack: list[tuple[Any, ...]]) -> Iterator[Any]:
    return (side for card in pack for side in card)


def _rest(pack: list[tuple[Any, ...]], shown: set[Any]) -> list[Any]:
    return [card[0] for card in pack if shown.isdisjoint(card)]


def _decks_filled(value: Any, pack: list[tuple[Any, ...]]) -> Any:
    """Each list with the shorthand, filled with what it does not name itself."""
    if isinstance(value, dict):
        return {name: _decks_filled(each, pack) for name, each in value.items()}
    if not isinstance(value, list):
        return value
    if REST in value:
        return _filled(value, _rest(pack, set(value)))
    return [_decks_filled(each, pack) for each in value]


def _filled(value: Any, rest: list[Any]) -> Any:
    """With these cards in place of the shorthand."""
    if isinstance(value, dict):
        return {name: _filled(each, rest) for name, each in value.items()}
    if not isinstance(value, list):
        return value
    return [item for each in value for item in (rest if each == REST else [_filled(each, rest)])]


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each)
    else:
        yield value


def _cards_in(hint: Any, value: Any, sides: frozenset[Any]) -> set[Any]:
    """The cards in a posted value, found by its annotation: a score may be the same number as a card."""
    if get_origin(hint) is Annotated:
        kind, *words = get_args(hint)
        if any(isinstance(word, OneOf) and sides <= set(word.values) for word in words):
            return {value}
        return _cards_in(kind, value, sides)
    if is_dataclass(hint) and isinstance(value, dict):
        parts = [(each, value.get(name)) for name, each in get_type_hints(hint, include_extras=True).items()]
    elif isinstance(value, list):
        parts = [(item, each) for item in get_args(hint) if item is not ... for each in value]
    else:
        parts = [(each, value) for each in get_args(hint)]
    return {card for part in parts for card in _cards_in(*part, sides)}
