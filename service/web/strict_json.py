"""JSON in, strictly; JSON out, plainly.

What is refused beyond what no JSON parser takes: a key twice in an object, NaN and Infinity, numbers that no double
holds, lone surrogates, a byte order mark, any encoding but UTF-8, nesting deeper than `DEPTH`. A number beyond 64 bits
is read as a float, which no schema takes for an integer.
"""

from __future__ import annotations

import gc
import json
import re
from decimal import Decimal, InvalidOperation
from itertools import accumulate, islice
from math import inf, isinf, nextafter
from typing import Any, NoReturn, TypeAlias

import orjson

from engines.core.places import repeated
from service.bounds import DEPTH, VALUES
from service.web.phrases import Phrase, phrase

Json: TypeAlias = dict[str, Any]
"""An object; what its members are depends on what it is."""
SMALL = 1 << 14
"""Bytes that surely hold no more values than may be posted."""
PIECE = 1 << 20
"""Bytes looked at together."""
SOUGHT = 1 << 16
PARTS_SOUGHT = 4_000
"""Characters, and parts of them, in which a fault is looked for; beyond them it is said without its place."""
SURE = 15
"""A number of so many characters that is not rounded to 0 is not rounded to an integer either, unless it is one."""
Part = orjson.Fragment
"""A part of a value to be written, as compact JSON already."""

_NOT_BRACKETS = bytes(set(range(256)) - set(b'[]{}"'))
_NOT_BEFORE_VALUES = bytes(set(range(256)) - set(b",[{"))
_NOT_COLONS = bytes(set(range(256)) - set(b':"'))
_ALIKE = bytes.maketrans(b"{}", b"[]")
_BY_ONE = bytes.maketrans(b"[]", b"\x01\xff")
_SPACE = b" \t\r\n"
_ONE_SIGN = bytes(each if each in b'[]{},"' else ord("_") for each in range(256))
_LONG = re.compile("[0-9]{19}")
"""In every text with an integer beyond 64 bits."""
_DIGITS_ALIKE = bytes.maketrans(b"123456789.E", b"0000000000e")
_64_BITS = range(-(1 << 63), 1 << 64)
REASONS = {
    "Expecting value": "json-value",
    "Expecting property name enclosed in double quotes": "json-key",
    "Illegal trailing comma before end of object": "json-key",
    "Illegal trailing comma before end of array": "json-value",
    "Expecting ':' delimiter": "json-colon",
    "Expecting ',' delimiter": "json-comma",
    "Unterminated string starting at": "json-string",
    "Invalid control character at": "json-control",
    "Invalid \\escape": "json-escape",
    "Invalid \\escape: ": "json-escape",
    "Invalid \\uXXXX escape": "json-escape",
    "Extra data": "json-more",
}
"""What Python says of a text that is not JSON, and the phrase for it."""
_BOM = b"\xef\xbb\xbf"


class NotJson(ValueError):
    """Why a body is not a JSON text as it is read here. `before`: the text before the place where it shows.

    The place is told as editors do: line and column, from 1.
    """

    def __init__(self, detail: Phrase, before: str | None = None) -> None:
        if before is not None:
            line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
            detail = phrase("at-place", said=detail, line=line, column=column)
        self.detail = detail
        super().__init__(detail)


class TooManyValues(Exception):
    """A body holds more values than are read here."""

    def __init__(self, count: int, most: int) -> None:
        super().__init__(count, most)
        self.count, self.most = count, most


def loads(body: bytes, most: int = VALUES) -> Any:
    """The value of a JSON text of at most `most` values; raises `NotJson`, or `TooManyValues`.

    orjson reads, and what it lets pass is seen by counting, so that no text costs more than its length: brackets by
    depth and commas by number before it reads, colons after it, for a text holds a key twice exactly if its value,
    written again, has fewer of them. Only floats that may have been rounded to integers are read again, one by one.
    """
    if len(body) <= SMALL:
        return _loads(body) if _is_shallow(body) else _refuse_depth(body)
    if not _is_surely_within(body, most):
        _measure(body, most)
    collects = gc.isenabled()
    gc.disable()  # to look for rubbish among hundreds of thousands of new values takes longer than to read them
    try:
        return _loads(body)
    finally:
        if collects:
            gc.enable()


def _loads(body: bytes) -> Any:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return _strictly(body)
    again = orjson.dumps(value)
    if again == body:  # nothing was lost; most clients write like this, but for those in Python
        return value
    escapes = b"\\" in body  # which can be those of colons
    if _colons(body, escapes) != _colons(again, escapes):
        raise _first_fault(_text(body))
    return _decoded(body.decode()) if b"." in again and _may_be_rounded(body) else value


def dumps(value: object) -> bytes:
    """A value as compact JSON; tuples are arrays, dataclasses objects."""
    return orjson.dumps(value)


def in_order(value: object) -> bytes:
    """As `dumps`, objects with their keys in order, which must be strings."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def canonical(value: object) -> bytes:
    """One spelling for all JSON texts that say the same: keys in order, 5.0 as 5."""
    return in_order(_whole(value))


def _whole(value: object) -> object:
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53 else value


def _without_escapes(body: bytes) -> bytes:
    """The same strings, none with a double quote in it."""
    return body.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in body else body


def _outside_strings(marks: bytes) -> bytes:
    """Marks of a text without escapes, double quotes among them, without those in strings."""
    if 2 * marks.count(b'""') == marks.count(b'"'):  # there are none, as in nearly all texts
        return marks.translate(None, b'"')
    marks = marks.replace(b'""', b"")
    return b"".join(marks.split(b'"')[::2])


def _colons(body: bytes, outside: bool) -> int:
    """How many there are; `outside`: of strings only."""
    if not outside:
        return body.count(b":")
    return len(_outside_strings(_without_escapes(body).translate(None, _NOT_COLONS)))


def _may_be_rounded(body: bytes) -> bool:
    """Whether there may be a number of more than `SURE` characters or with an exponent; strings can look like it."""
    alike = body.translate(_DIGITS_ALIKE)
    return b"0e" in alike or b"0" * (SURE + 1) in alike


def _is_surely_within(body: bytes, most: int) -> bool:
    """Whether a text is seen at once to be within the bounds: each value stands behind a comma or an open bracket, and
    takes a byte itself.
    """
    return (len(body) < 2 * most or len(body.translate(None, _NOT_BEFORE_VALUES)) < most) and _is_shallow(body)


def _is_shallow(body: bytes) -> bool:
    """Not nested too deeply. For texts of few brackets: each level is taken away by itself."""
    marks = body.translate(_ALIKE, _NOT_BRACKETS)
    if marks.count(b"[") <= DEPTH:
        return True
    if b"\\" in body:
        marks = _without_escapes(body).translate(_ALIKE, _NOT_BRACKETS)
    brackets = left = _outside_strings(marks)
    for _ in range(DEPTH):
        if not left:
            return True
        left = left.replace(b"[]", b"")
    return not left or _deepest(brackets) <= DEPTH  # what is not JSON can leave brackets over


def _deepest(brackets: bytes) -> int:
    """How many are open at once, at most."""
    return max(accumulate(memoryview(brackets.translate(_BY_ONE)).cast("b")), default=0)


def _measure(body: bytes, most: int) -> None:
    """Refuse what is nested too deeply, or holds too many values, before it is read."""
    marks = _marks(body)
    brackets = marks.translate(_ALIKE, _NOT_BRACKETS)[: 2 * most + DEPTH]
    if _deepest(brackets) > DEPTH:
        _refuse_depth(body)
    # One value, and in each array and object that is not empty one more than there are commas.
    filled = marks.count(b"[") + marks.count(b"{") - marks.count(b"[]") - marks.count(b"{}")
    count = 1 + marks.count(b",") + filled
    if count > most:
        raise TooManyValues(count, most)


def _marks(body: bytes) -> bytes:
    """A text without white space; what is no bracket, comma or colon is `_`, a whole string too."""
    text = _without_escapes(body)
    outside: list[bytes] = []
    within = False
    for start in range(0, len(text), PIECE):
        pieces = text[start : start + PIECE].translate(_ONE_SIGN, _SPACE).replace(b'""', b"_").split(b'"')
        outside.append(b"_".join(pieces[within::2]) + b"_" * within)
        within ^= len(pieces) % 2 == 0
    return b"".join(outside)


def _text(body: bytes) -> str:
    if body.startswith(_BOM):
        raise NotJson(phrase("byte-order-mark"), "")
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise NotJson(phrase("not-utf-8", byte=error.start), body[: error.start].decode()) from None


def _strictly(body: bytes) -> Any:
    """As `loads`, by Python's own reader; of a text that is not nested too deeply."""
    text = _text(body)
    value = _decoded(text)
    if _has_half_a_pair(value):
        raise _first_fault(text, phrase("half-a-pair"))
    return value


def _decoded(text: str) -> Any:
    try:
        return _decode(text) if _LONG.search(text) else _decode_short(text)
    except json.JSONDecodeError as error:
        reason = phrase(REASONS.get(error.msg, "json-other"))
        raise NotJson(phrase("not-json", reason=reason), text[: error.pos]) from None
    except Faulty as refused:
        raise _first_fault(text, refused.detail) from None


class Faulty(Exception):
    """JSON, as far as it was read, but not as it is read here. `detail`: what was met, wherever it was."""

    def __init__(self, detail: Phrase) -> None:
        super().__init__(detail)
        self.detail = detail


_PARTS = re.compile(
    r"""(?P<opens>[\[{]) | (?P<closes>[\]}]) | (?P<key>"[^"\\]*+(?:\\.[^"\\]*+)*+"(?=\s*:))
    | (?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+") | (?P<cut>")
    | (?P<constant>NaN|-?Infinity)
    | (?<![0-9.eE+-])(?P<number>-?[0-9]++(?:\.[0-9]++)?[eE][+-]?[0-9]++|-?[0-9]{300,}+)""",
    re.DOTALL | re.VERBOSE,
)
"""The parts of a text that can be at fault, and those that say where. A number is looked at where it begins only."""


def _refuse_depth(body: bytes) -> NoReturn:
    raise _first_fault(_text(body), phrase("too-deep", depth=DEPTH))


def _first_fault(text: str, known: Phrase | None = None) -> NotJson:
    """The first fault in a text that has one, and where it is; what is `known` of one far behind, without its place."""
    around: list[set[str]] = []
    """The keys so far of each object (of a list: none) that is open."""
    end = 0
    for part in islice(_PARTS.finditer(text, 0, SOUGHT), PARTS_SOUGHT):
        kind, end = part.lastgroup, part.end()
        if kind == "opens":
            around.append(set())
        elif kind == "cut":
            break
        elif not around:
            pass  # a value alone, or brackets that do not match
        elif kind == "closes":
            around.pop()
        elif kind == "key":
            key = _string(part[0])
            if key in around[-1]:
                return NotJson(_key_twice(key), text[: part.start()])
            around[-1].add(key)
        if detail := _fault_of(kind, part[0], len(around)):
            return NotJson(detail, text[: part.start()])
    return NotJson(phrase("beyond"), text[:end]) if known is None else NotJson(known)


def _fault_of(kind: str | None, part: str, depth: int) -> Phrase | None:
    if kind == "opens" and depth > DEPTH:
        return phrase("too-deep", depth=DEPTH)
    if kind == "constant":
        return phrase("no-number", text=part)
    if kind == "number" and isinf(float(part)):
        return phrase("too-large-number", text=_shortened(part))
    if kind in ("key", "string") and _has_half_a_pair(_string(part)):
        return phrase("half-a-pair")
    return None


def _string(part: str) -> str:
    return str(json.loads(part)) if "\\" in part else part[1:-1]


def _has_half_a_pair(value: object) -> bool:
    try:
        orjson.dumps(value)
    except TypeError:
        return True
    return False


def _no_key_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        again = repeated(key for key, _ in pairs)[0]
        raise Faulty(_key_twice(pairs[again][0]))
    return members


def _key_twice(key: str) -> Phrase:
    return phrase("key-twice", key=f"{_shortened(key)!a}")


def _number(digits: str) -> int | float:
    number = _float(digits) if len(digits) > 20 else int(digits)
    return number if isinstance(number, float) or number in _64_BITS else float(number)


def _float(digits: str) -> float:
    number = float(digits)
    if not number.is_integer():
        if isinf(number):
            raise Faulty(phrase("too-large-number", text=_shortened(digits)))
        return number
    # A fraction too fine for a double must not pass for the integer that it is rounded to.
    return number if _is_exactly(number, digits) else nextafter(number, inf)


def _is_exactly(number: float, digits: str) -> bool:
    if not number:
        return digits.strip("-0.")[:1] in ("", "e", "E")
    if len(digits) <= SURE:
        return True
    if "." in digits and "e" not in digits and "E" not in digits:
        without = digits.rstrip("0")
        if without[-1] != ".":
            return False
        if len(without) <= SURE:
            return True
    try:
        return Decimal(digits) == int(number)
    except InvalidOperation:  # an exponent beyond all bounds: it is next to nothing
        return False


def _shortened(digits: str) -> str:
    return digits if len(digits) <= 24 else f"{digits[:20]}…"


def _constant(name: str) -> NoReturn:
    raise Faulty(phrase("no-number", text=name))


_decode, _decode_short = [
    json.JSONDecoder(
        object_pairs_hook=_no_key_twice, parse_constant=_constant, parse_int=parse_int, parse_float=_float
    ).decode
    for parse_int in (_number, int)
]
