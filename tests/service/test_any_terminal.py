"""`referee` on terminals of every kind: in narrow encodings and widths, with a full or closed output, or a closed pipe.

A command does its work, or says one line and exits with 2. It never ends in a traceback, and never with the exit status
1 unless its answer is no.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from socket import create_server
from typing import Any, NamedTuple

import pytest
from flask.testing import FlaskClient

from service.cli import main, referee
from service.contract.openapi.examples import examples
from service.judging.calls import CALLS
from tests.long import long
from tests.server import ROOT, free_port, listens, until
from tests.service.sessions.tables import open_session

NO, REFUSED = 1, 2


class Run(NamedTuple):
    status: int
    output: str
    errors: str


class Command(NamedTuple):
    """A command that can be run. `writes`: whether it writes to standard output at all."""

    arguments: list[str]
    status: int = 0
    writes: bool = True


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


@pytest.fixture
def commands(files: Path, client: FlaskClient) -> dict[str, Command]:
    """Every command but `serve`, which has tests of its own; some of them with an answer that is no."""

    def write_file(name: str, body: Any) -> str:
        path = files / name
        path.write_text(json.dumps(body), encoding="utf-8")
        return str(path)

    shown = {each.operation[1:]: each.request for each in reversed(examples("gin-rummy"))}
    every = {call.name: Command([call.name, write_file(f"{call.name}.json", shown[call.name])]) for call in CALLS}
    every["audit"] = every["audit"]._replace(status=NO)
    table = open_session(client, "gin-rummy", seats=2)
    transcript = table.get("host", "/transcript").get_json()
    forged = {**transcript, "commitment": "0" * 64}
    request = {"path": "/resolve", "body": shown["resolve"]}
    dear = {
        "game": "twins",
        "state": {"phase": "buying", "chips": [2, 12, 12, 12], "pot": 10, "dealer": 3, "bought": [None] * 4},
        "move": {"type": "buy", "seat": 0, "count": 2},
    }
    requests = write_file("requests.jsonl", request)
    store = f"sqlite:///{files}/sessions.sqlite3"
    every |= {
        "batch": Command(["batch", write_file("batch.json", {"requests": [request]})]),
        "games": Command(["games"]),
        "rulebook": Command(["rulebook", "gin-rummy"]),
        "new-game": Command(["new-game", "twins"], REFUSED, writes=False),
        "verify": Command(["verify", write_file("forged.json", forged)], NO),
        "test": Command(["test", f"http://127.0.0.1:{free_port()}", "--only", "http"], REFUSED, writes=False),
        "judge": Command(["judge", requests, "--processes", "1"]),
        "mcp": Command(["mcp", "--game", "twins"], writes=False),
        "backup": Command(["backup", "--store", store, str(files / "copy")], REFUSED, writes=False),
        "restore": Command(["restore", "--store", store, str(files / "nothing")], REFUSED, writes=False),
        "sessions": Command(["sessions", "list", "--store", store], REFUSED, writes=False),
        "doctor": Command(["doctor"]),
        "openapi": Command(["openapi"]),
        "completion": Command(["completion", "zsh"]),
    }
    assert every.keys() | {"serve"} == referee.commands.keys()
    more = {
        "refused": Command(["resolve", write_file("broken.json", {"game": "gin-rummy"})], REFUSED),
        "illegal": Command(["validate", write_file("dear.json", dear)], NO),
        "judge --out": Command(["judge", requests, "--out", str(files / "answers"), "--processes", "1"], writes=False),
        "help": Command(["--help"]),
        "version": Command(["--version"]),
        "unknown": Command(["nothing"], REFUSED, writes=False),
        "unknown option": Command(["games", "--nothing"], REFUSED, writes=False),
    }
    return every | more | {f"{name} --help": Command([name, "--help"]) for name in referee.commands}


@pytest.fixture(scope="session")
def locales(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with a narrow locale."""
    folder = tmp_path_factory.mktemp("locales")
    if shutil.which("localedef") is None:
        pytest.skip("localedef is not installed")
    command = ["localedef", "-i", "it_IT", "-f", "ISO-8859-1", str(folder / "it_IT.ISO-8859-1")]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("there are no sources of locales here")
    return str(folder)


def shell_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a shell without a locale of its own."""
    plain = {name: value for name, value in os.environ.items() if name != "LANG" and not name.startswith("LC_")}
    return plain | {"REFEREE_STORE_URL": "none", "NO_COLOR": "1"} | dict(environment)


@pytest.fixture
def run_all(commands: dict[str, Command], files: Path) -> Callable[..., dict[str, Run]]:
    """Run all commands under some conditions. `output`, `errors`: `closed`, a device or a descriptor, else a file."""

    def run(environment: Mapping[str, str], output: str | int = "file", errors: str | int = "file") -> dict[str, Run]:
        report = files / "report"
        own = [str(files / name) if where == "file" else "-" for name, where in (("out", output), ("err", errors))]
        closed = [sign for sign, where in ((">&-", output), ("2>&-", errors)) if where == "closed"]
        shell = " ".join(['exec "$0" "$@"', *closed])
        with ExitStack() as stack:
            devices = [
                stack.enter_context(Path(where).open("wb")) if isinstance(where, str) and "/" in where else where
                for where in (output, errors)
            ]
            streams: list[Any] = [None if isinstance(each, str) else each for each in devices]
            command = [sys.executable, "-m", "tests.service.many_commands", str(report), *own]
            body = json.dumps([each.arguments for each in commands.values()]).encode()
            subprocess.run(
                ["sh", "-c", shell, *command],
                input=body,
                stdout=streams[0],
                stderr=streams[1],
                cwd=ROOT,
                env=shell_environment(environment),
                check=True,
                timeout=170,
            )
        results = json.loads(report.read_text("utf-8"))
        return {name: Run(*result) for name, result in zip(commands, results, strict=True)}

    return run


CONDITIONS: dict[str, dict[str, str]] = {
    "ASCII and French, 20 columns": {"PYTHONIOENCODING": "ascii", "LC_MESSAGES": "fr_FR.UTF-8", "COLUMNS": "20"},
    "an Italian locale of one byte, 20 columns": {"LC_ALL": "it_IT.ISO-8859-1", "COLUMNS": "20"},
    "Latin 1, one column": {"PYTHONIOENCODING": "latin-1", "COLUMNS": "1"},
    "the locale C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}
NARROWEST, *WIDER = CONDITIONS


@pytest.mark.parametrize("condition", [NARROWEST, *long(*WIDER)])
def test_every_command_works_in_every_encoding_and_width(
    condition: str,
    commands: dict[str, Command],
    run_all: Callable[..., dict[str, Run]],
    request: pytest.FixtureRequest,
) -> None:
    environment = CONDITIONS[condition]
    if "it_IT" in environment.get("LC_ALL", ""):
        environment = environment | {"LOCPATH": request.getfixturevalue("locales")}
    runs = run_all(environment)
    assert {name: run.status for name, run in runs.items()} == {name: each.status for name, each in commands.items()}
    assert {name for name, run in runs.items() if "Traceback" in run.errors} == set()
    assert {name for name, run in runs.items() if bool(run.output) != commands[name].writes} == set()
    assert runs["openapi"].output == (ROOT / "openapi.yaml").read_text("utf-8")


@pytest.mark.parametrize("output", ["closed", *long("/dev/full")])
def test_a_command_that_cannot_write_says_one_line_and_exits_with_2(
    output: str, commands: dict[str, Command], run_all: Callable[..., dict[str, Run]]
) -> None:
    runs = run_all({}, output)
    writing = {name for name, each in commands.items() if each.writes}
    assert {name: runs[name].status for name in writing} == dict.fromkeys(writing, REFUSED)
    reason = {"closed": ": standard output is closed\n", "/dev/full": "No space left on device\n"}[output]
    lines = {name: runs[name].errors for name in writing}
    assert {name: line for name, line in lines.items() if not line.endswith(reason)} == {}
    assert {name for name, line in lines.items() if line.count("\n") != 1} == {"refused"}  # which has the refusal, too
    others = commands.keys() - writing
    assert {name: runs[name].status for name in others} == {name: commands[name].status for name in others}
    assert {name for name in others if "Traceback" in runs[name].errors} == set()


@pytest.mark.long
def test_a_pipe_that_is_no_longer_read_is_no_mistake(
    commands: dict[str, Command], run_all: Callable[..., dict[str, Run]]
) -> None:
    """The verdict is that of the answer; only work that stops in the middle is refused."""
    reading, writing = os.pipe()
    os.close(reading)
    runs = run_all({}, writing)
    os.close(writing)
    stopped = {"judge": REFUSED}
    expected = {name: stopped.get(name, each.status) for name, each in commands.items()}
    assert {name: run.status for name, run in runs.items()} == expected
    quiet = {name for name, each in commands.items() if each.status != REFUSED and name not in stopped}
    assert {name: runs[name].errors for name in quiet} == dict.fromkeys(quiet, "")
    assert runs["judge"].errors == "referee judge: its output is read no further\n"


@pytest.mark.long
@pytest.mark.parametrize("errors", ["closed", "/dev/full"])
def test_without_standard_error_a_command_does_its_work(
    errors: str, commands: dict[str, Command], run_all: Callable[..., dict[str, Run]]
) -> None:
    runs = run_all({}, "file", errors)
    assert {name: run.status for name, run in runs.items()} == {name: each.status for name, each in commands.items()}
    assert json.loads(runs["games"].output)["games"]


@pytest.mark.long
def test_without_any_output_a_command_exits_with_2(
    commands: dict[str, Command], run_all: Callable[..., dict[str, Run]]
) -> None:
    runs = run_all({}, "closed", "closed")
    expected = {name: REFUSED if each.writes else each.status for name, each in commands.items()}
    assert {name: run.status for name, run in runs.items()} == expected


def test_a_mistake_of_ours_is_one_line_and_not_the_answer_no(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fails(_: object) -> object:
        raise AssertionError("two\nlines")

    monkeypatch.setattr("service.judging.games.listed", fails)
    assert main(["games"]) == REFUSED
    output = capfd.readouterr()
    assert output.out == ""
    assert output.err.startswith("referee games: AssertionError: two lines (test_any_terminal.py, line ")
    assert output.err.count("\n") == 1


BREAKING_CONDITIONS: dict[str, tuple[dict[str, str], str]] = {
    "closed": ({}, ">&- 2>&-"),
    "full": ({}, ">/dev/full 2>/dev/full"),
    "read no further": ({}, "| true"),
    "ASCII, one column": ({"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "COLUMNS": "1"}, ">/dev/null 2>&-"),
}
"""Conditions under which a server is started: its environment, and what a shell does with its output."""
SERVE = {
    "referee serve": f"{sys.executable} -m service.cli serve",
    "make serve": f"{Path(sys.executable).with_name('gunicorn')} --config deploy/gunicorn.conf.py",
}


@pytest.mark.parametrize("command", SERVE)
@pytest.mark.parametrize("condition", ["closed", "read no further", *long("full", "ASCII, one column")])
def test_the_service_serves_whatever_becomes_of_its_output(command: str, condition: str) -> None:
    environment, output = BREAKING_CONDITIONS[condition]
    port = free_port()
    more = {"REFEREE_PORT": str(port), "REFEREE_WORKERS": "1", "REFEREE_SHOW_ADDRESSES": "1"}
    shell = f"{SERVE[command]} {output}"
    process = subprocess.Popen(
        ["sh", "-c", shell],
        cwd=ROOT,
        env=shell_environment(environment | more),
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until(lambda: listens(port))
        assert [status_of_get(port, path) for path in ("/livez", "/games", "/nothing")] == [200, 200, 404]
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(20)
    until(lambda: not listens(port))


def status_of_get(port: int, path: str) -> int:
    """Get a path of a service on a port; return the status."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request("GET", path)
        return connection.getresponse().status


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ({}, "127.0.0.1:{port} cannot be listened on: Address already in use"),
        (
            {"PYTHONIOENCODING": "ascii", "LC_MESSAGES": "fr_FR.UTF-8"},
            "On ne peut pas écouter sur 127.0.0.1:{port}\u00a0: Address already in use",
        ),
        ({"REFEREE_WORKERS": "many"}, "REFEREE_WORKERS: 'many' is not a whole number from 1 to 1000"),
    ],
    ids=["a port that is taken", "in French, where click takes ASCII for a mistake", "a wrong setting"],
)
def test_a_service_that_cannot_start_says_one_line_and_exits_with_2(setting: dict[str, str], reason: str) -> None:
    with create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = subprocess.run(
            [sys.executable, "-m", "service.cli", "serve", "--port", str(port)],
            env=shell_environment(setting),
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    assert (run.returncode, run.stdout) == (REFUSED, "")
    assert run.stderr == f"referee serve: {reason.format(port=port)}\n"
