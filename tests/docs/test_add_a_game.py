"""docs/add-a-game.md makes a whole game. Its files, put where it says, are refereed and pass what every game passes."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.author import BLOCKS, PAGE, ROOT, WORKED, complete_copy, install_game, run_module
from tests.docs.planted_mistakes import MISTAKES, first_line_with_mistake

SHARED_TESTS = [
    "tests/engines/test_laws.py",
    "tests/engines/test_secrecy.py",
    "tests/conformance",
    "tests/test_purity.py",
]
"""What tries a game most, with few requests. `make author-check` runs all checks on the copy."""

pytestmark = pytest.mark.skipif((ROOT / "engines/high_card").exists(), reason="this is the copy, with its game")


def count_passed(result: subprocess.CompletedProcess[str]) -> int:
    """How many tests a run of pytest passed. None may have failed."""
    assert result.returncode == 0, result.stdout + result.stderr
    (count,) = re.findall(r"^(\d+) passed", result.stdout, re.MULTILINE)
    return int(count)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this repository with the files of the page, its vectors completed and its contract printed anew."""
    tree = complete_copy(tmp_path_factory.mktemp("tree"))
    (tree / "openapi.yaml").write_text(run_module(tree, "service.cli", "openapi").stdout, encoding="utf-8")
    result = run_module(tree, "tests.docs.generated")
    assert result.returncode == 0, result.stderr
    return tree


def test_the_files_of_the_page_lie_in_two_folders() -> None:
    assert {Path(file).parts[:2] for _kind, file, _content in BLOCKS} == {
        ("engines", "high_card"),
        ("seeds", "high_card"),
    }


@pytest.mark.timeout(400)
def test_the_shared_tests_find_the_new_game_and_reach_every_branch_of_it(tree: Path) -> None:
    pytest_ = ("pytest", "-q", "-p", "no:cacheprovider", "--cov=engines", "--cov-report=")
    result = run_module(tree, *pytest_, *SHARED_TESTS, "-k", "high-card or high_card")
    assert count_passed(result) > 80
    report = run_module(tree, "coverage", "report", "--include=engines/high_card/*", "--fail-under=100")
    assert report.returncode == 0, report.stdout


@pytest.mark.timeout(400)
def test_a_mistake_is_named_by_a_shared_check(tree: Path) -> None:
    """This one and all others: planted_mistakes.py."""
    line = first_line_with_mistake(tree, "a view that leaks")
    assert MISTAKES["a view that leaks"].message in line, line


def test_the_page_has_at_most_600_lines() -> None:
    assert PAGE.count("\n") <= 600


def test_a_clause_with_an_option_and_two_codes_has_its_id_in_eight_places(tree: Path) -> None:
    """In the files that an author writes, as the page says."""
    files = [*tree.glob("engines/high_card/*.py"), *tree.glob("seeds/high_card/*.yaml"), tree / WORKED]
    places = {file.name: file.read_text(encoding="utf-8").count("HC-2.3") for file in files}
    assert {name: count for name, count in places.items() if count} == {
        "rulebook.yaml": 1,
        "en.yaml": 1,
        "model.py": 1,
        "rulings.py": 2,
        "table.py": 1,
        "audit.py": 1,
        "first.yaml": 1,
    }


def test_the_page_has_the_message_of_each_mistake() -> None:
    """Those of its table that are planted."""
    table = PAGE.partition("## When something fails")[2]
    for name in (
        "a view that leaks",
        "an input that is changed",
        "a zone forgotten",
        "a card that is lost",
        "a check that raises",
        "two ranks exchanged",
        "a case forgotten",
        "a sentence forgotten",
        "an audit that is not asked",
        "a value of an option that no case tries",
    ):
        assert MISTAKES[name].message in table, name


@pytest.mark.timeout(400)
def test_a_new_game_is_written_that_is_clean_can_be_played_and_whose_vector_fails(tree: Path) -> None:
    """Its name sorts before core."""
    result = run_module(tree, "service.cli", "new-game", "black-maria")
    files = result.stdout.split()
    folders = {("engines", "black_maria"), ("seeds", "black_maria")}
    assert {Path(name).parts[:2] for name in files} == folders, result.stderr
    assert (
        count_passed(run_module(tree, "pytest", "-q", "-p", "no:cacheprovider", SHARED_TESTS[0], "-k", "black-maria"))
        > 20
    )
    for tool in (("ruff", "format", "--check"), ("ruff", "check"), ("mypy",)):
        result = run_module(tree, *tool, "engines/black_maria", "engines/high_card")
        assert result.returncode == 0, result.stdout + result.stderr
    result = run_module(tree, "tests.conformance.complete", "seeds/black_maria/worked/first.yaml")
    assert "black-maria-first: /events: played (BM-2.1) is not due; expected []" in result.stdout
    for folder in ("engines/black_maria", "seeds/black_maria"):
        shutil.rmtree(tree / folder)


@pytest.mark.parametrize("name", ["core", "http", "class"])
def test_a_new_game_takes_no_name_of_something_else(tree: Path, name: str) -> None:
    before = sorted(tree.glob("[es]*/*"))
    result = run_module(tree, "service.cli", "new-game", name)
    assert (result.returncode, result.stdout, sorted(tree.glob("[es]*/*"))) == (2, "", before)
    assert "choose another name" in result.stderr


def test_the_new_game_is_in_the_contract_and_in_the_lists_of_games(tree: Path) -> None:
    assert "/games/high-card/resolve:" in (tree / "openapi.yaml").read_text(encoding="utf-8")
    assert "- High Card: two players, duels of cards" in (tree / "README.md").read_text(encoding="utf-8")
    assert "| `high_card` | nothing: it is made for this page |" in (tree / "seeds/README.md").read_text("utf-8")


def test_the_new_game_is_refereed_from_a_package_of_its_own_too(tree: Path, tmp_path: Path) -> None:
    install_game(tree, tmp_path, "high_card", "high_card")
    result = run_module(
        ROOT, "pytest", "-q", "-p", "no:cacheprovider", *SHARED_TESTS[:2], "-k", "high-card", path=tmp_path
    )
    assert count_passed(result) > 20
    assert "/games/high-card/resolve:" in run_module(ROOT, "service.cli", "openapi", path=tmp_path).stdout
