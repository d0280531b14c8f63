"""The calls of the service, without a server. On a terminal an answer is sentences and JSON; elsewhere it is JSON.

The exit status is 0 for yes, or where the answer is neither yes nor no; 1 for no (not legal, not consistent, not
proved); 2 where the input is refused or the command could not do its work.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, nullcontext, suppress
from errno import EBADF
from functools import partial
from io import StringIO
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, BinaryIO, TypeVar

import click

import engines
from gunicorn_llhttp.processes import not_free
from service import build, strict_json
from service.bounds import VALUES, VALUES_IN_BATCH
from service.cli import audit
from service.cli.terminal import JsonLines, discard_output, lines, open_streams, write, write_document, write_json
from service.config import Serving, Settings, unknown
from service.conformance import parts, run
from service.contract.prose import PROSE, operation_id
from service.contract.requests import BatchRequest
from service.contract.rows import members
from service.judging import calls
from service.problems import Problem
from service.seeds import ENGLISH, ROOT, FaultySeeds
from service.words.languages import LANGUAGES
from service.words.phrases import phrase

# A command itself reports what fails; the service's log would repeat that.
logging.getLogger("service").addHandler(logging.NullHandler())

Function = TypeVar("Function", bound=Callable[..., Any])
YES, NO, REFUSED, INTERRUPTED = 0, 1, 2, 130
LARGEST_FILE = 64 << 20  #: Bytes of a file that a command reads.
EXPECTED_ERRORS = (FaultySeeds, OSError, EOFError, BrokenExecutor)  #: What may keep a command from its work.
VERDICTS = ("legal", "consistent", "verified", "good")  #: The members of answers that decide the exit status.

EXAMPLES = """\b
examples:
  referee resolve table.json                       what do these moves come to?
  referee resolve table.json | jq .events          the same for a program
  echo '{"game": "twins", "seats": 4}' | referee deal -
  referee rulebook gin-rummy | less -R
  referee COMMAND --help                           examples of each command"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    open_streams()
    try:
        return int(referee.main(arguments, "referee", standalone_mode=False))
    except click.ClickException as error:
        _show(error)
        return error.exit_code
    except click.Abort:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - a traceback would end with the exit status of the answer no
        return _failed("referee", error)
    finally:
        discard_output()


def _failed(command: str, error: BaseException) -> int:
    """Say in one line why a command could not do its work; returns the exit status for that."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, BrokenPipeError):
        reason = "its output is read no further"
    elif isinstance(error, OSError) and error.errno == EBADF:
        reason = "standard output is closed"
    elif isinstance(error, EXPECTED_ERRORS):
        reason = str(error)
    else:  # a mistake of ours, and where it is
        last = traceback.extract_tb(error.__traceback__)[-1]
        reason = f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
    write(f"{command}: {_one_line(reason)}", err=True)
    return REFUSED


def _one_line(text: str) -> str:
    """The text in one line; it keeps its no-break spaces, where French has them."""
    return re.sub(r"\s+", " ", text, flags=re.ASCII).strip()


def _show(error: click.ClickException) -> None:
    """Write how the command is used, and a line for the mistake."""
    for name in vars(error).keys() & {"message", "ui_filename"}:
        setattr(error, name, _one_line(str(vars(error)[name])))
    text = StringIO()
    error.show(text)
    for line in text.getvalue().splitlines():
        write(line, err=True)


def _keep(context: click.Context, option: click.Parameter, value: object) -> None:
    """Keep an option that may stand before the command or after it."""
    if value:
        context.meta[str(option.name)] = value


SHARED: Any = {"expose_value": False, "callback": _keep}
OPTIONS: list[click.Parameter] = [
    click.Option(
        ["--language"], type=click.Choice(LANGUAGES), help="Of the sentences; by default that of the shell.", **SHARED
    ),
    click.Option(["--json"], is_flag=True, help="Write JSON on a terminal too.", **SHARED),
]
"""The options of every command, on how an answer is written."""


class Verb(click.Command):
    """A command whose function returns the answer to write, the lines of a text, or the exit status."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own parameters, and those of every command."""
        return OPTIONS + super().get_params(ctx)

    def invoke(self, context: click.Context) -> int:
        """Run the function of the command, and write what it returns. Exceptions become an exit status."""
        try:
            answer = super().invoke(context)
            return self._write(answer)
        except Problem as problem:
            _refuse(context, problem)
            return REFUSED
        except ModuleNotFoundError as missing:
            raise click.UsageError(f"{missing.name} is missing: pip install 'rules-referee[agents,bulk]'") from None
        except click.ClickException:
            raise
        except KeyboardInterrupt:
            return INTERRUPTED
        except Exception as error:  # noqa: BLE001 - see `main`
            return _failed(context.command_path, error)

    @staticmethod
    def _write(answer: object) -> int:
        """Write what a function returned; returns the exit status, also where nobody reads it to its end."""
        status = answer if isinstance(answer, int) else _status(answer)
        try:
            if isinstance(answer, list):
                _write_lines(answer)
            elif answer is not status:
                _write_answer(answer)
            sys.stdout.flush()
        except BrokenPipeError:
            discard_output()
        return status


def _matching(pattern: str, fault: str) -> Callable[[str], str]:
    """The reader of an option that must match. `fault`: the message for any other text, which replaces `{}`."""

    def read(text: str) -> str:
        if re.fullmatch(pattern, text) is None:
            raise click.BadParameter(fault.format(text))
        return text

    return read


ADDRESS = _matching("https?://[^/].*", "'{}' is no address such as http://127.0.0.1:8000")
GAME_NAME = _matching("[a-z][a-z0-9]+(-[a-z0-9]+)*", "'{}' is not in lower case with hyphens, such as old-maid")
DIGEST = _matching("[0-9a-fA-F]{64}", "64 digits from 0 to f")
SESSION_ID = _matching("[0-9a-fA-F]{32}", "32 digits from 0 to f")


def _file(what: str) -> Callable[[Function], Function]:
    """The argument of a command that reads JSON."""
    return click.argument("file", type=click.Path(), help=f"{what} as a JSON file, - for standard input.")


TO_FILE: Any = {"type": click.Path(path_type=Path), "metavar": "FILE"}
GAMES = list(engines.registry())
GAME = click.argument("game", type=click.Choice(GAMES), metavar="GAME", help=f"One of {', '.join(GAMES)}.")


class Verbs(click.Group):
    """All commands. A help that nobody reads to its end is no mistake; click would end with the status of a no."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _as_far_as_it_is_read():
            return super().make_context(*args, **kwargs)

    def invoke(self, context: click.Context) -> object:
        with _as_far_as_it_is_read():
            return super().invoke(context)


@contextmanager
def _as_far_as_it_is_read() -> Iterator[None]:
    """End the command without an error once nobody reads its output any more."""
    try:
        yield
    except BrokenPipeError:
        discard_output()
        raise click.exceptions.Exit(YES) from None


def _say_version(context: click.Context, _: click.Parameter, is_flag_set: bool) -> None:
    """Print which version and commit this is, and end."""
    if is_flag_set:
        write(build.described())
        context.exit()


@click.group(
    cls=Verbs,
    help=__doc__,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    params=[*OPTIONS],
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_say_version,
    help="Show the version and exit.",
)
def referee() -> None:
    """Run a command."""


referee.command_class = Verb


def _call_command(name: str, takes: type, judge: Callable[[object, str], object], most: int = VALUES) -> None:
    """Add the command for a call. `takes`: the dataclass of its body; `most`: how many values are read."""
    names = [*members(takes)] if name == "batch" else ["game", *members(takes)]
    examples = [f"referee {name} file.json", f"referee {name} file.json --json | jq .", f"… | referee {name} -"]
    text = "\n  ".join([f"the file: an object with {', '.join(names)}\nexamples:", *examples])

    @referee.command(name, help=f"{PROSE[operation_id(name)]['summary']}.", epilog=f"\b\n{text}")
    @_file("The request body")
    def run(file: str) -> object:
        return judge(_read(file, most), _language())


for call in calls.CALLS:
    _call_command(call.name, call.takes, partial(calls.judged, call.name, None))
_call_command("batch", BatchRequest, lambda body, language: calls.batch_answered(body, (language,)), VALUES_IN_BATCH)


@referee.command("games")
def _games() -> object:
    """List the games."""
    from service.judging.games import listed

    return listed((_language(),))


@referee.command("rulebook")
@GAME
def _rulebook(game: str) -> object:
    """Print the clauses of a game.

    \b
    examples:
      referee rulebook twins
      referee --language fr rulebook twins --json
    """
    from service.judging.games import markdown, rulebook

    engine = engines.registry()[game]
    return markdown(engine, _language()).split("\n") if _is_for_people() else rulebook(engine, _language())


@referee.command("new-game")
@click.argument("name", type=GAME_NAME, metavar="NAME")
def _new_game(name: str) -> object:
    """Write the two folders of a new game, or sentences to fill in for its new rulings: see docs/add-a-game.md.

    \b
    examples:
      referee new-game old-maid
    """
    from service.cli.new_game import written

    return [str(path.relative_to(ROOT)) for path in written(name)]


@referee.command("verify")
@_file("The transcript")
@click.option("--commitment", type=DIGEST, metavar="HEX", help="As it was noted when the session was opened.")
@click.option("--id", "session", type=SESSION_ID, metavar="ID", help="Of the session, as it was noted.")
def _verify(file: str, commitment: str | None, session: str | None) -> object:
    """Check the transcript of a session.

    \b
    example:
      referee verify transcript.json --commitment "$COMMITMENT" --id "$ID"
    """
    from service.sessions.verifying import verified

    return verified(_read(file, VALUES_IN_BATCH), commitment, _language(), session)


@referee.command("serve")
@click.option("--port", default="", help="Instead of REFEREE_PORT.")
@click.option("--host", default="", help="Instead of REFEREE_HOST.")
def _serve(port: str, host: str) -> int:
    """Run the service on this machine.

    \b
    example:
      referee serve --port 8080
    """
    options = {"REFEREE_HOST": host, "REFEREE_PORT": port}
    environment = os.environ | {name: value for name, value in options.items() if value}
    try:
        serving, _settings = Serving.from_environment(environment), Settings.from_environment(environment)
    except ValueError as error:
        raise OSError(str(error)) from None
    if reason := not_free(serving.host, serving.port):
        raise OSError(phrase("address-taken", place=serving.place, reason=reason).text_in(_language()))
    gunicorn = str(Path(sys.executable).with_name("gunicorn"))
    os.execve(gunicorn, [gunicorn, "--config", str(ROOT / "deploy" / "gunicorn.conf.py")], environment)


@referee.command("test")
@click.argument("url", type=ADDRESS, metavar="URL", help="Of the server, such as http://127.0.0.1:8000.")
@click.option("--only", multiple=True, type=click.Choice(parts()), help="One part; may be repeated; by default all.")
def _test(url: str, only: Sequence[str]) -> int:
    """Run the conformance vectors against a server.

    Every vector is sent to the server, and the answer compared with what was worked out by hand. The exit status is 0
    where all agree, 1 where one does not, 2 where the server does not answer.

    \b
    examples:
      referee test http://127.0.0.1:8000
      referee test https://referee.example --only twins --json
    """
    url = url.rstrip("/")
    counts = {part: {"passed": 0, "failed": 0} for part in only or parts()}
    failures = []
    for vector, differences in run(url, counts):
        counts[vector.part]["failed" if differences else "passed"] += 1
        if differences:
            file = vector.file.as_posix()
            failure = {"id": vector.id, "file": file, "clauses": vector.clauses, "why": vector.why}
            failures.append({**failure, "differences": differences})
            if not _wants_json():
                for line in (f"{vector.id} ({file}): {vector.why}", *(f"    {each}" for each in differences), ""):
                    write(line)
    if _wants_json():
        write_json({"url": url, "parts": counts, "failures": failures})
    else:
        for part, count in counts.items():
            write(f"{part:<12}{count['passed']:>5} passed{count['failed']:>5} failed")
    return NO if failures else YES


@referee.command("judge")
@click.argument("file", type=click.File("rb"), help="Requests, one a line, - for standard input.")
@click.option("--out", help="Where the answers go; by default to standard output.", **TO_FILE)
@click.option("--resume", is_flag=True, help="Go on after the last whole line of --out.")
@click.option("--processes", type=click.IntRange(1), metavar="N", help="By default one for each core.")
@click.option("--dask", metavar="ADDRESS", help="Of a Dask scheduler, whose workers judge instead: see docs/bulk.md.")
def _judge(file: BinaryIO, out: Path | None, processes: int | None, dask: str | None, *, resume: bool) -> int:
    """Answer many requests, one a line, in the same order, on all cores.

    A line is {"path", "body", "id"?}; an answer is {"id", "status", "body"}, as in a batch. The exit status is 0 where
    nothing is refused, 1 where something is, 2 where the input cannot be read.

    \b
    examples:
      referee judge requests.jsonl --out answers.jsonl
      referee judge requests.jsonl --out answers.jsonl --resume
      … | referee judge - | jq .body.legal
    """
    from service import bulk
    from service.config import CORES

    source = Path(str(file.name))
    size = source.stat().st_size if source.is_file() else 0
    if resume and out is None:
        raise click.UsageError("--resume needs --out")
    if out and _is_read_from(file, out):
        raise click.UsageError("--out is the file of the requests")
    requests = bulk.lines_of(file)
    is_drawn = size and sys.stderr.isatty() and (out or not sys.stdout.isatty())  # not among the answers
    shown: Any = click.progressbar(length=size, file=sys.stderr, hidden=not is_drawn, label="judged")
    read, refused = bulk.resumed(requests, out) if resume and out and out.exists() else (0, 0)
    with open(out, "ab" if resume else "wb") if out else nullcontext(JsonLines()) as answers, shown:  # noqa: PTH123
        shown.update(read)
        for done in bulk.judge(requests, answers, processes or len(CORES), _language(), dask):
            shown.update(done.read)
            refused += done.refused
    return NO if refused else YES


@referee.command("mcp")
@click.option("--game", type=click.Choice(GAMES), help="Tools for one game alone, with a quarter of the schemas.")
@click.option("--http", metavar="HOST:PORT", help="Serve at http://HOST:PORT/mcp instead of standard input and output.")
@click.option("--allow", multiple=True, metavar="NAME", help="A host name that --http answers to; may be repeated.")
def _mcp(game: str | None, http: str | None, allow: Sequence[str]) -> int:
    """Serve the referee's tools to agents, by the Model Context Protocol: see docs/agents.md.

    \b
    examples:
      referee mcp --game gin-rummy
      referee mcp --http 127.0.0.1:8001
    """
    from service import agents

    games = [game] if game else GAMES
    if http is None:
        agents.serve(games, _language())
        return YES
    host, _, port = http.rpartition(":")
    if not port.isdecimal() or not 0 < int(port) < 65_536:
        raise click.BadParameter(f"'{http}' is no HOST:PORT", param_hint="--http")
    agents.serve_http(games, _language(), host.strip("[]") or agents.LOOPBACK[0], int(port), allow)
    return YES


def _store_command(name: str, what: str) -> click.Command:
    """Add the command `backup` or `restore`."""
    care = "A backup holds the keys that sign tokens, and the seeds of deals: keep it as you would keep them."
    example = f"referee {name} --store redis://127.0.0.1:6379/0 sessions.copy"

    @referee.command(name, help=f"{what}.\n\n{care}", epilog=f"\b\nexample:\n  {example}")
    @click.argument("file", type=click.Path(path_type=Path), help="The backup.")
    @STORE
    def run(file: Path, store: str, *, verify: bool = False) -> int:
        from service.sessions import backup

        status, line = backup.run(backup.VERIFY if verify else name, store, file)
        write(line, err=status != YES)
        if status == YES and not verify:
            audit.record(name, file=str(file))
        return status

    return run


STORE = click.option("--store", default="", metavar="URL", help="Instead of REFEREE_STORE_URL.")
_backup = _store_command("backup", "Copy all sessions into a file, also while they are played")
_backup.params.append(click.Option(["--verify"], is_flag=True, help="Write nothing: read all that the backup holds."))
_store_command("restore", "Put the sessions of a backup into a store that holds none")


@referee.group("sessions", cls=Verbs)
def _sessions() -> None:
    """List, show or delete the sessions in the store, also while they are played.

    What was shown or deleted, and by whom, is one line on standard error and in the log of the system.
    """


_sessions.command_class = Verb
SESSION = click.argument("session", type=SESSION_ID, metavar="ID", help="Of the session.")


@_sessions.command("list")
@STORE
def _list(store: str) -> int:
    """List the sessions: a line each, as JSON."""
    from service.sessions import inspection

    with _store_at_hand():
        for session in inspection.listed(store):
            write_json(session)
    return YES


@_sessions.command("show")
@SESSION
@STORE
@click.option("--hands", is_flag=True, help="Show the table, too, with all cards that players hold.")
def _show_session(session: str, store: str, *, hands: bool) -> object:
    """Show a session, without the cards."""
    from service.sessions import inspection

    with _store_at_hand():
        answer = inspection.shown(store, session.lower(), hands=hands)
    audit.record("sessions show", session=session.lower(), hands=hands)
    return answer


@_sessions.command("delete")
@SESSION
@STORE
def _delete_session(session: str, store: str) -> int:
    """Delete a session. Its players get 404 from then on."""
    from service.sessions import inspection

    with _store_at_hand():
        inspection.delete(store, session.lower())
    audit.record("sessions delete", session=session.lower())
    return YES


@contextmanager
def _store_at_hand() -> Iterator[None]:
    """Say in one line why a store cannot be used, and end the command."""
    from service.sessions.stores.protocol import StoreUnavailable

    try:
        yield
    except (StoreUnavailable, ValueError) as error:
        raise OSError(str(error)) from None


@referee.command("doctor")
def _doctor() -> object:
    """Check whether the service can run here, with these settings.

    \b
    example:
      REFEREE_STORE_URL=redis://127.0.0.1:6379/0 referee doctor
    """
    from service.cli.doctor import diagnosis

    for line in unknown():
        write(line, err=True)
    return diagnosis(_language())


@referee.command("openapi")
def _openapi() -> object:
    """Print the contract."""
    from service.contract import openapi

    return openapi.as_yaml(openapi.document(calls.CALLS)).splitlines()


@referee.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "powershell"]))
def _completion(shell: str) -> object:
    """Print the script that completes these commands in a shell.

    \b
    examples:
      referee completion bash > ~/.local/share/bash-completion/completions/referee
      referee completion zsh > ~/.zfunc/_referee
      referee completion fish > ~/.config/fish/completions/referee.fish
    """
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell)
    assert completion is not None, "it is among the choices"
    return completion(referee, {}, "referee", "_REFEREE_COMPLETE").source().split("\n")


def _language() -> str:
    """The language that was chosen; else that of the locale, whose variables POSIX reads in this order."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    chosen = click.get_current_context().meta.get("language")
    spoken = re.split("[._@]", locale)[0].lower()
    return chosen or (spoken if spoken in LANGUAGES else ENGLISH)


def _wants_json() -> bool:
    return "json" in click.get_current_context().meta


def _is_for_people() -> bool:
    """Whether the output goes to a terminal, and not as JSON."""
    return sys.stdout.isatty() and not _wants_json()


def _is_read_from(file: BinaryIO, out: Path) -> bool:
    """Whether `file`, which may be standard input, is the regular file `out`."""
    try:
        return out.is_file() and os.path.samestat(os.fstat(file.fileno()), out.stat())
    except OSError:  # it is no file
        return False


def _read(file: str, most: int = VALUES) -> object:
    """The JSON of a file, of at most so many values."""
    try:
        with click.open_file(file, "rb") as stream:
            body = stream.read(LARGEST_FILE + 1)
    except (OSError, RuntimeError):  # click raises RuntimeError where standard input is closed
        raise Problem("invalid-request", phrase("file-unreadable", file=file)) from None
    if len(body) > LARGEST_FILE:
        raise Problem("payload-too-large", phrase("file-too-large", file=file, most=LARGEST_FILE >> 20))
    value = strict_json.loads(body, most)
    click.get_current_context().meta["body"] = value
    return value


def _status(answer: object) -> int:
    """The exit status for an answer: its verdict decides it."""
    return YES if all(getattr(answer, verdict, True) for verdict in VERDICTS) else NO


def _write_answer(answer: object) -> None:
    """Write an answer: for people on a terminal, else as JSON."""
    if not _is_for_people():
        write_json(answer)
        return
    body = click.get_current_context().meta.get("body")
    names = body.get("names") if isinstance(body, dict) else None
    for line in lines(strict_json.plain(answer), names, _language(), get_terminal_size().columns):
        write(line)


def _write_lines(text: list[str]) -> None:
    """Write the lines of a text: for people as the terminal has it, else as a file."""
    if not _is_for_people():
        write_document(text)
        return
    for line in text:
        write(line)


def _refuse(context: click.Context, problem: Problem) -> None:
    """Write a line on standard error for each error, and the problem document where JSON is wanted."""
    document = strict_json.plain(problem.document(f"/{context.info_name}", _language()))
    file = context.params.get("file", "-")
    place = f"{context.command_path}: " + ("" if file == "-" else f"{file}: ")
    errors = [*document.get("errors", ()), *document.get("faults", ())] or [{"pointer": "", **document}]
    for error in errors:
        pointers = ", ".join(error.get("pointers", [error.get("pointer")]))
        text = error.get("detail") or error["text"]
        write(f"{place}{pointers}: {text}" if pointers else f"{place}{text}", err=True)
    if not _is_for_people():
        with suppress(BrokenPipeError):
            write_json(document)
