"""Tables of Twins as tests need them: four seats with twelve chips each."""

from typing import Any

from engines.twins import ENGINE
from engines.twins.model import State


def table(**facts: Any) -> State:
    return ENGINE.complete(State(**{"phase": "trick", "trick": 1, "chips": (12,) * 4, "pot": 0, **facts}))


def buying(**facts: Any) -> State:
    return table(**{"phase": "buying", "trick": None, "bought": (None,) * 4, "dealer": 3, **facts})
