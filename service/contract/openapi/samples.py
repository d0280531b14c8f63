"""Code samples of the operations: for a shell with curl, and for the clients in Python and TypeScript.

Each is made from the operation and its shortest example. What a session gave out is in the environment: its id in `ID`,
a token of it in `TOKEN`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import engines
from service.contract.openapi.operations import Operation
from service.contract.prose import operation_id
from service.problems import KINDS
from service.strict_json import Json

SERVICE = "http://127.0.0.1:8000"
METHODS = {
    "game": "about",
    "openSession": "open",
    "readSession": "read",
    "closeSession": "close",
    "takeSeat": "join",
    "sessionLegalMoves": "legalMoves",
    "makeMoves": "move",
    "sessionLog": "log",
    "sessionEvents": "events",
}
"""The method of the clients for an operation whose id is not its name."""
STREAM = "sessionEvents"  #: The operation whose answer goes on.


class Client(NamedTuple):
    """How calls with a client are written. `name`: as the language spells a name; `value`: as it writes a JSON value.

    With a place for one expression each: a `variable` of the environment, a `table` to be named, an answer that is
    `shown`, a stream that is `followed`.
    """

    language: str
    head: str
    name: Callable[[str], str]
    value: Callable[[object], str]
    variable: str
    table: str
    shown: str
    followed: str


def _in_python(value: object) -> str:
    """A JSON value as Python has it."""
    constants = {"null": "None", "true": "True", "false": "False"}
    words = re.split(r'("(?:[^"\\]|\\.)*")', _in_json(value))  # texts, and what is between them
    return "".join(
        word if word.startswith('"') else re.sub("null|true|false", lambda match: constants[match[0]], word)
        for word in words
    )


def _in_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


CLIENTS = (
    Client(
        "Python",
        f'from rules_referee_client import Referee\n\nreferee = Referee("{SERVICE}")\n',
        lambda name: re.sub("([A-Z])", r"_\1", name).lower(),
        _in_python,
        'os.environ["{}"]',
        "table = {}\n",
        "print({})",
        "for entry in {}:\n    print(entry)",
    ),
    Client(
        "TypeScript",
        f'import {{ Referee }} from "rules-referee";\n\nconst referee = new Referee("{SERVICE}");\n',
        str,
        _in_json,
        "process.env.{}!",
        "const table = {};\n",
        "console.log(await {});",
        "for await (const entry of {}) console.log(entry);",
    ),
)


def samples(operation: Operation, game: str | None) -> list[Json]:
    """The samples of one operation; none for a call under the path of one game. `game`: of the contract of one game."""
    if operation.path.startswith("/games/") and "{game}" not in operation.path:
        return []
    game_of_example, body = _shortest(operation, game)
    game = game or game_of_example or min(engines.registry())
    sources = {"Shell": _with_curl(operation, game, body)}
    sources |= {client.language: _with_client(client, operation, game, body) for client in CLIENTS}
    return [{"lang": language, "source": source} for language, source in sources.items()]


def _shortest(operation: Operation, game: str | None) -> tuple[str | None, Any]:
    """The game and the body of the shortest example, and of a batch its shortest entry; None: it takes no body."""
    shown = [each for each in operation.examples.values() if game is None or each.game in (None, game)]
    if operation.body is None or not shown:
        return None, None
    example = min(shown, key=lambda each: _length(each.value))
    body: Any = example.value
    return example.game, {"requests": [min(body["requests"], key=_length)]} if operation.id == "batch" else body


def _length(value: object) -> int:
    """The characters of a value as JSON."""
    return len(_in_json(value))


def _with_curl(operation: Operation, game: str, body: object) -> str:
    """The call in a shell."""
    parts = ["curl -sN" if operation.id == STREAM else "curl -s"]
    if operation.method == "delete" or (operation.method == "post" and body is None):
        parts.append(f"-X {operation.method.upper()}")
    path = operation.path.format(game=game, slug=next(iter(KINDS)), session_id="$ID", seat=0)
    parts.append(f"{SERVICE}{path}")
    if "bearer" in operation.security:
        parts.append('-H "Authorization: Bearer $TOKEN"')
    if body is not None:
        quoted = _in_json(body).replace("'", r"'\''")
        parts.append(f"--json '{quoted}'")
    return " ".join(parts)


def _with_client(client: Client, operation: Operation, game: str, body: Any) -> str:
    """The call with a client."""
    method, member = client.name(METHODS.get(operation.id, operation.id)), client.name(operation_id(game))
    arguments = [client.value(each) for each in _arguments(operation, body)]
    id, token = (client.variable.format(name) for name in ("ID", "TOKEN"))
    text, subject = client.head, "referee"
    if operation.id == "takeSeat":  # a token is what it gives
        arguments = [id, "0", *arguments]
    if operation.tag == "Sessions" and "bearer" in operation.security:
        text += client.table.format(f"referee.{member}.at({id}, {token})")
        subject = "table"
    elif operation.id not in ("batch", "games", "problem"):
        subject = f"referee.{member}"
    frame = client.followed if operation.id == STREAM else client.shown
    text += frame.format(f"{subject}.{method}({', '.join(arguments)})")
    return f"import os\n\n{text}" if "os.environ" in text else text


def _arguments(operation: Operation, body: Any) -> Sequence[object]:
    """What the client's method is called with."""
    if operation.id == "problem":
        return [next(iter(KINDS))]
    if body is None:
        return []
    if operation.id == "openSession":
        return [body]
    if operation.id == "makeMoves":
        return list(body["moves"])
    if operation.tag == "Judging" and operation.id != "batch":  # its game is in the subject
        return [{name: value for name, value in body.items() if name != "game"}]
    return list(body.values())
