"""The referee for agents: tools of the Model Context Protocol, by its official SDK (extra `agents`).

A tool answers in few words: a handle of the table, what changed, sentences, and the legal moves. The process keeps the
tables behind the handles. A refusal is a result that says what to do, never an error.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import anyio
import uvicorn
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

import engines
from service import seeds
from service.contract.calls import body_codec
from service.contract.openapi.converter import Converter
from service.judging import calls
from service.judging.games import description, rulebook
from service.web import strict_json
from service.web.problems import Problem

Json: TypeAlias = dict[str, Any]

KEPT = 1_000  #: Tables that are kept; the one used least recently goes first.
LISTED = 40  #: A result lists at most this many legal moves.
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
    "with the new handle, until legal_moves is empty. Seats count from 0; a move with seat null is the table's own. "
    "A move that is not legal is answered with the clause that forbids it; rulebook has its text."
)


class Tables:
    """The tables behind the handles, with the games that they are of."""

    def __init__(self) -> None:
        self._tables: OrderedDict[str, tuple[str, Json]] = OrderedDict()

    def keep(self, game: str, state: Json) -> str:
        """A new handle for a table."""
        handle = f"table-{secrets.token_urlsafe(6)}"
        self._tables[handle] = game, state
        if len(self._tables) > KEPT:
            self._tables.popitem(last=False)
        return handle

    def get(self, handle: str) -> tuple[str, Json] | None:
        """The game and the table of a handle; None if it is not known, or no longer."""
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
        converter = Converter("closed", (), ())
        made = []
        for name, text in TOOLS.items():
            row = calls.NAMED.get(name.replace("_", "-"))
            required = ["game"] if name == "rulebook" or (name == "deal" and len(self.games) > 1) else []
            members: Json = {"game": {"enum": list(self.games)}}
            if name == "rulebook":
                members["clauses"] = {"type": "array", "items": {"type": "string"}, "description": "Such as TW-5.2."}
            for game in self.games if row is not None else ():
                shape = body_codec(row, game).field.shape  # type: ignore[attr-defined]
                for member, field in shape.declared().items():
                    if member in ("compare", "views") or (member == "names" and name != "resolve"):
                        continue
                    given = ELSEWHERE[member] if member in ELSEWHERE and name != "audit" else converter.schema(field)
                    either = members.setdefault(member, {"anyOf": [HANDLE] if member == "state" else []})["anyOf"]
                    either += [given] if given not in either else []
                    required += [member] if field.required and member not in required else []
            used = strict_json.loads(strict_json.dumps(members).replace(b"#/components/schemas/", b"#/$defs/"))
            schema = {"type": "object", "properties": _plain(used), "required": required, "additionalProperties": False}
            made.append(types.Tool(name=name, description=text, input_schema=_with_defs(schema, converter.schemas)))
        return made

    def call(self, name: str, given: Json) -> Json:
        """The result of a tool."""
        try:
            return self._called(name, dict(given))
        except Problem as problem:
            told: Json = strict_json.loads(strict_json.dumps(problem.document(f"/{name}", self.language)))
            listed = [*told.get("errors", ()), *told.get("faults", ())]
            remedy = "Mend what is named and call the tool again."
            return {
                "refused": told["title"],
                "detail": told["detail"],
                "why": [_short(each) for each in listed[:20]],
            } | {"remedy": remedy}

    def _called(self, name: str, given: Json) -> Json:
        if name == "games":
            return {"games": [self._game(game) for game in self.games if given.get("game", game) == game]}
        game = given.pop("game", self.games[0])
        if isinstance(handle := given.get("state"), str):
            game, given["state"] = self._tables.get(handle) or (None, None)
            if game is None:
                remedy = "Pass a handle of this process, or the whole table, or deal again."
                return {"refused": f"There is no table {handle!r}.", "remedy": remedy}
        if game not in self.games:
            return {"refused": f"There is no game {game!r}.", "remedy": f"One of {', '.join(self.games)}."}
        if name == "rulebook":
            return self._rulebook(game, given.get("clauses") or ())
        return self._told(name, game, given, self._judged(name, game, given))

    def _told(self, name: str, game: str, body: Json, answer: Json) -> Json:
        """What a tool says of an answer of the service."""
        match name:
            case "deal":
                shown = {"seed": answer["seed"], "state": _brief(answer["state"])}
                return {**shown, **self._next(game, answer["state"])}
            case "view":
                return {"table": self._tables.keep(game, answer["state"]), "state": answer["state"]}
            case "audit":
                faults = [_short(each) for each in answer["faults"]]
                told = {"consistent": answer["consistent"], "faults": faults, "unverified": answer["unverified"]}
                return {"table": self._tables.keep(game, body["state"]), **told} if answer["consistent"] else told
            case "legal_moves":
                return _listing(answer)
            case "validate":
                return self._ruling(answer) | (self._next(game, body["state"]) if not answer["legal"] else {})
        return self._resolved(game, body, answer)

    def _judged(self, name: str, game: str, body: Json) -> Json:
        judged = calls.judged(name.replace("_", "-"), game, body, self.language)
        read: Json = strict_json.loads(strict_json.dumps(judged))
        return read

    def _game(self, game: str) -> Json:
        told: Json = strict_json.loads(strict_json.dumps(description(engines.registry()[game], self.language)))
        options = [{name: each[name] for name in ("name", "text", "default")} for each in told["options"]]
        shown = {name: told[name] for name in ("game", "title", "seats", "moves", "phases")}
        return {**shown, "rulesets": [each["name"] for each in told["rulesets"]], "options": options}

    def _rulebook(self, game: str, wanted: Sequence[str]) -> Json:
        engine = engines.registry()[game]
        clauses = {each.id: each.text for each in rulebook(engine, self.language).clauses}
        if wanted:
            return {each: clauses.get(each, "There is no such clause.") for each in wanted}
        return {
            section["title"][self.language]: [each["id"] for each in section["clauses"]]
            for section in seeds.rulebook(engine)["sections"]
        }

    def _resolved(self, game: str, body: Json, answer: Json) -> Json:
        before, after = body["state"], answer["state"]
        changed = {name: value for name, value in after.items() if before.get(name) != value and name != "ruleset"}
        told = {"applied": answer["applied"], "sentences": [each["text"] for each in answer["events"]]}
        over = {name: answer[name] for name in ("standings", "result") if answer["result"] is not None}
        return self._ruling(answer) | told | {"changed": _brief(changed)} | over | self._next(game, after)

    def _ruling(self, answer: Json) -> Json:
        made: Json = {"legal": answer["legal"]}
        if answer["violations"]:
            made["violations"] = [_short(each) for each in answer["violations"]]
            made["remedy"] = "Choose one of legal_moves; `rulebook` has the clauses."
        if answer["undetermined"]:
            made["undetermined"] = _short(answer["undetermined"])
        return made

    def _next(self, game: str, state: Json) -> Json:
        """A handle of a table, and its legal moves."""
        return {
            "table": self._tables.keep(game, state),
            **_listing(self._judged("legal_moves", game, {"state": state})),
        }


def _listing(answer: Json) -> Json:
    moves = [{name: value for name, value in each.items() if value} for each in answer["moves"]]
    more = {"and_more": len(moves) - LISTED} if len(moves) > LISTED else {}
    return {"to_act": answer["to_act"], "legal_moves": moves[:LISTED], **more}


def _short(ruling: Json) -> Json:
    """A ruling, or an error of a body, in few members."""
    return {name: ruling[name] for name in ("rule", "code", "pointer", "pointers", "text", "detail") if name in ruling}


def _brief(members: Json) -> Json:
    """Members of a table without the long ones, of which the names alone are told."""
    short = {name: value for name, value in members.items() if len(strict_json.dumps(value)) <= SHORT}
    long = [name for name in members if name not in short]
    return short | ({"left_out": f"{', '.join(long)}: call view"} if long else {})


def _plain(members: Json) -> Json:
    """Members with unions of one schema replaced by that schema."""
    return {name: each["anyOf"][0] if len(each.get("anyOf", ())) == 1 else each for name, each in members.items()}


def _with_defs(schema: Json, components: Mapping[str, Json]) -> Json:
    """A schema with the definitions that it needs."""
    defs: Json = {}
    todo = [schema]
    while todo:
        part: Any = todo.pop()
        if isinstance(part, list):
            todo += part
        elif isinstance(part, dict):
            part.pop("discriminator", None)
            name = str(part.get("$ref", "")).rpartition("/")[2]
            if name and name not in defs:
                text = strict_json.dumps(components[name]).replace(b"#/components/schemas/", b"#/$defs/")
                defs[name] = strict_json.loads(text)
                todo.append(defs[name])
            todo += part.values()
    return {**schema, "$defs": defs} if defs else schema


def server(games: Sequence[str], language: str) -> Server[Any]:
    """The server of the protocol with the tools for these games."""
    tools = Tools(games, language)
    listed = tools.listed()

    async def list_tools(_: ServerRequestContext[Any], __: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(_: ServerRequestContext[Any], asked: types.CallToolRequestParams) -> types.CallToolResult:
        if asked.name not in TOOLS:
            told: Json = {"refused": f"There is no tool {asked.name!r}.", "remedy": f"One of {', '.join(TOOLS)}."}
        else:
            told = await anyio.to_thread.run_sync(tools.call, asked.name, asked.arguments or {})
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
    security = TransportSecuritySettings(
        allowed_hosts=[*known, *(f"{each}:*" for each in known)],
        allowed_origins=[
            f"{scheme}://{each}{end}" for scheme in ("http", "https") for each in known for end in ("", ":*")
        ],
    )
    app = server(games, language).streamable_http_app(transport_security=security, host=host)
    uvicorn.run(app, host=host, port=port, log_level="warning")
