"""The name of one request in answers and logs."""

from __future__ import annotations

import os
import re

NAME = re.compile(r"[\w.:+/=@-]{1,128}", re.ASCII)


def request_id(given: str | None) -> str:
    """What the client calls its request, if that can stand in a header and a log; else a new name."""
    return given if given and NAME.fullmatch(given) else os.urandom(16).hex()
