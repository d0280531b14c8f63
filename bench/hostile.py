"""A good client of one worker beside hostile ones."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from itertools import count, cycle
from multiprocessing import Process
from threading import Thread
from time import monotonic

from bench.load import served
from bench.results import Table, figure
from tests.faults.costly_requests import MIB, gin_rummy

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
    "a head, unfinished": lambda _: cycle([b"GET /livez HTTP/1.1\r\nX-Slow: "]),
    "8 MiB to /livez, unfinished": lambda client: cycle([sized("/livez", SPACES * 8, client)[:-1]]),
    "8 MiB to /batch, unfinished": lambda client: cycle([sized("/batch", SPACES * 8, client)[:-1]]),
    "batches of 8 MiB": batches,
}
NOBODY = "nobody"
CLIENTS = (8, 32)
SECONDS, PAUSE = 4.0, 0.005
"""How long a kind is measured, and the pause of the good client."""
GOOD = sized(
    "/resolve",
    json.dumps({"game": "twins", "state": {"phase": "buying", "chips": [12] * 4, "pot": 0}, "moves": []}).encode(),
    250,
)


def answer_to(client: socket.socket, request: bytes) -> bytes:
    """The whole answer; empty if the server closes instead."""
    client.sendall(request)
    answer = b""
    while not answer or len(answer) < answer.find(b"\r\n\r\n") + 4 + length_of(answer):
        if not (part := client.recv(1 << 18)):
            break
        answer += part
    return answer


def length_of(answer: bytes) -> int:
    head = answer.partition(b"\r\n\r\n")[0].lower()
    return int(head.partition(b"\r\ncontent-length: ")[2].partition(b"\r\n")[0] or 0)


def send_on(port: int, requests: Requests) -> None:
    """Send a hostile client's requests for ever, and connect again when the server closes."""
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
                for each in requests:
                    if not answer_to(client, each):
                        break
        except OSError:
            continue


def attack(port: int, kind: str, clients: int) -> None:
    for client in range(clients if kind in KINDS else 0):
        Thread(target=send_on, args=(port, KINDS[kind](client)), daemon=True).start()
    time.sleep(3_600)


def p99_beside(port: int, kind: str, clients: int) -> tuple[float, int]:
    """The good client's 99th percentile in seconds beside so many hostile ones, and how many answers were not 200."""
    others = Process(target=attack, args=(port, kind, clients), daemon=True)
    others.start()
    times, refused = [], 0
    try:
        time.sleep(1)
        with socket.create_connection(("127.0.0.1", port)) as good:
            end = monotonic() + SECONDS
            while monotonic() < end:
                start = monotonic()
                refused += not answer_to(good, GOOD).startswith(b"HTTP/1.1 200")
                times.append(monotonic() - start)
                time.sleep(PAUSE)
    finally:
        others.kill()
        others.join()
    return sorted(times)[len(times) * 99 // 100], refused


def hostile() -> Table:
    """The table in bench/RESULTS.md."""
    rows = []
    for kind in (NOBODY, *KINDS):
        with served() as server:
            measured = [p99_beside(server.port, kind, clients) for clients in CLIENTS]
        refused = sum(count for _, count in measured)
        rows.append([kind, *(figure(p99 * 1000) for p99, _ in measured), str(refused)])
    return Table(
        "Beside hostile clients",
        "A client that posts `/resolve` without moves every 5 ms, beside others of one kind that each send the next "
        "request as soon as the last is answered: its 99th percentile in ms, and its answers other than 200.",
        ("the others", *(f"beside {clients}" for clients in CLIENTS), "refused"),
        rows,
    )
