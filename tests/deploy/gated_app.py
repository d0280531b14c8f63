"""A small application that waits for a gate before it serves, to test starts and handovers."""

import os
import time
from collections.abc import Iterable
from pathlib import Path
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

GATE = "SUBJECT_GATE"  #: The variable that names a file. While the file exists, no worker completes its start.


def create_app() -> WSGIApplication:
    """Return the application once the gate does not exist."""
    while GATE in os.environ and Path(os.environ[GATE]).exists():
        time.sleep(0.02)
    return application


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Answer every request with `alive`."""
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "5")])
    return [b"alive"]
