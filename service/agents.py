"""The referee for agents: tools of the Model Context Protocol, by its official SDK (extra `agents`).

A tool answers in few words: a handle of the table, what changed, sentences, and the legal moves. The process keeps the
tables behind the handles. A refusal is a result that says what to do, never an error.
"""

from __future__ import annotations

import json
import secrets
import socket
from collections import Counter, OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

import anyio
import uvicorn
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request

import engines
from gunicorn_llhttp.clients import Clients
from service import seeds, strict_json
from service.contract.openapi.converter import SCHEMAS, Converter
from service.contract.prose import TEXTS
from service.contract.rows import AnyCall, body_fields
from service.judging import calls
from service.judging.games import description, rulebook
from service.judging.sentences import words
from service.problems import Problem
from service.strict_json import Json

SHARE = 1_000  #: Tables that one peer has in memory; of more, its table used least recently goes.
MOST_TABLES = 10_000  #: Tables of all peers. Beyond it the peer that has most loses one.
MOST_LISTED = 40  #: A result lists at most this many legal moves.
NO_PROXY = Clients(())
STOP_SECONDS = 2  #: How long open requests may take to end when the process is stopped.
LONGEST_MEMBER = 400  #: A member of a table is left out of a result if its JSON has more bytes.
LOOPBACK = ("127.0.0.1", "localhost", "::1")
HANDLE = {"type": "string", "description": "A handle that a tool gave as `table`."}
REFERENCES = {
    "state": {"type": "object", "description": "Or a whole table, as `audit` takes it."},
    "move": {"type": "object", "description": "A move, as `resolve` takes it."},
}
"""Members whose schema only one tool spells out."""
TOOLS: dict[str, str] = {name.replace("-", "_"): text for name, text in TEXTS["tools"].items()}
"""The description of each tool: of `games`, of `rulebook`, and of every stateless call."""
INSTRUCTIONS = (
    "A referee for card games. deal gives a handle; then repeat: take a move of legal_moves, pass it to resolve, go on "
    "with the new handle, until legal_moves is empty. Seats count from 0; a move without a seat is the table's own. "
    "Add a seed of yours to a listed move of type deal: without one nobody sees the cards. "
    "A move that is not legal is answered with the clause that forbids it; rulebook has its text."
)


class ToolRefused(Exception):
    """A tool refuses: `args` are what it refuses, and the remedy."""


class OwnedTable(NamedTuple):
    """A table in memory. `peer`: the client that it is counted for; `state`: as JSON."""

    peer: str
    game: str
    state: bytes


class Tables:
    """The tables behind handles, in the order in which they were used. Each peer has its share."""

    def __init__(self) -> None:
        self._tables: OrderedDict[str, OwnedTable] = OrderedDict()
        self._counts: Counter[str] = Counter()

    def add(self, table: OwnedTable) -> str:
        """A new handle for a table. It may take the place of another table of the same peer."""
        handle = f"table-{secrets.token_urlsafe(6)}"
        self._tables[handle] = table
        self._counts[table.peer] += 1
        if self._counts[table.peer] > SHARE:
            self._remove_oldest_of(table.peer)
        elif len(self._tables) > MOST_TABLES:
            self._remove_oldest_of(max(self._counts, key=self._counts.__getitem__))
        return handle

    def _remove_oldest_of(self, peer: str) -> None:
        del self._tables[next(handle for handle, table in self._tables.items() if table.peer == peer)]
        self._counts[peer] -= 1
        self._counts += Counter()  # without peers that have none

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
        """Every tool, with the closed schema of what it takes."""
        return [types.Tool(name=name, description=TOOLS[name], input_schema=self._schema(name)) for name in TOOLS]

    def _schema(self, tool: str) -> Json:
        """What a tool takes: each member as any of the games takes it."""
        call = _call_of(tool)
        bodies = [body_fields(call, game) for game in self.games] if call else []
        converter = Converter(field for body in bodies for field in body.values())
        members: dict[str, list[Json]] = {"game": [{"enum": list(self.games)}]}
        if tool == "rulebook":
            members["clauses"] = [{"type": "array", "items": {"type": "string"}, "description": "Such as TW-5.2."}]
        required = set[str]()
        if tool in ("rulebook", "deal") and len(self.games) > 1:
            required.add("game")
        for name, field in [member for body in bodies for member in body.items()]:
            if name in ("compare", "views", "legal_moves") or (name == "names" and tool != "resolve"):
                continue
            own = name not in REFERENCES or tool == "audit"
            schema = converter.schema(field, exact=True) if own else REFERENCES[name]
            options = members.setdefault(name, [HANDLE] if name == "state" else [])
            if schema not in options:
                options.append(schema)
            if field.required:
                required.add(name)
        whole = {
            "type": "object",
            "properties": {name: {"anyOf": each} if len(each) > 1 else each[0] for name, each in members.items()},
            "required": sorted(required),
            "additionalProperties": False,
            "$defs": converter.schemas,
        }
        local: Json = json.loads(json.dumps(whole).replace(SCHEMAS, "#/$defs/"), object_hook=_without_discriminator)
        return local

    def call(self, tool: str, arguments: Json, peer: str = "") -> Json:
        """The result of a tool. Its arguments are read as strictly as the body of a request. `peer`: who calls it."""
        try:
            return self._answer(tool, strict_json.loads(json.dumps(arguments).encode()), peer)
        except ToolRefused as refused:
            return {"refused": refused.args[0], "remedy": refused.args[1]}
        except Problem as problem:
            document: Json = strict_json.plain(problem.document(f"/{tool}", self.language))
            why = [_brief_ruling(each) for each in [*document.get("errors", ()), *document.get("faults", ())][:20]]
            remedy = "Mend what is named and call the tool again."
            return {"refused": document["title"], "detail": document["detail"], "why": why, "remedy": remedy}

    def _answer(self, tool: str, body: Json, peer: str) -> Json:
        """The result of a tool. `body`: its arguments; raises `ToolRefused` and `Problem`."""
        if tool not in TOOLS:
            raise ToolRefused(f"There is no tool {tool!r}.", f"One of {', '.join(TOOLS)}.")
        game = body.pop("game", self.games[0] if len(self.games) == 1 else None)
        handle = body.get("state")
        if isinstance(handle, str):
            game, body["state"] = self._table_of(handle)
        if game not in self.games and (game is not None or tool != "games"):
            wrong = "No game is named." if game is None else f"There is no game {game!r}."
            raise ToolRefused(wrong, f"Give `game`: one of {', '.join(self.games)}.")
        if tool == "games":
            chosen = [game] if game else self.games
            return {"games": [self._game(each) for each in chosen]}
        if tool == "rulebook":
            return self._rulebook(game, body.get("clauses", []))
        call = _call_of(tool)
        assert call is not None
        answer = calls.answered(call.name, game, body, self.language)
        result = self._result(call.name, game, body, answer, peer)
        if call.name == "validate" and isinstance(handle, str):
            result["table"] = handle
        return result

    def _result(self, call: str, game: str, body: Json, answer: Json, peer: str) -> Json:
        """An answer of the service in few words: of a call without a case here the whole answer, with a handle.

        What only looks at a table adds none to memory.
        """
        match call:
            case "deal":
                dealt = {"seed": answer["seed"], "state": _brief_table(answer["state"])}
                result = dealt | self._next(game, answer["state"], peer)
            case "view":
                result = {"state": answer["state"]}
            case "audit":
                handle = {"table": self._handle(game, body["state"], peer)} if answer["consistent"] else {}
                verdict = {name: answer[name] for name in ("consistent", "faults", "unverified")}
                result = handle | verdict | {"faults": [_brief_ruling(each) for each in answer["faults"]]}
            case "legal-moves":
                result = _listing(answer)
            case "validate":
                result = _verdict(answer) | (self._listing(game, body["state"]) if not answer["legal"] else {})
            case "resolve":
                result = self._resolution(game, body["state"], answer, peer)
            case _:
                handle = {"table": self._handle(game, answer["state"], peer)} if "state" in answer else {}
                result = handle | {name: value for name, value in answer.items() if name not in ("game", "ruleset")}
        return result

    def _resolution(self, game: str, before: Json, answer: Json, peer: str) -> Json:
        """A resolution in few words. `before`: the table before the moves."""
        after = answer["state"]
        changed = {name: value for name, value in after.items() if before.get(name) != value and name != "ruleset"}
        happened = {"applied": answer["applied"], "sentences": [each["text"] for each in answer["events"]]}
        over = {name: answer[name] for name in ("standings", "result") if answer["result"] is not None}
        changes = {"changed": _brief_table(changed)}
        return _verdict(answer) | happened | changes | over | self._next(game, after, peer)

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

    def _next(self, game: str, state: Json, peer: str) -> Json:
        """A handle of a table, and its legal moves."""
        return {"table": self._handle(game, state, peer), **self._listing(game, state)}

    def _listing(self, game: str, state: Json) -> Json:
        """The legal moves at a table."""
        return _listing(calls.answered("legal-moves", game, {"state": state}, self.language))

    def _handle(self, game: str, state: Json, peer: str) -> str:
        """A new handle for a table."""
        return self._tables.add(OwnedTable(peer, game, strict_json.dumps(state)))

    def _table_of(self, handle: str) -> tuple[str, Json]:
        """The game and the table of a handle."""
        table = self._tables.find(handle)
        if table is None:
            remedy = "Pass a handle of this process, or the whole table, or deal again."
            raise ToolRefused(f"There is no table {handle[:40]!r}.", remedy)
        return table.game, json.loads(table.state)


def _call_of(tool: str) -> AnyCall | None:
    """The stateless call behind a tool; None for `games` and `rulebook`, which only read."""
    return calls.NAMED.get(tool.replace("_", "-"))


def _verdict(answer: Json) -> Json:
    """Whether the moves are legal, and what forbids them or is not seen."""
    verdict: Json = {"legal": answer["legal"]}
    if answer["violations"]:
        verdict["violations"] = [_brief_ruling(each) for each in answer["violations"]]
        verdict["remedy"] = "Choose one of legal_moves; `rulebook` has the clauses."
    if answer["undetermined"]:
        verdict["undetermined"] = _brief_ruling(answer["undetermined"])
    return verdict


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


def _without_discriminator(schema: Json) -> Json:
    """A schema without the keyword of OpenAPI, which JSON Schema does not know."""
    schema.pop("discriminator", None)
    return schema


def server(games: Sequence[str], language: str) -> Server[Any]:
    """The server of the protocol with the tools for these games."""
    tools = Tools(games, language)
    list_of_tools = types.ListToolsResult(tools=tools.listed())

    async def list_tools(_: ServerRequestContext[Any], __: object) -> types.ListToolsResult:
        return list_of_tools

    async def call_tool(
        context: ServerRequestContext[Any, Request], request: types.CallToolRequestParams
    ) -> types.CallToolResult:
        client = context.request.client if context.request else None  # over HTTP
        peer = NO_PROXY.of({"REMOTE_ADDR": client.host}) if client else ""
        result = tools.call(request.name, request.arguments or {}, peer)
        text = types.TextContent(type="text", text=strict_json.dumps(result).decode())
        return types.CallToolResult(content=[text], structured_content=result)

    return Server("rules-referee", instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool)


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
