"""What a command writes, and an answer as people read it: its sentences with clauses, the standings, the rest as JSON.

All that a command writes passes `write`, `write_json` or `JsonLines`, so that no text of a file, an argument or a
server can steer the terminal.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from io import TextIOWrapper
from typing import Any, Literal

import click

import engines
from service import strict_json
from service.judging.games import rulebook
from service.strict_json import Json
from service.words.phrases import grammar
from service.words.wording import Players, cleaned, escaped

OBJECTIONS = ("violations", "faults", "undetermined")  #: Members whose clauses are quoted.
IN_LINES = ("events", *OBJECTIONS, "standings", "comparison", "moves")
"""Members that have lines of their own. All others are JSON."""


def open_streams() -> None:
    """Make the standard streams fit to be written to, however the command was started.

    A character that the encoding lacks is written as `?`. A stream that is closed gets its descriptor back, which the
    next file would have: what is written to standard output then fails, on standard error it is lost.
    """
    for descriptor, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, mode)  # gets the lowest descriptor that is free
            os.set_inheritable(descriptor, True)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def discard_output() -> None:
    """Discard what could not be written: Python would try again at its exit, and end with a status of its own."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # it is full, or closed
            with suppress(OSError, ValueError):
                os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def write(line: str, *, err: bool = False) -> None:
    """Write one line, without control characters, line ends, and marks that turn the direction of writing.

    A line for standard error that cannot be written is lost; the exit status says the same.
    """
    with suppress(OSError) if err else nullcontext():
        click.echo(cleaned(line.encode(errors="replace").decode()), err=err)  # a file's name may have lone surrogates


def write_document(lines: Sequence[str]) -> None:
    """Write the lines of a file, in UTF-8 whatever the locale."""
    click.echo("\n".join(map(cleaned, lines)).encode(errors="replace"))


def write_json(value: object) -> None:
    """Write a value as one line of JSON, with `\\u` escapes for the characters that `write` leaves out."""
    click.echo(escaped(strict_json.dumps(value).decode()).encode())


class JsonLines:
    """Standard output for many lines of JSON, with escapes as `write_json` has them."""

    def write(self, lines: bytes) -> None:
        """Write whole lines."""
        click.echo("\n".join([escaped(line) for line in lines.decode().split("\n")]).encode(), nl=False)

    def flush(self) -> None:
        """Let the reader have what was written."""
        sys.stdout.flush()


def lines(answer: Json, names: Sequence[str] | None, language: str, columns: int) -> Iterator[str]:
    """The lines of an answer. `names`: the players', by seat; `columns`: the width of the terminal."""
    game = answer.get("game")
    clauses = {each.id: each.text for each in rulebook(engines.registry()[game], language).clauses} if game else {}
    yield from _rulings(answer, clauses)
    yield from _standings(answer, names, language)
    yield from _moves(answer)
    for other in answer.get("comparison") or ():
        yield f"{other['ruleset']}:"
        yield from _rulings(other, clauses)
        yield from _standings(other, names, language)
    yield from _json({name: value for name, value in answer.items() if name not in IN_LINES}, columns).split("\n")


def _rulings(answer: Json, clauses: Mapping[str, str]) -> Iterator[str]:
    """A line for each event, and for each objection another with the text of its clause."""
    for event in answer.get("events", ()):
        yield f"{event['rule']}  {event['text']}"
    for name in OBJECTIONS:
        value = answer.get(name) or []
        objections = value if isinstance(value, list) else [value]
        for each in objections:
            yield f"{each['rule']}  {each['text']}"
            yield f"  “{clauses[each['rule']]}”"


def _moves(answer: Json) -> Iterator[str]:
    """What may be done, and below it how it is posted."""
    for each in answer.get("moves", ()):
        yield each["text"]
        yield f"  {escaped(json.dumps(each['move'], ensure_ascii=False))}"


def _standings(answer: Json, names: Sequence[str] | None, language: str) -> Iterator[str]:
    """A line for each place in the ranking."""
    for each in answer.get("standings", ()):
        side: Literal["team", "seat"] = "team" if "team" in each else "seat"
        player = grammar(language).players(side, "", each[side], Players(names)).text
        yield f"{each['rank']}. {player}: {each['score']}"


def _json(value: Any, columns: int, margin: str = "") -> str:
    """JSON in which what fits on a line is on one line, and a list of words such as cards always is."""
    line = escaped(json.dumps(value, ensure_ascii=False))
    parts: list[Any] = []
    if isinstance(value, dict | list):
        parts = [*(value.values() if isinstance(value, dict) else value)]
    if len(margin) + len(line) <= columns or not any(" " in str(each) for each in parts):
        return line
    inner = f"{margin}  "
    texts = [_json(each, columns, inner) for each in parts]
    if isinstance(value, dict):
        texts = [f"{json.dumps(name)}: {text}" for name, text in zip(value, texts, strict=True)]
    return f"{line[0]}\n{inner}" + f",\n{inner}".join(texts) + f"\n{margin}{line[-1]}"
