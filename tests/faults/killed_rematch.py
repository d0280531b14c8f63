"""The service, whose workers kill themselves beside the write that names the next table of a session.

`FATAL` names a file. What it says decides: `before` or `after` kills the next worker that comes there, once; a number
is the chance of it, each time.
"""

import os
import random
import signal
from pathlib import Path
from typing import Any

from flask import Flask

from service import app
from service.sessions import changes, rematch

FATAL = "SUBJECT_FATAL"  #: The variable that names the file.


def create_app() -> Flask:
    """Return the service, whose rematch writes by `write` below."""
    setattr(rematch, "write", write)  # noqa: B010 - the module does not export it
    return app.create_app()


def write(*arguments: Any) -> Any:
    """Write a change as the service does. The worker may be killed before, or after, when nobody is answered yet."""
    _kill_worker_if_due("before")
    result = changes.write(*arguments)
    _kill_worker_if_due("after")
    return result


def _kill_worker_if_due(moment: str) -> None:
    """Kill this process if the file names this moment, or by the chance that the file has."""
    file = Path(os.environ[FATAL])
    text = file.read_text("ascii") if file.exists() else ""
    if text == moment:
        file.unlink()
    if text == moment or (text[:1].isdigit() and random.random() < float(text)):
        os.kill(os.getpid(), signal.SIGKILL)
