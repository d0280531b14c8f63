"""Finds and reads the language-neutral files of a game: rulebook, messages, secrets, vectors."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import yaml

import engines
from engines.core.engine import Engine

ROOT = Path(engines.__file__).parent.parent
LANGUAGES = ("en", "it", "fr")
CASE = ("id", "clauses", "why", "request", "response")  #: The members of a case in a file of vectors.
LOG = logging.getLogger(__name__)


class FaultySeeds(ValueError):
    """A file of a game's seeds is missing or wrong; the message names the file."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(f"{shown(path)}{what}")


class InLanguages(dict[str, Any]):
    """What is said, by language; English where a language is not written yet."""

    def __init__(self, path: Path, said: dict[str, Any]) -> None:
        super().__init__(said)
        self._path = path

    def __missing__(self, language: str) -> Any:
        warn_of_english(self._path, language)
        return self["en"]


@cache
def warn_of_english(path: Path, language: str) -> None:
    """Say once that a file lacks something in this language."""
    LOG.warning("%s is not complete in %r: English stands in", shown(path), language)


def _in_languages(path: Path, value: Any) -> Any:
    """A part of a rulebook in which every text may be asked for in any language."""
    if isinstance(value, list):
        return [_in_languages(path, each) for each in value]
    if not isinstance(value, dict):
        return value
    parts = {name: _in_languages(path, each) for name, each in value.items()}
    return InLanguages(path, parts) if "en" in parts else parts


@cache
def folder(engine: Engine[Any]) -> Path:
    """A game's folder: `seeds/<folder>` beside `engines/<folder>`, or `seeds` in the game's own package."""
    package = import_module(engine.state.__module__.rpartition(".")[0])
    home = Path(str(package.__file__)).parent
    own = home / "seeds"
    return own if own.is_dir() else home.parent.parent / "seeds" / home.name


def shown(path: Path) -> str:
    """A path for messages: relative to the folder of this project, if it is inside."""
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


def read_table(path: Path) -> dict[str, Any]:
    """The content of a YAML file that is a mapping."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        table = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506
    except FileNotFoundError:
        raise FaultySeeds(path, " is missing: seeds/README.md says what it holds.") from None
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f":{error.problem_mark.line + 1}"
        raise FaultySeeds(path, f"{line} is not YAML: {error.problem}.") from None
    if not isinstance(table, dict):
        raise FaultySeeds(path, " should map names to something, as `name: …`.")
    return table


@cache
def rulebook(engine: Engine[Any]) -> Any:
    """The rulebook, as in its file."""
    path = folder(engine) / "rulebook.yaml"
    book = _in_languages(path, of_game(engine, "rulebook.yaml"))
    _whole(path, "the rulebook", book, "title", "read_from", "sections")
    for section in book["sections"]:
        _whole(path, f"section {section.get('id')!r}", section, "id", "title", "clauses")
        for clause in section["clauses"]:
            _whole(path, f"clause {clause.get('id')!r}", clause, "id", "source", "options", "text")
    texts = {clause["id"]: clause["text"] for section in book["sections"] for clause in section["clauses"]}
    for name, option in engine.options.items():
        if option.rule not in texts:
            raise FaultySeeds(path, f": the option {name!r} cites {option.rule}, which is no clause of it.")
        for value, (language, text) in product(option.published, texts[option.rule].items()):
            if not re.search(rf"(?<![\w-]){re.escape(str(value))}(?![\w-])", text):
                what = f"the published value {value!r} of the option {name!r}"
                raise FaultySeeds(path, f": {option.rule} does not name {what} in {language!r}.")
    for ruling in engine.rulings:
        if ruling.rule not in texts:
            raise FaultySeeds(path, f": the ruling {ruling.code!r} cites {ruling.rule}, which is no clause of it.")
    return book


def messages_file(engine: Engine[Any], language: str) -> Path:
    """The file of a game's sentences in one language."""
    return folder(engine) / "messages" / f"{language}.yaml"


@dataclass(frozen=True)
class Vector:
    """One conformance case: a request, and the part of its answer that was worked out by hand."""

    id: str
    clauses: Sequence[str]
    why: str
    request: dict[str, Any]
    response: dict[str, Any]
    file: Path

    @property
    def call(self) -> str:
        """The last part of the path, such as `resolve`."""
        return str(self.request["path"].rpartition("/")[2])

    @property
    def game(self) -> str:
        """The game's name on the wire."""
        parts = self.request["path"].split("/")
        return str(parts[2] if parts[1] == "games" else self.request["body"]["game"])

    @property
    def part(self) -> str:
        """The game of its folder by the name on the wire, or `http`."""
        return self.file.parent.parent.name.replace("_", "-")

    @property
    def worked(self) -> dict[str, Any]:
        """The body of the expected answer; members that are left out are free."""
        body: dict[str, Any] = self.response["body"]
        return body

    @property
    def headers(self) -> dict[str, str]:
        """The headers to send."""
        return {"Content-Type": "application/json", **self.request.get("headers", {})}

    @property
    def content(self) -> str | None:
        """The body to send, in ASCII, or None."""
        return json.dumps(self.request["body"]) if "body" in self.request else None


def vectors_in(home: Path) -> Iterator[Vector]:
    """The conformance vectors in a folder of seeds, in the order of files and cases."""
    for file in sorted(home.glob("vectors/*.json")):
        for case in cases_in(file):
            yield vector_of(case, file.relative_to(home.parent))


def vector_of(case: dict[str, Any], file: Path) -> Vector:
    """The vector of a case in a file."""
    return Vector(file=file, **{name: case[name] for name in CASE})


def cases_in(file: Path) -> list[dict[str, Any]]:
    """The cases of one file of vectors."""
    try:
        cases = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise FaultySeeds(file, f": {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise FaultySeeds(file, f":{error.lineno}: not JSON: {error.msg}, in column {error.colno}") from None
    if not isinstance(cases, list) or not cases:
        raise FaultySeeds(file, ": a file of vectors is a list of cases, at least one")
    for index, case in enumerate(cases):
        if missing := [name for name in CASE if name not in case]:
            raise FaultySeeds(file, f": {case.get('id', f'case {index}')}: {' and '.join(missing)} missing")
    return cases


def of_game(engine: Engine[Any], name: str) -> dict[str, Any]:
    """The content of a file with a member `game`, which must be this game."""
    path = folder(engine) / name
    table = read_table(path)
    if table.get("game") != engine.game:
        raise FaultySeeds(path, f" is of the game {table.get('game')!r}, its engine of {engine.game!r}.")
    return table


def _whole(path: Path, what: str, table: dict[str, Any], *names: str) -> None:
    if missing := [name for name in names if name not in table]:
        raise FaultySeeds(path, f": {what} has no {' and no '.join(map(repr, missing))}.")
