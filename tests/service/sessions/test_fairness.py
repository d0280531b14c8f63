"""The deals of docs/fairness.md, made by the service and checked by the JavaScript verifier."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import engines
from engines.core.shuffle import commitment, in_order
from service.sessions.record import deal_seed, server_seed
from tests.service.sessions.forgeries import VERIFIER, in_node, transcript_of
from tests.service.sessions.tables import GAMES, fewest_seats

DOCS = Path(__file__).parents[3] / "docs"


def vectors() -> Any:
    """Return the vectors that docs/fairness.md prints."""
    block = re.search(r"```json\n(.*?)\n```", (DOCS / "fairness.md").read_text(), re.DOTALL)
    assert block is not None
    return json.loads(block[1])


VECTORS = vectors()


def in_javascript(expression: str, *arguments: Any) -> Any:
    """Return what a function of JavaScript, given as text, returns for these arguments. `fairness`: the verifier."""
    script = (
        "const [address, given] = process.argv.slice(1);"
        "import(address).then((fairness) => {"
        f" const call = {expression}; console.log(JSON.stringify(call(...JSON.parse(given)))); }});"
    )
    return json.loads(in_node("-e", script, VERIFIER.as_uri(), json.dumps(arguments)).stdout)


def test_the_published_commitment_seeds_and_shuffles_are_found_here_and_in_javascript() -> None:
    seeds = [deal["seed"] for deal in VECTORS["deals"]]
    orders = [shuffle["order"] for shuffle in VECTORS["shuffles"]]
    assert commitment(VECTORS["commitment"]["server_seed"]) == VECTORS["commitment"]["commitment"]
    assert [deal_seed(deal["server_seed"], deal["seeds"], deal["number"]) for deal in VECTORS["deals"]] == seeds
    for shuffle in VECTORS["shuffles"]:
        cards = [tuple(card) if isinstance(card, list) else card for card in shuffle["cards"]]
        assert list(in_order(cards, shuffle["seed"])) == shuffle["order"]
    results = in_javascript(
        "(all) => [fairness.commitment(all.commitment.server_seed),"
        " all.deals.map((deal) => fairness.dealSeed(deal.server_seed, deal.seeds, deal.number)),"
        " all.shuffles.map((shuffle) => fairness.shuffled(shuffle.cards, shuffle.seed))]",
        VECTORS,
    )
    assert results == [VECTORS["commitment"]["commitment"], seeds, orders]


def test_javascript_escapes_awkward_seeds_as_we_do() -> None:
    seeds = ['\u0000\u0001\b\t\n\u000b\f\r\u001f"\\/', "\u007f\u0085\u2028\u2029 é 🂡"]
    assert in_javascript("fairness.dealSeed", "a" * 64, seeds, 12) == deal_seed("a" * 64, seeds, 12)


def run_verifier(folder: Path, transcript: Any, *arguments: str) -> tuple[int, str]:
    """Run the verifier as a command. Return its exit status and the first line that it prints."""
    file = folder / "transcript.json"
    file.write_text(json.dumps(transcript), encoding="utf-8")
    done = in_node(VERIFIER, file, *arguments, check=False)
    return done.returncode, (done.stdout or done.stderr).splitlines()[0]


@pytest.fixture(scope="module")
def transcript(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A true transcript of two joint deals, whose players have no names."""
    return transcript_of("take-that", "joint", tmp_path_factory.mktemp("true"), named=False)


ITS_OWN = "2 deals, all as its own commitment has it. To be sure, give the one noted at the opening."
OUTCOMES: list[tuple[dict[str, Any], list[str], tuple[int, str]]] = [
    ({}, ["COMMITMENT", "REFEREE"], (0, "2 deals, all as committed to.")),
    ({}, ["COMMITMENT IN CAPITALS", "REFEREE"], (0, "2 deals, all as committed to.")),
    ({}, ["REFEREE"], (0, ITS_OWN)),
    ({}, ["COMMITMENT"], (3, "2 deals, all as committed to.")),  # without a referee nothing is replayed
    ({}, [commitment("b" * 64)], (1, "The seed is not the one committed to.")),
    ({"server_seed": None}, [], (1, "The seed is not out yet.")),
]


@pytest.mark.parametrize(("changes", "arguments", "outcome"), OUTCOMES)
def test_the_verifier_prints_its_finding_and_exits_with_a_status_for_it(
    tmp_path: Path,
    transcript: Any,
    referee_address: str,
    changes: dict[str, Any],
    arguments: list[str],
    outcome: tuple[int, str],
) -> None:
    """The finding is the first line that it prints."""
    stand_ins = {
        "COMMITMENT": transcript["commitment"],
        "COMMITMENT IN CAPITALS": transcript["commitment"].upper(),
        "REFEREE": referee_address,
    }
    assert run_verifier(tmp_path, transcript | changes, *(stand_ins.get(each, each) for each in arguments)) == outcome


def test_the_verifier_refuses_a_problem_document_as_no_transcript(tmp_path: Path) -> None:
    problem = {"type": "/problems/forbidden", "status": 403}
    assert run_verifier(tmp_path, problem) == (2, "This is no transcript.")


@pytest.mark.parametrize("argument", ["deadbeef", ""], ids=["half a commitment", "an empty one"])
def test_the_verifier_refuses_a_malformed_commitment_with_a_message(
    tmp_path: Path, transcript: Any, argument: str
) -> None:
    status, message = run_verifier(tmp_path, transcript, argument)
    assert (status, bool(message)) == (2, True)


@pytest.mark.parametrize("game", GAMES)
def test_javascript_knows_the_cards_of_each_game(game: str) -> None:
    engine = engines.registry()[game]
    cards = engine.cards(engine.setup(seats=fewest_seats(game)))
    known = in_javascript("(game) => fairness.games[game]?.pack({}) ?? null", game)
    if known is None:
        pytest.skip("the verifier checks the seeds of this game, not its cards")
    assert known == [list(card) if isinstance(card, tuple) else card for card in cards]


def test_the_verifier_is_short() -> None:
    """A player who trusts nobody reads all of it. 222 lines are what it takes to be as strict as `referee verify`."""
    assert len(VERIFIER.read_text().splitlines()) <= 222


def test_a_server_seed_is_new_every_time() -> None:
    assert len({server_seed() for _ in range(100)}) == 100
    assert re.fullmatch("[0-9a-f]{64}", server_seed())
