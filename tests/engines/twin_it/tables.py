"""Tables and claims of Twin it! as tests need them."""

from typing import Any

from engines.twin_it import ENGINE
from engines.twin_it.model import RULESETS, Claim, Hand, Loss, State

DECK = (
    *(("sun", f"b{number}") for number in range(3)),
    *(("moon", f"b{number}") for number in range(3, 5)),
    *((f"d{number}", f"b{number}") for number in range(5, 16)),
)
"""Cards 0–2 are suns, 3–4 moons; the others are alone, and so is every side B."""
SUNS = ("0A", "1A", "2A")
MOONS = ("3A", "4A")


def table(**fields: Any) -> State:
    """Two seats with two single cards each, seat 0 on turn, nothing on the table, unless a test says otherwise."""
    usual = {"phase": "play", "designs": DECK, "piles": (("14A", "15A"), ("12A", "13A")), "table": ()}
    return ENGINE.complete(State(**{**usual, **fields}))


def minute(name: str, seats: int, **fields: Any) -> State:
    """The end of a minute: nobody has a pile."""
    return table(**{"ruleset": RULESETS[name], "piles": ((),) * seats, "turn": None, **fields})


def claim(*hands: tuple[int, str], lose: Any = None) -> Claim:
    """A claim by hands in the order they fell, as (seat, card)."""
    return Claim(tuple(Hand(*hand) for hand in hands), lose=lose and tuple(Loss(*each) for each in lose))
