"""How a file of vectors is laid out: what fits on a line is one line, and a pile of cards always is."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

COLUMNS = 120


def as_laid_out_text(value: Any) -> str:
    """Return the text of a JSON document, ended by a newline. Reading it and laying it out again changes nothing."""
    return _lines(value, "", 0) + "\n"


def on_one_line(value: Any) -> str:
    """Return the text of a JSON value on one line, however long."""
    return json.dumps(value, ensure_ascii=False)


def _lines(value: Any, margin: str, used: int) -> str:
    """Return the text of a value, on one line if it fits.

    `margin` stands before every further line. `used`: the columns of the first line that are taken by what stands
    before the value and by a comma after it.
    """
    line = on_one_line(value)
    if used + len(line) <= COLUMNS or _is_pile(value):
        return line
    inner = margin + " "
    if isinstance(value, dict):
        names = {name: f"{on_one_line(name)}: " for name in value}
        parts = [names[name] + _lines(each, inner, len(inner + names[name]) + 1) for name, each in value.items()]
        shares = [not isinstance(each, list | dict) for each in value.values()]
    else:
        parts = [_lines(each, inner, len(inner) + 1) for each in value]
        shares = [isinstance(each, list) and "\n" not in part for each, part in zip(value, parts, strict=True)]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + "\n" + ",\n".join(_rows(parts, shares, inner)) + f"\n{margin}{closing}"


def _is_pile(value: Any) -> bool:
    """A list of plain values, such as cards; or a plain value."""
    if isinstance(value, list):
        return not any(isinstance(each, list | dict) for each in value)
    return not isinstance(value, dict)


def _rows(parts: Sequence[str], shares: Sequence[bool], margin: str) -> Iterator[str]:
    """Join neighbouring parts into rows, as many as fit into one, if both may share a row.

    Such are plain members of an object, hands, and the sides of cards. `shares`: of each part, whether it may.
    """
    row, open_ = "", False
    for part, may in zip(parts, shares, strict=True):
        longer = f"{row}, {part}"
        if open_ and may and len(longer) < COLUMNS:
            row = longer
        else:
            if row:
                yield row
            row = margin + part
        open_ = may
    yield row
