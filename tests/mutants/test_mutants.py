"""The mutants of `tests.mutants`: which neighbours in a constant are exchanged, and that every game's tests notice."""

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

PAIRS_TRIED = 1
"""How many pairs of neighbours are tried here of each game that has tests of its own; `make mutants` tries all."""
OF_THIS_REPOSITORY = [each for each in engines.registry().values() if seeds.folder(each).is_relative_to(program.ROOT)]


def mutants_of(source: str) -> list[str]:
    """A module's text after each exchange that can be made in it."""
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
def test_exchanged_are_unlike_neighbours_in_ordered_constants_of_a_module(source: str, mutants: list[str]) -> None:
    assert mutants_of(source) == mutants


def test_a_sample_takes_a_pair_of_every_constant_before_a_second_of_any_and_is_always_the_same() -> None:
    every = list(swaps(Path("m.py"), b"A = (1, 2, 3, 4, 5)\nB = (1, 2)\nC = (1, 2)"))
    assert {swap.constant for swap in program.sample_of_swaps(every, 3)} == {"A", "B", "C"}
    assert program.sample_of_swaps(every, 3) == program.sample_of_swaps(every, 3)
    assert sorted(map(id, program.sample_of_swaps(every, 99))) == sorted(map(id, every))


def test_a_swap_is_described_by_file_constant_and_values() -> None:
    source = b"\n\nRANKS = ('ace', 'three')"
    (swap,) = swaps(Path("engines/x/ranks.py"), source)
    assert swap.described(source) == "engines/x/ranks.py:3 RANKS: 'ace' and 'three' exchanged"


def test_a_game_without_a_test_folder_of_its_own_is_tried_by_the_shared_tests() -> None:
    assert program.tests_of("twins") == ["tests/engines/twins"]
    assert program.tests_of("no_game")[-2:] == ["-k", "no_game or no-game"]


def test_an_unknown_game_is_refused_and_the_known_ones_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        program.main(["twinz"])
    assert "'twinz' (choose from " in capsys.readouterr().err


@pytest.mark.parametrize("game", [seeds.folder(engine).name for engine in OF_THIS_REPOSITORY])
@pytest.mark.timeout(1800)  # trying every pair of a game, as the docstring says of a new one, takes many minutes
def test_a_games_tests_and_vectors_notice_pairs_exchanged_in_its_constants(game: str) -> None:
    """`tests.mutants` exits with 0: some test or vector failed at each exchange that was tried.

    Tried is a sample of the pairs of neighbours, where the game has a folder of tests. A new game may have none: only
    its vectors and the shared tests watch over its constants, so every pair is tried, and its author sees in the output
    of this test which constants need a further vector.
    """
    has_own_tests = (program.ROOT / "tests/engines" / game).is_dir()
    sample = ["--sample", str(PAIRS_TRIED)] if has_own_tests else []
    command = [sys.executable, "-m", "tests.mutants", game, *sample]
    unmeasured = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    done = subprocess.run(command, cwd=program.ROOT, env=unmeasured, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_exchange_that_no_test_notices_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(program, "is_noticed", lambda swap, game: False)
    assert program.main(["take_that", "--sample", "1"]) == 1
    missed, remedy, count = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"No test noticed engines/take_that/\w+\.py:\d+ [A-Z_]+: .+ and .+ exchanged\.", missed)
    assert remedy.startswith("take_that: add a case.")
    assert count == "take_that: 0 of 1 exchanged pairs were noticed."


def test_the_program_exits_with_2_if_tests_fail_with_nothing_exchanged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tests that fail anyway would seem to notice every exchange, and prove nothing."""
    monkeypatch.setattr(program, "is_noticed", lambda swap, game: True)
    assert program.main(["twins"]) == 2
    assert capsys.readouterr().out.startswith("twins: a vector or a test fails with nothing exchanged")
