"""`clients/typescript` against the live service, run as it stands, and compiled as it is published."""

import re
import shutil
from pathlib import Path

import pytest

from service.problems import KINDS
from tests.clients.compiled import PACKAGE, compile_package, needs_compiler, node, tsc
from tests.games import OURS
from tests.server import Server

TESTS = Path(__file__).parent / "typescript"


@pytest.fixture
def address(server: Server) -> str:
    """The address of a running service."""
    return f"http://127.0.0.1:{server.port}"


@pytest.mark.parametrize("game", OURS)
def test_a_whole_game_is_played_followed_and_put_into_words(address: str, game: str) -> None:
    node(TESTS / "play.mts", address, game)


def test_the_client_passes_its_own_tests_against_a_running_service(address: str) -> None:
    node("--test", TESTS / "live.mts", REFEREE_URL=address)


def test_the_client_passes_its_own_tests_against_a_server_that_fails() -> None:
    node("--test", TESTS / "failing.mts")


def test_every_kind_of_problem_has_a_class() -> None:
    text = (PACKAGE / "src/problems.ts").read_text("utf-8")
    assert set(re.findall(r'readonly kind = "(.+)"', text)) == KINDS.keys()


@needs_compiler
def test_the_package_compiles_and_the_program_of_the_readme_compiles_with_it_and_runs(
    address: str, tmp_path: Path
) -> None:
    installed = tmp_path / "node_modules/rules-referee"
    compile_package(installed / "dist")
    shutil.copy(PACKAGE / "package.json", installed)
    program, *_ = re.findall(r"```ts\n(.*?)```", (PACKAGE / "README.md").read_text("utf-8"), re.DOTALL)
    (tmp_path / "first.mts").write_text(program.replace("http://127.0.0.1:8000", address), "utf-8")
    tsc("--strict", "--target", "es2022", "--module", "nodenext", "first.mts", cwd=tmp_path)
    *events, refused = node("first.mjs", cwd=tmp_path).splitlines()
    assert events
    assert all(line.startswith("TW-") for line in events)
    assert re.fullmatch(r"La partita è finita: non ci sono altre mosse\. \(TW-[\d.]+\)", refused)


@needs_compiler
def test_two_dozen_misspellings_moves_of_another_game_and_forgotten_codes_do_not_compile() -> None:
    """The files there mark each line that must not compile with `@ts-expect-error`."""
    tsc("--project", TESTS)
