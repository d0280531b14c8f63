"""The service's calls without a server. On a terminal answers are written to be read, else as JSON.

Exits with 0 where the answer is yes or there is nothing to say yes or no to, with 1 where it is no (not legal, not
consistent, not proved), with 2 where the input is refused.
"""

from __future__ import annotations

import argparse
import logging
import os
import re
import sys
from collections import Counter
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from secrets import token_hex

import engines
from service.bounds import VALUES, VALUES_IN_BATCH
from service.config import unknown
from service.conformance import Silent, Trial, VectorFault, parts, run
from service.contract.prose import PROSE, operation_id
from service.judging.calls import CALLS, batch, judged
from service.seeds import LANGUAGES, ROOT
from service.web import strict_json
from service.web.languages import language_for
from service.web.phrases import phrase
from service.web.problems import Problem, too_many_values
from service.web.strict_json import Json

# What a server would log a command says itself, once.
logging.getLogger("service").addHandler(logging.NullHandler())

YES, NO, REFUSED, INTERRUPTED = 0, 1, 2, 130
TEST = """Every conformance vector is sent to the server, and the answer compared with what was worked out by hand.
Exits with 0 where all agree, with 1 where one does not, with 2 where the server does not answer."""
KEPT = {
    "backup": "Copy all sessions into a file, while they are played or not",
    "restore": "Put the sessions of a backup into a store that holds none",
}
CARE = "It holds the keys that sign tokens, and the seeds of deals: keep it as you would keep them."

EXAMPLES = {
    "": """examples:
  referee play twins                               play against three seats that move at random
  referee resolve table.json                       what do these moves come to?
  referee resolve table.json | jq .events          the same for a program
  echo '{"game": "twins", "seats": 4}' | referee deal -
  referee rulebook gin-rummy | less -R
  referee COMMAND --help                           examples of each command""",
    "resolve": """the file: {"game": "take-that", "moves": [{"type": "lay", "seat": 0, "card": 34}],
           "state": {"phase": "play", "turn": 0, "row": [], "hands": [[34], [43]]}}

examples:
  referee resolve moves.json
  referee --language it resolve moves.json
  referee resolve moves.json --json | jq .standings""",
    "validate": """the file: {"game": …, "state": {…}, "move": {…}}

example:
  referee validate move.json && echo legal""",
    "legal-moves": """the file: {"game": …, "state": {…}, "seat": 0}; without "seat" for all who are to act

example:
  referee legal-moves table.json --json | jq -c '.moves[].move'""",
    "audit": """the file: {"game": …, "state": {…}}

example:
  referee audit table.json""",
    "view": """the file: {"game": …, "state": {…}, "seat": 0}; null for a spectator

example:
  referee view table.json""",
    "deal": """the file: {"game": "twins", "seats": 4, "seed": "rain"}

example:
  echo '{"game": "gin-rummy", "seats": 2}' | referee deal -""",
    "batch": """the file: {"requests": [{"id": "a", "path": "/resolve", "body": {…}}, …]}

example:
  referee batch requests.json""",
    "verify": """example:
  referee verify transcript.json --commitment "$COMMITMENT\"""",
    "test": """examples:
  referee test http://127.0.0.1:8000
  referee test https://referee.example --only twins --json""",
    "play": """In your turn: the number of a move, the cards of one (Twin it!: 17B 40A claims a set), a clause to
read it (TW-5.2), a move as JSON, or q to leave.

examples:
  referee play gin-rummy
  referee play twins --seats 4 --people 2 --names Anna,Bob,Carla,Dino
  referee play twin-it --seats 4 --ruleset team --setup '{"teams": [0, 0, 1, 1]}'
  referee play take-that --seed rain --save game.json""",
    "replay": """On a terminal Enter goes on and q ends.

examples:
  referee replay game.json
  referee replay transcript.json --json | jq -c '.steps[].move'""",
    "backup": """examples:
  referee backup sessions.copy
  referee backup --store redis://127.0.0.1:6379/0 sessions.copy""",
    "restore": """example:
  referee restore --store redis://127.0.0.1:6379/0 sessions.copy""",
    "doctor": """example:
  REFEREE_STORE_URL=redis://127.0.0.1:6379/0 referee doctor""",
    "completion": """examples:
  referee completion bash > ~/.local/share/bash-completion/completions/referee
  referee completion zsh > ~/.zfunc/_referee""",
    "serve": """example:
  referee serve --port 8080""",
    "rulebook": """examples:
  referee rulebook twins
  referee --language fr rulebook twins --json""",
}


def main(arguments: list[str] | None = None) -> int:
    """The exit status of one command."""
    options = _parser().parse_args(arguments)
    try:
        status = int(options.run(options))
        sys.stdout.flush()
    except Problem as problem:
        _refuse(options, problem)
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever reads has seen enough; what Python still writes at its end goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return YES
    return status


def _parser() -> argparse.ArgumentParser:
    speaks = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    speaks.add_argument("--language", choices=LANGUAGES, help="of the sentences; by default that of the shell")
    writes = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS, parents=[speaks])
    writes.add_argument("--json", action="store_true", help="on a terminal too")
    parser = argparse.ArgumentParser(
        prog="referee",
        description=__doc__,
        parents=[writes],
        epilog=EXAMPLES[""],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=version("rules-referee"))
    commands = _Commands(parser.add_subparsers(dest="command", required=True, metavar="COMMAND"))
    for call in CALLS:
        command = commands.add(call.name, _judge, PROSE[operation_id(call.name)]["summary"], writes)
        command.add_argument("file", help="the request body as a JSON file, - for standard input")
        command.set_defaults(call=call)
    command = commands.add("batch", _batch, PROSE["batch"]["summary"], writes)
    command.add_argument("file", help="the request body as a JSON file, - for standard input")
    commands.add("games", _games, "List the games", writes)
    rulebook = commands.add("rulebook", _rulebook, "Print the clauses of a game", writes)
    rulebook.add_argument("game", choices=list(engines.registry()))
    _play_arguments(commands.add("play", _play, "Play a game in the terminal", speaks))
    replay = commands.add("replay", _replay, "Go through moves, or a transcript, step by step", writes)
    replay.add_argument("file", help="a body of resolve, or a transcript, as a JSON file, - for standard input")
    verify = commands.add("verify", _verify, "Check the transcript of a session", writes)
    verify.add_argument("file", metavar="TRANSCRIPT", help="the transcript as a JSON file, - for standard input")
    verify.add_argument("--commitment", type=_digest, metavar="HEX", help="as it was noted when the session was opened")
    serve = commands.add("serve", _serve, "Run the service on this machine")
    serve.add_argument("--port", default="", help="instead of REFEREE_PORT")
    serve.add_argument("--host", default="", help="instead of REFEREE_HOST")
    test = commands.add("test", _test, "Run the conformance vectors against a server", description=TEST)
    test.add_argument("url", type=_address, metavar="URL", help="where it stands, such as http://127.0.0.1:8000")
    test.add_argument("--only", action="append", choices=parts(), help="one part; may be said again; by default all")
    test.add_argument("--json", action="store_true", help="the report as JSON")
    for name, what in KEPT.items():
        command = commands.add(name, _keep, what, description=f"{what}. {CARE}")
        command.add_argument("file", type=Path, help="the backup")
        command.add_argument("--store", default="", metavar="URL", help="instead of REFEREE_STORE_URL")
    commands.add("doctor", _doctor, "Look whether the service can run here, with these settings", writes)
    contract = commands.add("openapi", _openapi, "Print the contract")
    contract.add_argument("--exact", action="store_true", help="to the last member, for tests; clients are told less")
    completion = commands.add("completion", _completion, "Print what completes these commands in a shell")
    completion.add_argument("shell", choices=["bash", "zsh"])
    completion.set_defaults(parser=parser)
    return parser


class _Commands:
    """The commands, each with its examples."""

    def __init__(self, parsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
        self.parsers = parsers

    def add(
        self,
        name: str,
        run: Callable[[argparse.Namespace], int],
        what: str,
        *parents: argparse.ArgumentParser,
        description: str = "",
    ) -> argparse.ArgumentParser:
        """A command with what it does."""
        command = self.parsers.add_parser(
            name,
            help=what,
            description=description or f"{what}.",
            parents=list(parents),
            epilog=EXAMPLES.get(name),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.set_defaults(run=run)
        return command


def _play_arguments(play: argparse.ArgumentParser) -> None:
    play.add_argument("game", choices=list(engines.registry()))
    play.add_argument("--seats", type=int, metavar="N", help="how many play; by default as few as can, but two")
    play.add_argument("--people", type=int, default=1, metavar="N", help="how many of them are at this keyboard")
    play.add_argument("--names", type=lambda text: text.split(","), metavar="A,B,…", help="of all, with commas between")
    play.add_argument("--ruleset", metavar="NAME", help="by default the first of the game")
    play.add_argument(
        "--setup", type=_object, default={}, metavar="JSON", help="what else deal takes, as teams of Twin it!"
    )
    play.add_argument("--seed", metavar="TEXT", help="what the cards are shuffled from; by default a new one")
    play.add_argument("--save", type=Path, metavar="FILE", help="where the game is written at the end, for replay")


def _object(text: str) -> Json:
    """What an argument says as JSON; argparse tells what cannot be read."""
    try:
        read = strict_json.loads(text.encode())
    except strict_json.NotJson:
        read = None
    if not isinstance(read, dict):
        raise argparse.ArgumentTypeError(f"not a JSON object: {text}")
    return read


def _refuse(options: argparse.Namespace, problem: Problem) -> None:
    """One line on standard error for each thing that is wrong; the problem document where JSON is wanted."""
    language = _language(options)
    document = strict_json.loads(strict_json.dumps(problem.document(f"/{options.command}", language)))
    if not _read_by_people(options):
        _print(document)
    file = getattr(options, "file", None)
    place = f"referee {options.command}: " + ("" if file in (None, "-") else f"{file}: ")
    told = [
        (", ".join(each.get("pointers", [each.get("pointer")])), each.get("detail") or each["text"])
        for each in (*document.get("errors", ()), *document.get("faults", ()))
    ]
    for pointer, detail in told or [("", document["detail"])]:
        sys.stderr.write(f"{place}{pointer and f'{pointer}: '}{detail}\n")


def _serve(options: argparse.Namespace) -> int:
    given = {"REFEREE_HOST": options.host, "REFEREE_PORT": options.port}
    environment = os.environ | {name: value for name, value in given.items() if value}
    configuration = ROOT / "deploy" / "gunicorn.conf.py"
    gunicorn = str(Path(sys.executable).with_name("gunicorn"))
    os.execve(gunicorn, [gunicorn, "--config", str(configuration)], environment)


def _judge(options: argparse.Namespace) -> int:
    asked = _read(options)
    answer = judged(options.command, None, asked, _language(options))
    _tell(options, answer, asked)
    verdict = options.call.verdict
    return YES if verdict is None or getattr(answer, verdict) else NO


def _batch(options: argparse.Namespace) -> int:
    asked = _read(options, VALUES_IN_BATCH)
    answer = batch(asked, _language(options))
    _tell(options, answer, asked)
    return YES


def _play(options: argparse.Namespace) -> int:
    from service.cli.playing import Left, play

    engine = engines.registry()[options.game]
    seats = options.seats or next((each for each in engine.seats if each > 1), engine.seats[0])
    setup = {**options.setup, "seats": seats, **({"ruleset": {"name": options.ruleset}} if options.ruleset else {})}
    if not 0 <= options.people <= seats:
        raise Problem("invalid-request", phrase("people-at-the-table", seats=seats))
    seed = options.seed or token_hex(8)
    game = play(engine, setup, options.people, seed, options.names, _language(options))
    try:
        game.run()
    except Left:
        pass
    finally:
        print(game.said["seed"].format(seed=seed))
        if options.save:
            game.save(options.save)
    return YES


def _replay(options: argparse.Namespace) -> int:
    from service.cli.replaying import steps

    every = steps(_read(options, VALUES_IN_BATCH), _language(options))
    if _read_by_people(options):
        from service.cli.reading import go_through

        last = go_through(every, _language(options))
    else:
        told = list(every)
        last = told[-1]
        _print(
            {"game": last["game"], "steps": [{name: each[name] for name in each if name != "game"} for each in told]}
        )
    return NO if last["violations"] else YES


def _doctor(options: argparse.Namespace) -> int:
    from service.cli.doctor import diagnosis

    for line in unknown():
        sys.stderr.write(f"{line}\n")
    answer = diagnosis(_language(options))
    _tell(options, answer)
    return YES if answer.good else NO


def _keep(options: argparse.Namespace) -> int:
    from service.sessions.backup import done

    return done(options.command, options.store, options.file)


def _completion(options: argparse.Namespace) -> int:
    import shtab

    commands = next(each for each in options.parser._actions if isinstance(each.choices, dict))
    for command in commands.choices.values():
        for action in command._actions:
            if action.dest in ("file", "save"):
                action.complete = shtab.FILE
    print(shtab.complete(options.parser, options.shell))
    return YES


def _verify(options: argparse.Namespace) -> int:
    from service.sessions.verifying import verified

    answer = verified(_read(options, VALUES_IN_BATCH), options.commitment, _language(options))
    _tell(options, answer)
    return YES if answer.verified else NO


def _test(options: argparse.Namespace) -> int:
    chosen = list(dict.fromkeys(options.only or parts()))
    passed, failed = Counter[str](), list[Trial]()
    try:
        for trial in run(options.url, chosen):
            if trial.differences:
                failed.append(trial)
                if not options.json:
                    _report(trial)
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


def _report(trial: Trial) -> None:
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

    _tell(options, listed(_language(options)))
    return YES


def _rulebook(options: argparse.Namespace) -> int:
    from service.judging.games import rulebook

    _tell(options, rulebook(engines.registry()[options.game], _language(options)))
    return YES


def _openapi(options: argparse.Namespace) -> int:
    from service.contract.openapi import document
    from service.contract.published import as_yaml

    sys.stdout.write(as_yaml(document(CALLS, judged, "closed" if options.exact else "open")))
    return YES


def _language(options: argparse.Namespace) -> str:
    """As chosen; else the locale's language, whose variables POSIX puts in this order."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return getattr(options, "language", None) or language_for(locale.partition(".")[0].replace("_", "-"))


def _read_by_people(options: argparse.Namespace) -> bool:
    return sys.stdout.isatty() and not getattr(options, "json", False)


def _tell(options: argparse.Namespace, answer: object, asked: object = None) -> None:
    """An answer, to be read or as JSON."""
    if _read_by_people(options):
        from service.cli.reading import show

        show(options.command, answer, asked, _language(options))
    else:
        _print(answer)


def _print(answer: object) -> None:
    sys.stdout.buffer.write(strict_json.dumps(answer) + b"\n")
