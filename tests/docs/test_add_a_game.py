"""docs/add-a-game.md makes a whole game. Its files, put where it says, are refereed and pass what every game passes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from service.conformance import differences

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/add-a-game.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```\w+ (\S+/\S+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
VECTORS = "seeds/high_card/vectors/duels.json"
SHARED = [
    "tests/engines/test_laws.py",
    "tests/engines/test_secrecy.py",
    "tests/conformance",
    "tests/test_purity.py",
    "tests/service/sessions/test_secrets.py",
    "tests/service/test_playground.py",
    "tests/service/test_largest_numbers.py",
    "tests/service/test_schemathesis.py",
]


def run(folder: Path, *command: str, path: Path | None = None, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """A Python module as a command. Coverage is not measured: this is another tree."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    environment |= {} if path is None else {"PYTHONPATH": str(path)}
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, env=environment, input=stdin, capture_output=True, text=True,
        timeout=600, check=False,
    )  # fmt: skip


def passed(done: subprocess.CompletedProcess[str]) -> int:
    """How many tests passed; all of those that were chosen."""
    assert done.returncode == 0, done.stdout + done.stderr
    (count,) = re.findall(r"^(\d+) passed", done.stdout, re.MULTILINE)
    return int(count)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this repository with the files of the page, its vectors completed and its contract printed anew."""
    tree = tmp_path_factory.mktemp("tree")
    for folder in ("engines", "service", "seeds", "tests", "deploy", "docs"):
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "openapi.yaml", "README.md"):
        shutil.copy(ROOT / file, tree)
    for name, text in FILES.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text, encoding="utf-8")
    done = run(tree, "tests.conformance.complete", VECTORS)
    assert done.returncode == 0, done.stdout + done.stderr
    (tree / "openapi.yaml").write_text(run(tree, "service.cli", "openapi").stdout, encoding="utf-8")
    done = run(tree, "tests.docs.games")
    assert done.returncode == 0, done.stderr
    return tree


def test_the_game_is_two_folders() -> None:
    assert {Path(name).parts[:2] for name in FILES} == {("engines", "high_card"), ("seeds", "high_card")}


@pytest.mark.timeout(400)
def test_the_shared_tests_take_it_unasked_and_reach_every_branch_of_it(tree: Path) -> None:
    pytest_ = ("pytest", "-q", "-p", "no:cacheprovider", "--cov=engines", "--cov-report=")
    done = run(tree, *pytest_, *SHARED, "-k", "high-card or high_card")
    assert passed(done) > 80
    report = run(tree, "coverage", "report", "--include=engines/high_card/*", "--fail-under=100")
    assert report.returncode == 0, report.stdout


@dataclass(frozen=True)
class Mistake:
    """What is planted in a file, as words and what replaces them; the check that must fail, and what it must say."""

    file: str
    planted: dict[str, str]
    check: tuple[str, ...]
    said: tuple[str, ...]


def run_tests(*files: str) -> tuple[str, ...]:
    return ("pytest", "-q", "-p", "no:cacheprovider", *files, "-k", "high-card or high_card")


TRACE = run_tests("tests/conformance/test_traceability.py")
MISTAKES = {
    "a view that leaks": Mistake(
        "engines/high_card/view.py",
        {"return changed(state, hands=only_own(state.hands, seat), stock=unseen(state.stock))": "return state"},
        run_tests("tests/engines/test_secrecy.py"),
        # Its cards are numbers: a search of answers for words would not find them.
        (
            "high-card: seat 1 is shown 'hands/0/0' of the table; see seeds/high_card/secrets.yaml.",
            "high-card: a spectator is shown 'stock/0' of the table; see seeds/high_card/secrets.yaml.",
        ),
    ),
    "a check of another move": Mistake(
        "engines/high_card/checks.py",
        {"player_is_next(state: State, move: Play)": "player_is_next(state: State, move: Deal)"},
        ("service.cli", "openapi"),
        ("high-card: player_is_next is a check of the move Play, but takes Deal",),
    ),
    "a check of another move, for mypy": Mistake(
        "engines/high_card/checks.py",
        {"player_is_next(state: State, move: Play)": "player_is_next(state: State, move: Deal)"},
        ("mypy", "engines/high_card"),
        ("engines/high_card/checks.py:24: error: ", "Callable[[State, Deal]", "Callable[[State, Play]"),
    ),
    "two ranks exchanged": Mistake(
        "engines/high_card/table.py",
        {
            "\nZONES =": "\nRANKS = {5: 6, 6: 5}\nZONES =",
            "(led > answer)": "(RANKS.get(led, led) > RANKS.get(answer, answer))",
        },
        run_tests("tests/mutants/test_mutants.py"),
        ("No test noticed engines/high_card/table.py:6 RANKS: 6 and 5 exchanged.",),
    ),
    "a case forgotten": Mistake(
        VECTORS,
        {'"code": "not-held"': '"code": "?"'},
        TRACE,
        ("no vector of high-card shows not-held (HC-2.2): add a case whose answer has it",),
    ),
    "an audit that is not asked": Mistake(
        "engines/high_card/audit.py",
        {"    cards_are_left_while_playing,\n": ""},
        TRACE,
        ("engines.high_card.audit: nobody asks cards_are_left_while_playing: it is in no row of a move and in no",),
    ),
    "a fault never raised": Mistake(
        "engines/high_card/audit.py",
        {"    return rulings.CARDS_ASTRAY": "    return None\n    return rulings.CARDS_ASTRAY"},
        run_tests("tests/conformance/test_vectors.py"),
        ("high-card-broken-table: /faults: cards-astray (HC-3.1) is missing; expected",),
    ),
}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_named_by_a_check_that_nobody_has_to_ask_for(tree: Path, mistake: Mistake) -> None:
    file = tree / mistake.file
    written = file.stat().st_mtime_ns
    sound = planted = file.read_text(encoding="utf-8")
    for words, others in mistake.planted.items():
        assert words in planted
        planted = planted.replace(words, others)
    try:
        file.write_text(planted, encoding="utf-8")
        # Bytecode is known to be of a file by its second and its length, which both may be those of the sound one.
        os.utime(file, ns=(written, written + (1 + list(MISTAKES.values()).index(mistake)) * 10**9))
        done = run(tree, *mistake.check)
    finally:
        file.write_text(sound, encoding="utf-8")
        os.utime(file, ns=(written, written))
    assert done.returncode != 0
    assert [words for words in mistake.said if words not in done.stdout + done.stderr] == [], done.stdout + done.stderr


def test_the_page_says_what_is_said_of_a_mistake() -> None:
    """Those of its table that are planted here."""
    _, _, table = PAGE.partition("## When something fails")
    for name in (
        "a view that leaks",
        "a check of another move",
        "two ranks exchanged",
        "a case forgotten",
        "an audit that is not asked",
        "a fault never raised",
    ):
        assert MISTAKES[name].said[0] in table


def test_what_the_other_pages_print_stays_true(tree: Path) -> None:
    done = run(tree, "pytest", "-q", "-p", "no:cacheprovider", "tests/docs/test_docs.py", "-k", "calls")
    assert passed(done) > 3


@pytest.mark.parametrize("tool", [("ruff", "format", "--check"), ("ruff", "check"), ("mypy",)], ids=" ".join)
def test_its_code_is_clean(tree: Path, tool: tuple[str, ...]) -> None:
    done = run(tree, *tool, "engines/high_card")
    assert done.returncode == 0, done.stdout + done.stderr


def test_it_is_in_the_contract(tree: Path) -> None:
    assert "/games/high-card/resolve:" in (tree / "openapi.yaml").read_text(encoding="utf-8")


def test_it_is_in_the_lists_of_games(tree: Path) -> None:
    assert "- High Card: two players, duels of cards" in (tree / "README.md").read_text(encoding="utf-8")
    assert "| `high_card` | nothing: it is made for this page |" in (tree / "seeds/README.md").read_text("utf-8")


def test_its_call_gives_the_answer_that_the_page_prints(tree: Path) -> None:
    ((body, answer),) = re.findall(
        r"--json '([^']+)'\n```\n+```json high-card\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE
    )
    done = run(tree, "service.cli", "--language", "en", "resolve", "-", stdin=body)
    assert list(differences(json.loads(answer), json.loads(done.stdout), wording=True)) == []


def test_it_is_refereed_from_a_package_of_its_own_too(tree: Path, tmp_path: Path) -> None:
    package = tmp_path / "high_card"
    shutil.copytree(tree / "engines/high_card", package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(tree / "seeds/high_card", package / "seeds")
    for module in package.glob("*.py"):
        module.write_text(module.read_text("utf-8").replace("engines.high_card", "high_card"), encoding="utf-8")
    metadata = tmp_path / "high_card-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: high-card\nVersion: 1\n", encoding="utf-8")
    (entry,) = re.findall(r"^    (\[project\.entry-points\..*\]\n    .*)$", PAGE, re.MULTILINE)
    group, _, line = entry.partition("\n")
    named = f"[{group.split(chr(34))[1]}]\n{line.strip().replace(chr(34), '')}\n"
    (metadata / "entry_points.txt").write_text(named, encoding="utf-8")
    done = run(ROOT, "pytest", "-q", "-p", "no:cacheprovider", *SHARED[:3], "-k", "high-card", path=tmp_path)
    assert passed(done) > 60
