"""Finds and reads the files of a game in `seeds/`: its rulebook, its words in each language, its vectors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

import yaml

import engines
from engines.core.engine import Engine

ROOT = Path(engines.__file__).parent.parent
ENGLISH = "en"  #: The language of whatever has no words in another one.
LANGUAGE = re.compile("[a-z]{2,3}")  #: The name of a file that has the words of a game, before its `.yaml`.
NAMES = ("title", "texts", "cards", "designs", "terms", "phases", "rulesets", "moves", "facts", "zones", "options")
"""The members of such a file beside its sections and clauses."""
SECTION_WORDS = {"title": str, "notes": list}
CLAUSE_WORDS = {"text": str, "sentences": dict, "examples": dict}
SHAPES: Mapping[type, str] = {str: "a text", list: "a list of texts", dict: "texts by name"}
CASE = ("id", "clauses", "why", "request", "response")  #: The members of a case in a file of vectors.


class FaultySeeds(ValueError):
    """A file of a game's seeds is missing or wrong; each line of the message names the file."""

    def __init__(self, path: Path, *faults: str) -> None:
        super().__init__("\n".join([f"{shown(path)}{fault}" for fault in faults]))


@dataclass(frozen=True)
class Clause:
    """A clause without its words, which are in the files of the languages."""

    source: str
    options: Sequence[str] = ()
    """The options that it defines: those of the file, and those under `printed`."""
    printed: Mapping[str, Any] = field(default_factory=dict)
    """Under `P` the texts that print the clause; under an option the texts that print each of its values."""
    examples: Sequence[str] = ()
    """The vectors that play the examples which a text prints for the clause."""


@dataclass(frozen=True)
class RulebookFile:
    """The clauses of a game by id, in their order; `texts`: the short names of the texts that print them."""

    read_from: str
    texts: Sequence[str]
    clauses: Mapping[str, Clause]

    @property
    def sections(self) -> Mapping[str, Sequence[str]]:
        """The ids of the clauses of each section."""
        return {id: list(clauses) for id, clauses in groupby(self.clauses, section_of)}


def section_of(clause: str) -> str:
    """The id of the section of a clause: `TW-5` of `TW-5.2`."""
    return clause.partition(".")[0]


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


def text_at(texts: Mapping[Any, Any], place: Sequence[Any]) -> str:
    """The text at a place of a file of words; empty: there is none. `place`: the keys that lead to it."""
    value: Any = texts
    for key in place:
        value = value.get(key) if isinstance(value, dict) else None
    return str(value or "").strip()


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
def rulebook(engine: Engine[Any]) -> RulebookFile:
    """The clauses of a game. Every option and every ruling of the engine cites one of them."""
    path = folder(engine) / "rulebook.yaml"
    book = read_table_of(engine, path.name)
    clauses = book.get("clauses")
    if not isinstance(clauses, dict) or "read_from" not in book:
        raise FaultySeeds(path, " should have 'read_from', and 'clauses' that map each id to its marks.")
    read = {id: _clause(path, str(id), marks) for id, marks in clauses.items()}
    for name, option in engine.options.items():
        if option.rule not in read:
            raise FaultySeeds(path, f": the option {name!r} cites {option.rule}, which is no clause of it.")
    for ruling in engine.rulings:
        if ruling.rule not in read:
            raise FaultySeeds(path, f": the ruling {ruling.code!r} cites {ruling.rule}, which is no clause of it.")
    return RulebookFile(book["read_from"], book.get("texts", ()), read)


def _clause(path: Path, id: str, marks: Any) -> Clause:
    """A clause from its marks in the file at `path`."""
    try:
        clause = Clause(**marks)
        printed = [name for name in clause.printed if name != "P" and name not in clause.options]
        return replace(clause, options=[*clause.options, *printed])
    except TypeError:
        known = ", ".join(each.name for each in fields(Clause))
        what = f": {id} should have a 'source', and besides it only what it needs of {known}."
        raise FaultySeeds(path, what) from None


def languages(engine: Engine[Any]) -> frozenset[str]:
    """The languages in which a game is written: English, and those of its other files."""
    files = {path.stem for path in folder(engine).glob("*.yaml")}
    return frozenset({ENGLISH, *filter(LANGUAGE.fullmatch, files)})


def words_file(engine: Engine[Any], language: str) -> Path:
    """The file of a game's words in one language, `seeds/<game>/<language>.yaml`. It may be missing."""
    return folder(engine) / f"{language}.yaml"


@cache
def read_words(engine: Engine[Any], language: str) -> Mapping[str, Any]:
    """The content of the file of a language: the words of each section and clause, then the names of things."""
    path, book = words_file(engine, language), rulebook(engine)
    table = read_table(path)
    for name in [each for each in table if each not in NAMES]:
        if name in book.sections:
            table[name] = _words(path, name, table[name] or {}, SECTION_WORDS)
        elif name in book.clauses:
            table[name] = _words(path, name, table[name] or {}, CLAUSE_WORDS)
        else:
            known = ", ".join(NAMES)
            raise FaultySeeds(path, f": {name!r} is no section or clause of the rulebook, and none of {known}.")
    if language == ENGLISH and not isinstance(table.get("title"), str):
        raise FaultySeeds(path, ": the game has no 'title'.")
    return table


def _words(path: Path, id: str, words: Any, members: Mapping[str, type]) -> dict[str, Any]:
    """The words of a section or a clause, without members that have nothing yet."""
    if not isinstance(words, dict) or not words.keys() <= members.keys():
        raise FaultySeeds(path, f": {id}: its members are {', '.join(members)}, each where it is needed.")
    written: dict[str, Any] = {name: value for name, value in words.items() if value is not None}
    for name, value in written.items():
        shape = SHAPES[members[name]]
        if not isinstance(value, members[name]):
            raise FaultySeeds(path, f": {id}: {name!r} should be {shape}.")
        texts = dict(enumerate(value)) if isinstance(value, list) else value
        for part, text in texts.items() if isinstance(texts, dict) else ():
            if not isinstance(text, str):
                raise FaultySeeds(path, f": {id}: {name!r} should be {shape}, but {part!r} is no text.")
    return written


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


def read_table_of(engine: Engine[Any], name: str) -> dict[str, Any]:
    """The content of a YAML file of a game, whose member `game` must name it."""
    path = folder(engine) / name
    table = read_table(path)
    if table.get("game") != engine.game:
        raise FaultySeeds(path, f" is of the game {table.get('game')!r}, its engine of {engine.game!r}.")
    return table
