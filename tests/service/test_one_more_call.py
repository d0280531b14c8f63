"""A stateless call is a row and its texts: all that the service, its pages and its clients offer of it follows."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from click.testing import CliRunner

from service import bulk
from service.agents import Tools
from service.app import create_app
from service.cli import referee, terminal
from service.config import Settings
from service.contract import openapi
from service.contract.openapi import examples
from service.http import playground
from service.judging.calls import CALLS
from tests.clients import generated as clients
from tests.conformance.exchanges import vector_exchanges
from tests.docs import generated as docs
from tests.server import ROOT
from tests.service.one_more_call import OPERATION, QUESTIONS, RANKING, STANDINGS, STATE, TOOL

PROGRAM = """
from tests.service import one_more_call
one_more_call.add()
from tests.service.test_one_more_call import everything_with_the_new_call
print(everything_with_the_new_call())
"""
BODY = {"game": "twins", "state": STATE}
ANSWER = {"game": "twins", "standings": STANDINGS}
PYTHON_CALL = "def ranking(self, body: RankingBody, *, deadline: float | None = None) -> Ranked:"


def everything_with_the_new_call() -> str:
    """Return as JSON all that service, pages and clients offer of the new call, whose row was added before."""
    words = {language: {**own, RANKING.name: QUESTIONS[language]} for language, own in playground.words().items()}
    with tempfile.TemporaryDirectory() as folder, patch.object(playground, "words", lambda: words):
        client = create_app(Settings(store_url=f"sqlite:///{folder}/sessions.sqlite3")).test_client()
        examples.EXCHANGES = Path(folder) / "exchanges.jsonl"
        examples.EXCHANGES.write_text(
            "".join(f"{json.dumps(each)}\n" for each in vector_exchanges(client, "twins")), "utf-8"
        )
        file = Path(folder) / "body.json"
        file.write_text(json.dumps(BODY), "utf-8")
        tools = Tools(["twins"], "en")
        return json.dumps(
            {
                "route": client.post("/ranking", json=BODY).json,
                "route of the game": client.post("/games/twins/ranking", json={"state": STATE}).json,
                "batch": client.post("/batch", json={"requests": [{"path": "/ranking", "body": BODY}]}).json,
                "bulk": json.loads(bulk.answer(json.dumps({"path": "/ranking", "body": BODY}).encode(), "en")),
                "contract": openapi.document(CALLS),
                "command": CliRunner().invoke(referee, ["ranking", str(file)], standalone_mode=False).output,
                "help": CliRunner().invoke(referee, ["--help"]).output,
                "lines": [*terminal.lines(ANSWER, None, "en", 80)],
                "tool": [each.model_dump() for each in tools.listed() if each.name == "ranking"],
                "result": tools.call("ranking", {"state": STATE}),
                "page": client.get("/", headers={"Accept-Language": "fr"}).text,
                "llms": client.get("/llms.txt").text,
                "calls": [*docs.table_of_calls()],
                "tools": [*docs.table_of_tools()],
                "clients": {name: text for name, text in clients.files().items() if "calls" in name or "games" in name},
            }
        )


@pytest.fixture(scope="module")
def with_new_call() -> dict[str, Any]:
    """All that a process offers in which the row was added; this process never has it."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    parsed: dict[str, Any] = json.loads(done.stdout)
    return parsed


@pytest.mark.parametrize("place", ["route", "route of the game"])
def test_the_new_call_is_answered_for_all_games_and_for_one(with_new_call: dict[str, Any], place: str) -> None:
    assert with_new_call[place] == ANSWER


def test_the_new_call_is_answered_in_a_batch(with_new_call: dict[str, Any]) -> None:
    assert with_new_call["batch"] == {"responses": [{"status": 200, "body": ANSWER}]}


def test_the_new_call_is_answered_in_a_file_of_requests(with_new_call: dict[str, Any]) -> None:
    assert with_new_call["bulk"] == {"status": 200, "body": ANSWER}


@pytest.mark.parametrize(
    ("path", "game", "shown"),
    [
        ("/ranking", "", BODY),
        ("/games/twins/ranking", "Twins", {"state": STATE}),
        ("/games/twin-it/ranking", "Twin it!", None),
    ],
)
def test_the_new_call_is_an_operation_with_its_texts_and_an_example(
    with_new_call: dict[str, Any], path: str, game: str, shown: Any
) -> None:
    operation, components = with_new_call["contract"]["paths"][path]["post"], with_new_call["contract"]["components"]
    of_game = {"description": f"What `ranking` does, for {game} alone."} if game else {}
    assert {name: operation[name] for name in OPERATION} == OPERATION | of_game
    values = [
        components["examples"][reference["$ref"].rpartition("/")[2]]["value"]
        for part in (operation["requestBody"], operation["responses"]["200"])
        for reference in part["content"]["application/json"].get("examples", {}).values()
    ]
    assert values == ([shown, ANSWER] if shown else [])


def test_the_new_call_is_a_command(with_new_call: dict[str, Any]) -> None:
    assert json.loads(with_new_call["command"]) == ANSWER
    assert "Rank the players." in with_new_call["help"]


def test_the_answer_to_the_new_call_is_put_into_lines_on_a_terminal(with_new_call: dict[str, Any]) -> None:
    assert with_new_call["lines"] == ["1. seat 0: 13", "2. seat 1: 12", "3. seat 2: 11", '{"game": "twins"}']


def test_the_new_call_is_a_tool_for_agents(with_new_call: dict[str, Any]) -> None:
    (tool,) = with_new_call["tool"]
    assert (tool["description"], tool["input_schema"]["required"]) == (TOOL, ["state"])
    assert with_new_call["result"] == {"standings": STANDINGS}


def test_the_page_offers_the_new_call_with_its_question_and_its_members(with_new_call: dict[str, Any]) -> None:
    assert '<option value="ranking" data-word="ranking">Qui mène\u00a0?</option>' in with_new_call["page"]
    assert '"ranking":{"state":true,"names":false}' in with_new_call["page"]


def test_the_text_for_agents_lists_the_new_call(with_new_call: dict[str, Any]) -> None:
    assert '- POST /ranking `{"game", "state"}`: Rank the players.\n' in with_new_call["llms"]


def test_the_tables_of_the_pages_list_the_new_call(with_new_call: dict[str, Any]) -> None:
    assert with_new_call["calls"][-1] == "| `POST /ranking` | Says who is ahead |"
    assert with_new_call["tools"][-1] == "| `ranking` | Who is ahead at a table. |"


@pytest.mark.parametrize(
    ("file", "lines"),
    [
        ("aio/calls.py", [f"    async {PYTHON_CALL}"]),
        ("calls.py", [f"    {PYTHON_CALL}"]),
        ("aio/games.py", ["    models.TwinsRankingBody,", "    models.TwinsRanked,"]),
        ("games.py", ["    models.TwinsRankingBody,", "    models.TwinsRanked,"]),
        ("calls.ts", ['  async ranking(body: T["RankingBody"], call: Call = {}): Promise<T["Ranked"]> {']),
        ("calls.ts", ["  RankingBody: object;", "  Ranked: {", "    standings: { score: number; rank: number }[];"]),
        ("games.ts", ["  RankingBody: models.TwinsRankingBody;", "  Ranked: models.TwinsRanked;"]),
    ],
)  # fmt: skip
def test_the_clients_have_the_new_call(with_new_call: dict[str, Any], file: str, lines: list[str]) -> None:
    assert {*lines} <= {*with_new_call["clients"][file].splitlines()}
