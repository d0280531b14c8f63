"""Neighbours in a constant are found and exchanged; in every game some of them, and its tests notice."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import engines
import tests.mutants.__main__ as program
from service import seeds
from tests.mutants.constants import swaps

SOME = 1  #: Pairs of each game that has tests of its own; `make mutants` tries all.
HERE = [engine for engine in engines.registry().values() if seeds.folder(engine).is_relative_to(program.ROOT)]


def exchanged(source: str) -> list[str]:
    """The texts that a module becomes."""
    return [swap.applied(source.encode()).decode() for swap in swaps(Path("m.py"), source.encode())]


@pytest.mark.parametrize(
    ("source", "mutants"),
    [
        ("A = (1, 2, 3)", ["A = (2, 1, 3)", "A = (1, 3, 2)"]),
        ("A: Final = [-1, 2]", ["A: Final = [2, -1]"]),
        ("A = {1: 'é', 2: 'b'}", ["A = {1: 'b', 2: 'é'}"]),
        ("A = {one: rulings.ONE, two: rulings.TWO}", ["A = {one: rulings.TWO, two: rulings.ONE}"]),
        ("A = {1: (5, 7), 2: (5,)}", ["A = {1: (5,), 2: (5, 7)}", "A = {1: (7, 5), 2: (5,)}"]),
        ("A = tuple(s + r for s in 'SH' for r in 'A')", ["A = tuple(s + r for s in 'HS' for r in 'A')"]),
        ("A = {r: p for p, r in enumerate((4, 7))}", ["A = {r: p for p, r in enumerate((7, 4))}"]),
        ("A = (1, 1)", []),
        ("A = frozenset((1, 2))", []),
        ("A = {1, 2}", []),
        ("A = (check, other)", []),
        ("A = {'a': Seat, 'b': Card}", []),
        ("A = 'text'", ["A = 'etxt'", "A = 'txet'", "A = 'tetx'"]),
        ("a = (1, 2)", []),
        ("def f():\n    A = (1, 2)", []),
        ("Phase: TypeAlias = Literal['a', 'b']", []),
    ],
)  # fmt: skip
def test_neighbours_are_exchanged(source: str, mutants: list[str]) -> None:
    assert exchanged(source) == mutants


def test_a_sample_has_one_of_each_constant_first() -> None:
    every = list(swaps(Path("m.py"), b"A = (1, 2, 3, 4, 5)\nB = (1, 2)\nC = (1, 2)"))
    assert {swap.constant for swap in program.sampled(every, 3)} == {"A", "B", "C"}
    assert program.sampled(every, 3) == program.sampled(every, 3)
    assert sorted(map(id, program.sampled(every, 99))) == sorted(map(id, every))


def test_a_swap_is_described_by_file_constant_and_values() -> None:
    source = b"\n\nRANKS = ('ace', 'three')"
    (swap,) = swaps(Path("engines/x/ranks.py"), source)
    assert swap.described(source) == "engines/x/ranks.py:3 RANKS: 'ace' and 'three' exchanged"


def test_a_game_without_tests_of_its_own_has_the_shared_ones() -> None:
    assert program.tests_of("twins") == ["tests/engines/twins"]
    assert program.tests_of("no_game")[-2:] == ["-k", "no_game or no-game"]


def test_a_folder_that_is_no_game_is_refused_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        program.main(["twinz"])
    assert "'twinz' (choose from " in capsys.readouterr().err


@pytest.mark.parametrize("game", [seeds.folder(engine).name for engine in HERE])
@pytest.mark.timeout(1800)  # of a new game, whose author waits for what nobody noticed
def test_pairs_exchanged_in_a_games_constants_are_noticed(game: str) -> None:
    """All of them in a game of two folders, which is tried by its vectors and the shared tests alone."""
    some = ["--sample", str(SOME)] if (program.ROOT / "tests/engines" / game).is_dir() else []
    command = [sys.executable, "-m", "tests.mutants", game, *some]
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    done = subprocess.run(command, cwd=program.ROOT, env=unmeasured, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_no_test_notices_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(program, "noticed", lambda swap, game: False)
    assert program.main(["take_that", "--sample", "1"]) == 1
    missed, count = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"No test noticed engines/take_that/\w+\.py:\d+ [A-Z_]+: .+ and .+ exchanged\.", missed)
    assert count == "take_that: 0 of 1 exchanged pairs were noticed."


def test_tests_that_fail_with_nothing_exchanged_prove_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program, "noticed", lambda swap, game: True)
    assert program.main(["twins"]) == 2
    assert capsys.readouterr().out.startswith("twins: a vector or a test fails with nothing exchanged")
