"""Who may see what, read from `seeds/<game>/secrets.yaml`, and where the views of an engine depart from it.

The file is written from the rules, not from the engine, so that either can be wrong without the other.
`seeds/README.md` explains its words.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any, TypeAlias, get_args, get_origin, get_type_hints

from engines.core.engine import Engine
from engines.core.records import changed
from engines.core.rulings import Event, Happens
from engines.core.shape import OneOf, inside
from service import seeds
from service.contract import codecs
from service.judging.sentences import words
from service.seeds import FaultySeeds
from service.strict_json import plain
from service.words.languages import languages_of
from tests.mutation import items_of

Json: TypeAlias = Any
Place: TypeAlias = tuple[str | int, ...]  #: The names and indices that lead to a value.

SEEN_BY = ("all", "owner", "nobody")
NOT_THERE: Any = object()  #: Stands for a value that is not there.


# --- what a file says ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rule:
    """Who sees a zone, or a part of a move or an event. `opens`: conditions; where one holds, everyone sees it."""

    seen_by: str = "all"
    opens: tuple[Mapping[str, Sequence[Any]], ...] = ()
    ends: tuple[int, ...] = ()  #: The places that all see: 0, the top of a pile, and -1, its bottom.
    only_at: str = ""
    owner: str = ""  #: The member that names the seat to which all of it belongs.
    shown: frozenset[str] = frozenset()  #: Members of its records that all see.

    def hides(self, place: Place, context: Json, owner: int | None, seat: int | None) -> bool:
        """Whether a seat may not see what lies at a place of `context`; `owner`: whose it is."""
        if self.seen_by == "all" or (self.seen_by == "owner" and owner is not None and owner == seat):
            return False
        if place[-1] in self.shown:
            return False
        if self.ends and place[-1] in [end % len(value_at(context, place[:-1]) or "?") for end in self.ends]:
            return False
        if self.only_at and place[-1] not in (value_at(context, (self.only_at, *place[1:-1])) or ()):
            return False
        return not any(
            all(value_at(context, path.split("."), owner) in values for path, values in condition.items())
            for condition in self.opens
        )


@dataclass(frozen=True)
class Secrets:
    """A game's rules of secrecy: of zones by name, of the parts of moves and events by type or code, and name."""

    zones: Mapping[str, Rule]
    moves: Mapping[str, Mapping[str, Rule]]
    events: Mapping[str, Mapping[str, Rule]]

    def kept_from(self, seats: Iterable[int | None], table: Json) -> dict[int | None, dict[Place, Any]]:
        """By seat (None: a spectator) the places of a table that it may not see, with what lies there."""
        hidden: dict[int | None, dict[Place, Any]] = {seat: {} for seat in seats}
        for zone, rule in self.zones.items():
            if rule.seen_by != "all":
                for place, value in leaves(table.get(zone), (zone,)):
                    owner = table.get(rule.owner) if rule.owner else _owner(place)
                    for seat, secret in hidden.items() if value is not None else ():
                        if rule.hides(place, table, owner, seat):
                            secret[place] = value
        return hidden


def _owner(place: Place) -> int | None:
    """The owner of a place: a zone with owners has one entry a seat."""
    return place[1] if len(place) > 1 and isinstance(place[1], int) else None


@cache
def secrets(engine: Engine[Any]) -> Secrets:
    """The rules in a game's file; raises `FaultySeeds` for an unknown name, or a zone of cards that it leaves out."""
    reader = _Reader(engine)
    table = seeds.read_table_of(engine, "secrets.yaml")
    reader.refuse_unknown(table, ("game", "zones", "moves", "events"), "the file")
    zones = get_type_hints(engine.state, include_extras=True)
    known = {name.removesuffix("_") for name in zones}
    members = {name: _members(hint) for name, hint in _hints(engine.state).items()}
    stated = {
        name: reader.rule(value, name, members[name]) for name, value in reader.table(table, "zones", known).items()
    }
    for name in sorted(known):
        zone = name in engine.zones.names or _holds(zones.get(name, zones.get(f"{name}_")), card_of(engine))
        if zone and name not in stated:
            raise reader.faulty(f"does not say who sees the zone {name!r}")
    for name, rule in stated.items():
        for word, member in (("only at", rule.only_at), ("of the seat in", rule.owner)):
            if member and member not in known:
                raise reader.faulty(f"says {name!r} {word} {member!r}, which the state does not have")
    reader.check_conditions(stated, _hints(engine.state), "the state")
    moves = {
        kind: reader.parts(value, kind, _hints(engine.kinds[kind]))
        for kind, value in reader.table(table, "moves", engine.kinds).items()
    }
    for kind, rules in moves.items():
        reader.check_conditions(rules, {**_hints(engine.kinds[kind]), "state": engine.state}, f"the move {kind!r}")
    parameters: dict[str, dict[str, Any]] = {}
    for ruling in engine.rulings:
        if isinstance(ruling, Happens):
            parameters.setdefault(ruling.code, {}).update(ruling.params)
    events = {
        code: reader.parts(value, code, parameters[code])
        for code, value in reader.table(table, "events", parameters).items()
    }
    for code, rules in events.items():
        reader.check_conditions(rules, {**parameters[code], "state": engine.state}, f"the event {code!r}")
    return Secrets(stated, moves, events)


class _Reader:
    """Reads one file, and names the words in it that are not known."""

    def __init__(self, engine: Engine[Any]) -> None:
        self.path = seeds.folder(engine) / "secrets.yaml"

    def faulty(self, what: str) -> FaultySeeds:
        """The error that says this of the file."""
        return FaultySeeds(self.path, f" {what}.")

    def refuse_unknown(self, names: Iterable[Any], known: Iterable[str], where: str) -> None:
        """Refuse names that are not among the known ones."""
        unknown = [name for name in names if name not in known]
        if unknown:
            raise self.faulty(f"names {unknown[0]!r} in {where}; known there: {', '.join(sorted(known))}")

    def table(self, table: Json, name: str, known: Iterable[str]) -> dict[str, Any]:
        """The object under a name, whose own names must be known ones; empty if it is left out."""
        entries = table.get(name, {})
        if not isinstance(entries, dict):
            raise self.faulty(f"should map names to something under {name!r}")
        self.refuse_unknown(entries, known, name)
        return entries

    def parts(self, value: Json, owner: str, known: Iterable[str]) -> dict[str, Rule]:
        """The rule of each part of a move or an event."""
        return {name: self.rule(each, name) for name, each in self.table({owner: value}, owner, known).items()}

    def check_conditions(self, rules: Mapping[str, Rule], hints: Mapping[str, Any], where: str) -> None:
        """Refuse a rule that opens by a path which does not exist."""
        for name, rule in rules.items():
            for path in (path for condition in rule.opens for path in condition):
                if not _leads_somewhere(path.split("."), hints):
                    raise self.faulty(f"opens {name!r} by {path!r}, which {where} does not have")

    def rule(self, value: Json, name: str, members: Iterable[str] = ()) -> Rule:
        """The rule that a value states, in short (who sees it) or as an object."""
        words = value if isinstance(value, dict) else {"seen_by": value}
        for_all = ("top", "bottom", *members)
        self.refuse_unknown(words, ("seen_by", "opens", "only_at", "owner", *for_all), f"{name!r}")
        if words.get("seen_by") not in SEEN_BY:
            raise self.faulty(f"says {name!r} is seen by {words.get('seen_by')!r}; known: {', '.join(SEEN_BY)}")
        for part in for_all:
            if words.get(part, "all") != "all":
                raise self.faulty(f"says the {part} of {name!r} is seen by {words[part]!r}; known: all")
        opens = words.get("opens", [])
        if not isinstance(opens, list) or not all(
            isinstance(values, list) for condition in opens for values in condition.values()
        ):
            raise self.faulty(f"should list conditions under 'opens' of {name!r}, as `- {{phase: [play]}}`")
        ends = tuple(place for end, place in (("top", 0), ("bottom", -1)) if end in words)
        shown = frozenset(words).intersection(members)
        return Rule(words["seen_by"], tuple(opens), ends, words.get("only_at", ""), words.get("owner", ""), shown)


# --- values and their places ---------------------------------------------------------------------------------------


def as_sent(engine: Engine[Any], state: Any) -> Json:
    """A state as it arrives at a client."""
    return plain(codecs(engine).state.dump(state))


def leaves(value: Json, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every leaf of a value, null included, with its place."""
    if not isinstance(value, dict | list):
        yield place, value
    for name, part in items_of(value):
        yield from leaves(part, (*place, name))


def value_at(value: Json, place: Iterable[str | int], owner: int | None = None) -> Any:
    """The value at a place, None where there is none; the step `owner` stands for the owner's number."""
    for step in place:
        try:
            value = value[owner if step == "owner" and isinstance(value, list) else step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


@cache
def card_of(engine: Engine[Any]) -> OneOf:
    """The `OneOf` that lists the cards of a game."""
    deck = get_type_hints(engine.setup, include_extras=True).get("deck")
    return next((word for word in inside(deck) if isinstance(word, OneOf)), OneOf("no cards", ()))


@cache
def cards_by_spoken_name(engine: Engine[Any]) -> Mapping[str, frozenset[Any]]:
    """The names of cards in sentences, in every language, and the cards that each may mean.

    A name that is only a number, as in Take That, may stand for anything and proves no leak.
    """
    cards = card_of(engine).values
    named: dict[str, set[Any]] = {}
    for language in languages_of(engine):
        for card, name in words(engine, language).cards.items():
            if not name.isdecimal():
                named.setdefault(name, set()).update(each for each in cards if str(each) == str(card))
    return {name: frozenset(meant) for name, meant in named.items()}


def _records(hint: Any) -> Iterator[type]:
    """The dataclasses that an annotation names."""
    return (each for each in inside(hint) if isinstance(each, type) and is_dataclass(each))


def _members(hint: Any) -> set[str]:
    """The members of the records in a value of this type."""
    return {name for record in _records(hint) for name in _hints(record)}


def _leads_somewhere(path: Sequence[str], hints: Mapping[str, Any]) -> bool:
    """Whether members of these types, and of the records in them, have this path."""
    name, *rest = path
    if name not in hints:
        return False
    while rest and rest[0] == "owner":
        rest = rest[1:]
    inner = {each: hint for record in _records(hints[name]) for each, hint in _hints(record).items()}
    return not rest or _leads_somewhere(rest, inner)


def _holds(hint: Any, card: OneOf) -> bool:
    """Whether a value of this type can hold cards."""
    inner = (get_type_hints(record, include_extras=True) for record in _records(hint))
    return card in inside(hint) or any(_holds(each, card) for hints in inner for each in hints.values())


def cards_among(hint: Any, value: Json, card: OneOf, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """The cards in a value of this type, with their places."""
    if isinstance(value, dict):
        for record in _records(hint):
            for name in _hints(record).keys() & value.keys():
                yield from cards_among(_hints(record)[name], value[name], card, (*place, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from cards_among(hint, item, card, (*place, index))
    elif value is not None and card in inside(hint):
        yield place, value


# --- where an engine departs from the file --------------------------------------------------------------------------


def faults_of_view(engine: Engine[Any], state: Any) -> list[str]:
    """Where the engine's view of a table shows a secret, or hides or alters what is no secret."""
    whole = as_sent(engine, state)
    faults: dict[Any, str] = {}
    for seat, secret in secrets(engine).kept_from((None, *range(engine.seats_of(state))), whole).items():
        for place, what in _departures(whole, as_sent(engine, engine.view(state, seat)), secret):
            faults.setdefault((seat, place[0], what), _sentence(engine, seat, what, place))
    return list(faults.values())


def faults_of_log(engine: Engine[Any], before: Any, move: Any, events: Sequence[Event], after: Any) -> list[str]:
    """Where the log of a session, for a move and its events, shows a secret, or hides or alters what is no secret.

    Everybody sees a part that the file does not name. So it may not show a card that the zones hide from a seat before
    and after the move.
    """
    now = as_sent(engine, after)
    rules, card = secrets(engine), card_of(engine)
    parts = rules.moves.get(move.type, {})
    move = _with_unstated_parts_filled(move, parts, engine)
    hints = _hints(type(move))
    faults = []
    seats = (None, *range(engine.seats_of(after)))
    were, are = (rules.kept_from(seats, table) for table in (as_sent(engine, before), now))
    for seat in seats:
        unseen = set(were[seat].values()).intersection(are[seat].values())
        dump = codecs(engine).move.dump
        seen = plain(dump(engine.view_move(after, move, seat)))
        entries: list[tuple[str, Json, Json, Mapping[str, Any], Mapping[str, Rule]]]
        entries = [(f"the move {move.type!r}", plain(dump(move)), seen, hints, parts)]
        for event in events:
            ruling = event.ruling
            seen = plain(engine.view_event(after, event, seat).params)
            rules_there = rules.events.get(ruling.code, {})
            entries.append((f"the event {ruling.code!r}", plain(event.params), seen, ruling.params, rules_there))
        for where, whole, seen, types, stated in entries:
            for place, what in _log_departures(whole, seen, stated, now, seat):
                faults.append(_sentence(engine, seat, what, place, where))
            for name in sorted(seen.keys() - stated.keys() & types.keys()):
                for place, value in cards_among(types[name], seen[name], card, (name,)):
                    if value in unseen:
                        faults.append(_sentence(engine, seat, IS_SHOWN, place, where))
    return faults


IS_SHOWN = "is shown"
IS_NOT_SHOWN = "is not shown"
IS_SHOWN_ANOTHER = "is shown something else than"
CANNOT_COUNT = "cannot count"


def _log_departures(
    whole: Json, seen: Json, stated: Mapping[str, Rule], after: Json, seat: int | None
) -> Iterator[tuple[Place, str]]:
    """As `_departures`, of a move or an event in the log; a part may be left out. `after`: the state after it."""
    context = {**whole, "state": after}
    secret = {
        place: value
        for name, rule in stated.items()
        for place, value in leaves(whole.get(name), (name,))
        if rule.hides(place, context, whole.get("seat"), seat)
    }
    for place, what in _departures(whole, seen, secret):
        if what != CANNOT_COUNT:  # a part may be left out as a whole
            yield place, what


def _departures(whole: Json, seen: Json, secret: Mapping[Place, Any]) -> Iterator[tuple[Place, str]]:
    """Where the value seen is not the whole value with null for each secret."""
    shown = dict(leaves(seen))
    for place, value in leaves(whole):
        there = shown.pop(place, NOT_THERE)
        if place not in secret:
            if there is NOT_THERE or (there is None and value is not None):
                yield place, IS_NOT_SHOWN
            elif there != value:
                yield place, IS_SHOWN_ANOTHER
        elif there is NOT_THERE and _is_lost(seen, place):
            yield place, CANNOT_COUNT
        elif there is not NOT_THERE and there is not None:
            yield place, IS_SHOWN if there == value else IS_SHOWN_ANOTHER
    yield from ((place, IS_SHOWN_ANOTHER) for place, value in shown.items() if value is not None)


def _is_lost(seen: Json, place: Place) -> bool:
    """Whether the item of a list in which this place lies is not even there as a null."""
    indexes = [number for number, step in enumerate(place) if isinstance(step, int)]
    return bool(indexes) and value_at(seen, place[: indexes[-1] + 1]) is None


def _sentence(engine: Engine[Any], seat: int | None, what: str, place: Place, where: str = "the table") -> str:
    """The fault in words. `what`: what is wrong there, such as `IS_SHOWN`."""
    who = "a spectator" if seat is None else f"seat {seat}"
    file = seeds.shown(seeds.folder(engine) / "secrets.yaml")
    return f"{engine.game}: {who} {what} {'/'.join(map(str, place))!r} of {where}; see {file}."


def _named_on_the_wire(record: type) -> dict[str, Any]:
    """The types of a record's members, by their names on the wire."""
    hints = get_type_hints(record, include_extras=True)
    return {each.name.removesuffix("_"): hints[each.name] for each in fields(record)}


_hints: Callable[[type], dict[str, Any]] = cache(_named_on_the_wire)


def _with_unstated_parts_filled(move: Any, parts: Iterable[str], engine: Engine[Any]) -> Any:
    """A move with some card in each part that the file of secrets names, and that random moves leave out."""
    first = next(iter(engine.cards(engine.setup(seats=engine.seats[-1]))), None)
    hints = _hints(type(move))
    filled = {}
    for name in parts:
        field = name if hasattr(move, name) else f"{name}_"
        if getattr(move, field) is None:
            filled[field] = _filled_with_card(hints[name], first[0] if isinstance(first, tuple) else first)
    if hasattr(move, "seed"):  # the service draws it; no log shows it
        filled["seed"] = None
    return changed(move, **filled) if filled else move


def _filled_with_card(hint: Any, card: Any) -> Any:
    """One card, in a list where the type is a list."""
    if get_origin(hint) is tuple:
        return (card,) if get_args(hint)[-1] is Ellipsis else (card,) * len(get_args(hint))
    for part in get_args(hint):
        filled = _filled_with_card(part, card)
        if filled is not None:
            return filled
    return card if any(isinstance(word, OneOf) for word in getattr(hint, "__metadata__", ())) else None
