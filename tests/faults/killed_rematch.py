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

FATAL = "SUBJECT_FATAL"


def create_app() -> Flask:
    setattr(rematch, "write", write)  # noqa: B010 - the module does not export it
    return app.create_app()


def write(*arguments: Any) -> Any:
    """Write the change as ever, unless the worker is killed first; or it is killed before anybody is answered."""
    _die("before")
    written = changes.write(*arguments)
    _die("after")
    return written


def _die(moment: str) -> None:
    file = Path(os.environ[FATAL])
    text = file.read_text("ascii") if file.exists() else ""
    if text == moment:
        file.unlink()
    if text == moment or (text[:1].isdigit() and random.random() < float(text)):
        os.kill(os.getpid(), signal.SIGKILL)
