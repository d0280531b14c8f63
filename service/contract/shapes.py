"""Turns annotations, in the words of `engines.core.shape`, into marshmallow schemas."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, is_dataclass
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    Unpack,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from engines.core import shape
from service.contract import fields
from service.contract.fields import Closed, Presence, StrictField
from service.contract.placeholders import NULL_IS_LEFT_OUT, Placeholder, SameForAll, TakesNull, UnionName
from service.words.phrases import Phrase, phrase

W = TypeVar("W")
Kind = TypeVar("Kind", bound=Closed)

Words: TypeAlias = dict[type, object]  #: The words of an annotation, such as `Length(1, 6)`, by their class.
Members: TypeAlias = Mapping[str, StrictField]  #: The fields of a shape by the name of the member.
FieldMaker: TypeAlias = Callable[..., StrictField]  #: Makes a field from `Presence`.

SCALARS: dict[object, tuple[type[StrictField], type | None]] = {
    bool: (fields.BooleanField, None),
    int: (fields.IntegerField, shape.Whole),
    str: (fields.TextField, shape.Text),
    object: (fields.AnyField, None),
    Mapping[str, object]: (fields.AnyObjectField, None),
}
"""The field of each plain type, and the word that bounds it."""


EMPTY: Mapping[Any, Any] = {}
UNSEEN_CARD, UNSEEN_CARDS = phrase("unseen-card"), phrase("unseen-cards")
ADVICE_ON_PLAYERS: Mapping[object, Phrase] = {
    shape.Player(): phrase("seats-from-0"),
    shape.Player("team"): phrase("teams-from-0"),
}


class Shapes:
    """The schemas of one game, one for each dataclass.

    `prefix` begins the names of components. `unions`: dataclasses by the name of their union. `by_game`: makes the
    field for each placeholder. `stored`: for what a store holds, whose texts are read without their patterns.
    """

    def __init__(
        self,
        prefix: str = "",
        rulesets: Mapping[str, object] = EMPTY,
        unions: Mapping[str, Iterable[type]] = EMPTY,
        by_game: Mapping[object, FieldMaker] = EMPTY,
        *,
        stored: bool = False,
    ) -> None:
        self.prefix = prefix
        #: The patterns of what is stored, which an earlier version may have taken, are not checked.
        self._unchecked_bounds = {"pattern"} if stored else set[str]()
        self._by_game = by_game
        self._unions = {frozenset[object](members): prefix + name for name, members in unions.items()}
        self._rulesets = rulesets
        self._ruleset: type = type(next(iter(rulesets.values()), None))
        self._schemas: dict[tuple[type, tuple[str, str] | None], type[Closed]] = {}

    def field(self, hint: object, **presence: Unpack[Presence]) -> StrictField:
        """The field for an annotation."""
        if hint in self._by_game:  # a union that is published as one shape
            return self._by_game[hint](**presence)
        unfolded = _unfolded(hint)
        members = [each for each in unfolded if each[0] is not NoneType]
        presence.setdefault("allow_none", len(members) < len(unfolded))
        if not members:
            presence["allow_none"] = True
            return fields.ValuesField((), **presence)
        name = self._unions.get(frozenset(member for member, _ in members))
        if len(members) == 1 and name is None:
            return self._plain(*members[0], presence)
        if all(is_dataclass(member) for member, _words in members):
            records = [cast("type", member) for member, _words in members]
            union = {tag_of(record)[1]: fields.ObjectField(self.record(record)) for record in records}
            return fields.UnionField("type", union, name, **presence)
        if named := _word(members[0][1], UnionName):
            name = self.prefix + named.name
        return fields.EitherField([self._plain(member, words, {}) for member, words in members], name, **presence)

    def record(self, record: type, tag: tuple[str, str] | None = None, name: str | None = None) -> type[Closed]:
        """The schema of a dataclass. `tag`: name and value of the member that unions read; by default its `type`.

        `name`: of the component, if it is not that of the dataclass.
        """
        if SameForAll in record.__bases__ and self is not SHARED:
            return SHARED.record(record)
        tag = tag or (tag_of(record) if hasattr(record, "type") else None)
        if (record, tag) not in self._schemas:
            ruled = record is self._ruleset
            self._schemas[record, tag] = self._ruled() if ruled else self._built(record, tag, name or component(record))
        return self._schemas[record, tag]

    def of_options(self) -> Mapping[str, str]:
        """The published description of each option of a ruleset."""
        return {}

    def version(self) -> int | None:
        """The version of the rules that a posted ruleset may name; None: it may name none."""
        return None

    def _plain(self, hint: object, words: Words, presence: Presence) -> StrictField:
        """The field of a type that is no union.

        `words`: what its `Annotated` has beside the type, by class. `presence`: whether the field is required and may
        be null, and its default.
        """
        placeholder = words.get(Placeholder, hint)
        if placeholder in self._by_game:
            return self._by_game[placeholder](**presence)
        if get_origin(hint) in (tuple, Sequence):
            return self._listing(hint, words, presence)
        if is_dataclass(hint):
            return fields.ObjectField(self.record(cast("type", hint)), **presence)
        if get_origin(hint) is Literal:
            return fields.ValuesField(get_args(hint), **presence)
        if listed := _word(words, shape.OneOf):
            values = fields.ValuesField(listed.values, listed.name, listed.pattern, **presence)
            values.advice = UNSEEN_CARD if shape.Unknown in words else None
            return values
        if hint in SCALARS:
            kind, word = SCALARS[hint]
            bounds = vars(words[word]) if word in words else {}
            checked = {name: bound for name, bound in bounds.items() if name not in self._unchecked_bounds}
            plain = kind(**checked, **presence)
            plain.advice = ADVICE_ON_PLAYERS.get(words.get(shape.Player))
            return plain
        raise TypeError(f"no word of engines.core.shape says what JSON {hint} is")

    def _listing(self, hint: object, words: Words, presence: Presence) -> StrictField:
        """The field of a list: of any length, or of as many items as a tuple has."""
        members = (*get_args(hint), ...) if get_origin(hint) is Sequence else get_args(hint)
        if members[-1] is ...:
            length = _word(words, shape.Length) or shape.Length(0, None)  # type: ignore[arg-type]
        elif len(set(members)) == 1:
            length = shape.Length(len(members), len(members))
        else:
            raise TypeError(f"a list of {members}: items that are not alike have no word in engines.core.shape")
        item = self.field(members[0])
        if isinstance(item, fields.UnionField) and not item.members:  # no item fits
            length = shape.Length(0, 0)
        listing = fields.ListField(item, length.least, length.most, unique=length.unique, **presence)
        listing.advice = UNSEEN_CARDS if item.advice in (UNSEEN_CARD, UNSEEN_CARDS) else None
        return listing

    def members(self, record: type, **instead: object) -> dict[str, StrictField]:
        """The fields of a dataclass or TypedDict by member, required ones first. `instead` replaces annotations."""
        own = get_type_hints(record, include_extras=True)
        hints: dict[str, object] = own | instead
        presences = dict.fromkeys(hints, REQUIRED)  # of a TypedDict, which has no defaults
        if is_dataclass(record):
            presences = {each.name: _presence(each, hints[each.name]) for each in dataclasses.fields(record)}
        declared = {}
        for name, presence in presences.items():
            hint = hints[name]
            field = hint if isinstance(hint, StrictField) else self.field(hint, **presence)
            field.required = presence.get("required", False)
            field.optional = not field.required
            field.null_is_left_out = TakesNull in record.__mro__ and name in NULL_IS_LEFT_OUT
            field.doc = doc_of(own[name]) or field.doc
            declared[name.removesuffix("_")] = field
        return dict(sorted(declared.items(), key=lambda member: not member[1].required))

    def closed(self, name: str, doc: str | None, declared: Members) -> type[Closed]:
        """A schema without a dataclass."""
        return self._schema(Closed, name, doc, declared)

    def _built(self, record: type, tag: tuple[str, str] | None, name: str) -> type[fields.Built]:
        """A new schema of a dataclass."""
        declared = self.members(record)
        if tag is not None:
            declared = {tag[0]: fields.ValuesField((tag[1],), required=True), **declared}
        schema = self._schema(fields.Built, name, record.__doc__, declared)
        schema.record, schema.tag, schema.exclusive = record, tag, getattr(record, "exclusive", ())
        return schema

    def _ruled(self) -> type[fields.Ruled]:
        """The schema of the game's rulesets."""
        hints = get_type_hints(self._ruleset, include_extras=True)
        names = [name for name in hints if name != "name"]
        doc = "Options of a ruleset; the ones left out are as the ruleset of that name has them."
        options = self.closed("Options", doc, {name: self.field(hints[name]) for name in names})
        options.docs = self.of_options
        members: dict[str, StrictField] = {
            "name": fields.ValuesField(tuple(self._rulesets)),
            "options": fields.ObjectField(options),
        }
        members["name"].doc = "What the ruleset is called; left out: the game's first."
        members["options"].doc = "The options that differ from those of the ruleset."
        if (version := self.version()) is not None:
            members["version"] = fields.VersionField(version)
            members["version"].doc = "The version of the rules, as answers name it: no other is taken."
        for each in members.values():
            each.optional = True
        schema = self._schema(fields.Ruled, "Ruleset", self._ruleset.__doc__, members)
        schema.presets = self._rulesets
        return schema

    def _schema(self, kind: type[Kind], name: str, doc: str | None, declared: Members) -> type[Kind]:
        """A new marshmallow schema of this kind, with these fields."""
        component = self.prefix + name
        schema = cast("type[Kind]", type(component, (kind,), dict(declared)))
        schema.component, schema.prefix, schema.__doc__ = component, self.prefix, doc
        return schema


SHARED = Shapes()
REQUIRED: Presence = {"required": True}


def _word(words: Words, kind: type[W]) -> W | None:
    """The word of this class among those of an annotation."""
    word = words.get(kind)
    return word if isinstance(word, kind) else None


def doc_of(hint: object) -> str:
    """The text of the first `Doc` in an annotation; empty if it has none."""
    docs = [_word(words, shape.Doc) for _member, words in _unfolded(hint)]
    return next((doc.text for doc in docs if doc), "")


def component(record: type) -> str:
    """The name of a dataclass in the published contract: `Event` for `EncodedEvent`."""
    return record.__name__.removeprefix("Encoded")


def title(name: str) -> str:
    """A name with dashes in the spelling of components: `GinRummy` for gin-rummy."""
    return "".join(part.capitalize() for part in name.split("-"))


def tag_of(record: type) -> tuple[str, str]:
    """Name and value of the member by which unions recognise a dataclass."""
    return "type", record.type  # type: ignore[attr-defined]


def _unfolded(hint: object, outer: Words | None = None) -> list[tuple[object, Words]]:
    """The members of a union, each with its words. An outer word replaces an inner one."""
    words = outer or {}
    if get_origin(hint) is Annotated:
        inner, *own = get_args(hint)
        return _unfolded(inner, {type(word): word for word in own} | words)
    if get_origin(hint) in (Union, UnionType):
        return [each for member in get_args(hint) for each in _unfolded(member, words)]
    return [(NoneType if hint is None else hint, words)]


def _presence(each: Field[object], hint: object) -> Presence:
    """The presence of a member, by the rules of `engines.core.shape`."""
    if each.default is MISSING:
        return REQUIRED
    unfolded = _unfolded(hint)
    nullable = any(shape.Null in words for _member, words in unfolded)
    if each.default is not None:
        nullable = nullable or any(member is NoneType for member, _words in unfolded)
    return {"load_default": each.default, "allow_none": nullable}
