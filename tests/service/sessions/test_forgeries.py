"""Both verifiers accept true transcripts and reject all forged ones."""

import json
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from service.cli import main
from service.problems import Problem
from service.sessions.verifying import verified
from tests.long import long
from tests.service.sessions.forgeries import BY_HAND, VERIFIER, forgeries, in_node, transcript_of
from tests.service.sessions.tables import GAMES

RUNNER = """
import { readFileSync } from "node:fs";
const [verifier, file, referee] = process.argv.slice(2);
const { findings } = await import(verifier);
const found = [];
for (const transcript of JSON.parse(readFileSync(file, "utf8"))) {
  const parts = findings(transcript, undefined, referee);
  found.push(await parts.then((each) => Object.values(each).flat(), ({ message }) => [message]));
}
console.log(JSON.stringify(found));
"""


class Played(NamedTuple):
    """A true transcript and its forgeries."""

    true: Any
    forged: list[tuple[str, Any]]


PAIRS = [
    (game, fair)
    for game, fair in zip(GAMES, cycle(("committed", "joint", "joint", "committed")), strict=False)
    if game in VERIFIER.read_text("utf-8")
]
"""Each game whose cards the script knows, each with one kind of fairness: all pairs would take twice as long."""


@pytest.fixture(scope="module", params=[*PAIRS[::2], *long(*PAIRS[1::2])], ids="-".join)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A true transcript of a game, and its forgeries."""
    game, fair = request.param
    true = transcript_of(game, fair, tmp_path_factory.mktemp("played"))
    return Played(true, list(forgeries(true)))


def in_javascript(folder: Path, transcripts: list[Any], *referee: str) -> list[list[str]]:
    """Return the errors that fairness.mjs finds in each transcript. Without a referee it replays nothing."""
    runner, file = folder / "runner.mjs", folder / "transcripts.json"
    runner.write_text(RUNNER)
    file.write_text(json.dumps(transcripts))
    faults: list[list[str]] = json.loads(in_node(runner, VERIFIER.as_uri(), file, *referee).stdout)
    return faults


def test_a_true_transcript_is_accepted(played: Played) -> None:
    answer = verified(played.true, played.true["commitment"], "en")
    assert (answer.verified, answer.wrong) == (True, [])
    assert answer.proved[0] == "The server seed is the one whose commitment was noted."


def test_no_forged_transcript_is_accepted(played: Played) -> None:
    assert len(played.forged) > 130
    believed = []
    for name, forged in played.forged:
        try:
            if verified(forged, None, "en").verified:
                believed.append(name)
        except Problem:  # it is no transcript
            continue
    assert believed == []


def test_javascript_accepts_a_true_transcript(played: Played, tmp_path: Path, referee_address: str) -> None:
    assert in_javascript(tmp_path, [played.true]) == [[]]  # as far as it is checked without a referee
    assert in_javascript(tmp_path, [played.true], referee_address) == [[]]


def test_javascript_accepts_no_forged_transcript(played: Played, tmp_path: Path, referee_address: str) -> None:
    """Only a third of the forgeries of single fields is tried: a Python verifier tries them all."""
    tried = [*played.forged[: len(BY_HAND)], *played.forged[len(BY_HAND) :: 3]]
    faults = in_javascript(tmp_path, [forged for _, forged in tried], referee_address)
    believed = [name for (name, _), wrong in zip(tried, faults, strict=True) if not wrong]
    assert believed == []
    assert [wrong for wrong in faults if wrong[0].startswith("The referee")] == []  # it answers them all


def test_a_transcript_that_other_rules_judged_is_not_called_forged(
    played: Played, tmp_path: Path, referee_address: str
) -> None:
    """Its last entry lacks an event, which under the same version of the rules would be a forgery."""
    old = json.loads(json.dumps(played.true))
    old["ruleset"] |= {"version": 1, "options": {"no-longer": "known"}}
    old["entries"][-1]["events"].pop()
    answer = verified(old, None, "en")
    assert (answer.verified, answer.proved) == (False, [])
    assert [each.pointer for each in answer.wrong] == ["/ruleset/version"]
    assert answer.wrong[0].detail.startswith("It was judged by version 1 of these rules.")
    faults = in_javascript(tmp_path, [old], referee_address)
    assert [len(each) for each in faults] == [1]
    assert faults[0][0].startswith("It was judged by version 1 of these rules.")


def test_sentences_are_no_evidence(played: Played, tmp_path: Path, referee_address: str) -> None:
    """Neither in another language, nor left out. Every other member of the events is compared."""
    reworded, without = json.loads(json.dumps([played.true, played.true]))
    for number, entry in enumerate(reworded["entries"]):
        for event in entry["events"]:
            event["text"] = f"sentence {number}"
    for event in (event for entry in without["entries"] for event in entry["events"]):
        del event["text"]
    assert [verified(each, None, "en").wrong for each in (reworded, without)] == [[], []]
    assert in_javascript(tmp_path, [reworded, without], referee_address) == [[], []]


def test_an_id_that_the_reader_gives_is_compared(played: Played) -> None:
    true, other = played.true["id"], "0123456789abcdef" * 2
    renamed = {**played.true, "id": other}
    assert [verified(each, None, "en", true).verified for each in (played.true, renamed)] == [True, False]
    assert [each.pointer for each in verified(renamed, None, "en", true).wrong] == ["/id"]
    assert [each.pointer for each in verified({**renamed, "id": "x"}, None, "en").wrong] == ["/id"]


def test_javascript_compares_an_id_that_the_reader_gives(played: Played, tmp_path: Path, referee_address: str) -> None:
    file = tmp_path / "transcript.json"
    file.write_text(json.dumps(played.true))
    command = [VERIFIER, file, played.true["commitment"]]
    runs = [in_node(*command, each, referee_address, check=False) for each in (played.true["id"], "0" * 32)]
    assert [run.returncode for run in runs] == [0, 1]
    assert runs[1].stdout == "It is of another session than the one whose id was noted.\n"


CARDS = ("a number", "invented seeds", "a seed", "a deck", "a deal", "another")
"""Forgeries of cards, which the JavaScript verifier finds without a referee."""


def test_javascript_finds_forged_cards_without_a_referee(played: Played, tmp_path: Path) -> None:
    forged = [(name, each) for name, each in played.forged if name.startswith(CARDS)]
    faults = in_javascript(tmp_path, [each for _, each in forged])
    believed = [name for (name, _), wrong in zip(forged, faults, strict=True) if not wrong]
    assert believed == []


def test_the_command_distinguishes_true_forged_and_no_transcripts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    true = transcript_of("take-that", "joint", tmp_path)
    file = tmp_path / "transcript.json"
    file.write_text(json.dumps(true))
    assert main(["verify", str(file), "--commitment", true["commitment"].upper()]) == 0
    assert json.loads(capsys.readouterr().out)["verified"] is True
    assert main(["verify", str(file), "--commitment", "0" * 64]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert [each["pointer"] for each in answer["wrong"]] == ["/server_seed"]
    assert answer["proved"] == []
    assert main(["verify", str(file), "--id", true["id"].upper()]) == 0
    assert main(["verify", str(file), "--id", "0" * 32]) == 1
    assert [each["pointer"] for each in json.loads(capsys.readouterr().out.splitlines()[-1])["wrong"]] == ["/id"]
    file.write_text("{}")
    assert main(["verify", str(file)]) == 2
