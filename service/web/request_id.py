"""The id of one request in answers and logs."""

from __future__ import annotations

import random
import re

LONGEST = 128
"""Characters of a name that a client gives."""
NAME = re.compile(rf"[\w.:+/=@-]{{1,{LONGEST}}}", re.ASCII)


def request_id(given: str | None) -> str:
    """The client's name for its request, if it fits into headers and logs; else a new name, which is no secret."""
    return given if given and NAME.fullmatch(given) else f"{random.getrandbits(128):032x}"
