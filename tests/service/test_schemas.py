"""The annotations of `engines.core.shape`: which JSON they accept, and how a refusal is worded."""

import gc
import traceback
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import pytest

import engines
from engines.core.shape import Length, Null, OneOf, Text, Whole, option
from service import strict_json
from service.bounds import OUTCOMES_IN_BATCH
from service.contract import Codec, Invalid, codecs
from service.contract.accept import UNSURE_ERRORS
from service.contract.fields import ListField, StrictField, TextField, UnionField
from service.contract.rows import AnyCall, batch_entries, body_codec
from service.contract.shapes import Shapes
from service.judging.calls import CALLS, DEAL, body_of
from tests.service.edges import edges

Card = Annotated[str, OneOf("Card", ("red-1", "red-2", "blue-1"))]
Number = Annotated[int, OneOf("Number", (3, 5, 8))]


@dataclass(frozen=True)
class Rules:
    """Rules."""

    name: Literal["short", "long"] = "short"
    limit: Annotated[int, Whole(1, 9)] = option(5, "X-1")
    open: bool = option(False, "X-2")


PRESETS = {"short": Rules(), "long": Rules("long", limit=9)}


@dataclass(frozen=True)
class Lay:
    """Lay a card."""

    type: ClassVar[str] = "lay"

    seat: Annotated[int, Whole(0, 3)]
    card: Card
    from_: Literal["hand", "stock"] = "hand"
    drawn: Card | None = None


@dataclass(frozen=True)
class Deal:
    """The table deals."""

    type: ClassVar[str] = "deal"

    seat: Annotated[None, Null()] = None


@dataclass(frozen=True)
class Line:
    """A nested object."""

    points: Number
    note: Annotated[str, Text(1, 5, None)] | None = None


@dataclass(frozen=True)
class Everything:
    """A record that uses every annotation once."""

    phase: Literal["play", "over"]
    turn: Annotated[int, Whole(0, 3)] | None
    pair: tuple[Card, Card]
    numbers: Annotated[tuple[Number | None, ...], Length(1, 3, unique=True)]
    big: Annotated[int, Whole(-10_000, 10_000)] = 0
    ruleset: Rules = PRESETS["short"]
    unknown: Annotated[tuple[Card | None, ...], Length(0, 3)] | None = None
    taken: Annotated[Card | None, Null()] = None
    lines: Annotated[tuple[Line | None, ...], Length(0, 2)] = ()
    either: Annotated[str, Text(1, 3, None)] | Annotated[int, Whole(0, 3)] | None = None
    sure: Literal[True] | None = None
    deck: tuple[str, ...] = ("a", "b")
    line: Line | None = None
    many: Annotated[tuple[Annotated[int, Whole(0, 99_999)], ...], Length(0, 3)] = ()


SHAPES = Shapes("Test", PRESETS, {"Move": (Lay, Deal)})
CODEC: Codec[Everything] = Codec(SHAPES.field(Everything))
CARDS_CODEC: Codec[Any] = Codec(SHAPES.field(tuple[Card, ...]))
MOVE: Codec[Any] = Codec(SHAPES.field(Lay | Deal))
SMALLEST_STATE = {"phase": "play", "turn": None, "pair": ["red-1", "red-1"], "numbers": [3, None]}


def errors(codec: Codec[Any], value: Any) -> list[tuple[str, str]]:
    """Return pointer and detail of each error in the refusal of a value."""
    with pytest.raises(Invalid) as invalid:
        codec.load(value)
    return [(each["pointer"], str(each["detail"])) for each in invalid.value.errors]


def test_a_game_with_one_kind_of_move_publishes_the_union_of_its_moves_too() -> None:
    field = Shapes("Test", unions={"Move": (Lay,)}).field(Lay)
    assert isinstance(field, UnionField)
    assert (field.union, [*field.members]) == ("TestMove", ["lay"])


def test_a_missing_member_gets_its_default() -> None:
    assert CODEC.load(SMALLEST_STATE) == Everything("play", None, ("red-1", "red-1"), (3, None))


ACCEPTED_BODIES = {
    "an integer written as a fraction": ("big", 5.0, 5),
    "a card's number written as a fraction": ("numbers", [3.0], (3,)),
    "a nullable member that is null": ("taken", None, None),
    "one kind of two": ("either", "abc", "abc"),
    "the other kind": ("either", 3.0, 3),
    "an object in a list": ("lines", [{"points": 8}, None], (Line(8), None)),
    "a long default spelled out": ("deck", ["a", "b"], ("a", "b")),
    "another value than the long default": ("deck", ["b"], ("b",)),
    "options beside a ruleset": ("ruleset", {"name": "long", "options": {"open": True}}, Rules("long", 9, True)),
    "options of the first ruleset": ("ruleset", {"options": {"limit": 2}}, Rules("short", 2)),
}


@pytest.mark.parametrize(("name", "value", "loaded"), ACCEPTED_BODIES.values(), ids=ACCEPTED_BODIES)
def test_a_valid_value_is_loaded(name: str, value: Any, loaded: Any) -> None:
    record = CODEC.load({**SMALLEST_STATE, name: value})
    assert repr(getattr(record, name)) == repr(loaded)


NO_LIMITS = 'There is no field "limits" here: misspelled, or from a newer referee. There are limit, open.'
SHORT = "/pair: Expected a list of 2 items, got a list of 1 item."
REFUSED_CHANGES: list[tuple[dict[str, Any], list[str]]] = [
    ({"phase": "plays"}, ['/phase: Expected one of "play", "over", got "plays". Did you mean "play"?']),
    ({"turn": True}, ["/turn: Expected an integer from 0 to 3 or null, got true."]),
    (
        {"turn": "1"},
        ['/turn: Expected an integer from 0 to 3 or null, got "1". Did you mean 1? It is written without quotes.'],
    ),
    ({"turn": 4}, ["/turn: Expected an integer from 0 to 3 or null, got 4."]),
    ({"big": 1.5}, ["/big: Expected an integer from -10000 to 10000, got 1.5."]),
    ({"big": None}, ["/big: Expected an integer from -10000 to 10000, got null. Leave it out instead."]),
    ({"unknown": None}, ["/unknown: Expected a list of 0 to 3 items, got null. Leave it out instead."]),
    ({"numbers": [True]}, ["/numbers/0: Expected one of 3, 5, 8 or null, got true."]),
    ({"numbers": [3, 3]}, ["/numbers/1: This item stands earlier in the list; all must be different."]),
    ({"pair": ["red-1"]}, [SHORT]),
    ({"pair": ["r"]}, [SHORT, '/pair/0: Expected one of "red-1", "red-2", "blue-1", got "r".']),
    ({"pair": {}}, ["/pair: Expected a list of 2 items, got an object."]),
    ({"either": "abcd"}, ['/either: Expected a string of 1 to 3 characters, got "abcd".']),
    ({"either": "a" * 50}, ["/either: Expected a string of 1 to 3 characters, got a string of 50 characters."]),
    ({"either": True}, ["/either: Expected a string of 1 to 3 characters or an integer from 0 to 3, got true."]),
    ({"sure": False}, ["/sure: Expected true, got false."]),
    ({"sure": 1}, ["/sure: Expected true, got 1. Did you mean true? A yes or no is written true or false."]),
    ({"ruleset": {"name": 1}}, ['/ruleset/name: Expected one of "short", "long", got 1.']),
    ({"ruleset": {"options": {"limits": 3}}}, [f'/ruleset/options/limits: {NO_LIMITS} Did you mean "limit"?']),
    ({"lines": [{}]}, ['/lines/0/points: The field "points" is missing: expected one of 3, 5, 8.']),
]
"""Changed members, and the errors that they make: place and text."""


@pytest.mark.parametrize(("changed", "refusals"), REFUSED_CHANGES)
def test_an_invalid_value_is_refused(changed: dict[str, Any], refusals: list[str]) -> None:
    assert [": ".join(each) for each in errors(CODEC, {**SMALLEST_STATE, **changed})] == refusals


def test_pointers_are_escaped_and_an_attribute_of_marshmallow_is_no_member() -> None:
    assert [pointer for pointer, _detail in errors(CODEC, {**SMALLEST_STATE, "a/b~c": 1, "_schema": 1})] == [
        "/a~1b~0c",
        "/_schema",
    ]


def test_a_traceback_from_generated_code_shows_its_line() -> None:
    with pytest.raises(UNSURE_ERRORS) as caught:
        CODEC._accept({**SMALLEST_STATE, "turn": 4})
    shown = "".join(traceback.format_exception(caught.value))
    assert "<generated" in shown
    assert "v_turn" in shown


def test_all_errors_are_listed_at_once_missing_members_first() -> None:
    changes = {"extra": 1, "pair": ["red-1", "blu-1"], "numbers": [4, 3]}
    pointers = [pointer for pointer, _detail in errors(CODEC, changes)]
    assert pointers == ["/phase", "/turn", "/extra", "/pair/1", "/numbers/0"]


def test_only_the_first_two_hundred_errors_are_listed() -> None:
    for wrong, more in ((200, False), (201, True)):
        with pytest.raises(Invalid) as caught:
            CODEC.load({**SMALLEST_STATE, **{f"x{number}": 1 for number in range(wrong)}})
        assert (len(caught.value.errors), caught.value.more) == (200, more)


def test_surplus_items_of_a_list_are_not_checked() -> None:
    pointers = [pointer for pointer, _detail in errors(CODEC, {**SMALLEST_STATE, "pair": ["blu-1"] * 100})]
    assert pointers == ["/pair", "/pair/0", "/pair/1"]


@pytest.mark.parametrize(
    ("codec", "value"), [(CODEC, SMALLEST_STATE | {f"big{n}": 1 for n in range(30)}), (CARDS_CODEC, ["red-3"] * 30)]
)
def test_only_the_first_ten_errors_suggest_a_correction(codec: Codec[Any], value: Any) -> None:
    assert [place for place, (_pointer, detail) in enumerate(errors(codec, value)) if "Did you mean" in detail] == [
        *range(10)
    ]


TWENTY_VALUES: Codec[Any] = Codec(
    SHAPES.field(Annotated[str, OneOf("Twenty", tuple(f"c{number}" for number in range(20)))])
)
DEAL_CODEC: Codec[Any] = Codec(SHAPES.field(Deal))
UNLIKE_VALUES: dict[str, tuple[Codec[Any], Any, str, str]] = {
    "no type": (MOVE, {}, "/type", 'The field "type" is missing: expected one of "lay", "deal".'),
    "another type": (
        MOVE,
        {"type": "dael"},
        "/type",
        'Expected one of "lay", "deal", got "dael". Did you mean "deal"?',
    ),
    "a list for a type": (MOVE, {"type": []}, "/type", 'Expected one of "lay", "deal", got a list of 0 items.'),
    "no member": (MOVE, [], "", 'Expected an object whose "type" is one of "lay", "deal", got a list of 0 items.'),
    "no object": (DEAL_CODEC, 3, "", 'Expected an object, got 3. An object has at least "type".'),
    "none of many values": (TWENTY_VALUES, 1, "", 'Expected one of 20 values from "c0" to "c19", got 1.'),
    "another type outside a union": (DEAL_CODEC, {"type": "lay"}, "/type", 'Expected "deal", got "lay".'),
}


@pytest.mark.parametrize(("codec", "value", "pointer", "detail"), UNLIKE_VALUES.values(), ids=UNLIKE_VALUES)
def test_a_refusal_names_what_is_expected(codec: Codec[Any], value: Any, pointer: str, detail: str) -> None:
    assert errors(codec, value) == [(pointer, detail)]


@pytest.mark.parametrize("field", [CODEC.field, MOVE.field, DEAL_CODEC.field, TextField(1), ListField(TextField(), 1)])
def test_the_fast_path_and_marshmallow_keep_every_bound(field: StrictField) -> None:
    codec = Codec[Any](field)
    for value, fits in edges(field):
        if fits:
            assert repr(codec._accept(value)) == repr(codec.judged(value)), value
        else:
            assert errors(codec, value), value


@pytest.mark.parametrize(("hint", "message"), [(tuple[int, str], "items that are not alike"), (bytes, "no word")])
def test_what_is_not_json_has_no_schema(hint: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        SHAPES.field(hint)


GAMES = list(engines.registry())


@pytest.mark.parametrize("game", GAMES)
def test_a_ruleset_with_all_options_of_a_preset_is_that_preset(game: str) -> None:
    presets = engines.registry()[game].rulesets.values()
    codec: Codec[Any] = Codec(codecs(engines.registry()[game]).shapes.field(type(next(iter(presets)))))
    assert all(codec.load(strict_json.loads(strict_json.dumps(codec.dump(each)))) is each for each in presets)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_a_body_that_names_an_unknown_game_is_refused_with_a_suggestion(call: AnyCall, game: str) -> None:
    pointer, detail = errors(body_codec(call, None), {"game": game + "x"})[0]
    assert pointer == "/game"
    assert f'Did you mean "{game}"?' in detail


@pytest.mark.parametrize("game", GAMES)
def test_a_body_or_its_path_names_the_game_and_a_seed_excludes_a_deck(game: str) -> None:
    engine, seats = engines.registry()[game], min(engines.registry()[game].seats)
    of, body = body_of(DEAL, None, {"game": game, "seats": seats, "seed": "s"})
    assert (of, body.seats, body.seed) == (engine, seats, "s")
    of, body = body_of(DEAL, game, {"seats": seats})
    assert (of, body.seed) == (engine, None)
    both = errors(body_codec(DEAL, game), {"seats": seats, "seed": "s", "deck": []})
    assert ("/deck", '"seed" and "deck" exclude each other; leave one of them out.') in both


def entry(**body: Any) -> dict[str, Any]:
    """Return an entry of a batch that posts this body to `/resolve`."""
    return {"path": "/resolve", "body": body}


def test_a_batch_is_checked_without_its_bodies_but_for_the_number_of_their_moves() -> None:
    assert [each.body for each in batch_entries(CALLS, {"requests": [{"path": "/audit", "body": 3, "id": 1}]})] == [3]
    assert len(batch_entries(CALLS, {"requests": [entry(moves=[{}] * OUTCOMES_IN_BATCH), entry(moves=3)]})) == 2
    listings = [entry(moves=[], views=[0, 1, None], legal_moves=True)] * 250
    assert len(batch_entries(CALLS, {"requests": listings})) == 250, "8 outcomes each"


UNFIT = {
    "too many calls": ([entry()] * 1_001, "/requests"),
    "a batch": ([{"path": "/batch", "body": {}}], "/requests/0/path"),
}


@pytest.mark.parametrize(("requests", "pointer"), UNFIT.values(), ids=UNFIT)
def test_a_batch_is_refused_as_a_whole(requests: list[Any], pointer: str) -> None:
    with pytest.raises(Invalid) as invalid:
        batch_entries(CALLS, {"requests": requests})
    assert [each["pointer"] for each in invalid.value.errors] == [pointer]


def test_a_refused_value_is_free_at_once() -> None:
    """A cycle of references would keep it, and the whole body, until the collector comes."""
    codec, left = codecs(engines.registry()["twins"]).state, set[int]()
    for _ in range(5):  # the first refusal fills caches, and threads of other tests may leave something
        gc.collect()
        with suppress(Invalid):
            codec.load({"phase": 5, "ruleset": {"name": 5, "options": {"none": 1}}})
        left.add(gc.collect())
    assert 0 in left
