"""`referee`: the service's calls without a server. JSON on standard output; exit 0 legal, 1 illegal, 2 bad input."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import engines
from service import json
from service.messages import language_for
from service.problems import Problem
from service.seeds import LANGUAGES, ROOT

LEGAL, ILLEGAL, BAD_INPUT = 0, 1, 2


def main(arguments: list[str] | None = None) -> int:
    """The exit status of one command."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except Problem as problem:
        _print(problem.document(f"/{options.command}"))
        return BAD_INPUT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="referee", description=__doc__)
    parser.add_argument("--language", choices=LANGUAGES, help="of the sentences; by default that of LANG")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="run the service on this machine")
    serve.add_argument("--port", type=int, default=os.environ.get("REFEREE_PORT", "8000"))
    serve.add_argument("--host", default=os.environ.get("REFEREE_HOST", "127.0.0.1"))
    serve.set_defaults(run=_serve)
    for call, help_ in (("resolve", "apply moves to a state"), ("validate", "judge one move")):
        command = commands.add_parser(call, help=help_)
        command.add_argument("file", help="the request body as a JSON file, - for standard input")
        command.set_defaults(run=_judge)
    commands.add_parser("games", help="list the games").set_defaults(run=_games)
    rulebook = commands.add_parser("rulebook", help="print a game's clauses")
    rulebook.add_argument("game", choices=list(engines.registry()))
    rulebook.set_defaults(run=_rulebook)
    commands.add_parser("openapi", help="print the contract").set_defaults(run=_openapi)
    return parser


def _serve(options: argparse.Namespace) -> int:
    environment = {**os.environ, "REFEREE_HOST": options.host, "REFEREE_PORT": str(options.port)}
    configuration = ROOT / "deploy" / "gunicorn.conf.py"
    gunicorn = str(Path(sys.executable).with_name("gunicorn"))
    os.execve(gunicorn, [gunicorn, "--config", str(configuration)], environment)


def _judge(options: argparse.Namespace) -> int:
    from service.resources.stateless import judged

    try:
        body = sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes()
    except OSError as error:
        raise Problem("invalid-request", f"{options.file}: {error.strerror}") from None
    try:
        raw = json.loads(body)
    except json.NotJson as error:
        raise Problem("malformed-json", str(error)) from None
    answer = judged(options.command, None, raw, _spoken(options))
    _print(answer)
    return LEGAL if answer["legal"] else ILLEGAL


def _games(options: argparse.Namespace) -> int:
    from service.resources.games import summary

    _print({"games": [summary(engine, _spoken(options)) for engine in engines.registry().values()]})
    return LEGAL


def _rulebook(options: argparse.Namespace) -> int:
    from service.resources.games import rulebook

    _print(rulebook(engines.registry()[options.game], _spoken(options)))
    return LEGAL


def _openapi(options: argparse.Namespace) -> int:
    from service.openapi import text

    sys.stdout.write(text())
    return LEGAL


def _spoken(options: argparse.Namespace) -> str:
    return options.language or language_for(os.environ.get("LANG", "").partition(".")[0].replace("_", "-"))


def _print(answer: Any) -> None:
    sys.stdout.buffer.write(json.dumps(answer) + b"\n")


if __name__ == "__main__":
    sys.exit(main())
