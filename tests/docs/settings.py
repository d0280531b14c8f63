"""The table of settings in docs/operations.md, from the settings that are there: `make openapi` writes it.

    python -m tests.docs.settings

The docstring of a setting in `service/config.py` says what it does; its annotation words a default that is no text.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, get_type_hints

from service.config import Environment, Serving, Settings, variable
from service.contract.shapes import sentences
from tests.docs.games import ROOT, between

FILE = ROOT / "docs/operations.md"
BEGIN = "<!-- settings, generated: make openapi -->"
END = "<!-- end of settings -->"
GROUPS: tuple[type[Environment], ...] = (Serving, Settings)


def rows() -> Iterator[str]:
    """One a setting."""
    for group in GROUPS:
        kind: type = group
        docs = sentences(kind)
        hints = get_type_hints(group, include_extras=True)
        for each in fields(group):
            words = hints[each.name].__metadata__[1:]
            default = words[0] if words else f"`{_text(each.default)}`"
            yield f"| `{variable(each.name)}` | {default} | {docs[each.name]} |"


def _text(default: Any) -> str:
    """A default as it would be set."""
    if isinstance(default, bool):
        return str(int(default))
    return (
        ",".join(default) if isinstance(default, tuple) else f"{default:g}" if type(default) is float else str(default)
    )


def written() -> str:
    """The page with its table as it should be."""
    return between(FILE, BEGIN, ["| variable | default | what it does |", "|---|---|---|", *rows()], END)


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
