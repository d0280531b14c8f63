"""`referee mcp`: an agent that knows only the tools plays, is refused, and learns why. The client is the SDK's own."""

from __future__ import annotations

import json
import random
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Coroutine
from importlib.metadata import version
from typing import Any, TypeAlias

import httpx2
import pytest
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

import engines
from service.agents import TOOLS, Tools, server
from service.judging.calls import CALLS
from tests.loops import run
from tests.server import ROOT, free_port, listens, until

Json: TypeAlias = dict[str, Any]
INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def with_client(test: Callable[[Client], Coroutine[Any, Any, None]], *games: str) -> None:
    """Run a test with the SDK's client of a server in this process."""

    async def session() -> None:
        async with Client(server(games or list(engines.registry()), "en")) as client:
            await test(client)

    run(session())


async def answer_of(client: Client, tool: str, **arguments: Any) -> tuple[bool, Json]:
    """Call a tool; return whether that is an error, and what it says, in text and in structured content alike."""
    answer = await client.call_tool(tool, arguments)
    content: Any = answer.content[0]
    assert json.loads(content.text) == answer.structured_content
    return answer.is_error, json.loads(content.text)


async def result_of(client: Client, tool: str, **arguments: Any) -> Json:
    """Call a tool, which has to give a result, and return it."""
    is_error, result = await answer_of(client, tool, **arguments)
    assert not is_error
    return result


async def error_of(client: Client, tool: str, **arguments: Any) -> Json:
    """Call a tool, which has to refuse, and return what it says."""
    is_error, refusal = await answer_of(client, tool, **arguments)
    assert is_error
    return refusal


BYTES_A_TOKEN = 3.7
"""Of the list of tools, by the figures of issue 45: 19,461 bytes were 5,220 tokens."""


@pytest.mark.parametrize("game", list(engines.registry()))
def test_the_list_of_tools_for_a_game_is_short_and_valid(game: str) -> None:
    tools = Tools([game], "en").listed()
    assert [tool.name for tool in tools] == list(TOOLS)
    whole = sum(len(tool.model_dump_json(by_alias=True, exclude_none=True)) for tool in tools)
    results = sum(len(json.dumps(tool.output_schema)) for tool in tools)
    assert (whole - results) / BYTES_A_TOKEN <= 3_500
    assert whole / BYTES_A_TOKEN <= 4_600
    for tool in tools:
        Draft202012Validator.check_schema(tool.input_schema)
        assert tool.input_schema["type"] == "object"


def test_each_tool_says_whether_it_only_reads_and_what_it_returns() -> None:
    looks = {tool.name: tool.annotations for tool in Tools(["twins"], "en").listed()}
    assert {name for name, each in looks.items() if each and each.read_only_hint and each.idempotent_hint} == {
        *("games", "rulebook", "legal_moves", "validate", "view")
    }
    assert all(each and each.open_world_hint is False for each in looks.values())
    for tool in Tools(["twins"], "en").listed():
        assert tool.title
        assert tool.output_schema is not None
        assert "additionalProperties" not in tool.output_schema


def test_rulebooks_and_the_text_for_agents_are_resources_and_the_server_has_a_version() -> None:
    async def test(client: Client) -> None:
        assert client.server_info is not None
        assert client.server_info.version == version("rules-referee")
        there = {each.uri for each in (await client.list_resources()).resources}
        assert there == {"referee://rulebooks/twins", "referee://llms.txt"}
        (book,) = (await client.read_resource("referee://rulebooks/twins")).contents
        assert "TW-5.2" in book.text  # type: ignore[union-attr]
        assert book.mime_type == "text/markdown"
        (text,) = (await client.read_resource("referee://llms.txt")).contents
        assert "POST /resolve" in text.text  # type: ignore[union-attr]
        with pytest.raises(MCPError, match=r"There are: referee://rulebooks/twins, "):
            await client.read_resource("referee://rulebooks/chess")

    with_client(test, "twins")


def test_every_call_is_a_tool() -> None:
    assert {*TOOLS} == {"games", "rulebook", *(call.name.replace("-", "_") for call in CALLS)}


async def play_a_hand(client: Client, choose: random.Random) -> None:
    """Play with nothing but the tools: games, deal, then one of the legal moves, until the hand or the game is over."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    validate = Draft202012Validator(tools["resolve"].input_schema).validate
    (game,) = (await result_of(client, "games"))["games"]
    at = await result_of(client, "deal", seats=game["seats"][-1], seed="agents")
    for _ in range(400):
        await result_of(client, "view", state=at["state"], seat=at["to_act"][0])
        posted = {"state": at["state"], "moves": [choose.choice(at["legal_moves"])["move"]]}
        validate(posted)
        at = await result_of(client, "resolve", **posted)
        assert at["legal"]
        assert at["sentences"]
        assert len(json.dumps(at)) < 8_000
        if at.get("result") or at["changed"].get("phase") in ("hand-over", "round-over", "game-over"):
            return
    pytest.fail("the hand did not end")


@pytest.mark.parametrize("game", list(engines.registry()))
def test_a_whole_hand_is_played_with_nothing_but_the_tools(game: str) -> None:
    with_client(lambda client: play_a_hand(client, random.Random(game)), game)


def test_a_refusal_is_a_result_with_clause_and_remedy() -> None:
    async def test(client: Client) -> None:
        at = await result_of(client, "deal", game="twins", seats=3, seed="s")
        play = {"type": "play", "seat": 0, "cards": ["blue-1", "blue-2"]}
        illegal = await result_of(client, "resolve", state=at["state"], moves=[play])
        assert (illegal["legal"], illegal["applied"]) == (False, 0)
        assert illegal["violations"][0]["rule"].startswith("TW-")
        assert "legal_moves" in illegal["remedy"]
        assert illegal["legal_moves"]
        clause = illegal["violations"][0]["rule"]
        assert len((await result_of(client, "rulebook", game="twins", clauses=[clause]))[clause]) > 20
        assert "TW-5.2" in str(await result_of(client, "rulebook", game="twins"))
        lost = await error_of(client, "view", state="state-nowhere", seat=0)
        assert "deal again" in lost["remedy"]
        wrong = await error_of(client, "deal", game="twins", seats=30)
        assert wrong["why"][0]["pointer"] == "/seats"
        assert not (await result_of(client, "validate", state=at["state"], move={"type": "deal"}))["legal"]
        assert (await result_of(client, "legal_moves", state=at["state"]))["legal_moves"] == at["legal_moves"]
        assert "game" in (await error_of(client, "deal", game="chess", seats=2))["refused"]
        assert "tool" in (await error_of(client, "shuffle"))["refused"]

    with_client(test)


@pytest.mark.parametrize(
    ("tool", "arguments", "refused"),
    [
        ("rulebook", {"clauses": [{}]}, "`clauses` is no list of ids."),
        ("rulebook", {"clauses": "TW-5.2"}, "`clauses` is no list of ids."),
        ("games", {"game": [1]}, "There is no game [1]."),
        ("deal", {"game": None, "seats": 3}, "There is no game null."),
        ("deal", {"seats": 3, "seed": "\ud800"}, "The body is not JSON"),
        ("view", {"seat": 0, "state": {"pot": [0] * 60_000}}, "The request asks for too much"),
    ],
)
def test_arguments_are_read_as_strictly_as_a_body(tool: str, arguments: Json, refused: str) -> None:
    answer = Tools(["twins"], "en").call(tool, arguments)
    assert answer["refused"] == refused
    assert answer["remedy"]


def test_a_list_of_moves_that_depends_on_unseen_cards_is_marked_as_incomplete() -> None:
    state = {"phase": "trick", "trick": 1, "chips": [12, 12, 12], "pot": 0}
    assert Tools(["twins"], "en").call("legal_moves", {"state": state})["complete"] is False


def test_only_the_tables_that_were_used_last_stay_known_by_their_handles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.agents.TABLES_PER_CLIENT", 2)
    tools = Tools(["twins"], "en")
    first, second = (tools.call("deal", {"seats": 3, "seed": seed})["state"] for seed in "ab")
    assert "legal_moves" in tools.call("legal_moves", {"state": first})
    tools.call("deal", {"seats": 3, "seed": "c"})
    assert "legal_moves" in tools.call("legal_moves", {"state": first})
    assert "There is no table" in tools.call("legal_moves", {"state": second})["refused"]


def deal_for(tools: Tools, client: str) -> str:
    """Deal a table for a client, and return the table's handle."""
    return str(tools.call("deal", {"seats": 3, "seed": "a"}, client)["state"])


def is_known(tools: Tools, handle: str) -> bool:
    """Whether the tools still know a table by its handle."""
    return "legal_moves" in tools.call("legal_moves", {"state": handle})


def test_a_client_that_deals_more_tables_than_its_share_loses_only_tables_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("service.agents.TABLES_PER_CLIENT", 2)
    tools = Tools(["twins"], "en")
    of_one, *of_other = (
        deal_for(tools, "one"),
        deal_for(tools, "other"),
        deal_for(tools, "other"),
        deal_for(tools, "other"),
    )
    assert [is_known(tools, handle) for handle in (of_one, *of_other)] == [True, False, True, True]


def test_when_no_further_table_has_room_the_client_with_most_tables_loses_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.agents.MOST_TABLES", 3)
    tools = Tools(["twins"], "en")
    handles = [deal_for(tools, client) for client in ("one", "other", "other", "third")]
    assert [is_known(tools, handle) for handle in handles] == [True, False, True, True]


def test_calls_that_only_read_put_no_further_table_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.agents.TABLES_PER_CLIENT", 1)
    tools = Tools(["twins"], "en")
    handle = deal_for(tools, "")
    assert tools.call("view", {"state": handle, "seat": 0}).keys() == {"table"}
    refused = tools.call("validate", {"state": handle, "move": {"type": "buy", "seat": 1, "count": 2}})
    assert (refused["legal"], refused["state"]) == (False, handle)
    assert tools.call("legal_moves", {"state": handle})["legal_moves"] == refused["legal_moves"]


def test_an_audited_state_gets_a_handle_unless_it_has_faults() -> None:
    async def test(client: Client) -> None:
        state = {"phase": "trick", "trick": 1, "chips": [12, 12, 12], "pot": 0}
        audited = await result_of(client, "audit", state=state)
        assert audited["consistent"]
        assert (await result_of(client, "view", state=audited["state"], seat=None))["table"]["chips"] == [12, 12, 12]
        false = await result_of(client, "audit", state={**state, "pot": 5})
        assert "state" not in false
        assert false["faults"][0]["rule"].startswith("TW-")
        assert (await error_of(client, "view", state={**state, "pot": 5}, seat=0))["refused"]

    with_client(test, "twins")


def test_the_tools_are_served_over_standard_input_and_output() -> None:
    async def session() -> None:
        command = ["-m", "service.cli", "mcp", "--game", "twins"]
        spoken = StdioServerParameters(command=sys.executable, args=command, cwd=ROOT)
        async with Client(stdio_client(spoken)) as client:
            assert (await result_of(client, "games"))["games"][0]["game"] == "twins"

    run(session())


def test_the_tools_are_served_over_http_only_to_their_own_origin_and_stop_despite_an_open_request() -> None:
    port = free_port()
    command = [sys.executable, "-m", "service.cli", "mcp", "--http", f"127.0.0.1:{port}"]
    with subprocess.Popen(command, cwd=ROOT) as running:
        try:
            address = f"http://127.0.0.1:{port}/mcp"
            until(lambda: listens(port))

            async def session() -> None:
                async with Client(address) as client:
                    assert len((await result_of(client, "games"))["games"]) == len(engines.registry())

            run(session())
            ask = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            accept = {"Accept": "application/json, text/event-stream"}
            foreign = httpx2.post(address, json=ask, headers={**accept, "Origin": "https://evil.example"})
            assert foreign.status_code == 403
            assert httpx2.post(address, json=ask, headers={**accept, "Host": "evil.example"}).status_code == 421
            opened = {**ask, "method": "initialize", "params": INITIALIZE}
            assert "mcp-session-id" not in httpx2.post(address, json=opened, headers=accept).raise_for_status().headers
            with socket.create_connection(("127.0.0.1", port)) as slow:
                slow.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
                running.terminate()
                running.wait(30)  # an unfinished request does not keep it
        finally:
            running.kill()


def test_over_http_tables_dealt_from_one_address_displace_none_of_another_address() -> None:
    """The second address deals three tables where each may have two, and loses its own first one."""
    port = free_port()
    command = [
        sys.executable,
        "-c",
        f"import service.agents; service.agents.TABLES_PER_CLIENT = 2\n{SERVE_TWINS_OVER_HTTP.format(port=port)}",
    ]
    with subprocess.Popen(command, cwd=ROOT) as running:
        try:
            until(lambda: listens(port))

            def call_from(address: str, tool: str, **arguments: Any) -> Json:
                transport = httpx2.HTTPTransport(local_address=address)
                body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
                body["params"] = {"name": tool, "arguments": arguments}
                with httpx2.Client(transport=transport) as client:
                    answer = client.post(
                        f"http://127.0.0.1:{port}/mcp",
                        json=body,
                        headers={"Accept": "application/json, text/event-stream"},
                    )
                (data,) = re.findall("^data: (.+)$", answer.text, re.MULTILINE)
                return json.loads(data)["result"]["structuredContent"]  # type: ignore[no-any-return]

            first = call_from("127.0.0.1", "deal", seats=3, seed="a")["state"]
            others = [call_from("127.0.0.2", "deal", seats=3, seed="a")["state"] for _ in range(3)]
            there = ["legal_moves" in call_from("127.0.0.1", "legal_moves", state=each) for each in (first, *others)]
            assert there == [True, False, True, True]
        finally:
            running.kill()


SERVE_TWINS_OVER_HTTP = 'service.agents.serve_http(["twins"], "en", "127.0.0.1", {port}, ())'


def test_on_a_port_that_is_taken_the_tool_server_says_one_line_and_exits_with_2() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        command = [sys.executable, "-m", "service.cli", "mcp", "--http", address]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("referee mcp: ")
    assert "Address already in use" in done.stderr


def test_the_text_for_agents_is_short_and_names_only_paths_that_exist(client: FlaskClient, app: Flask) -> None:
    answer = client.get("/llms.txt")
    assert answer.mimetype == "text/plain"
    assert len(answer.text.split()) <= 700
    known = {re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule) for rule in app.url_map.iter_rules()}
    named = set(re.findall(r"(?:GET|POST) (/[\w{}/.-]+)", answer.text))
    assert len(named) > 8
    assert named <= known
