"""The service on its server: behaviour that needs sockets or several processes."""

import json
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from distributions.worker.tests.raw_http import ask, ask_anew, chunked, get, post, read, read_answer, several
from service.bounds import NO_BODY
from tests.faults.clients import open_table
from tests.server import Server, listens, until
from tests.service.test_metrics import parsed

MIB = 1024 * 1024


on_both_workers = pytest.mark.parametrize("worker", ["referee", "gevent"])  #: Ours, and gunicorn's own.


@pytest.fixture(scope="module", params=["referee", "gevent"])
def service(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Two workers of each kind."""
    with Server(settings={"REFEREE_WORKERS": "2", "REFEREE_WORKER": request.param}) as started:
        until(lambda: len(started.workers()) == 2)
        yield started


@pytest.fixture(scope="module")
def server_with_our_worker() -> Iterator[Server]:
    """A service on our worker."""
    with Server() as started:
        yield started


def request_count(service: Server, route: str) -> int:
    """Return how many requests to a route `/metrics` counts, over all statuses."""
    lines = ask_anew(service, get("/metrics")).body.decode().splitlines()
    return sum(int(float(line.split()[1])) for line in lines if f'requests_total{{route="{route}"' in line)


def test_counts_are_those_of_all_workers_and_survive_the_worker_that_counted(service: Server) -> None:
    before = request_count(service, "/games/<game>")
    for _ in range(20):
        ask_anew(service, get("/games/twins"))
    until(lambda: request_count(service, "/games/<game>") == before + 20)
    killed = service.workers()[0]
    service.kill(killed)
    until(lambda: len(service.workers()) == 2)
    until(lambda: listens(service.port))  # the other worker may have been slow to start
    until(lambda: request_count(service, "/games/<game>") == before + 20)  # each worker collects once a second


@on_both_workers
def test_a_short_call_is_answered_before_a_long_one_that_came_first(worker: str) -> None:
    """The long one is a batch of four resolutions, each of 500 claims by 24 hands."""
    moves = [{"type": "claim", "hands": [{"seat": 0, "card": f"{card}A"} for card in range(24)]}] * 499
    state = {"phase": "play", "piles": [["0A"], ["1A"]], "table": []}
    entry = {"path": "/resolve", "body": {"game": "twin-it", "state": state, "moves": [*moves, {"type": "claim"}]}}
    with Server(settings={"REFEREE_WORKER": worker}) as started, started.connect() as heavy, started.connect() as light:
        for client in (heavy, light):
            ask(client, get("/livez"))
        used = started.cpu()
        heavy.sendall(post("/batch", json.dumps({"requests": [entry] * 4}).encode()))
        until(lambda: started.cpu() > used + 0.02)  # the worker has begun with it
        assert ask(light, get("/livez")).status == 200
        assert ask(light, post("/audit", json.dumps({"game": "twin-it", "state": state}).encode())).status == 200
        assert read_answer(heavy, "POST").status == 200
        until(lambda: len(started.requests()) == 5)
        paths = [each["path"] for each in started.requests()]
    assert paths[2:] == ["/livez", "/audit", "/batch"]


@pytest.mark.parametrize(
    ("path", "limit", "status"),
    [
        ("/livez", NO_BODY, 405),
        ("/nowhere", NO_BODY, 404),
        ("/sessions/x/tickets", NO_BODY, 401),
        ("/sessions/x/rematch", NO_BODY, 401),
        ("/sessions/x/moves", MIB, 401),
        ("/games/twins/deal", MIB, 400),
        ("/batch", 8 * MIB, 400),
    ],
)
def test_a_body_may_have_as_many_bytes_as_the_limit_of_its_path(
    server_with_our_worker: Server, path: str, limit: int, status: int
) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    head_alone = (head % (limit + 1)).encode()  # of which no byte of the body is sent
    answer = ask_anew(server_with_our_worker, head_alone)
    assert (answer.status, answer.problem["type"]) == (413, "/problems/payload-too-large")
    assert ask_anew(server_with_our_worker, chunked(path, b" " * (limit + 1))).status == 413
    assert ask_anew(server_with_our_worker, (head % limit).encode() + b"[" + b" " * (limit - 2) + b"]").status == status


@pytest.mark.parametrize("path", ["/livez", "/games", "/", "/docs", "/openapi.yaml", "/nothing", "/sessions/0"])
def test_every_answer_forbids_browsers_to_guess_its_type(service: Server, path: str) -> None:
    assert ask_anew(service, get(path)).headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/livez", "/games", "/sessions/0/events"])
def test_a_web_socket_is_refused_with_our_own_problem(service: Server, path: str) -> None:
    problem = ask_anew(
        service, get(path, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
    ).problem
    assert problem["type"] == "/problems/invalid-request"
    assert problem["detail"].startswith("There are no web sockets here")


def test_an_upgrade_to_h2c_is_ignored(service: Server) -> None:
    upgrade = "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAEAAEAAAAIAAAAA"
    body = b'{"game": "twins", "seats": 3, "seed": "s"}'
    assert ask_anew(service, post("/deal", body, *upgrade)).status == 200
    assert ask_anew(service, get("/livez", *upgrade)).status == 200


def test_connections_and_streams_are_counted_while_they_are_open() -> None:
    with Server(settings={"REFEREE_WORKERS": "2"}) as server:

        def open_now() -> tuple[float, float]:
            figures = parsed(ask_anew(server, get("/metrics")).body.decode())
            return figures["referee_connections"], figures.get("referee_streams", 0)

        until(lambda: open_now() == (1, 0))  # the connection of /metrics itself
        table = open_table(server.port)
        with several(server, 23) as connections:
            for listener in connections[:3]:
                listener.sendall(table.stream_request())
                read(listener, until=lambda received: b"retry:" in received)
            until(lambda: open_now() == (24, 3))
        until(lambda: open_now() == (1, 0))


def test_a_closed_stream_frees_its_place_at_once() -> None:
    with Server(settings={"REFEREE_STREAMS": "20"}) as server:
        table = open_table(server.port)

        def status_of_stream(stack: ExitStack, client: str) -> bytes:
            """Open a stream from a client's address; it stays open as long as the stack. Return its status."""
            listener = stack.enter_context(server.connect())
            listener.sendall(table.stream_request(f"X-Forwarded-For: {client}"))
            return read(listener, until=lambda received: received.endswith(b"\r\n")).split()[1]

        for client in ("10.0.0.1", "10.0.0.2", "10.0.0.3"):
            with ExitStack() as streams:
                for _ in range(20):
                    until(lambda: status_of_stream(streams, client) == b"200", 6)  # noqa: B023
