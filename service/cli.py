"""`referee`: the service's calls without a server. JSON on standard output.

Exits with 0 where the answer is yes or there is nothing to say yes or no to, with 1 where it is no (not legal, not
consistent, not proved), with 2 where the input is refused.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import engines
from service.bounds import VALUES, VALUES_IN_BATCH
from service.conformance import Silent, Trial, VectorFault, parts, run
from service.contract.prose import PROSE, operation_id
from service.judging.calls import CALLS, judged
from service.seeds import LANGUAGES, ROOT
from service.sessions import backup
from service.web import strict_json
from service.web.languages import language_for
from service.web.phrases import phrase
from service.web.problems import Problem, too_many_values

YES, NO, REFUSED = 0, 1, 2
TEST = """Every conformance vector is sent to the server, and the answer compared with what was worked out by hand.
Exits with 0 where all agree, with 1 where one does not, with 2 where the server does not answer."""


def main(arguments: list[str] | None = None) -> int:
    """The exit status of one command."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except Problem as problem:
        _print(problem.document(f"/{options.command}", _language(options)))
        return REFUSED


def _parser() -> argparse.ArgumentParser:
    speaks = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    speaks.add_argument("--language", choices=LANGUAGES, help="of the sentences; by default that of the shell")
    parser = argparse.ArgumentParser(prog="referee", description=__doc__, parents=[speaks])
    parser.add_argument("--version", action="version", version=version("rules-referee"))
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="run the service on this machine")
    serve.add_argument("--port", default="", help="instead of REFEREE_PORT")
    serve.add_argument("--host", default="", help="instead of REFEREE_HOST")
    serve.set_defaults(run=_serve)
    for call in CALLS:
        command = commands.add_parser(call.name, help=PROSE[operation_id(call.name)]["summary"], parents=[speaks])
        command.add_argument("file", help="the request body as a JSON file, - for standard input")
        command.set_defaults(run=_judge, call=call)
    verify = commands.add_parser("verify", help="check the transcript of a session", parents=[speaks])
    verify.add_argument("file", metavar="TRANSCRIPT", help="the transcript as a JSON file, - for standard input")
    verify.add_argument("--commitment", type=_digest, metavar="HEX", help="as it was noted when the session was opened")
    verify.set_defaults(run=_verify)
    test = commands.add_parser("test", help="run the conformance vectors against a server", description=TEST)
    test.add_argument("url", type=_address, metavar="URL", help="where it stands, such as http://127.0.0.1:8000")
    test.add_argument("--only", action="append", choices=parts(), help="one part; may be said again; by default all")
    test.add_argument("--json", action="store_true", help="the report as JSON")
    test.set_defaults(run=_test)
    backup.add_to(commands)
    commands.add_parser("games", help="list the games", parents=[speaks]).set_defaults(run=_games)
    rulebook = commands.add_parser("rulebook", help="print a game's clauses", parents=[speaks])
    rulebook.add_argument("game", choices=list(engines.registry()))
    rulebook.set_defaults(run=_rulebook)
    contract = commands.add_parser("openapi", help="print the contract")
    contract.add_argument("--exact", action="store_true", help="to the last member, for tests; clients are told less")
    contract.set_defaults(run=_openapi)
    return parser


def _serve(options: argparse.Namespace) -> int:
    given = {"REFEREE_HOST": options.host, "REFEREE_PORT": options.port}
    environment = os.environ | {name: value for name, value in given.items() if value}
    configuration = ROOT / "deploy" / "gunicorn.conf.py"
    gunicorn = str(Path(sys.executable).with_name("gunicorn"))
    os.execve(gunicorn, [gunicorn, "--config", str(configuration)], environment)


def _judge(options: argparse.Namespace) -> int:
    answer = judged(options.command, None, _read(options), _language(options))
    _print(answer)
    verdict = options.call.verdict
    return YES if verdict is None or getattr(answer, verdict) else NO


def _verify(options: argparse.Namespace) -> int:
    from service.sessions.verifying import verified

    answer = verified(_read(options, VALUES_IN_BATCH), options.commitment, _language(options))
    _print(answer)
    return YES if answer.verified else NO


def _test(options: argparse.Namespace) -> int:
    chosen = list(dict.fromkeys(options.only or parts()))
    passed, failed = Counter[str](), list[Trial]()
    try:
        for trial in run(options.url, chosen):
            if trial.differences:
                failed.append(trial)
                if not options.json:
                    _tell(trial)
            else:
                passed[trial.vector.part] += 1
    except (Silent, VectorFault) as error:
        sys.stderr.write(f"referee test: {options.url}: {error}\n")
        return REFUSED
    failures = Counter(trial.vector.part for trial in failed)
    if options.json:
        counts = {part: {"passed": passed[part], "failed": failures[part]} for part in chosen}
        _print({"url": options.url, "parts": counts, "failures": [trial.report() for trial in failed]})
    else:
        for part in chosen:
            print(f"{part:<12}{passed[part]:>5} passed{failures[part]:>5} failed")
    return NO if failed else YES


def _tell(trial: Trial) -> None:
    """A vector that disagrees, for people: what was tried, and each difference."""
    vector = trial.vector
    print(f"{vector.id} ({vector.file.as_posix()}): {vector.why}")
    for difference in trial.differences:
        print(f"    {difference}")
    print()


def _address(text: str) -> str:
    if re.match("https?://[^/]", text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no address such as http://127.0.0.1:8000")
    return text.rstrip("/")


def _digest(text: str) -> str:
    if re.fullmatch("[0-9a-fA-F]{64}", text) is None:
        raise argparse.ArgumentTypeError("64 digits from 0 to f")
    return text.lower()


def _read(options: argparse.Namespace, most: int = VALUES) -> object:
    """The JSON of the file, of at most so many values."""
    try:
        body = sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes()
    except OSError:
        raise Problem("invalid-request", phrase("file-unreadable", file=options.file)) from None
    try:
        return strict_json.loads(body, most)
    except strict_json.NotJson as error:
        raise Problem("malformed-json", error.detail) from None
    except strict_json.TooManyValues as error:
        raise too_many_values(error) from None


def _games(options: argparse.Namespace) -> int:
    from service.judging.games import listed

    _print(listed(_language(options)))
    return YES


def _rulebook(options: argparse.Namespace) -> int:
    from service.judging.games import rulebook

    _print(rulebook(engines.registry()[options.game], _language(options)))
    return YES


def _openapi(options: argparse.Namespace) -> int:
    from service.contract.openapi import document, exact
    from service.contract.published import as_yaml

    sys.stdout.write(as_yaml((exact if options.exact else document)(CALLS, judged)))
    return YES


def _language(options: argparse.Namespace) -> str:
    """As chosen; else the locale's language, whose variables POSIX puts in this order."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return getattr(options, "language", None) or language_for(locale.partition(".")[0].replace("_", "-"))


def _print(answer: object) -> None:
    sys.stdout.buffer.write(strict_json.dumps(answer) + b"\n")


if __name__ == "__main__":
    sys.exit(main())
