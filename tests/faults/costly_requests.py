"""Requests that cost much within all bounds: bodies to read, tables and moves to judge."""

from collections.abc import Iterator
from itertools import cycle, islice, permutations
from typing import Any

from service import bounds

MIB = 1 << 20


def padded(before: bytes, unit: bytes, after: bytes, size: int) -> bytes:
    """`before`, then `unit` as often as it fits into `size` bytes, then `after`."""
    return before + unit * ((size - len(before) - len(after)) // len(unit)) + after


def numbered_items(form: bytes, count: int) -> bytes:
    """The items of an array or object, with commas between them. `form` takes the number of each, from 0."""
    return b",".join(form % each for each in range(count))


def bodies(size: int, most: int) -> Iterator[tuple[str, bytes]]:
    """Bodies of up to `size` bytes that are costly to read, each with a description.

    `most`: how many values the service reads in one body.
    """
    few = min(most - 4, size // 24)
    yield "nested arrays and one float", padded(b"[1.5", b",[[]]", b"]", size)
    yield "32 levels again and again", padded(b"[1.5", b"," + b"[" * 31 + b"]" * 31, b"]", size)
    yield "opened and never closed", b"[" * size
    yield "brackets in strings", padded(b"[1.5", b',"["', b"]", size)
    yield "empty strings", padded(b"[1.5", b',""', b"]", size)
    yield "escaped quotes", padded(b'["', b'\\"', b'"]', size)
    yield "white space", padded(b"[1.5", b" ", b"]", size)
    yield "one long number", padded(b"[1.", b"0", b"1]", size)
    yield "as many arrays as are read", b"[1e1" + b",[]" * (most - 3) + b"]"
    yield "as many floats as are read", b"[1.5" + b",1e5" * (most - 3) + b"]"
    yield "as many long fractions", b"[1.5" + b",1.0000000000000000001" * few + b"]"
    yield "as many long integers", b"[1.5" + b",1.0000000000000000000" * few + b"]"
    yield "unknown keys", b"{" + numbered_items(b'"k%d":0', 80_000 * size // MIB) + b"}"
    yield "a key twice at the end", b"{" + numbered_items(b'"kkkkkkkkkk%d":0', few) + b',"kkkkkkkkkk0":1}'
    yield "a key twice after a long string", padded(b'{"a":"', b"x", b'","a":1}', size)
    yield "NaN at the end", b"[" + numbered_items(b"%d", most - 3) + b",NaN]"
    yield "not UTF-8 at the end", padded(b'["', b"a", b'\xff"]', size)


# --- tables and moves that are costly to judge: a description, the path, the body of each ---------------------------


def gin_rummy() -> Iterator[tuple[str, str, Any]]:
    """As many moves as may be posted: hand after hand in which all cards could be laid off, each in other suits."""
    hand = ["4S", "5S", "6S", "9H", "TH", "JH", "QH", "AC", "2C", "3D"]
    defender = ["AS", "2S", "3S", "7S", "8S", "9S", "TS", "6H", "7H", "8H"]
    pack = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]
    top = [card for pair in zip(defender, hand, strict=True) for card in pair] + ["2D"]
    deck = top + [card for card in pack if card not in top]
    state: Any = {"phase": "hand-over", "turn": None, "hands": [hand, defender], "dealer": 0}
    state |= {"last_hand": {"kind": "dead", "seat": None, "points": 0}}
    state |= {"ruleset": {"options": {"next_dealer": "loser", "target": 100_000}}}
    moves_of_hands: list[Any] = []
    for suits in islice(cycle(permutations("SHDC")), bounds.MOVES // 5):
        suits_exchanged = str.maketrans("SHDC", "".join(suits))
        moves_of_hands += [
            {"type": "deal", "deck": [card.translate(suits_exchanged) for card in deck]},
            {"type": "pass", "seat": 1},
            {"type": "take-upcard", "seat": 0},
            {"type": "knock", "seat": 0, "discard": "3D".translate(suits_exchanged)},
            {"type": "lay-off", "seat": 1},
        ]
    for compare, moves in ((False, bounds.MOVES), (True, bounds.OUTCOMES // 4)):
        body = {"game": "gin-rummy", "state": state, "moves": moves_of_hands[:moves], "compare": compare}
        yield f"gin rummy, {moves} moves{', compared' * compare}", "/resolve", body


def twin_it() -> Iterator[tuple[str, str, Any]]:
    """Tables with as many cards as may be posted: alike, of two sides, different, unseen."""
    for name, cards in (("alike", ["0A"]), ("of two sides", ["0A", "0B"]), ("different", None), ("unseen", [None])):
        pile = (cards or [f"{number}A" for number in range(200)]) * 200
        groups = [[card for card in pile[:4] if card] or ["0A"]] * 150
        state: Any = {"phase": "play", "piles": [pile[:133]] * 6, "table": [c for c in pile[:200] if c]}
        state["sets"] = [groups]
        state["designs"] = [[f"a{number % 7}", f"b{number % 7}"] for number in range(200)]
        for call, members in OF_STATES:
            yield f"twin-it, {name}, {call}", f"/{call}", {"game": "twin-it", "state": state, **members}


def twin_it_in_order() -> Iterator[tuple[str, str, Any]]:
    """Tables without fault: as many cards as a deck may have, most of them turned up, few designs."""
    for kinds in (67, 100):
        designs = [[f"a{number % kinds}", f"b{number % kinds}"] for number in range(200)]
        cards = [f"{number}A" for number in range(200)]
        state = {"phase": "play", "designs": designs, "piles": [[card] for card in cards[:6]], "table": cards[6:]}
        claims = [{"type": "claim", "hands": [{"seat": n % 6, "card": f"{6 + n}A"} for n in range(24)]}] * bounds.MOVES
        faulty = [*claims[1:], {"type": "claim", "hands": 0}]
        for call, members in (*OF_STATES, ("resolve", {"moves": claims}), ("resolve", {"moves": faulty})):
            yield f"twin-it, {kinds} designs, {call}", f"/{call}", {"game": "twin-it", "state": state, **members}


def take_that() -> Iterator[tuple[str, str, Any]]:
    """Tables whose piles are as long as may be posted, of one card or of unseen ones."""
    for name, card in (("alike", 12), ("unseen", None)):
        pile = [card] * 79
        state = {"phase": "play", "turn": 0, "row": pile, "hands": [pile] * 4, "pile": pile, "face_up": [pile] * 4}
        for call, members in OF_STATES:
            yield f"take-that, {name}, {call}", f"/{call}", {"game": "take-that", "state": state, **members}


def twins_and_gin_rummy() -> Iterator[tuple[str, str, Any]]:
    """Tables whose piles are as long as may be posted, of one card."""
    cards = ["blue-1"] * 60
    state = {"phase": "trick", "trick": 1, "chips": [12] * 6, "pot": 0, "hands": [cards] * 6, "stock": cards}
    for call, members in OF_STATES:
        yield f"twins, alike, {call}", f"/{call}", {"game": "twins", "state": state, **members}
    pile = ["AS"] * 52
    state = {"phase": "draw", "turn": 0, "hands": [pile, pile], "stock": pile, "discards": pile}
    for call, members in OF_STATES:
        yield f"gin rummy, alike, {call}", f"/{call}", {"game": "gin-rummy", "state": state, **members}


GAMES = (gin_rummy, twin_it, twin_it_in_order, take_that, twins_and_gin_rummy)
OF_STATES: tuple[tuple[str, Any], ...] = (
    ("audit", {}),
    ("resolve", {"moves": []}),
    ("legal-moves", {}),
    ("view", {"seat": None}),
)
