"""The id of one request in answers and logs."""

from __future__ import annotations

import os
import re

LONGEST = 128
"""Characters of a name that a client gives."""
NAME = re.compile(rf"[\w.:+/=@-]{{1,{LONGEST}}}", re.ASCII)


def request_id(given: str | None) -> str:
    """What the client calls its request, if that can stand in a header and a log; else a new name."""
    return given if given and NAME.fullmatch(given) else os.urandom(16).hex()
