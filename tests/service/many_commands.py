"""Runs many commands in forks of one interpreter, which was started under the conditions to be tried.

    python -m tests.service.many_commands REPORT OUTPUT ERRORS < COMMANDS

OUTPUT, ERRORS: a file for the standard stream of each command, or `-` for that of this process. COMMANDS: a list of
lists of arguments, as JSON. REPORT: the file that gets a list of `[exit status, output, errors]`, as JSON.
"""

import gc
import json
import os
import sys
from pathlib import Path

import service.agents
import service.contract.openapi  # noqa: F401 - what commands import late is imported once for all forks
from service.cli import main
from service.judging.calls import prepare


def redirect(descriptor: int, file: str) -> None:
    """Send what is written to a descriptor to a file; `-`: leave it as it is."""
    if file != "-":
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)


def text_of(file: str) -> str:
    """The text of a file; `-`: none."""
    return "" if file == "-" else Path(file).read_text("utf-8", errors="surrogateescape")


report, output, errors = sys.argv[1:]
commands, results = json.load(sys.stdin), []
prepare()  # as each command would
gc.freeze()  # a fork that ends would collect all that was imported, which takes six times as long as a help
for arguments in commands:
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        redirect(1, output)
        redirect(2, errors)
        sys.exit(main(arguments))  # as the installed command ends
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    results.append([status, text_of(output), text_of(errors)])
Path(report).write_text(json.dumps(results), encoding="utf-8")
