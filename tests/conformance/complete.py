"""Complete what was worked out by hand, file by file.

What a case shows must be so, or nothing is written. A file of `seeds/<game>/worked/` stays as it is: its vectors are
written into `seeds/<game>/vectors/`, with shorthands spelled out and without what follows from the request. A file of
vectors that is made of none is laid out in its place. What the service answers beyond is recorded beside the tests.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

import engines
from service.conformance import SEEDS, differences, disagreements
from service.seeds import FaultySeeds, Vector, shown, vector_of, vectors_in
from tests.conformance import HTTP, Ask, recording, sentences, worked
from tests.conformance.layout import as_laid_out_text
from tests.conformance.shorthand import spelled_out
from tests.service.sessions.tables import service_client


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0 when the files are complete, 1 when the referee disagrees with one, 2 when one cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.complete", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, help="such as seeds/twins/worked/ties.yaml")
    parser.add_argument("--record", action="store_true", help="every file of every game of this repository")
    options = parser.parse_args(arguments)
    if bool(options.files) == options.record:
        parser.error("name the files, or say --record for all of them")
    files = (
        [file for game in sorted(SEEDS.iterdir()) for file in worked.sources(game)]
        if options.record
        else sorted({file.resolve() for file in options.files})
    )
    with tempfile.TemporaryDirectory() as folder:
        ask = sender_of_vectors(service_client(f"sqlite:///{folder}/sessions.sqlite3"))
        try:
            games = {game: list(those) for game, those in groupby(files, lambda file: file.parents[1])}
            wrong = [each for game, those in games.items() for each in complete_files(game, those, ask)]
        except FaultySeeds as error:
            sys.stderr.write(f"{error}\n")
            return 2
    sys.stdout.writelines(f"{each}\n" for each in wrong)
    return int(bool(wrong))


def sender_of_vectors(client: FlaskClient) -> Ask:
    """A function that sends the request of a vector to the service, within this process."""

    def ask(vector: Vector) -> tuple[int, Any]:
        sent = vector.request
        answer = client.open(sent["path"], method=sent["method"], data=vector.content, headers=vector.headers)
        return answer.status_code, answer.json

    return ask


def complete_files(game: Path, files: Sequence[Path], ask: Ask) -> list[str]:
    """Complete some files of the game whose seeds these are; or write nothing, and say where they are wrong."""
    vectors = {file: vectors_of(file, ask) for file in files}
    wrong = [f"{shown(file)}: has no cases" for file in files if not vectors[file]]
    wrong += [
        f"{shown(file)}: {vector.id}: {each}"
        for file in files
        for vector in vectors[file]
        for each in faults(vector, ask)
    ]
    if wrong:
        return wrong
    for file in files:
        written = worked.vectors_file_of(file)
        written.parent.mkdir(exist_ok=True)
        written.write_text(text_of(vectors[file], ask), encoding="utf-8")
    if game.parent == SEEDS and game.name != HTTP:
        record(game, ask)
    return []


def vectors_of(file: Path, ask: Ask) -> list[Vector]:
    """Return the vectors of a file, their shorthands spelled out."""
    vectors = [_spelled_out(vector_of(case, file)) for case in worked.cases_of(file)]
    return [_with_cards_dealt(vector, ask) if worked.DEALT in str(vector.worked) else vector for vector in vectors]


def text_of(vectors: Sequence[Vector], ask: Ask) -> str:
    """Return the content of the file that publishes these vectors."""
    if vectors[0].part == HTTP:  # where nothing follows from a game's rules, and ids are drawn
        bodies = [vector.worked for vector in vectors]
    else:
        reading = recording.reading_of(vectors, ask)
        bodies = [reading.written(vector, vector.worked) for vector in vectors]
    return as_laid_out_text(
        [
            {
                "id": vector.id,
                "clauses": list(vector.clauses),
                "why": vector.why,
                "request": vector.request,
                "response": {**vector.response, "body": body},
            }
            for vector, body in zip(vectors, bodies, strict=True)
        ]
    )


def _with_cards_dealt(vector: Vector, ask: Ask) -> Vector:
    """Return a vector with what was dealt in its answer. Raises `FaultySeeds` where no seed says what that is."""
    if '"seed"' not in (vector.content or ""):
        raise FaultySeeds(vector.file, f": {vector.id}: {worked.DEALT!r} stands for what a seed deals; it has none.")
    _status, body = ask(vector)
    return replace(vector, response={**vector.response, "body": worked.with_cards_dealt(vector.worked, body)})


def record(game: Path, ask: Ask) -> None:
    """Write both recorded files of a game of this repository."""
    vectors = [_spelled_out(vector) for vector in vectors_in(game)]
    for file, lines in (
        (recording.file_of(game.name), recording.lines(recording.reading_of(vectors, ask), vectors, ask)),
        (sentences.file_of(game.name), sentences.lines(vectors, ask)),
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _spelled_out(vector: Vector) -> Vector:
    """A vector with the shorthands in its request spelled out."""
    if vector.part == HTTP:
        return vector
    engine = engines.registry().get(vector.game)
    if engine is None or "body" not in vector.request:
        return vector
    return replace(vector, request={**vector.request, "body": spelled_out(engine, vector.request["body"])})


def faults(vector: Vector, ask: Ask) -> list[str]:
    """Where the service, its sentences included, contradicts what the vector shows."""
    if not vector.worked:
        return ["expects nothing: work out what the rules demand"]
    status, body = ask(vector)
    return disagreements(vector, status, body) or list(differences(vector.worked, body, wording=True))


if __name__ == "__main__":
    sys.exit(main())
