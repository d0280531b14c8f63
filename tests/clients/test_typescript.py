"""`clients/typescript` against the live service, run as it stands, and compiled as it is published."""

import re
import shutil
from pathlib import Path

import pytest

from service.problems import KINDS
from tests.clients import generated
from tests.clients.compiled import COMPILER, PACKAGE, compiled, needs_compiler, node
from tests.server import Server

TESTS = Path(__file__).parent / "typescript"


@pytest.fixture
def address(server: Server) -> str:
    return f"http://127.0.0.1:{server.port}"


@pytest.mark.parametrize("game", generated.known())
def test_a_whole_game_is_played_followed_and_put_into_words(address: str, game: str) -> None:
    node(TESTS / "play.mts", address, game)


def test_the_live_service_answers_what_the_client_asks(address: str) -> None:
    node("--test", TESTS / "live.mts", REFEREE_URL=address)


def test_what_breaks_off_is_sent_again() -> None:
    node("--test", TESTS / "failing.mts")


def test_every_kind_of_problem_has_a_class() -> None:
    text = (PACKAGE / "src/problems.ts").read_text("utf-8")
    assert set(re.findall(r'readonly kind = "(.+)"', text)) == KINDS.keys()


@needs_compiler
def test_what_is_published_compiles_and_so_does_what_the_readme_shows(address: str, tmp_path: Path) -> None:
    installed = tmp_path / "node_modules/rules-referee"
    compiled(installed / "dist")
    shutil.copy(PACKAGE / "package.json", installed)
    (shown,) = re.findall(r"```ts\n(.*?)```", (PACKAGE / "README.md").read_text("utf-8"), re.DOTALL)
    (tmp_path / "first.mts").write_text(shown.replace("http://127.0.0.1:8000", address), "utf-8")
    node(COMPILER, "--strict", "--target", "es2022", "--module", "nodenext", "first.mts", cwd=tmp_path)
    *events, refused = node("first.mjs", cwd=tmp_path).splitlines()
    assert events
    assert all(line.startswith("TW-") for line in events)
    assert refused == "La partita è finita: non ci sono altre mosse."


@needs_compiler
def test_moves_of_another_game_and_codes_that_are_forgotten_do_not_compile() -> None:
    node(COMPILER, "--project", TESTS)
