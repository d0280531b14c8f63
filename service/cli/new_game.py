"""`referee new-game`: the two folders of a game, to be changed file by file as docs/add-a-game.md says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from keyword import iskeyword
from pathlib import Path
from string import Template

import click

from service import seeds

FILES = Path(__file__).with_name("a_new_game")  #: The files of a bare game of two, as templates.
IMPORTS = re.compile(r"(?:^from engines\..*\n)+", re.MULTILINE)  #: Lines whose order depends on the name of the game.


def written(game: str) -> Iterator[Path]:
    """Write the two folders of a game; each file that was written.

    Raises `click.BadParameter` for a name that Python keeps for itself, or whose folders hold something, and
    `click.UsageError` where there is no checkout to write into.
    """
    if not (seeds.ROOT / "pyproject.toml").exists():
        raise click.UsageError("a game is written into the project's sources: run .venv/bin/referee in a checkout")
    folder = game.replace("-", "_")
    if iskeyword(folder):
        raise click.BadParameter(f"{game!r} is a word of Python: choose another name")
    for taken in (f"engines/{folder}", f"seeds/{folder}"):
        if (seeds.ROOT / taken).exists():
            raise click.BadParameter(f"{taken} is there already: choose another name")
    words = game.split("-")
    initials = (words[0][:2] if len(words) == 1 else words[0][0] + words[1][0]).upper()
    names = {"game": game, "folder": folder, "title": " ".join(words).title(), "XX": initials}
    names["Game"] = game.title().replace("-", "")
    for template in sorted(FILES.rglob("*.txt")):
        home = "engines" if template.name.endswith(".py.txt") else "seeds"
        path = seeds.ROOT / home / folder / template.relative_to(FILES).with_suffix("")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = Template(template.read_text(encoding="utf-8")).substitute(names)
        path.write_text(IMPORTS.sub(_sorted, text), encoding="utf-8")
        yield path


def _sorted(imports: re.Match[str]) -> str:
    """The import lines that were matched, by the names of their modules: a template cannot know their order."""
    return "".join(sorted(imports[0].splitlines(keepends=True), key=lambda line: line.split()[1]))
