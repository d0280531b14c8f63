"""The code samples of the contract: each is run as it stands, against a service of its own."""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import engines
from engines.core.shuffle import commitment
from rules_referee_client import Referee
from service.contract.openapi import document
from service.contract.openapi.samples import SERVICE
from service.judging.calls import CALLS
from tests.clients.compiled import NODE, PACKAGE, needs_compiler, tsc
from tests.clients.generated import known_games
from tests.server import ROOT, Server

LANGUAGES = ["Shell", "Python", "TypeScript"]
OPERATIONS = {
    operation["operationId"]: (path, operation)
    for path, methods in document(CALLS)["paths"].items()
    for operation in methods.values()
}
SAMPLES = {
    name: {each["lang"]: each["source"] for each in operation["x-codeSamples"]}
    for name, (_, operation) in OPERATIONS.items()
    if "x-codeSamples" in operation
}
GAMES_WITHOUT_CLIENTS = [game.replace("-", "_") for game in engines.registry() if game not in known_games()]
"""Games, as the Python client would call them, for which `make clients` has not been run yet."""
OF_A_NEW_GAME = [
    name
    for name, each in SAMPLES.items()
    if any(f"referee.{game}." in each["Python"] for game in GAMES_WITHOUT_CLIENTS)
]


def test_every_operation_but_those_of_one_game_has_a_sample_in_each_language() -> None:
    of_one_game = {name for name, (path, _) in OPERATIONS.items() if path.startswith("/games/") and "{" not in path}
    assert OPERATIONS.keys() - SAMPLES.keys() == of_one_game
    assert [name for name, each in SAMPLES.items() if list(each) != LANGUAGES] == []


@pytest.mark.parametrize("game", ["gin-rummy", "twins"])
def test_the_samples_of_the_contract_of_one_game_are_of_that_game(game: str) -> None:
    sources = [
        each["source"]
        for methods in document(CALLS, game)["paths"].values()
        for operation in methods.values()
        for each in operation.get("x-codeSamples", ())
    ]
    members = {"gin": "gin-rummy", "twins": "twins", "twin": "twin-it", "take": "take-that"}
    members_of_others = [
        [f"referee.{member}" for member in (name, name.replace("-", "_"))] for name in members.values() if name != game
    ]
    assert sources
    assert [source for source in sources for names in members_of_others for name in names if f"{name}." in source] == []


class SampleVariables(NamedTuple):
    """A session for a sample. The environment gives `id` and `token`; `invite` is put into its text."""

    id: str
    token: str
    invite: str = ""


@pytest.fixture(scope="module")
def referee(server: Server) -> Iterator[Referee]:
    """The client of a running service."""
    with Referee(f"http://127.0.0.1:{server.port}") as client:
        yield client


def open_session_for(referee: Referee, operation: str) -> SampleVariables:
    """Open a session, and bring it to where the operation is possible."""
    if operation == "startClock":
        opened: Any = referee.twin_it.open({"game": "twin-it", "seats": 2, "ruleset": {"name": "cooperative"}})
    elif operation == "takeSeat":
        opened = referee.gin_rummy.open({"game": "gin-rummy", "seats": 2, "invite": True})
        return SampleVariables(opened.host.id, "", opened.answer["invites"][0])
    elif operation in ("commit", "giveSeed"):
        opened = referee.gin_rummy.open({"game": "gin-rummy", "seats": 2, "fair": "joint"})
        for seat in opened.seats * (operation == "giveSeed"):
            seat.commit(commitment(json.loads(SAMPLES["giveSeed"]["Shell"].split("'")[1])["seed"]))
        return SampleVariables(opened.host.id, opened.seats[0].token)
    elif operation == "rematch":
        opened = referee.twins.open({"game": "twins", "seats": 3})
        while moves := opened.host.read(legal_moves=True)["legal_moves"]["moves"]:
            opened.host.move(moves[-1]["move"])
    else:
        opened = referee.gin_rummy.open({"game": "gin-rummy", "seats": 2})
    return SampleVariables(opened.host.id, opened.host.token)


def start_sample(language: str, source: str, folder: Path, environment: dict[str, str]) -> subprocess.Popen[str]:
    """Start a sample, and return its process."""
    command: list[str | Path]
    match language:
        case "Shell":
            command = ["bash", "-euc", source]
        case "Python":
            command = [sys.executable, "-c", source]
        case _:
            package = (PACKAGE / "src/index.ts").as_uri()
            file = folder / "sample.mts"
            file.write_text(source.replace('"rules-referee"', f'"{package}"'), "utf-8")
            command = [NODE, file]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "clients/python"), **environment}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.skipif(shutil.which("curl") is None, reason="the samples of a shell call with curl")
@pytest.mark.parametrize("operation", [name for name in SAMPLES if name not in OF_A_NEW_GAME])
def test_the_samples_of_an_operation_run(referee: Referee, server: Server, tmp_path: Path, operation: str) -> None:
    outputs = {}
    for language, source in SAMPLES[operation].items():
        session = open_session_for(referee, operation)
        program = source.replace(SERVICE, f"http://127.0.0.1:{server.port}").replace("invite-to-seat-0", session.invite)
        process = start_sample(language, program, tmp_path, {"ID": session.id, "TOKEN": session.token})
        if operation == "sessionEvents":
            table = referee.gin_rummy.at(session.id, session.token)
            table.move({"type": "pass", "seat": 0})
            assert process.stdout is not None
            assert process.stdout.readline()  # it follows the session, until that is closed
            table.close()
        output, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, ""), (language, output)
        outputs[language] = output
    assert "/problems/" not in outputs["Shell"] or operation == "problem"
    if operation in {call.name for call in CALLS}:
        assert ast.literal_eval(outputs["Python"]) == json.loads(outputs["Shell"])


@needs_compiler
def test_the_samples_in_typescript_fit_the_types_of_the_client(tmp_path: Path) -> None:
    for name, sample in SAMPLES.items():
        if name in OF_A_NEW_GAME:
            continue
        package = (PACKAGE / "src/index.ts").as_posix()
        (tmp_path / f"{name}.mts").write_text(sample["TypeScript"].replace('"rules-referee"', f'"{package}"'), "utf-8")
    (tmp_path / "node.d.ts").write_text("declare const process: { env: Record<string, string | undefined> };", "utf-8")
    options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--allowImportingTsExtensions"]
    tsc(*options, *tmp_path.iterdir())
