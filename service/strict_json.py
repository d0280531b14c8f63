"""Reads JSON strictly, and writes compact JSON.

Beside what is not JSON at all, these are refused: a key twice in an object, NaN and Infinity, numbers that no double
holds, lone surrogates, a byte order mark, any encoding but UTF-8, nesting deeper than `DEPTH`, too many values.
An integer beyond 64 bits is read as a float, which is too large for an integer of any schema.

There are two readers. orjson is fast and accepts more than that, so its value is used only where a quick check shows
that nothing was lost. Everything else goes to Python's reader, which finds each fault and its place.
"""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable
from decimal import Decimal
from itertools import accumulate
from json.decoder import scanstring  # type: ignore[attr-defined]
from math import inf, isinf, nextafter
from typing import Any, NoReturn

import orjson

from engines.core.places import repeated
from service.bounds import DEPTH, VALUES
from service.problems import Json, Problem
from service.scheduling import SCHEDULER
from service.words.phrases import Phrase, phrase

__all__ = ["Json", "Part", "canonical", "dumps", "loads"]

Part = orjson.Fragment  #: A part of a value to be written that is compact JSON already.
LARGE_TEXT = 1 << 20  #: A text of more bytes is read plainly, because only the plain reader yields to other requests.
PIECE = 1 << 16  #: Bytes that are worked on before other requests may run.
SOUGHT, PARTS_SOUGHT = 1 << 16, 4_000
"""How many characters, and `_PARTS` in them, are searched for the place of a fault. Later faults have no place."""
EXACT = 1 << 53  #: Integers below this keep their exact value as a double.
EXACT_DIGITS = 15
"""If a number has at most so many characters, and its double is an integer other than 0, then nothing was rounded."""
LONGEST, _64_BITS = 20, range(-(1 << 63), 1 << 64)
"""Characters of the longest integer of 64 bits, and the range of such integers."""
_FRACTION = re.compile(rb"[0-9]\.[0-9]")
_BRACKETS_AND_QUOTES = bytes.maketrans(b"{}", b"[]"), bytes(set(range(256)) - set(b'[]{}"'))
_UP_AND_DOWN = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff"), bytes(set(range(256)) - set(b"[]{}"))
_SIGNS = bytes(each if each in b'[]{},"' else ord("_") for each in range(256)), b" \t\r\n"
_PARTS = re.compile(
    r"""[\[{\]}"] | NaN | -?Infinity
    | (?<![0-9.eE+-]) -?[0-9]++ (?: (?:\.[0-9]++)? [eE][+-]?[0-9]++ | (?<=[0-9]{300}) )""",
    re.VERBOSE,
)
"""Where a text may be at fault: a string begins, an object or array begins or ends, a number may be huge."""
_COLON = re.compile(r"[ \t\r\n]*:")
REASONS = {
    "Expecting value": "json-value",
    "Expecting property name": "json-key",
    "Expecting ':'": "json-colon",
    "Expecting ','": "json-comma",
    "Unterminated string": "json-string",
    "Invalid control character": "json-control",
    "Invalid \\": "json-escape",
    "Extra data": "json-more",
    "Illegal trailing comma": "json-last-comma",
}
"""How Python begins to say why a text is not JSON, and the phrase for it."""
SEARCHED_FOR_COMMA = 200  #: Characters before a fault that are searched for a comma.
LAST_COMMA = re.compile(r",\s*[\]}]\Z")
HABITS = {
    re.compile(r"\Z"): "json-ends",
    re.compile("'"): "json-single-quote",
    re.compile(r"//|/\*|#"): "json-comment",
    re.compile(r"(?i:true|false|null)\b|(?:None|undefined)\b"): "json-literal",
}
"""What other languages have where JSON expects a key or a value, and the phrase for it."""


def loads(body: bytes, most: int = VALUES) -> Any:
    """The value of a JSON text of at most `most` values; raises Problem."""
    was_enabled = gc.isenabled()
    gc.disable()  # collecting among so many new values would cost more than reading them
    try:
        # There is at most one value more than there are commas and opening brackets.
        few = len(body) < most or body.count(b",") + body.count(b"[") + body.count(b"{") < most
        if few and len(body) <= LARGE_TEXT and (value := _read_quickly(body)) is not None:
            return value
        _check_bounds(body, most)
        return _read_plainly(_text(body))
    finally:
        if was_enabled:
            gc.enable()


dumps: Callable[[object], bytes] = orjson.dumps
"""(value): its compact JSON; tuples are arrays, dataclasses objects."""


def plain(value: object) -> Any:
    """An answer as a client reads it: dataclasses as objects, tuples as arrays."""
    return orjson.loads(orjson.dumps(value))


def canonical(value: object) -> bytes:
    """One spelling for all JSON texts that say the same: keys in order, 5.0 as 5."""
    return orjson.dumps(_whole(value), option=orjson.OPT_SORT_KEYS)


def _whole(value: object) -> object:
    """The same value, in which floats that are integers are integers."""
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < EXACT else value


# --- the quick check ------------------------------------------------------------------------------


def _read_quickly(body: bytes) -> Any:
    """The value of a text that is surely fine, by orjson; None for any other."""
    try:
        value = orjson.loads(body)
        again = orjson.dumps(value)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):  # orjson reads 1,024 levels, and writes 254
        return None
    if again != body:
        # A key that came twice has lost a colon. An escaped colon might hide that.
        if again.count(b":") < body.count(b":") or (b"\\" in body and b"\\u003" in body):
            return None
        if b"." in again and _FRACTION.search(again):  # it may have been rounded
            return None
    # Brackets and quotes remain. Each round removes the innermost pairs of brackets. A string with brackets stays,
    # and the plain reader decides.
    left = again.translate(*_BRACKETS_AND_QUOTES).replace(b'""', b"")
    levels = 0
    while left and levels < DEPTH:
        left = left.replace(b"[]", b"")
        levels += 1
    return None if left or b"\\" in again else value


# --- the plain reader -----------------------------------------------------------------------------


def _check_bounds(body: bytes, most: int) -> None:
    """Refuse a text that is nested too deeply or has too many values, JSON or not."""
    outline = _outline(body)
    steps = outline.translate(*_UP_AND_DOWN)[: 2 * most + DEPTH]  # with more brackets there are too many values
    level = 0
    for start in range(0, len(steps), PIECE):
        levels = [*accumulate(memoryview(steps[start : start + PIECE]).cast("b"), initial=level)]
        if max(levels) > DEPTH:
            raise _first_fault(_text(body), _fault("too-deep", depth=DEPTH))
        level = levels[-1]
        SCHEDULER.yield_if_due()
    # Each array and object that is not empty holds one value more than it has commas. The body itself is one value.
    filled = outline.count(b"[") + outline.count(b"{") - outline.count(b"[]") - outline.count(b"{}")
    count = 1 + outline.count(b",") + filled
    if count > most:
        raise Problem("too-much-asked", phrase("too-many-values", count=count, most=most))


def _outline(body: bytes) -> bytes:
    """The brackets and commas of a text, without white space; a string is `_`, and so is any other character."""
    text = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    outline: list[bytes] = []
    in_string = False
    for start in range(0, len(text), PIECE):
        pieces = text[start : start + PIECE].translate(*_SIGNS).replace(b'""', b"_").split(b'"')
        if in_string:  # every second piece is outside of strings; here the first is inside
            outline.append(b"_".join(pieces[1::2]) + b"_")
        else:
            outline.append(b"_".join(pieces[::2]))
        has_odd_quotes = len(pieces) % 2 == 0
        if has_odd_quotes:
            in_string = not in_string
        SCHEDULER.yield_if_due()
    return b"".join(outline)


def _text(body: bytes) -> str:
    """The body as text; raises Problem unless it is UTF-8 without a byte order mark."""
    if body.startswith(b"\xef\xbb\xbf"):
        raise _malformed(phrase("byte-order-mark"), "")
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise _malformed(phrase("not-utf-8", byte=error.start), body[: error.start].decode()) from None


def _fault(code: str, **params: object) -> Problem:
    """The refusal of a text for a fault that Python's reader met. It does not say where."""
    return Problem("malformed-json", phrase(code, **params))


def _malformed(detail: Phrase, before: str) -> Problem:
    """The refusal of a text. `before`: what precedes the fault, for its line and column, which count from 1."""
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return Problem("malformed-json", phrase("at-place", detail=detail, line=line, column=column))


def _not_json(error: json.JSONDecodeError) -> Problem:
    """The refusal of a text at the place where Python's reader has found that it is not JSON."""
    reason = next(code for begin, code in REASONS.items() if error.msg.startswith(begin))
    if reason in ("json-value", "json-key"):
        reason = next((code for habit, code in HABITS.items() if habit.match(error.doc, error.pos)), reason)
        if LAST_COMMA.search(error.doc[max(0, error.pos - SEARCHED_FOR_COMMA) : error.pos + 1]):
            reason = "json-last-comma"
    return _malformed(phrase("not-json", reason=phrase(reason)), error.doc[: error.pos])


def _read_plainly(text: str) -> Any:
    """The value of a text within the bounds, by Python's reader."""
    try:
        value = _DECODER.decode(text)
        if "\\u" in text:
            _check_surrogates(value)
    except json.JSONDecodeError as error:
        raise _not_json(error) from None
    except Problem as fault:
        raise _first_fault(text, fault) from None
    return value


def _first_fault(text: str, known: Problem) -> Problem:
    """The first fault of a text, with its place. If it is not found soon: the `known` fault, without its place."""
    keys: list[set[str]] = []  #: The keys so far of each object that is open; an array has none.
    place = 0
    for _ in range(PARTS_SOUGHT):
        part = _PARTS.search(text, place, SOUGHT)
        if part is None:
            break
        try:
            place = _checked(part, text, keys)
        except json.JSONDecodeError as error:
            return _not_json(error)
        except Problem as fault:
            return _malformed(fault.detail, text[: part.start()])
    return known


def _checked(part: re.Match[str], text: str, keys: list[set[str]]) -> int:
    """Check a part of a text; returns where it ends. A quote is checked with its whole string. Raises at a fault."""
    sign = part[0]
    if sign == '"':
        string, end = scanstring(text, part.end())
        _check_surrogates(string)
        if keys and _COLON.match(text, end):
            if string in keys[-1]:
                raise _key_twice(string)
            keys[-1].add(string)
        return int(end)
    if sign in "[{":
        keys.append(set())
        if len(keys) > DEPTH:
            raise _fault("too-deep", depth=DEPTH)
    elif sign in "]}":
        del keys[-1:]
    elif sign[-1] in "Ny":
        _constant(sign)
    else:
        _float(sign)
    return part.end()


def _key_twice(key: str) -> Problem:
    """The refusal of a text with a key that is twice in an object."""
    return _fault("key-twice", key=f"{_shortened(key)!a}")


def _check_surrogates(value: object) -> None:
    """Refuse a value with half of a surrogate pair, which UTF-8 cannot write."""
    try:
        orjson.dumps(value)
    except TypeError:
        raise _fault("half-a-pair") from None


def _object(pairs: list[tuple[str, object]]) -> Json:
    """An object from its members: Python's reader calls this. Refuses a key that is there twice."""
    SCHEDULER.yield_if_due()
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _value in pairs]
        raise _key_twice(keys[repeated(keys)[0]])
    return members


def _integer(digits: str) -> int | float:
    """An integer: Python's reader calls this. Beyond 64 bits it is a float."""
    SCHEDULER.yield_if_due()
    if len(digits) > LONGEST or (number := int(digits)) not in _64_BITS:
        return _float(digits)
    return number


def _float(digits: str) -> float:
    """The number. A fraction that was rounded to an integer is moved away from it, so that it does not pass for one."""
    SCHEDULER.yield_if_due()
    number = float(digits)
    if isinf(number):
        raise _fault("too-large-number", text=_shortened(digits))
    if not number.is_integer() or abs(number) >= EXACT:
        return number
    if number:
        exact = len(digits) <= EXACT_DIGITS or Decimal(digits) == int(number)
    else:
        significand = digits.lower().partition("e")[0]
        exact = not significand.strip("-0.")  # no digit but 0
    return number if exact else nextafter(number, inf)


def _shortened(written: str) -> str:
    """A part of a text, for a sentence."""
    return written if len(written) <= 24 else f"{written[:20]}…"


def _constant(name: str) -> NoReturn:
    """Refuse NaN and Infinity: Python's reader calls this."""
    raise _fault("no-number", text=name)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer, parse_float=_float)
