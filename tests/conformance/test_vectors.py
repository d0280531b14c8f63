"""Every vector holds against the service: what was worked out, what is recorded, every sentence, and nothing beyond."""

import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

import engines
from service import seeds
from service.conformance import HTTP, SEEDS, Vector, disagreements, vectors_in, vectors_of
from service.contract import codecs
from service.judging.sentences import sentences
from service.web.languages import language_for
from service.web.wording import Players
from tests.conformance import recording
from tests.conformance import sentences as recorded_sentences
from tests.conformance.complete import asking
from tests.conformance.layout import laid_out
from tests.conformance.recording import Recording
from tests.conformance.sentences import said_in

GAMES = engines.registry()
OURS = [folder for engine in GAMES.values() if (folder := seeds.folder(engine)).parent == SEEDS]
FILES = [
    file
    for folder in (*map(seeds.folder, GAMES.values()), SEEDS / HTTP)
    for file in sorted(folder.glob("vectors/*.json"))
]
ALL = [vector for engine in GAMES.values() for vector in vectors_in(seeds.folder(engine))]
AROUND = list(vectors_of(HTTP))
RECORD = (
    "If this change is intended, .venv/bin/python -m tests.conformance.complete --record records it. "
    "Read what changed. Otherwise the referee is wrong."
)


@pytest.fixture(scope="session")
def recordings() -> dict[str, Recording]:
    """What is recorded, by game; nothing of a game that is installed from elsewhere."""
    return {
        engine.game: recording.read(file)
        for engine in GAMES.values()
        if (file := recording.file_of(seeds.folder(engine).name)).exists()
    }


@pytest.mark.parametrize("vector", ALL, ids=lambda vector: vector.id)
def test_the_answer_is_what_was_worked_out_and_what_is_recorded(
    client: FlaskClient, vector: Vector, recordings: dict[str, Recording]
) -> None:
    status, body = asking(client)(vector)
    if told := disagreements(vector, status, body):
        pytest.fail("\n".join(f"{vector.id}: {each}" for each in told), pytrace=False)
    if vector.game in recordings:
        reading, rests = recordings[vector.game].reading, recordings[vector.game].rests
        as_recorded("", vector.id, vector.worked, reading.written(vector, vector.worked))
        as_recorded("", vector.id, rests.get(vector.id), reading.rest(vector, body))
    language = language_for(vector.headers.get("Accept-Language"))
    assert [each["text"] for each in said_in(body)] == [
        sentences(GAMES[vector.game], language)[each["code"]].filled(each["params"], _players(vector))
        for each in said_in(body)
    ]


@pytest.mark.parametrize("vector", AROUND, ids=lambda vector: vector.id)
def test_what_is_around_every_call_is_as_its_vector_says(client: FlaskClient, vector: Vector) -> None:
    assert disagreements(vector, *asking(client)(vector)) == []


def _players(vector: Vector) -> Players:
    """Who sits at the table that was posted: no names, and the teams of the engine; without a table seats."""
    body, engine = vector.request.get("body"), GAMES[vector.game]
    if engine.teams is None or not isinstance(body, dict) or "state" not in body:
        return Players()
    return Players(teams=engine.teams(engine.complete(codecs(engine).state.load(body["state"]))))


@pytest.mark.parametrize("folder", OURS, ids=lambda folder: folder.name)
def test_recorded_files_are_as_the_tool_writes_them(client: FlaskClient, folder: Path) -> None:
    vectors, ask = list(vectors_in(folder)), asking(client)
    for file, due in (
        (recording.file_of(folder.name), recording.recording_of(vectors, ask).lines()),
        (recorded_sentences.file_of(folder.name), recorded_sentences.lines(vectors, ask)),
    ):
        recorded = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        for number, (one, other) in enumerate(zip_longest(recorded, due, fillvalue="null"), 1):
            as_recorded(f"{seeds.shown(file)}:", str(number), json.loads(one), json.loads(other))


def as_recorded(file: str, case: str, recorded: Any, got: Any) -> None:
    """Fails with the places at which an answer departs from the recorded one."""
    told = [f"{file}{case}: {each}" for each in apart(recorded, got)]
    if told:
        pytest.fail("\n".join([*told[:5], RECORD]), pytrace=False)


def apart(recorded: Any, got: Any, pointer: str = "") -> Iterator[str]:
    """Where two values differ, each with its JSON pointer."""
    if isinstance(recorded, dict) and isinstance(got, dict):
        for name in sorted(recorded.keys() | got.keys()):
            yield from apart(recorded.get(name), got.get(name), f"{pointer}/{name}")
    elif isinstance(recorded, list) and isinstance(got, list) and len(recorded) == len(got):
        for index, pair in enumerate(zip(recorded, got, strict=True)):
            yield from apart(*pair, f"{pointer}/{index}")
    elif recorded != got or type(recorded) is not type(got):
        yield f"{pointer or '/'}: expected {json.dumps(recorded)[:200]}, as recorded; got {json.dumps(got)[:200]}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parents[1].name}-{file.stem}")
def test_files_are_laid_out_as_the_tool_does_it(file: Path) -> None:
    assert file.read_text(encoding="utf-8") == laid_out(seeds.cases_in(file)), f"complete {file}"


def test_ids_are_never_used_twice() -> None:
    files: dict[str, list[str]] = defaultdict(list)
    for vector in (*ALL, *AROUND):
        files[vector.id].append(str(vector.file))
    assert [f"{id} is in {' and in '.join(each)}" for id, each in files.items() if len(each) > 1] == []


def test_every_vector_says_why() -> None:
    assert [vector.id for vector in (*ALL, *AROUND) if len(vector.why) < 15] == []
