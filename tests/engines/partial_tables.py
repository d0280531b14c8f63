"""A table shown in part, where what its types mark `Unknown()` is left out; and tables that look alike to a seat."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from engines.core.engine import Engine, Resolution
from engines.core.judge import audit
from engines.core.records import changed
from engines.core.shape import Unknown
from service.contract import codecs
from service.contract.fields import Invalid
from tests.secrecy import at, leaves, wire


def partial_table(state: Any, rng: random.Random) -> Any:
    """Some zones left out, of others some cards or all."""
    members = {name: _partial(hint, getattr(state, name), rng) for name, hint in _hints(type(state)).items()}
    return changed(state, **members)


def wrong_answers(engine: Engine[Any], true: Resolution[Any], seen: Resolution[Any]) -> list[str]:
    """Each answer about the table shown in part that is wrong; unverified and undetermined are no wrong answers."""
    if true.violations or seen.violations:
        return list(_wrong_violations(true, seen))
    if seen.undetermined:
        return []
    return [*_wrong_options(true, seen), *_wrong_events(engine, true, seen)]


def _wrong_violations(true: Resolution[Any], seen: Resolution[Any]) -> Iterator[str]:
    """Violations whose clause and code are not those of the whole table; parameters may depend on what is seen."""
    partial, whole = ({(each.ruling.rule, each.ruling.code) for each in one.violations} for one in (seen, true))
    # A later tier is checked where an earlier one sees too little to object.
    if partial > whole:
        yield f"refused by {partial}, not by {whole}"
    # Whose turn it is may be seen where it is not seen that a seat has had its turn: the same clause in other words.
    missing = {rule for rule, _ in whole - partial} - {rule for rule, _ in partial} - {*seen.unverified}
    if missing and not seen.undetermined:
        yield f"not refused by {missing}"


def _wrong_options(true: Resolution[Any], seen: Resolution[Any]) -> Iterator[str]:
    extra = {each.option for each in seen.contested if each not in true.contested}
    lacking = {
        each.option for each in true.contested if each not in seen.contested and each.rule not in seen.unverified
    }
    if extra or lacking:
        yield f"contested: {extra} though not decided so, not {lacking}"


def _wrong_events(engine: Engine[Any], true: Resolution[Any], seen: Resolution[Any]) -> Iterator[str]:
    """Wrong events and states. An unverified clause may cause other events, and then another state."""
    events = [[event for _, event in one.events] for one in (seen, true)]
    sure = [[event for event in each if event.ruling.rule not in seen.unverified] for each in events]
    if [event.ruling for event in sure[0]] != [event.ruling for event in sure[1]]:
        yield f"{[event.ruling.code for event in sure[0]]} happened, not {[event.ruling.code for event in sure[1]]}"
        return
    for one, other in zip(*sure, strict=True):
        for name, hint in one.ruling.params.items():
            if not _agrees(hint, one.params[name], other.params[name]):
                yield f"{one.ruling.code}: {name} {one.params[name]}, not {other.params[name]}"
    if [event.ruling for event in events[0]] == [event.ruling for event in events[1]]:
        for name, hint in _hints(engine.state).items():
            if not _agrees(hint, getattr(seen.state, name), getattr(true.state, name)):
                yield f"{name} {getattr(seen.state, name)}, not {getattr(true.state, name)}"


def _agrees(hint: Any, seen: Any, true: Any) -> bool:
    """Whether what is seen is the truth, apart from what is marked as unknown.

    Of a list with unseen cards only the cards count: which of them lie at which place of a hand says nothing.
    """
    if seen is None and _may_be_unknown(hint):
        return True
    if not isinstance(seen, tuple) or not isinstance(true, tuple):
        return bool(seen == true)
    items = list(_items(hint, len(seen)))
    if any(map(_may_be_unknown, items)):
        return len(seen) == len(true) and not Counter(each for each in seen if each is not None) - Counter(true)
    return len(seen) == len(true) and all(map(_agrees, items, seen, true))


def _partial(hint: Any, value: Any, rng: random.Random) -> Any:
    if value is None or (_may_be_unknown(hint) and rng.random() < 0.15):
        return None
    if not isinstance(value, tuple):
        return value
    items = list(_items(hint, len(value)))
    if items and all(map(_may_be_unknown, items)):
        share = rng.choice([0.0, 0.2, 1.0])
        return tuple(None if rng.random() < share else item for item in value)
    return tuple(_partial(item, each, rng) for item, each in zip(items, value, strict=True))


_hints: Callable[[type], dict[str, Any]] = cache(partial(get_type_hints, include_extras=True))


def _may_be_unknown(hint: Any) -> bool:
    return any(isinstance(word, Unknown) for word in getattr(hint, "__metadata__", ()))


def _items(hint: Any, length: int) -> Iterator[Any]:
    """The annotation of each item of a list."""
    tuples = [part for part in _unfolded(hint) if get_origin(part) is tuple]
    members = get_args(tuples[0]) if tuples else (Any,) * length
    yield from members[:1] * length if members[-1:] == (...,) else members


def _unfolded(hint: Any) -> Iterator[Any]:
    """The members of a union, without the words said of them."""
    if get_origin(hint) is Annotated:
        yield from _unfolded(hint.__origin__)
    elif get_origin(hint) is not tuple and get_args(hint):
        for member in get_args(hint):
            yield from _unfolded(member)
    else:
        yield hint


def with_hidden_cards_exchanged(engine: Engine[Any], state: Any, seat: int | None, rng: random.Random) -> Any:
    """A table that differs only where this seat cannot look; None: it sees all, or the exchange makes no table."""
    whole, seen = wire(engine, state), wire(engine, engine.view(state, seat))
    places = [place for place, value in leaves(whole) if value is not None and at(seen, place) is None]
    if len(places) < 2:
        return None
    cards = [at(whole, place) for place in places]
    rng.shuffle(cards)
    for place, card in zip(places, cards, strict=True):
        at(whole, place[:-1])[place[-1]] = card
    try:
        other = engine.complete(codecs(engine).state.load(whole))
    except Invalid:  # a secret that is no card has come among cards
        return None
    return None if audit(engine, other)[0] else other
