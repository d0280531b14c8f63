"""Strict marshmallow fields, which take exactly what the published schema takes.

They coerce nothing but 5.0 to the integer 5, as JSON Schema says. Every refusal names what was expected and what was
given. It becomes words only when it is written, because finding the closest of many values costs more than refusing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from keyword import iskeyword
from typing import Any, ClassVar, NotRequired, TypeAlias, TypedDict, TypeVar, Unpack, cast

from marshmallow import RAISE, Schema, ValidationError, fields, post_load, validates_schema
from marshmallow import missing as left_out
from marshmallow.exceptions import SCHEMA

from engines.core.places import repeated
from engines.core.shape import VISIBLE
from service.bounds import LISTED
from service.contract import guesses
from service.words.phrases import Phrase, phrase
from service.words.wording import escaped

T = TypeVar("T")

Refusal: TypeAlias = Callable[[str, bool], Phrase]
"""(last token of the pointer, whether to add a hint) → the detail of an error."""
Refusals: TypeAlias = "list[Refusal] | dict[str | int, Refusals]"  #: marshmallow's tree of refusals, by place.

SAFE_INTEGER = (1 << 53) - 1  #: The largest integer that every reader of JSON holds exactly.
LONGEST_SHOWN = 60  #: Characters of the longest value that a refusal suggests in full.
MEMBERS_SEARCHED = 50  #: Members of an object that are searched for what was meant.
SHORT_LIST = 12  #: A refusal lists at most this many values; if there are more, only the first and the last.


class Misfit(TypedDict):
    """A place in a request that does not fit, and why. `parameter`: the header or query parameter where it is one."""

    pointer: str
    detail: Phrase
    parameter: NotRequired[str]


def verbatim(text: str) -> Phrase:
    """The same text in every language."""
    return phrase("verbatim", text=text)


NULL = verbatim("null")


class Presence(TypedDict, total=False):
    """Whether a member is required, whether it may be null, and its value if it is left out."""

    required: bool
    allow_none: bool
    load_default: object


VALUES_TO_PAUSE = 500  #: A pause follows so many values that marshmallow has loaded: 2 to 3 ms of work.


@dataclass
class Pauses:
    """Pauses in long work of this package. The server sets what is done in one: other requests have their turn."""

    pause: Callable[[], object] = lambda: None
    loaded: int = 0  #: Values since the last pause, in all bodies.


PAUSES = Pauses()


class StrictField(fields.Field[Any]):
    """A field that words its refusals with `expected`."""

    expected: Phrase = phrase("anything")  #: What the field takes, null aside: the words after "expected".
    doc: str = ""  #: The published description of the member, if its dataclass has none.
    null_is_left_out: bool = False  #: Whether null means the same as leaving the member out.
    optional: bool = False  #: Whether it is a member that may be left out.
    advice: Phrase | None = None  #: What a refusal says at its end where nobody can guess what was meant.

    def deserialize(self, value: object, *place: Any, **more: Any) -> Any:
        """Load a value: marshmallow calls this for each member, with `missing` for one that is left out."""
        PAUSES.loaded += 1
        if PAUSES.loaded >= VALUES_TO_PAUSE:
            PAUSES.loaded = 0
            PAUSES.pause()
        return super().deserialize(left_out if value is None and self.null_is_left_out else value, *place, **more)

    def make_error(self, key: str, **_: object) -> ValidationError:
        """The refusal of a field that is missing, or null: marshmallow calls this."""
        if key == "required":
            return ValidationError([lambda name, _: self.missing(name)])
        return self.wrong(None)

    def missing(self, name: str) -> Phrase:
        """The detail of an error where a member is missing."""
        return phrase("field-missing", field=shown(name), expected=self.taken)

    @property
    def taken(self) -> Phrase:
        """What the field takes, null included."""
        nullable = (self.allow_none or self.null_is_left_out) and self.expected != NULL
        return phrase("or-null", expected=self.expected) if nullable else self.expected

    def wrong(self, value: object) -> ValidationError:
        """The refusal of a value."""

        def refusal(_: str, hinted: bool) -> Phrase:
            detail = phrase("not-expected", expected=self.taken, got=shown(value))
            return followed(detail, *self.hints(value)) if hinted else detail

        return ValidationError([refusal])

    def hints(self, value: object) -> Iterator[Phrase]:
        """Sentences for the end of a refusal: what was probably meant, or how such a value is written."""
        if value is None and self.optional:
            yield phrase("leave-out")
        elif guesses.is_encoded_twice(value):
            yield phrase("encoded-twice")
            return
        guess = None if value is None else self.guess(value)
        if guess is not None:
            yield from guess
        elif self.advice is not None:
            yield self.advice

    def guess(self, value: object) -> Sequence[Phrase] | None:
        """What was probably meant, in sentences."""
        for code, other in guesses.written_otherwise(value):
            if self.takes(other):
                return [*([did_you_mean(other)] if _is_short(other) else []), phrase(code)]
        return None

    def takes(self, value: object) -> bool:
        """Whether the field takes a value."""
        try:
            self.deserialize(value)
        except ValidationError:
            return False
        return True


class AnyField(StrictField):
    """Any JSON value, null included."""

    def __init__(self, **presence: Unpack[Presence]) -> None:
        presence["allow_none"] = True
        super().__init__(**presence)


class AnyObjectField(StrictField):
    """Any JSON object. It is published, never loaded."""


class BooleanField(StrictField):
    """`true` or `false`."""

    expected = phrase("truth")

    def _deserialize(self, value: object, *_: object, **__: object) -> bool:
        """The value; raises `ValidationError` for anything but true or false."""
        if type(value) is not bool:
            raise self.wrong(value)
        return value


class ValuesField(StrictField):
    """One of a closed list of values. `name`: of the list in the published contract; `pattern`: published instead."""

    def __init__(
        self,
        values: Sequence[object],
        name: str | None = None,
        pattern: str | None = None,
        **presence: Unpack[Presence],
    ) -> None:
        super().__init__(**presence)
        self.values = tuple(values)
        self.list_name, self.pattern = name, pattern
        self.expected = _one_of(self.values)
        self._known = {(type(value), value): value for value in values}  # by type, because true equals 1
        self._known |= {(float, float(value)): value for value in values if type(value) is int}

    def guess(self, value: object) -> Sequence[Phrase] | None:
        """As of any field; else the value that is nearest to what was written, as a text or as a number."""
        if otherwise := super().guess(value):
            return otherwise
        texts = [known for known in self.values if isinstance(known, str)]
        written = {int: [phrase("in-quotes")], dict: [phrase("in-one-text")]}.get(type(value), [])
        if match := guesses.meant(str(value) if type(value) is int else guesses.in_one_text(value), texts):
            return [did_you_mean(match), *written]
        quoted = isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10
        if between := guesses.nearest(int(str(value)) if quoted else value, self.values):
            hint = phrase("nearest", below=between[0], above=between[1])
            return [hint, phrase("without-quotes")] if quoted else [hint]
        return None

    def _deserialize(self, value: object, *_: object, **__: object) -> object:
        """The value that is listed; raises `ValidationError` for any other. 1 is neither 1.0 nor true."""
        try:
            return self._known[type(value), value]
        except (KeyError, TypeError):
            raise self.wrong(value) from None


def _one_of(values: Sequence[object]) -> Phrase:
    """What a field takes that has these values: all of them, or the first and the last of many."""
    if not values:
        return NULL
    if len(values) > SHORT_LIST:
        return phrase("one-of-many", count=len(values), first=shown(values[0]), last=shown(values[-1]))
    every = ", ".join([str(shown(value)) for value in values])
    return verbatim(every) if len(values) == 1 else phrase("one-of", values=every)


class IntegerField(StrictField):
    """An integer from `least` to `most`."""

    def __init__(self, least: int = -SAFE_INTEGER, most: int = SAFE_INTEGER, **presence: Unpack[Presence]) -> None:
        super().__init__(**presence)
        self.least, self.most = least, most
        bounds = {"least": str(least), "most": str(most)}  # as JSON has them: without a minus sign of its own
        self.expected = verbatim(str(least)) if least == most else phrase("whole", **bounds)

    def guess(self, value: object) -> Sequence[Phrase] | None:
        """As of any field; of a list also that only its length may be wanted."""
        if isinstance(value, list) and len(value) > 1 and self.takes(len(value)):
            return [did_you_mean(len(value)), phrase("how-many")]
        return super().guess(value)

    def _deserialize(self, value: object, *_: object, **__: object) -> int:
        """The integer, also of 3.0; raises `ValidationError` outside the bounds."""
        whole = int(value) if type(value) is float and value.is_integer() else value
        if type(whole) is not int or not self.least <= whole <= self.most:
            raise self.wrong(value)
        return whole


class VersionField(IntegerField):
    """The version of a game's rules, as answers name it: a request may say by which it wants to be judged.

    It is an integer with one value: a client that is typed by the contract can post the version of an answer.
    """

    def __init__(self, version: int) -> None:
        super().__init__(version, version)

    def wrong(self, value: object) -> ValidationError:
        """The refusal of another version says which is judged by here."""
        if type(value) is not int:
            return super().wrong(value)
        return ValidationError([lambda *_: phrase("other-version", version=value, known=self.least)])


class TextField(StrictField):
    """A string of `least` to `most` characters (None: no upper bound). `pattern`: what the whole string matches."""

    def __init__(
        self, least: int = 0, most: int | None = None, pattern: str | None = None, **presence: Unpack[Presence]
    ) -> None:
        super().__init__(**presence)
        self.least, self.most, self.pattern = least, most, pattern
        self.expected = phrase("text") if most is None else phrase("text-of", least=least, most=most)
        if pattern == VISIBLE:
            self.expected = phrase("text-visible", least=least, most=most)
        elif pattern is not None:
            self.expected = phrase("text-like", pattern=pattern)

    def _deserialize(self, value: object, *_: object, **__: object) -> str:
        """The text; raises `ValidationError` for a wrong length, or one that does not match the pattern."""
        if type(value) is not str or not _has_length(value, self.least, self.most):
            raise self.wrong(value)
        if self.pattern is not None and not re.fullmatch(self.pattern, value):
            raise self.wrong(value)
        return value


def _has_length(value: str | list[object], least: int, most: int | None) -> bool:
    """Whether a string or a list has at least and at most so many characters or items. None: no upper bound."""
    return len(value) >= least and (most is None or len(value) <= most)


class NameField(TextField):
    """A player's name."""

    def __init__(self, **presence: Unpack[Presence]) -> None:
        super().__init__(1, 40, VISIBLE, **presence)
        self.expected = phrase("player-name", least=self.least, most=self.most)


class ListField(StrictField, fields.List[Any]):
    """A list of `least` to `most` items (None: no upper bound), all different if `unique`; loads to a tuple."""

    def __init__(
        self,
        inner: StrictField,
        least: int = 0,
        most: int | None = None,
        *,
        unique: bool = False,
        **presence: Unpack[Presence],
    ) -> None:
        super().__init__(inner, **presence)
        self.item = inner
        self.least, self.most, self.unique = least, most, unique
        bounded = "list-of" if least == most else "list-from"
        expectation = f"{bounded}-different" if unique else bounded
        self.expected = phrase("list") if most is None else phrase(expectation, least=least, most=most)

    def _deserialize(self, value: object, *_: object, **__: object) -> Any:  # of a tuple, which can be hashed
        """The items, each deserialized; raises `ValidationError` with all that is wrong, as far as it is counted."""
        if type(value) is not list:
            raise self.wrong(value)
        refused: dict[str | int, Refusals] = {}
        if not _has_length(value, self.least, self.most):
            refused[SCHEMA] = _refusals_of(self.wrong(value))
        items = []
        wrong = 0
        for index, each in enumerate(value[: self.most]):  # surplus items are not judged
            try:
                items.append(self.item.deserialize(each))
            except ValidationError as error:
                refused[index] = _refusals_of(error)
                wrong += _count(refused[index])
                if wrong > Invalid.MOST:
                    break
        if self.unique and not wrong and len(set(items)) < len(items):
            refused |= {index: [lambda *_: phrase("again")] for index in repeated(items)}
        if refused:
            raise ValidationError(refused)
        return tuple(items)

    def missing(self, name: str) -> Phrase:
        """As of any field; of a hand also how cards are written that are not seen."""
        detail = super().missing(name)
        return detail if self.advice is None else followed(detail, self.advice)

    def hints(self, value: object) -> Iterator[Phrase]:
        """As of any field; of a list that is too short or too long only what was probably meant."""
        if isinstance(value, list) and value:
            return iter(self.guess(value) or ())
        return super().hints(value)


class ObjectField(StrictField, fields.Nested):
    """An object of one shape."""

    expected = phrase("object")

    def __init__(self, shape: type[Closed], **presence: Unpack[Presence]) -> None:
        super().__init__(shape, **presence)
        self.shape = shape

    def _deserialize(self, value: object, *_: object, **__: object) -> object:
        """The record. Where members are missing, the refusal says how the object was probably meant."""
        if type(value) is not dict:
            raise self.wrong(value)
        try:
            return super()._deserialize(self._with_few_unknown(value), None, None)
        except ValidationError:
            required = self.required_members.keys()
            if required <= value.keys():
                raise
            if wrapper := _wrapper(value, self.shape.declared(), lambda inner: required <= inner.keys()):
                raise ValidationError([lambda *_: phrase("wrapped", field=shown(wrapper))]) from None
            if name := self.member_for(value):
                raise ValidationError([lambda *_: phrase("as-member", field=shown(name))]) from None
            raise

    @property
    def required_members(self) -> dict[str, StrictField]:
        """The members that must be there."""
        return {name: field for name, field in self.shape.declared().items() if field.required}

    def member_for(self, value: object) -> str | None:
        """The required member in which the value should stand: an object in its own, any other in the only list."""
        required = self.required_members
        for name, field in required.items():
            if not isinstance(value, dict) or not isinstance(field, ObjectField):
                continue
            if field.required_members.keys() <= value.keys():
                return name
        if len(required) != 1:
            return None
        ((name, field),) = required.items()
        fits = isinstance(field, ListField) and (field.takes(value) or field.takes([value]))
        return name if fits else None

    def guess(self, value: object) -> Sequence[Phrase] | None:
        """As of any field; of a ruleset also what its name alone stands for."""
        text = value[0] if isinstance(value, list) and len(value) == 1 else value
        if isinstance(text, str) and issubclass(self.shape, Ruled):
            name = guesses.meant(text, [*self.shape.presets])
            names = ", ".join(self.shape.presets)
            return [phrase("ruleset-written", names=names) if name is None else did_you_mean({"name": name})]
        if (name := self.member_for(value)) is not None:
            return [phrase("as-member", field=shown(name))]
        required = tuple(map(shown, self.required_members))
        advice = [phrase("object-with", members=required)] if required else None
        return super().guess(value) or advice

    def _with_few_unknown(self, value: dict[str, object]) -> dict[str, object]:
        """The object without most of its unknown members: one more stays than errors are listed."""
        known = self.shape.declared()
        if len(value) <= len(known) + Invalid.MOST:
            return value
        unknown = [name for name in value if name not in known]
        dropped = frozenset(unknown[Invalid.MOST + 1 :])
        return {name: each for name, each in value.items() if name not in dropped}


class UnionField(StrictField):
    """An object of one of several shapes, each with its own value of the member `key`. `name`: of the union."""

    def __init__(
        self,
        key: str,
        members: Mapping[str, ObjectField],
        name: str | None = None,
        **presence: Unpack[Presence],
    ) -> None:
        super().__init__(**presence)
        self.key = key
        self.union = name
        self.members = dict(members)
        self.tag = ValuesField(tuple(members), required=True)
        self.expected = phrase("object-of", key=shown(key), expected=self.tag.expected)

    def _deserialize(self, value: object, *_: object, **__: object) -> object:
        """The record of the member that the tag names."""
        if type(value) is not dict:
            raise self.wrong(value)
        try:
            tag = self.tag.deserialize(value.get(self.key, left_out))
        except ValidationError as error:
            if self.key not in value:
                raise self._without_tag(value) from None
            raise ValidationError({self.key: error.messages}) from None
        return self.members[str(tag)].deserialize(value)

    def guess(self, value: object) -> Sequence[Phrase] | None:
        """As of any field; of a text also the object that it names."""
        tag = guesses.meant(value, [*self.members])
        return super().guess(value) if tag is None else [did_you_mean({self.key: tag})]

    def _without_tag(self, value: dict[str, object]) -> ValidationError:
        """The refusal of an object without the member that names its shape."""
        if wrapper := _wrapper(value, (), lambda inner: self.tag.takes(inner.get(self.key))):
            return ValidationError([lambda *_: phrase("wrapped", field=shown(wrapper))])
        other = next((name for name, each in islice(value.items(), MEMBERS_SEARCHED) if self.tag.takes(each)), None)
        hint = [] if other is None else [phrase("called-otherwise", name=shown(other), key=shown(self.key))]
        if tag := next((name for name in self.members if name in value), None):
            hint = [did_you_mean({self.key: tag})]
        if home := next(filter(None, (each.member_for(value) for each in self.members.values())), None):
            hint = [phrase("as-member", field=shown(home))]
        missing = self.tag.missing(self.key)
        return ValidationError({self.key: [lambda *_: followed(missing, *hint)]})


class AnyOfField(StrictField):
    """One of several fields, which may look alike. It is published, never loaded. `name`: of the union."""

    def __init__(self, members: Iterable[StrictField], name: str | None = None, **presence: Unpack[Presence]) -> None:
        super().__init__(**presence)
        self.members = tuple(members)
        self.union = name


class EitherField(AnyOfField):
    """One of several fields, each for another type of JSON value."""

    KINDS: ClassVar[dict[type[StrictField], tuple[type, ...]]] = {
        BooleanField: (bool,),
        IntegerField: (int, float),
        TextField: (str,),
        ListField: (list,),
    }

    def __init__(self, members: Sequence[StrictField], name: str | None = None, **presence: Unpack[Presence]) -> None:
        super().__init__(members, name, **presence)
        self.by_kind = {kind: member for member in members for kind in self.KINDS[type(member)]}
        self.expected = reduce(
            lambda one, other: phrase("either", one=one, other=other), [each.expected for each in members]
        )

    def _deserialize(self, value: object, *_: object, **__: object) -> object:
        """The value, as the member for its type of JSON reads it."""
        member = self.by_kind.get(type(value))
        if member is None:
            raise self.wrong(value)
        return member.deserialize(value)


class Closed(Schema):
    """An object with these fields and no others; loads to a dict of the members that are there."""

    class Meta:
        unknown = RAISE
        register = False

    component: ClassVar[str]  #: Its name in the published contract.
    prefix: ClassVar[str] = ""  #: How the names of this game's components begin.
    exclusive: ClassVar[tuple[str, ...]] = ()  #: Two members of which at most one may be there.
    drawn: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """What its moves may not say, by their type. It is published; sessions refuse it."""
    by_ruleset: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Its members that only these values of the `name` in `ruleset` allow. As `drawn`."""
    remedies: ClassVar[Mapping[str, Phrase]] = {}  #: The messages for members that do not belong here, by name.
    docs: Callable[[], Mapping[str, str]] = dict
    """Returns the descriptions of members that a file has; it is called when the contract is written."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.error_messages = {"unknown": cls._unknown}  # type: ignore[dict-item]

    def load(self, *args: Any, **options: Any) -> Any:
        """As in marshmallow. The error drops its traceback, whose frames would keep the whole body alive."""
        try:
            return super().load(*args, **options)
        except ValidationError as error:
            raise error.with_traceback(None) from None

    @classmethod
    def declared(cls) -> Mapping[str, StrictField]:
        """The fields by name, in the order of the dataclass."""
        return cast("Mapping[str, StrictField]", cls._declared_fields)

    @classmethod
    def _unknown(cls, name: str, hinted: bool) -> Phrase:
        """The refusal of a member that the object does not have."""
        known = list(cls.declared())
        if name in cls.remedies:
            return cls.remedies[name]
        detail = phrase("no-such-field", field=shown(name), known=", ".join(known))
        return followed(detail, *cls._unknown_meant(name)) if hinted else detail

    @classmethod
    def _unknown_meant(cls, name: str) -> Iterator[Phrase]:
        """What was probably meant by a member that does not belong here."""
        if match := guesses.member_meant(name, [*cls.declared()]):
            yield did_you_mean(match)
            return
        for member, field in cls.declared().items():
            objects = field.members.values() if isinstance(field, UnionField) else [field]
            if any(isinstance(each, ObjectField) and name in each.shape.declared() for each in objects):
                yield phrase("belongs-into", field=shown(name), into=shown(member))
                return
        if name in guesses.OF_ANSWERS:
            yield phrase("of-answers")


class Built(Closed):
    """An object that is loaded as a frozen dataclass. `tag`: name and value of the member that unions read."""

    record: ClassVar[type]
    tag: ClassVar[tuple[str, str] | None] = None

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _not_both(self, _: object, original: Mapping[str, object], **__: object) -> None:
        """Refuse an object with both of the members that exclude each other."""
        if self.exclusive and all(original.get(name) is not None for name in self.exclusive):
            one, other = map(shown, self.exclusive)
            raise ValidationError({self.exclusive[-1]: [lambda *_: phrase("exclusive", one=one, other=other)]})

    @post_load
    def _build(self, data: dict[str, Any], **_: object) -> object:
        """The dataclass of the members: marshmallow calls this once they are loaded."""
        if self.tag is not None:
            del data[self.tag[0]]
        return built(self.record, {attribute(name): value for name, value in data.items()})


class Ruled(Closed):
    """A ruleset: the `name` of a preset, by default the first, and `options` that replace some of the preset's.

    `version` is that of the game's rules, and changes nothing.
    """

    presets: ClassVar[Mapping[str, object]]

    @classmethod
    def options(cls) -> type[Closed]:
        """The schema of the options."""
        return cast("ObjectField", cls.declared()["options"]).shape

    @post_load
    def _build(self, data: dict[str, Any], **_: object) -> object:
        """The ruleset: marshmallow calls this once the members are loaded."""
        preset = self.presets[data["name"]] if "name" in data else next(iter(self.presets.values()))
        return built(type(preset), {**vars(preset), **data.get("options", {})})


class Invalid(Exception):
    """A value does not fit its schema. `errors`: all that is wrong, or the first `MOST` errors if there are `more`."""

    MOST = LISTED
    HINTED = 10  #: Only the first so many errors have a hint.

    def __init__(self, errors: list[Misfit], *, more: bool = False) -> None:
        super().__init__(errors[0]["detail"])
        self.errors = errors[: self.MOST]
        self.more = more or len(errors) > self.MOST

    @classmethod
    def of(cls, error: ValidationError, value: object) -> Invalid:
        """The errors of marshmallow's tree in the order of the value, missing members first."""
        errors: list[Misfit] = []
        for pointer, name, refusal in islice(_in_order(_refusals_of(error), value, ""), cls.MOST + 1):
            errors.append({"pointer": pointer, "detail": refusal(name, len(errors) < cls.HINTED)})
        return cls(errors)


def _refusals_of(error: ValidationError) -> Refusals:
    """The tree of refusals in an error of marshmallow, whose own type is wider."""
    return cast("Refusals", error.messages)


def _in_order(refusals: Refusals, value: Any, pointer: str, name: str = "") -> Iterator[tuple[str, str, Refusal]]:
    """Pointer, last token of the pointer, and refusal, of all refusals of a value, in the order of the value."""
    if not isinstance(refusals, dict):
        for refusal in refusals:
            yield pointer, name, refusal
        return
    keys = list(refusals)
    if isinstance(value, dict):
        place: dict[Any, int] = {key: index for index, key in enumerate(value)}
        keys.sort(key=lambda key: place.get(key, -1))  # missing members come first
    for key in keys:
        if key == SCHEMA and not isinstance(value, dict):  # refusals of the list itself, beside those of its items
            yield from _in_order(refusals[key], value, pointer, name)
            continue
        token = str(key)
        escaped = token.replace("~", "~0").replace("/", "~1")
        below = value.get(key) if isinstance(value, dict) else value[key]
        yield from _in_order(refusals[key], below, f"{pointer}/{escaped}", token)


def _count(refusals: Refusals) -> int:
    """How many refusals a tree has."""
    return sum(map(_count, refusals.values())) if isinstance(refusals, dict) else len(refusals)


def attribute(member: str) -> str:
    """The name of the dataclass field for a JSON member: `from_` for `from`."""
    return f"{member}_" if iskeyword(member) else member


def built(record: type[T], members: dict[str, object]) -> T:
    """A frozen dataclass from the values of all its fields; without `__init__`, which takes six times as long."""
    new = object.__new__(record)
    object.__setattr__(new, "__dict__", members)
    return new


def shown(value: object) -> str | Phrase:
    """A JSON value, shortened, for a sentence."""
    if isinstance(value, dict):
        return phrase("object")
    if isinstance(value, list):
        return phrase("a-list", count=len(value))
    if isinstance(value, str) and len(value) > 40:
        return phrase("a-text", count=len(value))
    return escaped(json.dumps(value, ensure_ascii=False))


def _wrapper(
    value: Mapping[str, object], known: Container[str], fits: Callable[[dict[str, object]], bool]
) -> str | None:
    """The unknown member that holds what should stand in place of the whole object, or None."""
    few = islice(value.items(), MEMBERS_SEARCHED)
    inner = ((name, each) for name, each in few if name not in known and isinstance(each, dict))
    return next((name for name, each in inner if fits(each)), None)


def _is_short(value: object) -> bool:
    """Whether a value may be shown in full; it is not written whole to find out."""
    return len("".join(islice(json.JSONEncoder(ensure_ascii=False).iterencode(value), LONGEST_SHOWN))) <= LONGEST_SHOWN


def did_you_mean(value: object) -> Phrase:
    """The question whether this value was meant."""
    return phrase("did-you-mean", meant=escaped(json.dumps(value, ensure_ascii=False)))


def followed(detail: Phrase, *sentences: Phrase) -> Phrase:
    """A refusal with sentences behind it."""
    return reduce(lambda first, then: phrase("followed", first=first, then=then), sentences, detail)
