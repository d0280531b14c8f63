"""The deals of docs/fairness.md, made by the service and checked by the JavaScript verifier."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import engines
from engines.core.shuffle import commitment, in_order
from service.routes.playground import FILES
from service.sessions.record import deal_seed, server_seed
from tests.service.sessions.forgeries import transcript_of
from tests.service.sessions.tables import GAMES, fewest

DOCS = Path(__file__).parents[3] / "docs"
VERIFIER = FILES / "fairness.mjs"


def vectors() -> Any:
    block = re.search(r"```json\n(.*?)\n```", (DOCS / "fairness.md").read_text(), re.DOTALL)
    assert block is not None
    return json.loads(block[1])


VECTORS = vectors()


def in_javascript(expression: str, *arguments: Any) -> Any:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node here")
    script = (
        "const [address, given] = process.argv.slice(1);"
        "import(address).then((fairness) => {"
        f" const call = {expression}; console.log(JSON.stringify(call(...JSON.parse(given)))); }});"
    )
    command = [node, "-e", script, VERIFIER.as_uri(), json.dumps(arguments)]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def test_the_commitment_is_the_published_one() -> None:
    assert commitment(VECTORS["commitment"]["server_seed"]) == VECTORS["commitment"]["commitment"]


@pytest.mark.parametrize("deal", VECTORS["deals"])
def test_a_deals_seed_is_the_published_one(deal: dict[str, Any]) -> None:
    assert deal_seed(deal["server_seed"], deal["seeds"], deal["number"]) == deal["seed"]


@pytest.mark.parametrize("shuffle", VECTORS["shuffles"])
def test_a_shuffle_is_the_published_one(shuffle: dict[str, Any]) -> None:
    cards = [tuple(card) if isinstance(card, list) else card for card in shuffle["cards"]]
    assert list(in_order(cards, shuffle["seed"])) == shuffle["order"]


def test_javascript_finds_the_published_commitment() -> None:
    given = VECTORS["commitment"]
    assert in_javascript("fairness.commitment", given["server_seed"]) == given["commitment"]


@pytest.mark.parametrize("deal", VECTORS["deals"])
def test_javascript_finds_the_published_seed(deal: dict[str, Any]) -> None:
    assert in_javascript("fairness.dealSeed", deal["server_seed"], deal["seeds"], deal["number"]) == deal["seed"]


@pytest.mark.parametrize("shuffle", VECTORS["shuffles"])
def test_javascript_finds_the_published_shuffle(shuffle: dict[str, Any]) -> None:
    assert in_javascript("fairness.shuffled", shuffle["cards"], shuffle["seed"]) == shuffle["order"]


def test_javascript_escapes_awkward_seeds_as_we_do() -> None:
    seeds = ['\u0000\u0001\b\t\n\u000b\f\r\u001f"\\/', "\u007f\u0085\u2028\u2029 é 🂡"]
    assert in_javascript("fairness.dealSeed", "a" * 64, seeds, 12) == deal_seed("a" * 64, seeds, 12)


def verified(folder: Path, transcript: Any, *arguments: str) -> tuple[int, str]:
    """Return the exit status and the first line of the verifier as a command."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node here")
    file = folder / "transcript.json"
    file.write_text(json.dumps(transcript), encoding="utf-8")
    done = subprocess.run([node, VERIFIER, file, *arguments], capture_output=True, check=False, text=True)
    return done.returncode, (done.stdout or done.stderr).splitlines()[0]


@pytest.fixture(scope="module")
def true(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A true transcript of two joint deals, whose players have no names."""
    return transcript_of("take-that", "joint", tmp_path_factory.mktemp("true"), named=False)


@pytest.mark.parametrize("spell", [str.lower, str.upper])
def test_the_command_accepts_a_true_transcript(
    tmp_path: Path, true: Any, referee: str, spell: Callable[[str], str]
) -> None:
    said = verified(tmp_path, true, spell(true["commitment"]), referee)
    assert said == (0, "2 deals, all as committed to.")


def test_the_command_says_which_commitment_it_used(tmp_path: Path, true: Any, referee: str) -> None:
    believed = "2 deals, all as its own commitment has it. To be sure, give the one noted at the opening."
    assert verified(tmp_path, true, referee) == (0, believed)


def test_without_a_referee_the_command_verifies_nothing(tmp_path: Path, true: Any) -> None:
    assert verified(tmp_path, true, true["commitment"]) == (3, "2 deals, all as committed to.")


def test_the_command_fails_for_another_commitment(tmp_path: Path, true: Any) -> None:
    assert verified(tmp_path, true, commitment("b" * 64)) == (1, "The seed is not the one committed to.")


def test_the_command_says_that_the_seed_is_not_yet_revealed(tmp_path: Path, true: Any) -> None:
    assert verified(tmp_path, true | {"server_seed": None}) == (1, "The seed is not out yet.")


@pytest.mark.parametrize("arguments", [["deadbeef"], [""]], ids=["half a commitment", "an empty one"])
def test_the_command_names_the_input_that_it_cannot_use(tmp_path: Path, true: Any, arguments: list[str]) -> None:
    status, said = verified(tmp_path, true, *arguments)
    assert (status, bool(said)) == (2, True)


def test_the_command_distinguishes_a_problem_from_a_transcript(tmp_path: Path) -> None:
    problem = {"type": "/problems/forbidden", "status": 403}
    assert verified(tmp_path, problem) == (2, "This is no transcript.")


@pytest.mark.parametrize("game", GAMES)
def test_javascript_knows_the_cards_of_each_game(game: str) -> None:
    engine = engines.registry()[game]
    cards = engine.cards(engine.setup(seats=fewest(game)))
    known = in_javascript("(game) => fairness.games[game]?.pack({}) ?? null", game)
    if known is None:
        pytest.skip("its seeds and deals are verified, not its cards")
    assert known == [list(card) if isinstance(card, tuple) else card for card in cards]


def test_the_verifier_is_short() -> None:
    """So that a player who trusts nobody can read it; it has had to grow as strict as `referee verify`."""
    assert len(VERIFIER.read_text().splitlines()) <= 210


def test_a_server_seed_is_new_every_time() -> None:
    assert len({server_seed() for _ in range(100)}) == 100
    assert re.fullmatch("[0-9a-f]{64}", server_seed())
