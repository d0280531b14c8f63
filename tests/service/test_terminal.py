"""What `referee` writes where a person reads it: on a terminal."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import engines
from service.cli import main
from service.cli.terminal import lines
from service.conformance import vectors_of
from service.contract.openapi.examples import examples
from service.judging.calls import judged
from service.judging.games import rulebook
from service.strict_json import plain
from tests.server import ROOT

KNOCK = next(each.request["body"] for each in vectors_of("gin-rummy") if each.id == "gin-knock-and-lay-off")


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Return a function that runs a command as for a person, and returns its exit status and its output."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("service.cli._is_for_people", lambda: True)

    def run(*arguments: str) -> tuple[int, str]:
        status = main(["--language", "en", *arguments])
        return status, "".join(capfd.readouterr())

    return run


def on_a_terminal(*arguments: str) -> str:
    """What a command writes on a real terminal (a pty)."""
    screen, inside = pty.openpty()
    command = [sys.executable, "-m", "service.cli", "--language", "en", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdin=inside, stdout=inside, stderr=inside):
        os.close(inside)
        output = b""
        with suppress(OSError):  # the command has closed its end
            while piece := os.read(screen, 65_536):
                output += piece
    os.close(screen)
    return output.decode().replace("\r\n", "\n")


def test_a_terminal_shows_sentences_unless_json_is_wanted(filed: Callable[[Any], str]) -> None:
    assert on_a_terminal("resolve", filed(KNOCK)).startswith("GR-5.1  Seat 0 knocks with 7 points of deadwood.\n")
    assert json.loads(on_a_terminal("resolve", filed(KNOCK), "--json"))["applied"] == 2


def test_an_answer_is_sentences_then_standings_then_the_rest_as_json(
    filed: Callable[[Any], str], written: Callable[..., tuple[int, str]]
) -> None:
    status, text = written("resolve", filed({**KNOCK, "names": ["Ann", "Ben"]}))
    *sentences, first, second = text.partition("\n{")[0].splitlines()
    assert status == 0
    assert [sentence.split()[0] for sentence in sentences] == ["GR-5.1", "GR-6.1", "GR-7.1", "GR-7.1"]
    assert (first, second) == ("1. Ann: 28", "2. Ben: 0")
    rest = json.loads(text[text.index("\n{") :])
    assert (rest["legal"], rest["state"]["scores"]) == (True, [28, 0])
    assert {"events", "standings"}.isdisjoint(rest)


def test_a_comparison_has_the_rulings_and_standings_of_each_ruleset() -> None:
    """Three tie for one prize of Twins, and the texts disagree."""
    state = {"phase": "trick", "trick": 2, "chips": [10, 10, 10, 9, 9], "pot": 12}
    plays = [["blue-9", "yellow-9"], ["brown-3", "blue-3"], ["green-3", "yellow-3"], ["pink-3", "purple-3"], None]
    move = {"type": "play", "seat": 4, "cards": ["green-4", "blue-1"]}
    body = {"game": "twins", "state": {**state, "plays": plays}, "moves": [move], "compare": ["italian", "french"]}
    text = list(lines(plain(judged("resolve", None, body, "en")), None, "en", 100))
    italian, french = text.index("italian:"), text.index("french:")
    assert "TW-5.2  Seat 1 wins 3 chips" in "\n".join(text[italian:french])
    assert text[french - 5 : french] == [
        "1. seat 0: 13",
        "1. seat 1: 13",
        "1. seat 2: 13",
        "4. seat 3: 12",
        "5. seat 4: 9",
    ]
    assert text[-6:-1] == ["1. seat 0: 13", "2. seat 1: 10", "2. seat 2: 10", "4. seat 3: 9", "4. seat 4: 9"]


def test_teams_stand_by_their_players() -> None:
    standings = [{"team": 0, "score": 3, "rank": 1}, {"team": 1, "score": 2, "rank": 2}]
    assert list(lines({"standings": standings}, None, "fr", 80)) == ["1. l'équipe 0: 3", "2. l'équipe 1: 2", "{}"]


def test_what_fits_on_a_line_is_on_one_line_and_a_pile_of_cards_always_is() -> None:
    answer = {"hands": [["AS", "KS"], ["2H"]], "pile": ["TS"] * 9, "detail": "The deal is done."}
    (short,), (long,) = (list(lines(answer, None, "en", columns)) for columns in (200, 30))
    assert short == json.dumps(answer)
    assert long.splitlines() == [
        "{",
        '  "hands": [["AS", "KS"], ["2H"]],',
        f'  "pile": {json.dumps(answer["pile"])},',
        '  "detail": "The deal is done."',
        "}",
    ]


def test_the_clause_that_forbids_a_move_is_quoted(
    filed: Callable[[Any], str], written: Callable[..., tuple[int, str]]
) -> None:
    state = {"phase": "buying", "chips": [2, 12, 12, 12], "pot": 10, "dealer": 3, "bought": [None] * 4}
    move = {"type": "buy", "seat": 0, "count": 2}
    status, text = written("validate", filed({"game": "twins", "state": state, "move": move}))
    assert status == 1
    assert re.match(
        r"TW-2\.3  This purchase costs 3 chips, and the buyer has 2\.\n  “Nobody buys on credit: .*”\n", text
    )


@pytest.mark.parametrize("game", engines.registry())
@pytest.mark.parametrize("language", ["en", "it", "fr"])
def test_every_ruling_of_every_answer_is_shown(game: str, language: str) -> None:
    clauses = {clause.id: clause.text for clause in rulebook(engines.registry()[game], language).clauses}
    for example in examples(game):
        answer = plain(judged(example.operation[1:], None, example.request, language))
        text = list(lines(answer, None, language, 100))
        for ruling in answer.get("events", ()):
            assert f"{ruling['rule']}  {ruling['text']}" in text
        for ruling in [*answer.get("violations", ()), *answer.get("faults", ())]:
            after = text.index(f"{ruling['rule']}  {ruling['text']}") + 1
            assert text[after] == f"  “{clauses[ruling['rule']]}”"


def test_what_stops_a_resolution_is_quoted() -> None:
    stopped = next(each for each in vectors_of("gin-rummy") if each.response["body"].get("undetermined"))
    answer = plain(judged("resolve", None, stopped.request["body"], "en"))
    text = list(lines(answer, None, "en", 100))
    stop = answer["undetermined"]
    assert text[text.index(f"{stop['rule']}  {stop['text']}") + 1].startswith("  “")


def test_a_rulebook_is_markdown(written: Callable[..., tuple[int, str]]) -> None:
    status, text = written("rulebook", "take-that")
    assert (status, text.splitlines()[0]) == (0, "# Take That")
    assert "TT-1.1" in text


def test_a_mistake_is_one_line_without_json(written: Callable[..., tuple[int, str]]) -> None:
    assert written("view", "nowhere.json") == (2, "referee view: nowhere.json: The file nowhere.json cannot be read.\n")
