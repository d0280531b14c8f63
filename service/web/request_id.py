"""The id of one request in answers and logs."""

from __future__ import annotations

import random
import re

LONGEST = 128
"""Characters of a name that a client gives."""
NAME = re.compile(rf"[\w.:+/=@-]{{1,{LONGEST}}}", re.ASCII)


def request_id(given: str | None) -> str:
    """What the client calls its request, if that can stand in a header and a log; else a new name.

    The name is no secret: to ask the system for random bytes would cost more than reading the request.
    """
    return given if given and NAME.fullmatch(given) else f"{random.getrandbits(128):032x}"
