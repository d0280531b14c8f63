"""The referee for agents: tools of the Model Context Protocol, by its official SDK (extra `agents`).

A tool answers in few words: a handle of the table, what changed, sentences, what is in doubt, and the legal moves. The
process keeps the tables behind the handles. An illegal move is a result. A call that does not fit is an error that says
what to do.
"""

from __future__ import annotations

import json
import secrets
import socket
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import anyio
import uvicorn
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from starlette.requests import Request

import engines
from gunicorn_llhttp.clients import Clients
from service import build, seeds, strict_json
from service.agents.schemas import input_schema, output_schema
from service.contract.prose import TEXTS
from service.contract.rows import AnyCall, members
from service.judging import calls
from service.judging.agents_text import agents_text
from service.judging.games import description, markdown, rulebook
from service.judging.sentences import words
from service.problems import Problem
from service.strict_json import Json

TABLES_PER_CLIENT = 1_000  #: Tables that one client has in memory; of more, its table used least recently goes.
MOST_TABLES = 10_000  #: Tables of all clients. Beyond it the client that has most loses one.
MOST_LISTED = 40  #: A result lists at most this many legal moves.
CLIENTS = Clients(())  #: Tells clients apart by their addresses. Agents come through no proxy.
STOP_SECONDS = 2  #: How long open requests may take to end when the process is stopped.
LONGEST_NAME = 80  #: Characters of a name that a refusal repeats.
LONGEST_MEMBER = 400  #: A member of a table is left out of a result if its JSON has more bytes.
MARKDOWN, PLAIN = "text/markdown", "text/plain"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
TOOLS: dict[str, str] = {name.replace("-", "_"): text for name, text in TEXTS["tools"].items()}
"""The description of each tool: of `games`, of `rulebook`, and of every stateless call."""
TOOLS_THAT_ONLY_READ = {"games", "rulebook", "legal_moves", "validate", "view"}  #: Tools that add no table to memory.
READ_ONLY = types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
ADDS_A_TABLE = types.ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
COPIED_MEMBERS = ("unverified", "undetermined", "contested", "comparison", "views", "more")
"""Members of the calls' answers that results have as they are, where the call has them."""
INSTRUCTIONS = (
    "A referee for card games. deal gives `state`, a handle of the table; then repeat: take a move of legal_moves, "
    "pass it to resolve, go on with the new handle, until legal_moves is empty. Seats count from 0; a move without a "
    "seat is the table's own. Add a seed of yours to a listed move of type deal: without one nobody sees the cards. "
    "A move that is not legal is answered with the clause that forbids it; rulebook has its text. `unverified` lists "
    "clauses that could not be checked, `contested` rulings on which texts differ: tell people of both. "
    "These tools see the whole table, for judging. Play with hidden hands is by the service's sessions."
)
RULEBOOKS, AGENTS_TEXT = "referee://rulebooks/", "referee://llms.txt"  #: Addresses of resources.


class ToolRefused(Exception):
    """A tool refuses: `args` are what it refuses, and the remedy."""


class OwnedTable(NamedTuple):
    """A table in memory. `client`: the address of the client in whose share it is; `state`: as JSON."""

    client: str
    game: str
    state: bytes


class Tables:
    """The tables behind handles, in the order in which they were used. Each client has its share."""

    def __init__(self) -> None:
        self._tables: OrderedDict[str, OwnedTable] = OrderedDict()
        self._counts: Counter[str] = Counter()

    def add(self, table: OwnedTable) -> str:
        """A new handle for a table. It may take the place of another table of the same client."""
        handle = f"state-{secrets.token_urlsafe(6)}"
        self._tables[handle] = table
        self._counts[table.client] += 1
        if self._counts[table.client] > TABLES_PER_CLIENT:
            self._remove_oldest_of(table.client)
        elif len(self._tables) > MOST_TABLES:
            self._remove_oldest_of(max(self._counts, key=self._counts.__getitem__))
        return handle

    def _remove_oldest_of(self, client: str) -> None:
        """Remove the oldest table of a client, which must have one."""
        del self._tables[next(handle for handle, table in self._tables.items() if table.client == client)]
        self._counts[client] -= 1
        self._counts += Counter()  # without clients that have none

    def find(self, handle: str) -> OwnedTable | None:
        """The table of a handle, which is now the one used last."""
        if handle in self._tables:
            self._tables.move_to_end(handle)
        return self._tables.get(handle)


class Tools:
    """The tools for some games, in one language."""

    def __init__(self, games: Sequence[str], language: str) -> None:
        self.games = games
        self.language = language
        self._tables = Tables()

    def listed(self) -> list[types.Tool]:
        """Every tool, with the closed schema of what it takes, and the open one of what it returns."""
        return [
            types.Tool(
                name=name,
                title=name.replace("_", " ").capitalize(),
                description=text,
                input_schema=input_schema(name, _call_of(name), self.games),
                output_schema=output_schema(name),
                annotations=READ_ONLY if name in TOOLS_THAT_ONLY_READ else ADDS_A_TABLE,
            )
            for name, text in TOOLS.items()
        ]

    def resources(self) -> list[types.Resource]:
        """The rulebook of each game, and the text for agents that call the service themselves."""
        books = [
            types.Resource(
                name=f"{game}-rulebook",
                title=words(engines.registry()[game], self.language).title,
                uri=f"{RULEBOOKS}{game}",
                description="Every clause of the rulebook.",
                mime_type=MARKDOWN,
            )
            for game in self.games
        ]
        about = "How to call the service without tools."
        return [*books, types.Resource(name="llms.txt", uri=AGENTS_TEXT, description=about, mime_type=PLAIN)]

    def resource(self, uri: str) -> types.TextResourceContents:
        """A resource; raises MCPError where there is none at this address."""
        game = uri.removeprefix(RULEBOOKS)
        if uri == AGENTS_TEXT:
            return types.TextResourceContents(uri=uri, mime_type=PLAIN, text=agents_text(sessions=True))
        if game in self.games:
            text = markdown(engines.registry()[game], self.language)
            return types.TextResourceContents(uri=uri, mime_type=MARKDOWN, text=text)
        known = ", ".join(each.uri for each in self.resources())
        raise MCPError(types.INVALID_PARAMS, f"There is no resource {uri[:LONGEST_NAME]!r}. There are: {known}.")

    def call(self, tool: str, arguments: Json, client: str = "") -> Json:
        """The result of a tool; one with `refused` is an error. `client`: the client that calls it.

        Arguments are read as strictly as the body of a request.
        """
        try:
            return self._answer(tool, strict_json.loads(json.dumps(arguments).encode()), client)
        except ToolRefused as refused:
            return {"refused": refused.args[0], "remedy": refused.args[1]}
        except Problem as problem:
            document: Json = strict_json.plain(problem.document(f"/{tool}", self.language))
            why = [_brief_ruling(each) for each in [*document.get("errors", ()), *document.get("faults", ())][:20]]
            remedy = "Mend what is named and call the tool again."
            return {"refused": document["title"], "detail": document["detail"], "why": why, "remedy": remedy}

    def _answer(self, tool: str, body: Json, client: str) -> Json:
        """The result of a tool. `body`: its arguments; raises `ToolRefused` and `Problem`."""
        if tool not in TOOLS:
            raise ToolRefused(f"There is no tool {tool!r}.", f"One of {', '.join(TOOLS)}.")
        call = _call_of(tool)
        handle = body.get("state")
        table = self._table_of(handle) if isinstance(handle, str) else None
        game = self._game_of(tool, body, table)
        if tool == "games":
            return {"games": [self._game(each) for each in ([game] if game else self.games)]}
        assert game is not None, "only `games` goes without"
        if call is None:
            return self._rulebook(game, body.get("clauses", []))
        if table is not None:
            body["state"] = json.loads(table.state)
        answer = calls.answered(call.name, game, body, self.language)
        result = self._result(call.name, game, body, answer, client)
        if call.name == "validate" and table is not None:
            result = {"state": handle} | result
        return result

    def _game_of(self, tool: str, body: Json, table: OwnedTable | None) -> str | None:
        """The game that a tool is called for, taken out of its arguments; None: all games. Raises `ToolRefused`.

        `table`: that of the handle in the arguments.
        """
        is_named = "game" in body
        game: Any = body.pop("game", None)
        if "table" in body:
            raise ToolRefused("There is no argument `table`.", "Pass the handle, or a whole table, as `state`.")
        if (call := _call_of(tool)) and members(call.takes).get("state") and body.get("state") is None:
            raise ToolRefused("`state` is missing.", "Pass a handle that a result gave as `state`, or a whole table.")
        if table is not None:
            if is_named and game != table.game:
                wrong = f"The table of {body['state']!r} is one of {table.game}, not of {_shown(game)}."
                raise ToolRefused(wrong, "Leave `game` out beside a handle.")
            return table.game
        if not is_named and (tool == "games" or len(self.games) == 1):
            return None if tool == "games" else self.games[0]
        if game not in self.games:
            wrong = f"There is no game {_shown(game)}." if is_named else "No game is named."
            raise ToolRefused(wrong, f"Give `game`: one of {', '.join(self.games)}.")
        return str(game)

    def _result(self, call: str, game: str, body: Json, answer: Json, client: str) -> Json:
        """An answer of the service in few words: of a call without a case here the whole answer, with a handle.

        What only looks at a table adds none to memory.
        """
        match call:
            case "deal":
                table = {"seed": answer["seed"], "table": _brief_table(answer["state"])}
                result = self._next(game, answer["state"], client) | table
            case "view":
                result = {"table": answer["state"]}
            case "audit":
                handle = {"state": self._handle(game, body["state"], client)} if answer["consistent"] else {}
                verdict = {name: answer[name] for name in ("consistent", "unverified")}
                result = handle | verdict | {"faults": [_brief_ruling(each) for each in answer["faults"]]}
            case "legal-moves":
                result = _listing(answer)
            case "validate":
                listing = {} if answer["legal"] else self._listing(game, body["state"])
                result = _verdict(answer) | {"text": answer["text"]} | listing
            case "resolve":
                result = self._resolution(game, body["state"], answer, client)
            case _:
                handle = {"state": self._handle(game, answer["state"], client)} if "state" in answer else {}
                result = {name: value for name, value in answer.items() if name not in ("game", "ruleset")} | handle
        return result

    def _resolution(self, game: str, before: Json, answer: Json, client: str) -> Json:
        """A resolution in few words. `before`: the table before the moves."""
        after = answer["state"]
        changed = {name: value for name, value in after.items() if before.get(name) != value and name != "ruleset"}
        happened = {"applied": answer["applied"], "sentences": [each["text"] for each in answer["events"]]}
        over = {name: answer[name] for name in ("standings", "result") if answer["result"] is not None}
        changes = {"changed": _brief_table(changed)}
        return _verdict(answer) | happened | changes | over | self._next(game, after, client)

    def _game(self, game: str) -> Json:
        """What the tool `games` says of a game."""
        whole = strict_json.plain(description(engines.registry()[game], self.language))
        options = [{name: each[name] for name in ("name", "text", "default")} for each in whole["options"]]
        members = {name: whole[name] for name in ("game", "title", "seats", "moves", "phases")}
        return {**members, "rulesets": [each["name"] for each in whole["rulesets"]], "options": options}

    def _rulebook(self, game: str, ids: object) -> Json:
        """The texts of these clauses; without ids the clauses of each section."""
        if not isinstance(ids, list) or not all(isinstance(each, str) for each in ids):
            raise ToolRefused("`clauses` is no list of ids.", 'Such as ["TW-5.2"].')
        engine = engines.registry()[game]
        clauses = {each.id: each.text for each in rulebook(engine, self.language).clauses}
        if ids:
            return {each: clauses.get(each, "There is no such clause.") for each in ids}
        titles = words(engine, self.language).sections
        return {titles[section]: own for section, own in seeds.rulebook(engine).sections.items()}

    def _next(self, game: str, state: Json, client: str) -> Json:
        """A handle of a table, and its legal moves."""
        return {"state": self._handle(game, state, client), **self._listing(game, state)}

    def _listing(self, game: str, state: Json) -> Json:
        """The legal moves at a table."""
        return _listing(calls.answered("legal-moves", game, {"state": state}, self.language))

    def _handle(self, game: str, state: Json, client: str) -> str:
        """A new handle for a table."""
        return self._tables.add(OwnedTable(client, game, strict_json.dumps(state)))

    def _table_of(self, handle: str) -> OwnedTable:
        """The table of a handle; raises `ToolRefused`."""
        table = self._tables.find(handle)
        if table is None:
            remedy = "Pass a handle that this process gave as `state`, or the whole table, or deal again."
            raise ToolRefused(f"There is no table {_shown(handle)}.", remedy)
        return table


def _shown(value: object) -> str:
    """An argument as a refusal repeats it: JSON, cut where it is long."""
    return json.dumps(value)[:LONGEST_NAME]


def _call_of(tool: str) -> AnyCall | None:
    """The stateless call behind a tool; None for `games` and `rulebook`, which only read."""
    return calls.NAMED.get(tool.replace("_", "-"))


def _verdict(answer: Json) -> Json:
    """Whether the moves are legal, and what forbids them or is not seen."""
    doubts = {name: answer[name] for name in COPIED_MEMBERS if name in answer}
    verdict: Json = {"legal": answer["legal"]}
    if answer["violations"]:
        verdict["violations"] = [_brief_ruling(each) for each in answer["violations"]]
        verdict["remedy"] = "Choose one of legal_moves; `rulebook` has the clauses."
    elif cautions := [*_cautions(answer)]:
        verdict["caution"] = " ".join(cautions)
    return verdict | doubts


def _cautions(answer: Json) -> Iterator[str]:
    """Why the verdict that nothing forbids a move is less than certain."""
    if answer["unverified"]:
        clauses = ", ".join(answer["unverified"])
        yield f"Nothing visible forbids it. Unseen cards may: {clauses} could not be checked."
    if answer["undetermined"]:
        yield "What comes of it depends on what is not seen: see undetermined."


def _listing(answer: Json) -> Json:
    """The first of the legal moves, how many more there are, and whether any is missing."""
    moves = [{"move": each["move"], "text": each["text"]} for each in answer["moves"]]  # which says the facts
    more = {"and_more": len(moves) - MOST_LISTED} if len(moves) > MOST_LISTED else {}
    unseen = {} if answer["complete"] else {"complete": False}
    return {"to_act": answer["to_act"], "legal_moves": moves[:MOST_LISTED], **more, **unseen}


def _brief_ruling(ruling: Json) -> Json:
    """A ruling, or an error of a body, in few members."""
    return {name: ruling[name] for name in ("rule", "code", "pointer", "pointers", "text", "detail") if name in ruling}


def _brief_table(members: Json) -> Json:
    """Members of a table without the long ones, of which only the names are listed."""
    short = {name: value for name, value in members.items() if len(strict_json.dumps(value)) <= LONGEST_MEMBER}
    long = [name for name in members if name not in short]
    return short | ({"left_out": f"{', '.join(long)}: call view"} if long else {})


def server(games: Sequence[str], language: str) -> Server[Any]:
    """The server of the protocol with the tools for these games."""
    tools = Tools(games, language)
    list_of_tools = types.ListToolsResult(tools=tools.listed())

    async def list_tools(_: ServerRequestContext[Any], __: object) -> types.ListToolsResult:
        return list_of_tools

    async def call_tool(
        context: ServerRequestContext[Any, Request], request: types.CallToolRequestParams
    ) -> types.CallToolResult:
        address = context.request.client if context.request else None  # None: the one client of standard input
        client = CLIENTS.of({"REMOTE_ADDR": address.host}) if address else ""
        result = tools.call(request.name, request.arguments or {}, client)
        text = types.TextContent(type="text", text=strict_json.dumps(result).decode())
        return types.CallToolResult(content=[text], structured_content=result, is_error="refused" in result)

    async def list_resources(_: ServerRequestContext[Any], __: object) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=tools.resources())

    async def read_resource(
        _: ServerRequestContext[Any], request: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return types.ReadResourceResult(contents=[tools.resource(str(request.uri))])

    return Server(
        "rules-referee",
        version=build.VERSION,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )


def serve(games: Sequence[str], language: str) -> None:
    """Serve over standard input and output until the input ends."""

    async def run() -> None:
        of_games = server(games, language)
        async with stdio_server() as (requests, answers):
            await of_games.run(requests, answers, of_games.create_initialization_options())

    anyio.run(run)


def serve_http(games: Sequence[str], language: str, host: str, port: int, names: Sequence[str]) -> None:
    """Serve at `/mcp`. Requests must name loopback, this host or one of `names`, as `Host` and, if there, `Origin`.

    Raises OSError where the address cannot be listened on.
    """
    plain = [f"[{each}]" if ":" in each else each for each in dict.fromkeys((*LOOPBACK, host, *names))]
    hosts = [*plain, *(f"{each}:*" for each in plain)]
    origins = [f"{scheme}://{each}" for scheme in ("http", "https") for each in hosts]
    security = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)
    app = server(games, language).streamable_http_app(transport_security=security, host=host, stateless_http=True)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=STOP_SECONDS)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listening:
        uvicorn.Server(config).run([listening])
