"""The referee for agents: tools of the Model Context Protocol, by its official SDK (extra `agents`).

A tool answers in few words: a handle of the table, what changed, sentences, and the legal moves. The process keeps the
tables behind the handles. A refusal is a result that says what to do, never an error.
"""

from __future__ import annotations

import json
import secrets
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import anyio
import uvicorn
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

import engines
from service import seeds, strict_json
from service.contract.calls import body_codec
from service.contract.fields import Closed
from service.contract.openapi.converter import SCHEMAS, Converter
from service.judging import calls
from service.judging.games import description, rulebook
from service.problems import Problem
from service.strict_json import Json

KEPT = 1_000  #: Tables that are kept; the one used least recently goes first.
LISTED = 40  #: A result lists at most this many legal moves.
STOP = 2  #: Seconds in which open requests may end when the process is stopped.
SHORT = 400  #: A changed member of a table is left out if its JSON is longer.
LOOPBACK = ("127.0.0.1", "localhost", "::1")
HANDLE = {"type": "string", "description": "A handle that a tool gave as `table`."}
ELSEWHERE = {
    "state": {"type": "object", "description": "Or a whole table, as `audit` takes it."},
    "move": {"type": "object", "description": "A move, as `resolve` takes it."},
}
"""Members whose schema only one tool spells out."""
TOOLS = {
    "games": "The games, with seats, rulesets, options and the types of moves. Begin here.",
    "rulebook": "The clauses of a rulebook: the titles of its sections, or the text of the clauses that you name.",
    "deal": "Deal a game. Answers with a handle of the table and the legal moves.",
    "legal_moves": "The legal moves at a table, each to be passed to `resolve` as it is.",
    "validate": "Whether one move is legal, without making it.",
    "resolve": "Make moves in order, up to the first that is not legal. Answers with a handle of the new table, what "
    "happened in sentences, what changed, who acts, and the next legal moves. The old handle stays valid.",
    "audit": "Whether a table can be: every contradiction with the rulebook. Answers with a handle of the table.",
    "view": "A table as one seat may see it (null: a spectator). Look at it before you choose a move.",
}
INSTRUCTIONS = (
    "A referee for card games. deal gives a handle; then repeat: take a move of legal_moves, pass it to resolve, go on "
    "with the new handle, until legal_moves is empty. Seats count from 0; a move without a seat is the table's own. "
    "Add a seed of yours to a listed move of type deal: without one nobody sees the cards. "
    "A move that is not legal is answered with the clause that forbids it; rulebook has its text."
)


class ToolRefused(Exception):
    """A tool refuses: `args` are what it refuses, and the remedy."""


class Tools:
    """The tools for some games, in one language."""

    def __init__(self, games: Sequence[str], language: str) -> None:
        self.games = games
        self.language = language
        self._tables: OrderedDict[str, tuple[str, bytes]] = OrderedDict()
        """The game and the table, as JSON, behind each handle."""

    def listed(self) -> list[types.Tool]:
        """Every tool, with the closed schema of what it takes."""
        return [types.Tool(name=name, description=TOOLS[name], input_schema=self._schema(name)) for name in TOOLS]

    def _schema(self, tool: str) -> Json:
        """What a tool takes: each member as any of the games takes it."""
        converter = Converter("closed", (), ())
        members: dict[str, list[Json]] = {"game": [{"enum": list(self.games)}]}
        if tool == "rulebook":
            members["clauses"] = [{"type": "array", "items": {"type": "string"}, "description": "Such as TW-5.2."}]
        required = {"game"} if tool in ("rulebook", "deal") and len(self.games) > 1 else set[str]()
        row = calls.NAMED.get(tool.replace("_", "-"))
        for game in self.games if row else ():
            shape: type[Closed] = body_codec(row, game).field.shape  # type: ignore[attr-defined]
            for name, field in shape.declared().items():
                if name in ("compare", "views") or (name == "names" and tool != "resolve"):
                    continue
                taken = ELSEWHERE[name] if name in ELSEWHERE and tool != "audit" else converter.schema(field)
                options = members.setdefault(name, [HANDLE] if name == "state" else [])
                options += [taken] if taken not in options else []
                required |= {name} if field.required else set()
        schema = {
            "type": "object",
            "properties": {name: {"anyOf": each} if len(each) > 1 else each[0] for name, each in members.items()},
            "required": sorted(required),
            "additionalProperties": False,
            "$defs": converter.schemas,
        }
        local: Json = json.loads(json.dumps(schema).replace(SCHEMAS, "#/$defs/"), object_hook=_without_discriminator)
        return local

    def call(self, tool: str, arguments: Json) -> Json:
        """The result of a tool. Its arguments are read as strictly as the body of a request."""
        try:
            return self._called(tool, strict_json.loads(json.dumps(arguments).encode()))
        except ToolRefused as refused:
            return {"refused": refused.args[0], "remedy": refused.args[1]}
        except Problem as problem:
            told: Json = strict_json.plain(problem.document(f"/{tool}", self.language))
            why = [_short(each) for each in [*told.get("errors", ()), *told.get("faults", ())][:20]]
            remedy = "Mend what is named and call the tool again."
            return {"refused": told["title"], "detail": told["detail"], "why": why, "remedy": remedy}

    def _called(self, tool: str, given: Json) -> Json:
        if tool not in TOOLS:
            raise ToolRefused(f"There is no tool {tool!r}.", f"One of {', '.join(TOOLS)}.")
        game = given.pop("game", self.games[0] if len(self.games) == 1 else None)
        if isinstance(handle := given.get("state"), str):
            game, given["state"] = self._kept(handle)
        if game not in self.games and (game is not None or tool != "games"):
            wrong = "No game is named." if game is None else f"There is no game {game!r}."
            raise ToolRefused(wrong, f"Give `game`: one of {', '.join(self.games)}.")
        if tool == "games":
            return {"games": [self._game(each) for each in ([game] if game else self.games)]}
        if tool == "rulebook":
            return self._rulebook(game, given.get("clauses", []))
        return self._told(tool, game, given, calls.answered(tool.replace("_", "-"), game, given, self.language))

    def _told(self, tool: str, game: str, body: Json, answer: Json) -> Json:
        """What a tool says of an answer of the service."""
        match tool:
            case "deal":
                shown = {"seed": answer["seed"], "state": _brief(answer["state"])}
                return shown | self._next(game, answer["state"])
            case "view":
                return {"table": self._keep(game, answer["state"]), "state": answer["state"]}
            case "audit":
                told = {"consistent": answer["consistent"], "faults": [_short(each) for each in answer["faults"]]}
                handle = {"table": self._keep(game, body["state"])} if answer["consistent"] else {}
                return handle | told | {"unverified": answer["unverified"]}
            case "legal_moves":
                return _listing(answer)
            case "validate":
                return _ruling(answer) | (self._next(game, body["state"]) if not answer["legal"] else {})
        before, after = body["state"], answer["state"]
        changed = {name: value for name, value in after.items() if before.get(name) != value and name != "ruleset"}
        told = {"applied": answer["applied"], "sentences": [each["text"] for each in answer["events"]]}
        over = {name: answer[name] for name in ("standings", "result") if answer["result"] is not None}
        return _ruling(answer) | told | {"changed": _brief(changed)} | over | self._next(game, after)

    def _game(self, game: str) -> Json:
        told = strict_json.plain(description(engines.registry()[game], self.language))
        options = [{name: each[name] for name in ("name", "text", "default")} for each in told["options"]]
        shown = {name: told[name] for name in ("game", "title", "seats", "moves", "phases")}
        return {**shown, "rulesets": [each["name"] for each in told["rulesets"]], "options": options}

    def _rulebook(self, game: str, wanted: object) -> Json:
        if not isinstance(wanted, list) or not all(isinstance(each, str) for each in wanted):
            raise ToolRefused("`clauses` is no list of ids.", 'Such as ["TW-5.2"].')
        engine = engines.registry()[game]
        clauses = {each.id: each.text for each in rulebook(engine, self.language).clauses}
        if wanted:
            return {each: clauses.get(each, "There is no such clause.") for each in wanted}
        return {
            section["title"][self.language]: [each["id"] for each in section["clauses"]]
            for section in seeds.rulebook(engine)["sections"]
        }

    def _next(self, game: str, state: Json) -> Json:
        """A handle of a table, and its legal moves."""
        listed = calls.answered("legal-moves", game, {"state": state}, self.language)
        return {"table": self._keep(game, state), **_listing(listed)}

    def _keep(self, game: str, state: Json) -> str:
        """A new handle for a table."""
        handle = f"table-{secrets.token_urlsafe(6)}"
        self._tables[handle] = game, strict_json.dumps(state)
        if len(self._tables) > KEPT:
            self._tables.popitem(last=False)
        return handle

    def _kept(self, handle: str) -> tuple[str, Json]:
        """The game and the table of a handle."""
        if handle not in self._tables:
            remedy = "Pass a handle of this process, or the whole table, or deal again."
            raise ToolRefused(f"There is no table {handle[:40]!r}.", remedy)
        self._tables.move_to_end(handle)
        game, state = self._tables[handle]
        return game, json.loads(state)


def _ruling(answer: Json) -> Json:
    made: Json = {"legal": answer["legal"]}
    if answer["violations"]:
        made["violations"] = [_short(each) for each in answer["violations"]]
        made["remedy"] = "Choose one of legal_moves; `rulebook` has the clauses."
    if answer["undetermined"]:
        made["undetermined"] = _short(answer["undetermined"])
    return made


def _listing(answer: Json) -> Json:
    moves = [{name: value for name, value in each.items() if value} for each in answer["moves"]]
    more = {"and_more": len(moves) - LISTED} if len(moves) > LISTED else {}
    unseen = {} if answer["complete"] else {"complete": False}
    return {"to_act": answer["to_act"], "legal_moves": moves[:LISTED], **more, **unseen}


def _short(ruling: Json) -> Json:
    """A ruling, or an error of a body, in few members."""
    return {name: ruling[name] for name in ("rule", "code", "pointer", "pointers", "text", "detail") if name in ruling}


def _brief(members: Json) -> Json:
    """Members of a table without the long ones, of which the names alone are told."""
    short = {name: value for name, value in members.items() if len(strict_json.dumps(value)) <= SHORT}
    long = [name for name in members if name not in short]
    return short | ({"left_out": f"{', '.join(long)}: call view"} if long else {})


def _without_discriminator(schema: Json) -> Json:
    schema.pop("discriminator", None)
    return schema


def server(games: Sequence[str], language: str) -> Server[Any]:
    """The server of the protocol with the tools for these games."""
    tools = Tools(games, language)
    listed = tools.listed()

    async def list_tools(_: ServerRequestContext[Any], __: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(_: ServerRequestContext[Any], asked: types.CallToolRequestParams) -> types.CallToolResult:
        told = tools.call(asked.name, asked.arguments or {})
        text = types.TextContent(type="text", text=strict_json.dumps(told).decode())
        return types.CallToolResult(content=[text], structured_content=told)

    return Server("rules-referee", instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool)


def serve(games: Sequence[str], language: str) -> None:
    """Serve over standard input and output until the input ends."""

    async def run() -> None:
        made = server(games, language)
        async with stdio_server() as (read, write):
            await made.run(read, write, made.create_initialization_options())

    anyio.run(run)


def serve_http(games: Sequence[str], language: str, host: str, port: int, names: Sequence[str]) -> None:
    """Serve at `/mcp`. Requests must name loopback, this host or one of `names`, as `Host` and, if there, `Origin`."""
    known = [f"[{each}]" if ":" in each else each for each in dict.fromkeys((*LOOPBACK, host, *names))]
    hosts = [*known, *(f"{each}:*" for each in known)]
    origins = [f"{scheme}://{each}" for scheme in ("http", "https") for each in hosts]
    security = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)
    app = server(games, language).streamable_http_app(transport_security=security, host=host, stateless_http=True)
    uvicorn.run(app, host=host, port=port, log_level="warning", timeout_graceful_shutdown=STOP)
