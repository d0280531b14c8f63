"""The pages and parts of pages that follow from the games and the settings: `make openapi` writes them.

    python -m tests.docs.generated

- README.md and seeds/README.md list the games. A game's line is the docstring of its package; what its rules were read
  from is said by its rulebook.
- docs/operations.md has a table of the settings. The docstring of a setting in `service/config.py` says what it does,
  and its annotation words a default that is no text.
- docs/rules has the rulebooks.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import engines
from engines.core.engine import Engine
from service import seeds
from service.config import Environment, Serving, Settings, variable
from service.contract.shapes import sentences
from service.judging.games import markdown

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "docs" / "rules"
INDEX = """# The rules

What the referee goes by, clause by clause, in our own words. `make openapi` writes these pages from
`seeds/<game>/rulebook.yaml`; a running service gives the same at `/games/{game}/rulebook` to clients that accept
`text/html` or `text/markdown`. [seeds](../../seeds/README.md#rulebooks) says which texts each was read from.

| | English | italiano | français |
|---|---|---|---|
"""
GROUPS: tuple[type[Environment], ...] = (Serving, Settings)


def pages() -> dict[Path, str]:
    """Every page with what should stand in it."""
    parts = {
        "README.md": ("games", list_of_games()),
        "seeds/README.md": ("games", table_of_rulebooks()),
        "docs/operations.md": ("settings", table_of_settings()),
    }
    return {ROOT / name: with_part(ROOT / name, *part) for name, part in parts.items()} | dict(rules())


def with_part(file: Path, name: str, lines: Iterable[str]) -> str:
    """The text of a file with these lines between its marks."""
    begin, end = f"<!-- {name}, generated: make openapi -->", f"<!-- end of {name} -->"
    part = "\n".join([begin, "", *lines, "", end])
    pattern = f"{re.escape(begin)}.*?{re.escape(end)}"
    text, count = re.subn(pattern, lambda match: part, file.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert count == 1, f"{file} has no place for the {name}"
    return text


def games() -> Iterator[tuple[str, Engine[Any]]]:
    """The games of this repository, with their folders."""
    for engine in engines.registry().values():
        folder = seeds.folder(engine)
        if folder.parent == ROOT / "seeds":
            yield folder.name, engine


def list_of_games() -> Iterator[str]:
    for folder, _ in sorted(games()):
        yield f"- {(import_module(f'engines.{folder}').__doc__ or '').strip()}"


def table_of_rulebooks() -> Iterator[str]:
    yield from ("| folder | read from |", "|---|---|")
    for folder, engine in sorted(games()):
        yield f"| `{folder}` | {seeds.rulebook(engine)['read_from'].strip()} |"


def table_of_settings() -> Iterator[str]:
    yield from ("| variable | default | what it does |", "|---|---|---|")
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


def rules() -> Iterator[tuple[Path, str]]:
    index = INDEX
    for _, engine in games():
        links = [f"[{seeds.rulebook(engine)['title'][each]}]({each}/{engine.game}.md)" for each in seeds.LANGUAGES]
        index += f"| `{engine.game}` | {' | '.join(links)} |\n"
        for language in seeds.LANGUAGES:
            yield RULES / language / f"{engine.game}.md", markdown(engine, language)
    yield RULES / "README.md", index


if __name__ == "__main__":
    for page, text in pages().items():
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
