"""What the worst requests cost: `python -m bench.hostile [reading | judging | beside]`.

The first table has bodies that are costly to read, the second tables and moves that are costly to judge, both by CPU of
one call in process. `slice` is the longest time that the call runs without yielding. The third has the times of a good
client of a worker beside hostile ones. A line over its bound is marked with `!`.
"""

from __future__ import annotations

import gc
import json
import socket
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count, cycle, islice, permutations
from multiprocessing import Process
from threading import Thread
from time import monotonic, process_time
from typing import Any
from unittest.mock import patch
from wsgiref.types import StartResponse

from bench.fast_path import environment
from bench.http import SERVICE, served
from service import bounds
from service.app import create_app
from service.config import Settings

MIB = 1 << 20
ROUNDS = 3
READING, READING_BATCH = 0.030, 0.250
"""Seconds of CPU for a body of 1 MiB, and of 8 MiB."""
CALL, SLICE = 0.250, 0.020
"""Seconds of CPU for a call, and for the longest time without yielding."""

# --- bodies that are costly to read ----------------------------------------------


def filled(before: bytes, unit: bytes, after: bytes, size: int) -> bytes:
    """`before`, units and `after`: as many units as fit into `size` bytes."""
    return before + unit * ((size - len(before) - len(after)) // len(unit)) + after


def numbered(form: bytes, count: int) -> bytes:
    return b",".join(form % each for each in range(count))


def bodies(size: int, most: int) -> Iterator[tuple[str, bytes]]:
    """Bodies of up to `size` bytes. `most`: the values that the service reads at most."""
    few = min(most - 4, size // 24)
    yield "nested arrays and one float", filled(b"[1.5", b",[[]]", b"]", size)
    yield "32 levels again and again", filled(b"[1.5", b"," + b"[" * 31 + b"]" * 31, b"]", size)
    yield "opened and never closed", b"[" * size
    yield "brackets in strings", filled(b"[1.5", b',"["', b"]", size)
    yield "empty strings", filled(b"[1.5", b',""', b"]", size)
    yield "escaped quotes", filled(b'["', b'\\"', b'"]', size)
    yield "white space", filled(b"[1.5", b" ", b"]", size)
    yield "one long number", filled(b"[1.", b"0", b"1]", size)
    yield "as many arrays as are read", b"[1e1" + b",[]" * (most - 3) + b"]"
    yield "as many floats as are read", b"[1.5" + b",1e5" * (most - 3) + b"]"
    yield "as many long fractions", b"[1.5" + b",1.0000000000000000001" * few + b"]"
    yield "as many long integers", b"[1.5" + b",1.0000000000000000000" * few + b"]"
    yield "unknown keys", b"{" + numbered(b'"k%d":0', 80_000 * size // MIB) + b"}"
    yield "a key twice at the end", b"{" + numbered(b'"kkkkkkkkkk%d":0', few) + b',"kkkkkkkkkk0":1}'
    yield "a key twice after a long string", filled(b'{"a":"', b"x", b'","a":1}', size)
    yield "NaN at the end", b"[" + numbered(b"%d", most - 3) + b",NaN]"
    yield "not UTF-8 at the end", filled(b'["', b"a", b'\xff"]', size)


# --- tables and moves that are costly to judge -------------------------------------


def gin_rummy() -> Iterator[tuple[str, str, Any]]:
    """Many hands of one game. All cards could be laid off; each hand has other suits."""
    hand = ["4S", "5S", "6S", "9H", "TH", "JH", "QH", "AC", "2C", "3D"]
    defender = ["AS", "2S", "3S", "7S", "8S", "9S", "TS", "6H", "7H", "8H"]
    pack = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]
    top = [card for pair in zip(defender, hand, strict=True) for card in pair] + ["2D"]
    deck = top + [card for card in pack if card not in top]
    state: Any = {"phase": "hand-over", "turn": None, "hands": [hand, defender], "dealer": 0}
    state |= {"last_hand": {"kind": "dead", "seat": None, "points": 0}}
    state |= {"ruleset": {"options": {"next_dealer": "loser", "target": 100_000}}}
    played: list[Any] = []
    for suits in islice(cycle(permutations("SHDC")), bounds.MOVES // 5):
        other = str.maketrans("SHDC", "".join(suits))
        played += [
            {"type": "deal", "deck": [card.translate(other) for card in deck]},
            {"type": "pass", "seat": 1},
            {"type": "take-upcard", "seat": 0},
            {"type": "knock", "seat": 0, "discard": "3D".translate(other)},
            {"type": "lay-off", "seat": 1},
        ]
    for compare, moves in ((False, bounds.MOVES), (True, bounds.OUTCOMES // 4)):
        body = {"game": "gin-rummy", "state": state, "moves": played[:moves], "compare": compare}
        yield f"gin rummy, {moves} moves{', compared' * compare}", "/resolve", body


def twin_it() -> Iterator[tuple[str, str, Any]]:
    """Tables with as many cards as may be posted: alike, of two sides, different, unseen."""
    for name, cards in (("alike", ["0A"]), ("of two sides", ["0A", "0B"]), ("different", None), ("unseen", [None])):
        some = (cards or [f"{number}A" for number in range(200)]) * 200
        groups = [[card for card in some[:4] if card] or ["0A"]] * 150
        state: Any = {"phase": "play", "piles": [some[:133]] * 6, "table": [c for c in some[:200] if c]}
        state["sets"] = [groups]
        state["designs"] = [[f"a{number % 7}", f"b{number % 7}"] for number in range(200)]
        for call, more in OF_STATES:
            yield f"twin-it, {name}, {call}", f"/{call}", {"game": "twin-it", "state": state, **more}


def twin_it_in_order() -> Iterator[tuple[str, str, Any]]:
    """Tables without fault: as many cards as a deck may have, most of them turned up, few designs."""
    for kinds in (67, 100):
        designs = [[f"a{number % kinds}", f"b{number % kinds}"] for number in range(200)]
        cards = [f"{number}A" for number in range(200)]
        state = {"phase": "play", "designs": designs, "piles": [[card] for card in cards[:6]], "table": cards[6:]}
        claims = [{"type": "claim", "hands": [{"seat": n % 6, "card": f"{6 + n}A"} for n in range(24)]}] * bounds.MOVES
        faulty = [*claims[1:], {"type": "claim", "hands": 0}]
        for call, more in (*OF_STATES, ("resolve", {"moves": claims}), ("resolve", {"moves": faulty})):
            yield f"twin-it, {kinds} designs, {call}", f"/{call}", {"game": "twin-it", "state": state, **more}


def take_that() -> Iterator[tuple[str, str, Any]]:
    for name, card in (("alike", 12), ("unseen", None)):
        pile = [card] * 79
        state = {"phase": "play", "turn": 0, "row": pile, "hands": [pile] * 4, "pile": pile, "face_up": [pile] * 4}
        for call, more in OF_STATES:
            yield f"take-that, {name}, {call}", f"/{call}", {"game": "take-that", "state": state, **more}


def others() -> Iterator[tuple[str, str, Any]]:
    cards = ["blue-1"] * 60
    state = {"phase": "trick", "trick": 1, "chips": [12] * 6, "pot": 0, "hands": [cards] * 6, "stock": cards}
    for call, more in OF_STATES:
        yield f"twins, alike, {call}", f"/{call}", {"game": "twins", "state": state, **more}
    pile = ["AS"] * 52
    state = {"phase": "draw", "turn": 0, "hands": [pile, pile], "stock": pile, "discards": pile}
    for call, more in OF_STATES:
        yield f"gin rummy, alike, {call}", f"/{call}", {"game": "gin-rummy", "state": state, **more}


GAMES = (gin_rummy, twin_it, twin_it_in_order, take_that, others)
OF_STATES: tuple[tuple[str, Any], ...] = (
    ("audit", {}),
    ("resolve", {"moves": []}),
    ("legal-moves", {}),
    ("view", {"seat": None}),
)

# --- measuring -----------------------------------------------------------------


class Slices:
    """The longest time between two yields. `yielded` takes the place of `time.sleep`, by which a request yields."""

    def __init__(self) -> None:
        self.since = process_time()
        self.longest = 0.0

    def yielded(self, _: float = 0) -> None:
        now = process_time()
        self.longest, self.since = max(self.longest, now - self.since), now


def started(given: list[str]) -> StartResponse:
    """A `start_response` that keeps the status of the answer."""

    def start_response(status: str, *_: object) -> Callable[[bytes], object]:
        given.append(status)
        return given.append  # type: ignore[return-value]

    return start_response


def measure(path: str, body: bytes) -> tuple[float, float, str, int]:
    """CPU and longest slice of the fastest of some rounds, the status, and the bytes of the answer."""
    app = create_app(Settings(store_url="sqlite:////dev/null/nowhere"))
    found: list[tuple[float, float, str, int]] = []
    for _ in range(ROUNDS):
        given: list[str] = []
        gc.collect()
        slices, start = Slices(), process_time()
        with patch.object(time, "sleep", slices.yielded):
            answer = b"".join(app(environment("POST", path, body), started(given)))
            cpu = process_time() - start
        slices.yielded()
        found.append((cpu, slices.longest, given[0], len(answer)))
    return min(found)


def row(name: str, path: str, body: bytes, most: float, most_slice: float | None = None) -> None:
    cpu, longest, status, size = measure(path, body)
    mark = "!" if cpu > most or (most_slice is not None and longest > most_slice) else " "
    times = f"{cpu * 1000:7.1f} ms, slice {longest * 1000:5.1f} ms"
    print(f"{mark} {name:42} {len(body):>9,} bytes {times}, {size:>9,} bytes of {status}")


def reading() -> None:
    """Every costly body: 1 MiB for a call, 8 MiB for a batch."""
    print("to read, 30 ms of CPU for 1 MiB:")
    for name, body in bodies(MIB, bounds.VALUES):
        row(name, "/resolve", body, READING)
    print("to read, 250 ms of CPU for 8 MiB:")
    for name, body in bodies(8 * MIB, bounds.VALUES_IN_BATCH):
        row(name, "/batch", body, READING_BATCH)


def judging() -> None:
    """Every costly table."""
    print("to judge, 250 ms of CPU, 20 ms without yielding:")
    for games in GAMES:
        for name, path, body in games():
            row(name, path, json.dumps(body).encode(), CALL, SLICE)


# --- a good client beside hostile ones ---------------------------------------------

Requests = Iterator[bytes]
"""The requests of one hostile client, one after the other."""


def request(path: str, body: bytes, *headers: str, client: int = 0) -> bytes:
    lines = (f"POST {path} HTTP/1.1", "Host: x", "Content-Type: application/json", f"X-Forwarded-For: 10.0.0.{client}")
    return "\r\n".join([*lines, *headers, "", ""]).encode() + body


def sized(path: str, body: bytes, client: int) -> bytes:
    return request(path, body, f"Content-Length: {len(body)}", client=client)


def chunked(path: str, body: bytes, size: int, client: int) -> bytes:
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    framed = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)
    return request(path, framed + b"0\r\n\r\n", "Transfer-Encoding: chunked", client=client)


def long_calls(client: int) -> Requests:
    (_, path, body), *_ = gin_rummy()
    return cycle([sized(path, json.dumps({**body, "moves": body["moves"][:497]}).encode(), client)])


def batches(client: int) -> Requests:
    inner = {"path": "/resolve", "body": {"game": "twins", "state": [{"a": 1.5}] * 200, "moves": []}}
    return cycle([sized("/batch", json.dumps({"requests": [inner] * 800}).encode().ljust(8 * MIB), client)])


def costly_headers(length: int) -> Callable[[int], Requests]:
    def requests(client: int) -> Requests:
        for number in count():
            value = f"x{number:07}" + ",a;q=0.1" * (length // 8 - 1)
            headers = f"Accept-Language: {value}\r\nAccept: {value},*/*\r\nAccept-Encoding: {value}\r\n"
            yield f"GET /games HTTP/1.1\r\nHost: x\r\n{headers}\r\n".encode()

    return requests


SPACES = b"[" + b" " * (MIB - 2) + b"]"
KINDS: dict[str, Callable[[int], Requests]] = {
    "gin rummy, 497 moves": long_calls,
    "/metrics": lambda _: cycle([b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"]),
    "Accept headers of 8 kB, each another": costly_headers(8_000),
    "Accept headers of 512 bytes, each another": costly_headers(496),
    "1,000 chunks of a byte": lambda client: cycle([chunked("/resolve", SPACES[:1_000], 1, client)]),
    "a MiB in chunks of a byte": lambda client: cycle([chunked("/resolve", SPACES, 1, client)]),
    "a MiB in chunks of 64 bytes": lambda client: cycle([chunked("/resolve", SPACES, 64, client)]),
    "8 MiB to /livez, unfinished": lambda client: cycle([sized("/livez", SPACES * 8, client)[:-1]]),
    "8 MiB to /batch, unfinished": lambda client: cycle([sized("/batch", SPACES * 8, client)[:-1]]),
    "batches of 8 MiB": batches,
}
SECONDS, PAUSE, WORSE = 8.0, 0.005, 5
"""How long a kind is measured, the pause of the good client, and the bound on its p99 beside others, as a factor."""
GOOD = sized(
    "/resolve",
    json.dumps({"game": "twins", "state": {"phase": "buying", "chips": [12] * 4, "pot": 0}, "moves": []}).encode(),
    250,
)


def asked(client: socket.socket, sent: bytes) -> bytes:
    """The answer to a request, whole."""
    client.sendall(sent)
    answer = b""
    while not answer or len(answer) < answer.find(b"\r\n\r\n") + 4 + length_of(answer):
        if not (part := client.recv(1 << 18)):
            break
        answer += part
    return answer


def length_of(answer: bytes) -> int:
    head = answer.partition(b"\r\n\r\n")[0].lower()
    return int(head.partition(b"\r\ncontent-length: ")[2].partition(b"\r\n")[0] or 0)


def ask_on(port: int, requests: Requests) -> None:
    """Send a hostile client's requests for ever, and connect again when the server closes."""
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
                for sent in requests:
                    if not asked(client, sent):
                        break
        except OSError:
            continue


def attack(port: int, kind: str, clients: int) -> None:
    for each in range(clients):
        Thread(target=ask_on, args=(port, KINDS[kind](each)), daemon=True).start()
    time.sleep(3_600)


def p99_beside(port: int, kind: str, clients: int) -> tuple[float, int]:
    """The good client's 99th percentile in seconds beside so many hostile ones, and how many answers were not 200."""
    hostile = Process(target=attack, args=(port, kind, clients), daemon=True)
    hostile.start()
    times, bad = [], 0
    try:
        time.sleep(1)
        with socket.create_connection(("127.0.0.1", port)) as good:
            end = monotonic() + SECONDS
            while monotonic() < end:
                start = monotonic()
                bad += not asked(good, GOOD).startswith(b"HTTP/1.1 200")
                times.append(monotonic() - start)
                time.sleep(PAUSE)
    finally:
        hostile.kill()
        hostile.join()
    return sorted(times)[len(times) * 99 // 100], bad


def beside() -> None:
    """A good client beside 8 and 32 hostile ones of each kind."""
    base, *others = KINDS
    for clients in (8, 32):
        print(f"beside {clients} clients, at most {WORSE} times p99 beside those of {base!r}:")
        for kind in others:
            with served(SERVICE) as server:
                (due, _), (found, bad) = p99_beside(server.port, base, clients), p99_beside(server.port, kind, clients)
            mark = "!" if bad or found > WORSE * due else " "
            print(f"{mark} {kind:42} {found * 1000:7.1f} ms, {found / due:5.2f} times {due * 1000:6.1f} ms", flush=True)


if __name__ == "__main__":
    tables: tuple[Callable[[], None], ...] = (reading, judging, beside)
    for each in tables:
        if len(sys.argv) < 2 or each.__name__ in sys.argv[1:]:
            each()
