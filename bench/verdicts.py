"""What a verdict costs beside a constant route: `python -m bench.verdicts [twins | knock | take-that | …]`.

Both servers run at once under the settings of deploy/gunicorn.conf.py, one worker each on the first core. wrk on the
last core loads them in turn, so that the two runs of a ratio follow one another.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from bench.http import CONSTANT, SERVICE, Call, compare, served

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
            [94, 25, 48, 12, 33, 71, 86, 60 + 1, 90 + 7],
            [13, 14, 15, 16, 17, 18, 19, 21, 22],
            [23, 24, 26, 27, 28, 29, 31, 32, 35],
        ],
        "pile": [36, 37, 38, 39, 42, 43, 45],
    },
    "moves": [{"type": "twist", "seat": 0, "card": 94}],
}


def twin_it() -> Any:
    """A claim on two table cards of one design, with the whole house deck posted."""
    from engines import registry

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


def verdict(name: str, body: Any) -> None:
    """One /resolve beside the constant route."""
    sent = json.dumps(body)
    print(f"\n/resolve, {name} ({len(sent)} bytes), beside a constant Flask route:")
    with served(CONSTANT) as constant, served(SERVICE) as service:
        compare({"constant": (constant, Call("/constant", sent)), name: (service, Call("/resolve", sent))})


def batch() -> None:
    """Compare the cost of a verdict in a batch of a hundred and in a request of its own."""
    single = json.dumps(TWINS)
    hundred = json.dumps({"requests": [{"path": "/resolve", "body": TWINS}] * 100})
    print("\n/batch of 100 whole Twins tricks beside single calls (a ratio of 0.08 is 8 times cheaper a verdict):")
    with served(SERVICE) as service:
        compare({"single": (service, Call("/resolve", single)), "batch": (service, Call("/batch", hundred))})


EVERYTHING = {
    "twins": lambda: verdict("a whole trick of six", TWINS),
    "knock": lambda: verdict("knock and lay-off", KNOCK),
    "take-that": lambda: verdict("a twist", TAKE_THAT),
    "twin-it": lambda: verdict("a claim, full deck", twin_it()),
    "batch": batch,
}


if __name__ == "__main__":
    for chosen in sys.argv[1:] or EVERYTHING:
        EVERYTHING[chosen]()
