"""JSON in, strictly; JSON out, plainly.

What is refused beyond what no JSON parser takes: a key twice in an object, NaN and Infinity, numbers that no double
holds, lone surrogates, a byte order mark, any encoding but UTF-8, nesting deeper than `DEPTH`. A number beyond 64 bits
is read as a float, which no schema takes for an integer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from math import inf, isinf, nextafter
from typing import Any, NoReturn, TypeAlias

import orjson

Json: TypeAlias = dict[str, Any]
"""An object; what its members are depends on what it is."""
DEPTH = 32
SOUGHT = 1 << 20
"""Characters in which a fault is looked for; beyond them it is only said which faults there may be."""
Part = orjson.Fragment
"""A part of a value to be written, as compact JSON already."""

_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_ALIKE = bytes.maketrans(b"{}", b"[]")
_64_BITS = range(-(1 << 63), 1 << 64)
_BOM = b"\xef\xbb\xbf"


class NotJson(ValueError):
    """Why a body is not a JSON text as it is read here. `position`: the character where it shows, if one does."""

    def __init__(self, detail: str, position: int | None = None) -> None:
        super().__init__(detail if position is None else f"{detail} (at character {position})")
        self.position = position


def loads(body: bytes) -> Any:
    """The value of a JSON text; raises `NotJson`.

    The quick way may only accept, and only what the strict way accepts too, with the same value below 2^53: a text
    without escapes holds a key twice exactly if its value, written again, has fewer colons. A point may be a float's,
    and floats are for the strict way, which sees whether one was rounded to an integer.
    """
    if b"\\" not in body and _is_shallow(body):
        try:
            value = orjson.loads(body)
        except orjson.JSONDecodeError:
            return _strictly(body)
        again = orjson.dumps(value)
        if body.count(b":") == again.count(b":") and b"." not in again:
            return value
    return _strictly(body)


def dumps(value: object) -> bytes:
    """A value as compact JSON; tuples are arrays, dataclasses objects, keys of objects may be integers."""
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)


def canonical(value: object) -> bytes:
    """One spelling for all JSON texts that say the same: keys in order, 5.0 as 5."""
    return orjson.dumps(_whole(value), option=orjson.OPT_SORT_KEYS)


def _whole(value: object) -> object:
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53 else value


def _is_shallow(body: bytes) -> bool:
    """Surely not nested too deeply; brackets inside strings may make it doubt."""
    brackets = body.translate(_ALIKE, _NOT_BRACKETS)
    for _ in range(DEPTH):
        if not brackets:
            break
        brackets = brackets.replace(b"[]", b"")
    return not brackets


def _strictly(body: bytes) -> Any:
    if body.startswith(_BOM):
        raise NotJson("The body begins with a byte order mark; send UTF-8 without one", 0)
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise NotJson(f"The body is not UTF-8: byte {error.start} cannot be read") from None
    try:
        value = _decode(text)
    except json.JSONDecodeError as error:
        raise NotJson(f"The body is not JSON: {_as_clause(error.msg)}", error.pos) from None
    except (Refused, RecursionError):
        raise _first_fault(text) from None
    if _is_deep(value) or _has_half_a_pair(value):
        raise _first_fault(text)
    return value


class Refused(Exception):
    """JSON, as far as it was read, but not as it is read here."""


_PARTS = re.compile(
    r"""(?P<opens>[\[{]) | (?P<closes>[\]}]) | (?P<key>"(?:[^"\\]|\\.)*"(?=\s*:)) | (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<constant>NaN|-?Infinity)
    | (?<![0-9.eE+-])(?P<number>-?[0-9]++(?:\.[0-9]++)?[eE][+-]?[0-9]++|-?[0-9]{300,}+)""",
    re.DOTALL | re.VERBOSE,
)
"""The parts of a text that can be at fault, and those that say where. A number is looked at where it begins only."""


def _first_fault(text: str) -> NotJson:
    """The first fault in a text that has one, and where it is."""
    around: list[set[str]] = []
    """The keys so far of each object (of a list: none) that is open."""
    for part in _PARTS.finditer(text):
        if part.start() > SOUGHT:
            break
        if part.lastgroup == "opens":
            around.append(set())
        elif part.lastgroup == "closes":
            around.pop()
        elif part.lastgroup == "key":
            key = _string(part[0])
            if key in around[-1]:
                return NotJson(f"An object has the key {key!a} twice; leave one of them out", part.start())
            around[-1].add(key)
        if detail := _fault_of(part.lastgroup, part[0], len(around)):
            return NotJson(detail, part.start())
    return NotJson("Beyond this place an object has a key twice, or there is a value that JSON does not know", SOUGHT)


def _fault_of(kind: str | None, part: str, depth: int) -> str | None:
    if kind == "opens" and depth > DEPTH:
        return f"The body is nested too deeply; at most {DEPTH} levels of objects and arrays are read"
    if kind == "constant":
        return f"{part} is not a JSON number; write null, or a number"
    if kind == "number" and isinf(float(part)):
        return f"The number {_shortened(part)} is too large for any reader"
    if kind in ("key", "string") and _has_half_a_pair(_string(part)):
        return "A string holds half of a surrogate pair; write both halves or neither"
    return None


def _string(part: str) -> str:
    return str(json.loads(part))


def _is_deep(value: object) -> bool:
    level = _containers([value])
    for _ in range(DEPTH):
        level = [inner for each in level for inner in _containers(each.values() if isinstance(each, dict) else each)]
    return bool(level)


def _containers(values: Iterable[object]) -> list[dict[str, object] | list[object]]:
    return [value for value in values if isinstance(value, dict | list)]


def _has_half_a_pair(value: object) -> bool:
    try:
        orjson.dumps(value)
    except TypeError:
        return True
    return False


def _as_clause(message: str) -> str:
    return (message[:1].lower() + message[1:]).removesuffix(" at")


def _no_key_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise Refused
    return members


def _number(digits: str) -> int | float:
    number = _float(digits) if len(digits) > 20 else int(digits)
    return number if isinstance(number, float) or number in _64_BITS else float(number)


def _float(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise Refused
    # A fraction too fine for a double must not pass for the integer that it is rounded to.
    return nextafter(number, inf) if number.is_integer() and not _is_exactly(number, digits) else number


def _is_exactly(number: float, digits: str) -> bool:
    try:
        return Decimal(digits) == number
    except InvalidOperation:  # an exponent beyond all bounds: it is nothing, or next to nothing
        return not any(digit in digits.lower().partition("e")[0] for digit in "123456789")


def _shortened(digits: str) -> str:
    return digits if len(digits) <= 24 else f"{digits[:20]}…"


def _constant(name: str) -> NoReturn:
    raise Refused


_decode = json.JSONDecoder(
    object_pairs_hook=_no_key_twice, parse_constant=_constant, parse_int=_number, parse_float=_float
).decode
