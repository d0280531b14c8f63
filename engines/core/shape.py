"""The annotations with which a dataclass says what JSON it accepts.

A field's type is plain Python (`int`, `str`, `tuple[X, ...]`, `tuple[X, X]`, `Literal[...]`, a dataclass, `X | None`)
narrowed by `Annotated` with one of the classes below. The service derives schemas, parsers and the published contract
from these annotations and from nothing else.

A member whose name is a Python keyword is a field with an underscore after it: `from_` holds `from`.

What `None` means:

- where the type carries `Unknown()`: the thing is on the table, but the poster does not know it (a card face down, a
  zone, the dealer). If a table shows less, its answer stays the same, or says that it cannot be known. It never becomes
  another one: a test in `tests/engines` checks this for every game;
- elsewhere: there is no such thing (nobody on turn, nothing placed, no knock). Clauses say in which phases it must be
  there.

How `None` is written in JSON:

- in a list or a tuple, and in a field without default: JSON `null`;
- in a field whose default is `None`: the field is left out, unless the type carries `Null()`: then `null` is accepted
  too, and written.

A dataclass may name two fields in a class attribute `exclusive`: then a record may have at most one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, get_args

MISLEADING: Final = r"\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""Control characters, line ends, and marks that turn the direction of writing: a part of a regular expression."""
VISIBLE: Final = rf"[^{MISLEADING}]*[^\s{MISLEADING}][^{MISLEADING}]*"
"""Matches a text that cannot change the sentence around it, on a page or in a terminal, and that can be seen."""


@dataclass(frozen=True)
class OneOf:
    """A closed list of strings or integers in canonical order. `name` names it in the published contract.

    `pattern`: a regular expression that matches these strings and no others. It is published instead of a long list.
    """

    name: str
    values: tuple[str, ...] | tuple[int, ...]
    pattern: str | None = None


@dataclass(frozen=True)
class Whole:
    """An integer from `least` to `most`, both included."""

    least: int
    most: int


@dataclass(frozen=True)
class Text:
    """A string of `least` to `most` characters. `pattern`: a regular expression that the whole string matches.

    Rulings can say a text, so that its pattern is `VISIBLE`, or narrower. None, any text: for what no ruling says.
    """

    least: int
    most: int
    pattern: str | None = VISIBLE


@dataclass(frozen=True)
class Length:
    """A list of `least` to `most` items; `unique`: no two alike."""

    least: int
    most: int
    unique: bool = False


@dataclass(frozen=True)
class Null:
    """The field may be `null` as well as left out, and is written as `null`."""


@dataclass(frozen=True)
class Unknown:
    """`None` means that the poster does not know what is there: a card face down, or a whole zone."""


@dataclass(frozen=True)
class Drawn:
    """A part of a move that chance decides: a drawn card, a seed, a deck.

    A session refuses a move with such a part, because there the service draws.
    """


@dataclass(frozen=True)
class Doc:
    """What the field is, in the words of the published contract. An outer one replaces those inside."""

    text: str


@dataclass(frozen=True)
class Player:
    """An integer that stands for a seat, a team or a side. A side is a team in team play, else a seat.

    Messages write it in words, or as the players' names.
    """

    kind: Literal["seat", "team", "side"] = "seat"


def inside(annotation: Any) -> Iterator[Any]:
    """An annotation, and every type, value and word in it, the outer ones first; not those of a dataclass."""
    yield annotation
    for each in get_args(annotation):
        yield from inside(each)


Why: TypeAlias = Literal["texts-differ", "one-text-two-readings", "no-text"]
"""Why an option is contested; `no-text`: no text prints its other values."""


def option(
    default: Any, rule: str, *, why: Why | None = None, published: tuple[Any, ...] = (), houses: tuple[Any, ...] = ()
) -> Any:
    """A ruleset option: its default and the clause that it settles.

    `why` makes it contested: where it has decided a ruling, a resolution says so. `published`: the values that texts
    print; the rulebook names the texts. `houses`: values that no text prints, for houses that play so.
    """
    return field(default=default, metadata=Option(rule, why, published, houses).as_metadata())


@dataclass(frozen=True)
class Option:
    """What is known of a ruleset option beside its type and default."""

    rule: str
    why: Why | None = None
    published: tuple[Any, ...] = ()
    houses: tuple[Any, ...] = ()

    def as_metadata(self) -> Mapping[str, Any]:
        """The option as `metadata` of `dataclasses.field`."""
        return {"option": self}
