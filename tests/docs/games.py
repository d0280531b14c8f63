"""The lists of games in README.md and seeds/README.md, from the games that are there: `make openapi` writes them.

    python -m tests.docs.games

A game's line is the docstring of its package; what its rules were read from is said by its rulebook.
"""

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import engines
from engines.core.engine import Engine
from service import seeds

ROOT = Path(__file__).resolve().parents[2]
BEGIN = "<!-- games, generated: make openapi -->"
END = "<!-- end of games -->"


def games() -> Iterator[tuple[str, Engine[Any]]]:
    """The games of this repository, with their folders."""
    for engine in engines.registry().values():
        folder = seeds.folder(engine)
        if folder.parent == ROOT / "seeds":
            yield folder.name, engine


def lines() -> list[str]:
    """What each game is, from its package."""
    packages = [import_module(f"engines.{folder}") for folder, _ in sorted(games())]
    return [f"- {(package.__doc__ or '').strip()}" for package in packages]


def rows() -> list[str]:
    """What each rulebook was read from, as a table."""
    read_from = [(folder, seeds.rulebook(engine)["read_from"].strip()) for folder, engine in sorted(games())]
    return ["| folder | read from |", "|---|---|", *(f"| `{folder}` | {text} |" for folder, text in read_from)]


LISTS = {ROOT / "README.md": lines, ROOT / "seeds/README.md": rows}


def between(file: Path, begin: str, lines: Iterable[str], end: str) -> str:
    """The text of a file with these lines between its marks."""
    part = "\n".join([begin, "", *lines, "", end])
    pattern = f"{re.escape(begin)}.*?{re.escape(end)}"
    return re.sub(pattern, lambda match: part, file.read_text(encoding="utf-8"), flags=re.DOTALL)


def written(file: Path) -> str:
    """The file with its list as it should be."""
    return between(file, BEGIN, LISTS[file](), END)


if __name__ == "__main__":
    for each in LISTS:
        each.write_text(written(each), encoding="utf-8")
