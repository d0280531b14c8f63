"""JSON in and out: strict reading, fast writing.

Refused are: anything but UTF-8 without byte order mark, a key twice in an object, NaN and Infinity, lone surrogates,
nesting deeper than 32, integers of thousands of digits. The standard parser refuses none of these but the last.
"""

from __future__ import annotations

import json
from json import JSONDecodeError, JSONDecoder
from typing import Any, NoReturn

import orjson

DEPTH = 32


class NotJson(ValueError):
    """The bytes are not the JSON that we read; the message says what was met, and where."""


def loads(body: bytes) -> Any:
    """The value that the bytes stand for; raises `NotJson`."""
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise NotJson(f"The body is not UTF-8: byte {error.start} does not fit.") from None
    if text.startswith("\ufeff"):
        raise NotJson("The body begins with a byte order mark; leave it out.")
    try:
        value = _DECODER.decode(text)
    except JSONDecodeError as error:
        raise NotJson(f"{error.msg}, at line {error.lineno} column {error.colno}.") from None
    except RecursionError:
        raise NotJson(f"The body nests deeper than {DEPTH}.") from None
    except ValueError as error:
        detail = str(error)
        raise NotJson(detail if isinstance(error, NotJson) else "A number has too many digits.") from None
    # Only a body with so many brackets can nest deeper; only one with an escape can hold a lone surrogate.
    if text.count("[") + text.count("{") > DEPTH:
        _bounded([value])
    if "\\u" in text:
        _well_formed(value)
    return value


def dumps(value: Any) -> bytes:
    """Compact JSON in UTF-8; tuples are arrays, dataclasses objects."""
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise NotJson(f"The key {twice[:100]!r} stands twice in one object.")
    return found


def _refused(constant: str) -> NoReturn:
    raise NotJson(f"{constant} is no JSON.")


_DECODER = JSONDecoder(object_pairs_hook=_unique, parse_constant=_refused)


def _bounded(level: list[Any]) -> None:
    """Refuse deep nesting: look at the containers of one depth after another."""
    for _ in range(DEPTH):
        level = [
            child
            for parent in level
            for child in (parent.values() if type(parent) is dict else parent)
            if type(child) is list or type(child) is dict
        ]
        if not level:
            return
    raise NotJson(f"The body nests deeper than {DEPTH}.")


def _well_formed(value: Any) -> None:
    """Refuse lone surrogates anywhere."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise NotJson("The body holds a lone surrogate, which is no character.") from None
