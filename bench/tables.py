"""The tables and moves that are posted: one call of each game."""

from __future__ import annotations

from typing import Any

from engines import registry

COLOURS = ("brown", "green", "pink", "blue", "yellow", "purple")
TWINS = {
    "game": "twins",
    "state": {
        "phase": "trick",
        "trick": 1,
        "chips": [12] * 6,
        "pot": 0,
        "hands": [[f"{colour}-{value}" for value in range(1, 9)] for colour in COLOURS],
    },
    "moves": [
        {"type": "play", "seat": seat, "cards": [f"{colour}-{seat + 1}", f"{colour}-{seat + 2}"]}
        for seat, colour in enumerate(COLOURS)
    ],
}
KNOCK = {
    "game": "gin-rummy",
    "state": {
        "phase": "discard",
        "turn": 0,
        "hands": [
            ["4S", "5S", "6S", "9H", "9D", "9C", "AH", "2D", "3C", "AD", "KC"],
            ["QS", "QH", "QD", "7S", "9S", "KH", "5D", "2C", "8C", "JD"],
        ],
    },
    "moves": [{"type": "knock", "seat": 0, "discard": "KC"}, {"type": "lay-off", "seat": 1}],
}
TAKE_THAT = {
    "game": "take-that",
    "state": {
        "phase": "play",
        "turn": 0,
        "row": [34, 41, 49, 58, 52],
        "hands": [
            [94, 25, 48, 12, 33, 71, 86, 61, 97],
            [13, 14, 15, 16, 17, 18, 19, 21, 22],
            [23, 24, 26, 27, 28, 29, 31, 32, 35],
        ],
        "pile": [36, 37, 38, 39, 42, 43, 45],
    },
    "moves": [{"type": "twist", "seat": 0, "card": 94}],
}


def twin_it() -> Any:
    """A claim on two table cards of one design, with the whole house deck posted."""
    engine = registry()["twin-it"]
    designs = engine.setup(seats=3).designs
    faces: dict[str, list[str]] = {}
    for number, (front, back) in enumerate(designs):
        faces.setdefault(front, []).append(f"{number}A")
        faces.setdefault(back, []).append(f"{number}B")
    pair = next(cards[:2] for cards in faces.values() if len(cards) == 2 and cards[0][:-1] != cards[1][:-1])
    used = {card[:-1] for card in pair}
    rest = [f"{number}A" for number in range(len(designs)) if str(number) not in used]
    state = {"phase": "play", "designs": designs, "table": pair, "piles": [rest[seat::3] for seat in range(3)]}
    moves = [{"type": "claim", "hands": [{"seat": 1, "card": card} for card in pair]}]
    return {"game": "twin-it", "state": state, "moves": moves}
