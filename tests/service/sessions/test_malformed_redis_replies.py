"""A Redis that answers with anything at all makes sessions unavailable, and never causes an answer of 500."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson
import pytest
from flask.testing import FlaskClient

from service.app import create_app
from service.config import Settings
from service.sessions.tokens import HOST, Tokens
from tests.faults.servers import RedisServer
from tests.service.sessions.tables import open_session, problem, service_client

KEY = "k" * 32
NAME = "0" * 32
ANSWERS = {
    "a number": b":5\r\n",
    "an outcome that no opening has": b":2\r\n",
    "a text": b"$5\r\nabcde\r\n",
    "a status": b"+OK\r\n",
    "nothing": b"$-1\r\n",
    "an empty list": b"*0\r\n",
    "numbers": b"*3\r\n:1\r\n:2\r\n:9999999999999999\r\n",
    "texts": b"*3\r\n$1\r\n1\r\n$1\r\n{\r\n$16\r\n9999999999999999\r\n",
    "lists": b"*3\r\n*1\r\n:1\r\n*1\r\n:1\r\n*1\r\n:1\r\n",
    "a list nested deep": b"*1\r\n" * 5000 + b":1\r\n",
    "no Redis": b"HTTP/1.1 400 Bad Request\r\n\r\n",
}
CALLS: list[tuple[str, str, Any]] = [
    ("POST", "/sessions", {"game": "gin-rummy", "seats": 2}),
    ("GET", f"/sessions/{NAME}", None),
    ("GET", f"/sessions/{NAME}/legal-moves", None),
    ("GET", f"/sessions/{NAME}/moves", None),
    ("GET", f"/sessions/{NAME}/transcript", None),
    ("GET", f"/sessions/{NAME}/events", None),
    ("POST", f"/sessions/{NAME}/moves", {"moves": [{"type": "deal"}]}),
    ("POST", f"/sessions/{NAME}/tickets", None),
    ("POST", f"/sessions/{NAME}/rematch", None),
    ("POST", f"/sessions/{NAME}/tokens", {}),
    ("DELETE", f"/sessions/{NAME}", None),
]


@contextmanager
def answering(answer: bytes) -> Iterator[int]:
    """Answer each command of Redis with these bytes, on a port of its own, until the block ends. Yield the port."""

    def serve(connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as sent:
            while line := sent.readline():
                for _ in range(int(line[1:])):
                    sent.read(int(sent.readline()[1:]) + 2)
                connection.sendall(answer)

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # the client hangs up
@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_every_call_on_sessions_answers_503_while_redis_sends_malformed_replies(answer: bytes) -> None:
    token = Tokens([KEY], lambda: pytest.fail("keys are set")).token(NAME, HOST, "generation")
    with answering(answer) as port:
        url = f"redis://127.0.0.1:{port}/0"
        app = create_app(Settings(store_url=url, token_keys=(KEY,)))
        client = app.test_client()
        for method, path, body in CALLS:
            options = {} if body is None else {"json": body}
            response = client.open(path, method=method, headers={"Authorization": f"Bearer {token}"}, **options)
            assert problem(response) == (503, "store-unavailable"), (method, path)
            assert response.headers["Retry-After"] in ("1", "5")
        assert client.get("/readyz").status_code == 503
        assert client.get("/metrics").status_code == 200
        app.extensions["sessions"].store.close()


@pytest.fixture
def redis_client(redis_server: RedisServer) -> FlaskClient:
    """A client of an application whose sessions are in `redis_server`."""
    return service_client(redis_server.url)


NO_RECORDS = (b"", b"[]", b"{}", b"5", b'{"game": 5}', b"[" * 100_000, b"\xff")
TOO_LARGE = b"9" * 40  #: A version that JSON cannot carry.


@pytest.mark.parametrize(("member", "value"), [*(("head", record) for record in NO_RECORDS), ("version", TOO_LARGE)])
def test_a_session_that_cannot_be_read_is_unavailable(
    redis_client: FlaskClient, redis_server: RedisServer, member: str, value: bytes
) -> None:
    """The member `head` of a session in Redis is its encoded `SessionRecord`."""
    table = open_session(redis_client)
    redis_server.client().execute_command("HSET", f"referee:{{{table.id}}}", member, value)
    for call in ("", "/legal-moves", "/moves", "/events", "/transcript"):
        assert problem(table.get("host", call)) == (503, "store-unavailable")


@pytest.mark.parametrize(("member", "value"), [("game", "chess"), ("game", []), ("state", {}), ("state", "gone")])
def test_a_session_without_a_table_is_unavailable(
    redis_client: FlaskClient, redis_server: RedisServer, member: str, value: object
) -> None:
    table, server = open_session(redis_client), redis_server.client()
    record = orjson.loads(server.execute_command("HGET", f"referee:{{{table.id}}}", "head"))
    changed = orjson.dumps(record | {member: value})
    server.execute_command("HSET", f"referee:{{{table.id}}}", "head", changed)
    assert problem(table.get("host")) == (503, "store-unavailable")


@pytest.mark.parametrize("entry", [b"", b"[]", b"{}", b"[" * 100_000])
def test_an_entry_that_cannot_be_read_makes_the_log_unavailable(
    redis_client: FlaskClient, redis_server: RedisServer, entry: bytes
) -> None:
    table = open_session(redis_client)
    assert table.move("host", {"type": "pass", "seat": 0}).status_code == 201
    redis_server.client().execute_command("LSET", f"referee:{{{table.id}}}:log", 0, b"-" * 16 + entry)
    assert problem(table.get("host", "/moves")) == (503, "store-unavailable")
