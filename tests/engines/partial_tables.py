"""A table shown in part, where what its types mark `Unknown()` is left out; and tables that look alike to a seat."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from engines.core.engine import Contested, Engine, Resolution
from engines.core.judge import audit, resolve
from engines.core.records import changed
from engines.core.shape import Unknown
from service.contract import codecs
from service.contract.fields import Invalid
from tests.secrecy import as_sent, leaves, value_at


def partial_table(state: Any, rng: random.Random) -> Any:
    """A table of which less is seen: random zones that may be unknown are None, and of others some cards or all."""
    members = {name: _with_unknowns(hint, getattr(state, name), rng) for name, hint in _hints(type(state)).items()}
    return changed(state, **members)


def wrong_answers(engine: Engine[Any], table: Any, less: Any, move: Any) -> list[str]:
    """What is wrong in a resolution of the move on `less`, a table of which less is seen than of `table`.

    Unverified and undetermined are not wrong.
    """
    true, seen = resolve(engine, table, [move]), resolve(engine, less, [move])
    if true.violations or seen.violations:
        return list(_wrong_violations(true, seen))
    if seen.undetermined:
        return []
    extra = [
        each for each in seen.contested if each not in true.contested and not _may_decide(engine, less, move, each)
    ]
    return [*_wrong_options(true, seen, extra), *_wrong_events(engine, true, seen)]


def _may_decide(engine: Engine[Any], less: Any, move: Any, option: Contested) -> bool:
    """Whether by another value of the option the answer would be another, or be unknown."""
    answers = [
        resolve(engine, changed(less, ruleset=changed(less.ruleset, **{option.option: value})), [move])
        for value in (option.value, *option.alternatives)
    ]
    return any((each.events, each.undetermined) != (answers[0].events, None) for each in answers[1:])


def _wrong_violations(true: Resolution[Any], seen: Resolution[Any]) -> Iterator[str]:
    """Violations whose clause and code are not those of the whole table, and their numbers that are others there.

    Where `exact` is false, the numbers are bounds.
    """
    partial, whole = ({(each.ruling.rule, each.ruling.code) for each in one.violations} for one in (seen, true))
    # Where less is seen an earlier tier may be unable to object. Then a later tier is checked, which may object more.
    if partial > whole:
        yield f"refused by {partial}, not by {whole}"
    of_table = {(each.ruling, each.pointer): each.params for each in true.violations}
    for each in seen.violations:
        params = of_table.get((each.ruling, each.pointer), each.params)
        for name, value in each.params.items():
            if isinstance(value, int) and value != params[name] and each.params.get("exact", True):
                yield f"{each.ruling.code}: {name} {value}, not {params[name]}"
    # Only clauses are compared: a clause may object by one code on the whole table and by another where less is seen.
    missing = {rule for rule, _ in whole - partial} - {rule for rule, _ in partial} - {*seen.unverified}
    if missing and not seen.undetermined:
        yield f"not refused by {missing}"


def _wrong_options(true: Resolution[Any], seen: Resolution[Any], extra: Sequence[Contested]) -> Iterator[str]:
    """`extra` options, which decide nothing, and those that are lacking, apart from those of clauses not verified."""
    lacking = {
        each.option for each in true.contested if each not in seen.contested and each.rule not in seen.unverified
    }
    if extra or lacking:
        more = [each.option for each in extra]
        yield f"contested has {more} more, and lacks {lacking}: of what unseen cards decide only `unverified()` tells"


def _wrong_events(engine: Engine[Any], true: Resolution[Any], seen: Resolution[Any]) -> Iterator[str]:
    """Wrong events and states. An unverified clause may cause other events, and then another state."""
    seen_events, true_events = ([event for _move, event in one.events] for one in (seen, true))
    sure_seen, sure_true = (
        [event for event in events if event.ruling.rule not in seen.unverified] for events in (seen_events, true_events)
    )
    if [event.ruling for event in sure_seen] != [event.ruling for event in sure_true]:
        codes, true_codes = ([event.ruling.code for event in events] for events in (sure_seen, sure_true))
        different = {event.ruling for event in sure_seen} ^ {event.ruling for event in sure_true}
        clauses = ", ".join(sorted({ruling.rule for ruling in different})) or "its clause"
        yield (
            f"{codes} happened, not {true_codes}: if unseen cards decide that, a check answers `unverified()` of "
            f"{clauses}, or the effect is `undetermined()`"
        )
        return
    for one, other in zip(sure_seen, sure_true, strict=True):
        for name, hint in one.ruling.params.items():
            if not _agrees(hint, one.params[name], other.params[name]):
                yield f"{one.ruling.code}: {name} {one.params[name]}, not {other.params[name]}"
    if [event.ruling for event in seen_events] == [event.ruling for event in true_events]:
        for name, hint in _hints(engine.state).items():
            if not _agrees(hint, getattr(seen.state, name), getattr(true.state, name)):
                yield f"{name} {getattr(seen.state, name)}, not {getattr(true.state, name)}"


def _agrees(hint: Any, seen: Any, true: Any) -> bool:
    """Whether a value that is seen is the true one, or None where its annotation marks it as unknown.

    A list with unseen cards agrees if its seen cards are among the true ones, in any order.
    """
    if seen is None and _may_be_unknown(hint):
        return True
    if not isinstance(seen, tuple) or not isinstance(true, tuple):
        return bool(seen == true)
    items = list(_items(hint, len(seen)))
    if any(map(_may_be_unknown, items)):
        return len(seen) == len(true) and not Counter(each for each in seen if each is not None) - Counter(true)
    return len(seen) == len(true) and all(map(_agrees, items, seen, true))


def _with_unknowns(hint: Any, value: Any, rng: random.Random) -> Any:
    """A value with random parts, of those that may be unknown, replaced by None."""
    if value is None or (_may_be_unknown(hint) and rng.random() < 0.15):
        return None
    if not isinstance(value, tuple):
        return value
    items = list(_items(hint, len(value)))
    if items and all(map(_may_be_unknown, items)):
        share = rng.choice([0.0, 0.2, 1.0])
        return tuple(None if rng.random() < share else item for item in value)
    return tuple(_with_unknowns(item, each, rng) for item, each in zip(items, value, strict=True))


_hints: Callable[[type], dict[str, Any]] = cache(partial(get_type_hints, include_extras=True))


def _may_be_unknown(hint: Any) -> bool:
    """Whether an annotation has the word `Unknown()`."""
    return any(isinstance(word, Unknown) for word in getattr(hint, "__metadata__", ()))


def _items(hint: Any, length: int) -> Iterator[Any]:
    """The annotation of each item of a list of this length; `Any` where the annotation of the list says nothing."""
    tuples = [part for part in _members(hint) if get_origin(part) is tuple]
    members = get_args(tuples[0]) if tuples else (Any,) * length
    yield from members[:1] * length if members[-1:] == (...,) else members


def _members(hint: Any) -> Iterator[Any]:
    """The types in a union, without their annotations; of a hint that is no union, the hint itself."""
    if get_origin(hint) is Annotated:
        yield from _members(hint.__origin__)
    elif get_origin(hint) is not tuple and get_args(hint):
        for member in get_args(hint):
            yield from _members(member)
    else:
        yield hint


def with_hidden_cards_exchanged(engine: Engine[Any], state: Any, seat: int | None, rng: random.Random) -> Any:
    """A table that looks the same to a seat, with the cards that it cannot see exchanged at random.

    None where the seat sees all but one card, and where the exchange makes a table with a fault.
    """
    whole, seen = as_sent(engine, state), as_sent(engine, engine.view(state, seat))
    places = [place for place, value in leaves(whole) if value is not None and value_at(seen, place) is None]
    if len(places) < 2:
        return None
    cards = [value_at(whole, place) for place in places]
    rng.shuffle(cards)
    for place, card in zip(places, cards, strict=True):
        value_at(whole, place[:-1])[place[-1]] = card
    try:
        other = engine.complete(codecs(engine).state.load(whole))
    except Invalid:  # a secret that is no card was exchanged with a card
        return None
    faults, _unverified = audit(engine, other)
    return None if faults else other
