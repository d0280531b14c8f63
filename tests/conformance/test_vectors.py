"""Every vector holds against the service: what was worked out, what is recorded, every sentence, and nothing beyond."""

import json
from collections import defaultdict
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

import engines
from service import seeds
from service.conformance import SEEDS, differences, disagreements
from service.conformance import vectors_of as vectors_of_part
from service.contract import codecs
from service.http.preferences import languages_for
from service.judging.sentences import sentences
from service.seeds import Vector, vectors_in
from service.words.languages import language_for
from service.words.phrases import phrase
from service.words.wording import Players
from tests.conformance import HTTP, recording, worked
from tests.conformance import sentences as recorded_sentences
from tests.conformance.complete import sender_of_vectors, text_of, vectors_of
from tests.conformance.layout import as_laid_out_text
from tests.conformance.sentences import rulings_of
from tests.conformance.test_traceability import assert_none

GAMES = engines.registry()
OWN_FOLDERS = [folder for engine in GAMES.values() if (folder := seeds.folder(engine)).parent == SEEDS]
FILES = [
    file
    for folder in (*map(seeds.folder, GAMES.values()), SEEDS / HTTP)
    for file in sorted(folder.glob("vectors/*.json"))
]
ALL_VECTORS = [vector for engine in GAMES.values() for vector in vectors_in(seeds.folder(engine))]
VECTORS_OF_HTTP = list(vectors_of_part(HTTP))
RECORD_COMMAND = ".venv/bin/python -m tests.conformance.complete --record"
RECORD = f"If this change is intended, {RECORD_COMMAND} records it. Read what changed. Otherwise the referee is wrong."


@pytest.mark.parametrize("vector", ALL_VECTORS, ids=lambda vector: vector.id)
def test_the_answer_to_a_vector_agrees_with_it_and_has_the_sentences_of_its_language(
    client: FlaskClient, vector: Vector
) -> None:
    status, body = sender_of_vectors(client)(vector)
    if lines := disagreements(vector, status, body):
        pytest.fail("\n".join(f"{vector.id}: {each}" for each in lines), pytrace=False)
    language = language_for(languages_for(vector.headers.get("Accept-Language")), GAMES[vector.game])
    assert [each["text"] for each in rulings_of(body)] == [
        sentences(GAMES[vector.game], language)[each["code"]].filled(each["params"], _players(vector))
        + (f" {phrase('cards-unseen').text_in(language)}" if _is_of_a_bare_deal(each, vector) else "")
        for each in rulings_of(body)
    ]


@pytest.mark.parametrize("vector", VECTORS_OF_HTTP, ids=lambda vector: vector.id)
def test_the_answer_to_a_vector_of_the_part_http_agrees_with_it(client: FlaskClient, vector: Vector) -> None:
    assert disagreements(vector, *sender_of_vectors(client)(vector)) == []


def _is_of_a_bare_deal(ruling: dict[str, Any], vector: Vector) -> bool:
    """Whether a ruling says that was dealt what no deck is given for; its sentence adds that the cards are not seen."""
    moves = vector.request.get("body", {}).get("moves", [])
    return bool(ruling["code"] == "dealt" and moves[ruling["move"]] == {"type": "deal"})


def _players(vector: Vector) -> Players:
    """Return how sentences name the players at the table that a vector posts: as teams, if the game has them."""
    body, engine = vector.request.get("body"), GAMES[vector.game]
    if engine.teams is None or not isinstance(body, dict) or "state" not in body:
        return Players()
    return Players(teams=engine.teams(engine.complete(codecs(engine).state.load(body["state"]))))


@pytest.mark.parametrize("folder", OWN_FOLDERS, ids=lambda folder: folder.name)
def test_every_answer_has_what_its_vector_shows_what_follows_and_what_is_recorded_and_no_more(
    client: FlaskClient, folder: Path
) -> None:
    vectors, ask = list(vectors_in(folder)), sender_of_vectors(client)
    if not vectors:
        pytest.fail(f"{seeds.shown(folder)} has no vectors. {RECORD_COMMAND} writes them.", pytrace=False)
    reading = recording.reading_of(vectors, ask)
    assert [vector.id for vector in vectors if reading.written(vector, vector.worked) != vector.worked] == []
    for file, due in (
        (recording.file_of(folder.name), recording.lines(reading, vectors, ask)),
        (recorded_sentences.file_of(folder.name), recorded_sentences.lines(vectors, ask)),
    ):
        if not file.exists():
            pytest.fail(
                f"{seeds.shown(file)} is missing: nothing is recorded yet. {RECORD_COMMAND} writes it.", pytrace=False
            )
        recorded = file.read_text(encoding="utf-8").splitlines()
        for number, (one, other) in enumerate(zip_longest(recorded, due, fillvalue="null"), 1):
            if one != other:
                difference = first_difference(one, other)
                pytest.fail(f"{seeds.shown(file)}:{number}: {difference}\n{RECORD}", pytrace=False)


def first_difference(recorded: str, got: str) -> str:
    """Say the first difference between a recorded line and the line that would be recorded now."""
    was, now = json.loads(recorded), json.loads(got)
    missing = (f"{each} in what is recorded" for each in differences(now, was, wording=True))
    return next(chain(differences(was, now, wording=True), missing), "otherwise written")


@pytest.mark.parametrize("folder", OWN_FOLDERS, ids=lambda folder: folder.name)
def test_every_worked_case_is_published_as_a_vector(client: FlaskClient, folder: Path) -> None:
    ask = sender_of_vectors(client)
    for file in sorted(folder.glob(f"{worked.FOLDER}/*.yaml")):
        written = worked.vectors_file_of(file)
        if not written.exists() or written.read_text(encoding="utf-8") != text_of(vectors_of(file, ask), ask):
            command = f".venv/bin/python -m tests.conformance.complete {seeds.shown(file)}"
            pytest.fail(f"{seeds.shown(file)} is not what {seeds.shown(written)} has: {command}", pytrace=False)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parents[1].name}-{file.stem}")
def test_a_file_of_vectors_is_laid_out_as_completing_it_would(file: Path) -> None:
    assert file.read_text(encoding="utf-8") == as_laid_out_text(seeds.cases_in(file)), f"complete {file}"


def test_no_two_vectors_have_the_same_id() -> None:
    files: dict[str, list[str]] = defaultdict(list)
    for vector in (*ALL_VECTORS, *VECTORS_OF_HTTP):
        files[vector.id].append(str(vector.file))
    assert_none([f"{each[0]}: {id} is also in {' and in '.join(each[1:])}" for id, each in files.items() if each[1:]])


def test_every_vector_says_in_its_why_at_least_a_few_words() -> None:
    assert_none(
        [
            f"{each.file}: {each.id}: say why, in a few words"
            for each in (*ALL_VECTORS, *VECTORS_OF_HTTP)
            if len(each.why) < 15
        ]
    )
