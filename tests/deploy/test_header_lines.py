"""No answer has a header twice: each status of each operation, read as bytes, with CORS, without, behind nginx.

What is sent: the exchanges of which the contract's examples are, the vectors, the requests that `/testing` lists, and
for each operation what brings about the statuses that it declares.
"""

import json
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from socket import create_connection
from typing import Any, BinaryIO

import pytest

import engines
from distributions.worker.tests.raw_http import Answer
from service.bounds import VALUES, VALUES_IN_BATCH
from service.conformance import parts, vectors_of
from service.contract.openapi import document
from service.judging.calls import CALLS
from tests.conformance.exchanges import common_exchanges, session_exchanges
from tests.deploy.test_nginx import run_site
from tests.deploy.test_refusals import ANY_LENGTH, REFUSED_REQUESTS
from tests.long import long
from tests.server import Server, free_port
from tests.service.sessions.tables import GAMES, open_session

ORIGIN = "https://page.example"
CONTRACT = document(CALLS)
OPERATIONS: dict[tuple[str, str], list[int]] = {
    (method.upper(), path): [int(status) for status in operation["responses"]]
    for path, methods in CONTRACT["paths"].items()
    for method, operation in methods.items()
    if method in {"get", "post", "delete"}
}
"""The statuses that each operation declares."""
PATTERNS = {path: re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + r"(?:\?.*)?") for _, path in OPERATIONS}
OTHER_PATHS = [
    "/",
    "/play",
    "/settle",
    "/docs",
    "/openapi.yaml",
    "/llms.txt",
    "/metrics",
    "/livez",
    "/readyz",
    "/no-such",
    "/testing",
]
"""Paths of no operation."""
GENERAL = {
    *("server", "date", "connection", "content-type", "content-length", "transfer-encoding"),
    *("x-content-type-options", "strict-transport-security", "x-accel-buffering"),
}
"""Headers of HTTP itself, and of every answer, which the contract does not declare."""
JSON = {"Content-Type": "application/json"}
LIMITS = {"RECEIVE_SECONDS": "2", "BYTES_IN_FLIGHT": "8000000"}
OVER_ITS_SHARE = ANY_LENGTH.replace("{length}", "2100000") + 2_050_000 * "x"  #: A quarter of them is one client's.


def json_bytes(value: Any) -> bytes:
    """A value as the bytes of a body."""
    return json.dumps(value).encode()


@dataclass
class FlaskLikeAnswer:
    """An answer with the members of an answer of Flask's test client, for code that is written for that client."""

    status_code: int
    body: bytes
    fields: list[tuple[str, str]]

    @property
    def headers(self) -> dict[str, str]:
        """The headers, by the names as sent; the last of each."""
        return dict(self.fields)

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")

    @property
    def is_json(self) -> bool:
        """Whether the content type promises JSON."""
        return "json" in self.content_type

    @property
    def json(self) -> Any:
        """The body, parsed."""
        return json.loads(self.body)

    def get_json(self) -> Any:
        return self.json

    def get_data(self, *, as_text: bool) -> str:
        assert as_text
        return self.body.decode()


@dataclass
class Caller:
    """A client with the methods of Flask's test client, that sends bytes over a socket, each request on a new one.

    `repeated` has a line for each answer in which a header is repeated.
    """

    port: int
    origin: str | None
    reads_bodies: bool = True  #: Whether the server reads bodies that no call takes; gunicorn's own worker does not.
    repeated: list[str] = field(default_factory=list)
    header_names: dict[tuple[str, str, int], list[set[str]]] = field(default_factory=lambda: defaultdict(list))
    """The names of each answer's headers, by method, path of an operation, and status."""

    def get(self, path: str, headers: dict[str, str] | None = None) -> FlaskLikeAnswer:
        return self.send("GET", path, headers)

    def delete(self, path: str, headers: dict[str, str] | None = None) -> FlaskLikeAnswer:
        return self.send("DELETE", path, headers)

    def post(
        self, path: str, json: Any = None, data: Any = None, headers: dict[str, str] | None = None
    ) -> FlaskLikeAnswer:
        """Post JSON, or the bytes `data`; other `data` stands for any body that is no JSON."""
        if json is not None:
            return self.send("POST", path, {**JSON, **(headers or {})}, json_bytes(json))
        body = data if isinstance(data, bytes) else b"a=b"
        return self.send("POST", path, headers, b"" if data is None else body)

    def send(
        self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes | None = None
    ) -> FlaskLikeAnswer:
        """Send a request, with an `Origin` if the client has one; read and record the answer."""
        origin = {"Origin": self.origin} if self.origin else {}
        length = {} if body is None else {"Content-Length": str(len(body))}
        lines = [f"{name}: {value}" for name, value in {"Host": "test", **origin, **length, **(headers or {})}.items()]
        head = f"{method} {path} HTTP/1.1\r\n" + "\r\n".join(lines) + "\r\nConnection: close\r\n\r\n"
        return self.exchange(head.encode() + (body or b""), method, path)

    def exchange(self, request: bytes, method: str, path: str) -> FlaskLikeAnswer:
        """Send bytes on a connection of their own, and read the answer; of a stream, the head alone."""
        with create_connection(("127.0.0.1", self.port), timeout=20) as client, client.makefile("rb") as received:
            with suppress(ConnectionError):  # who is refused early may not be read to the end
                client.sendall(request)
            answer = read_head(received)
            has_body = method != "HEAD" and answer.status not in (204, 304)
            # A stream of events has no length, and none of it is read.
            body = received.read(int(answer.headers.get("content-length", 0))) if has_body else b""
        if twice := answer.repeated():
            self.repeated.append(f"{method} {path[:80]} {answer.status}: {', '.join(sorted(twice))}")
        for template, pattern in PATTERNS.items():
            if pattern.fullmatch(path):
                self.header_names[method, template, answer.status].append({*answer.headers})
        return FlaskLikeAnswer(answer.status, body, answer.fields)


def read_head(received: BinaryIO) -> Answer:
    """Read the head of an answer, to the empty line or to the end."""
    lines = takewhile(lambda line: line not in (b"\r\n", b""), iter(received.readline, None))
    first, *others = [line.decode("latin-1").removesuffix("\r\n") for line in lines]
    fields = [line.split(": ", 1) for line in others]
    return Answer(int(first.split()[1]), [(name.lower(), value) for name, value in fields], b"")


@pytest.fixture(scope="module", params=["with CORS", "behind nginx", *long("alone", "on gunicorn's own worker")])
def caller(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A client that has made every kind of request already; tests read what it has recorded of the answers.

    The service runs with REFEREE_TESTING, so that each status can be brought about.
    """
    own_worker = request.param != "on gunicorn's own worker"
    settings = LIMITS | {"TESTING": "1", "WORKER": "referee" if own_worker else "gevent"}
    if request.param != "alone":
        settings["CORS_ORIGINS"] = ORIGIN
    with ExitStack() as stack:
        server = stack.enter_context(Server(settings={f"REFEREE_{name}": value for name, value in settings.items()}))
        port = server.port
        if request.param == "behind nginx":
            if shutil.which("nginx") is None:
                pytest.skip("nginx is not installed")
            port = stack.enter_context(run_site(Path(tmp_path_factory.mktemp("nginx")), port))
        client = Caller(port, None if request.param == "alone" else ORIGIN, own_worker)
        for send in (
            _make_recorded_exchanges,
            _send_vectors,
            _send_requests_of_states,
            _call_every_operation,
            _call_other_paths,
        ):
            send(client)
        patient = set[int]() if request.param in ("alone", "with CORS") else {408, 503}
        _send_refused_requests(client, REFUSED_REQUESTS.keys() - patient)
        if request.param == "behind nginx":
            nobody = stack.enter_context(run_site(Path(tmp_path_factory.mktemp("nobody")), free_port()))
            replace(client, port=nobody).get("/games")
        without_sessions = stack.enter_context(Server(settings={"REFEREE_STORE_URL": "none"}))
        replace(client, port=without_sessions.port).post("/sessions", {"game": "twins", "seats": 3})
        yield client


def _make_recorded_exchanges(client: Any) -> None:
    """Send the requests from which the contract's examples are recorded, and a view and a listing of each game."""
    common_exchanges(client)
    for game in GAMES:
        session_exchanges(client, game)
        dealt = client.post(f"/games/{game}/deal", {"seats": max(engines.registry()[game].seats), "seed": "rain"}).json
        for call, more in {"view": {"seat": 0}, "legal-moves": {}}.items():  # a new game may have no vectors of these
            client.post(f"/games/{game}/{call}", {"state": dealt["state"]} | more)


def _send_vectors(client: Caller) -> None:
    """Send, of each call, the first vector with each status; of each game, too, by its own path."""
    sent_keys = set[tuple[str, ...]]()
    for vector in (vector for part in parts() for vector in vectors_of(part)):
        path = vector.request["path"]
        key = path, str(vector.response["status"])
        if key not in sent_keys and vector.call is not None:
            sent_keys.add(key)
            client.send(vector.request["method"], path, JSON | vector.headers, (vector.content or "").encode())
        body: Any = vector.request.get("body")
        game = body.get("game") if isinstance(body, dict) else None
        if isinstance(game, str) and (*key, game) not in sent_keys:
            sent_keys.add((*key, game))
            rest = {name: value for name, value in body.items() if name != "game"}
            client.post(f"/games/{game}{path}", rest, headers=vector.headers)


def _send_requests_of_states(client: Caller) -> None:
    """Send the requests that `/testing` lists for each state of a client's tests."""
    for state in client.get("/testing").json["states"]:
        for step in state["requests"]:
            body = None if step["body"] is None else json_bytes(step["body"])
            client.send(step["method"], step["path"], step["headers"], body)


VALID_BODIES: dict[str, Any] = {
    "/commitments": {"commitment": 64 * "0"},
    "/seeds": {"seed": "rain"},
    "/clock": {"seconds": 60},
    "/tokens": {"seat": 0},
    "": {},
}
"""A body that each call takes, by how its path ends."""
KEY = {"Idempotency-Key": "a-key-of-this-table"}
TOO_MANY = json_bytes({"moves": [0] * VALUES})
TOO_MANY_IN_BATCH = json_bytes({"requests": [[0] * 600] * (VALUES_IN_BATCH // 600 + 1)})


def _call_every_operation(client: Any) -> None:
    """Call each operation so that it answers each status that it declares; one of sessions at a table of its own."""
    for method, template in OPERATIONS:
        end = next((end for end in VALID_BODIES if template.endswith(end)), "")
        valid_body = VALID_BODIES[end] if method == "POST" else None
        if "{session_id}" not in template:
            client.send(method, template.replace("{game}", "chess").replace("{slug}", "no-such"))
            path = template.replace("{game}", "twins").replace("{slug}", "invalid-state")
            _provoke_statuses(client, method, path, {}, valid_body)
            continue
        table = open_session(client, "twins", invite=template.endswith("/seats/{seat}"))
        table.post("host", "/moves", {"moves": [table.legal_moves()[0]]}, Idempotency_Key=KEY["Idempotency-Key"])
        path = template.replace("{session_id}", table.id).replace("{seat}", "0")
        client.send(method, path, JSON | {"Authorization": "Bearer of-nothing"}, json_bytes(valid_body))
        if method == "POST":
            client.post(path, valid_body, headers=table.headers("seat-1"))
            client.post(path, {"invite": "of-nothing"})
            client.post(path, {"invite": (table.invites or [""])[0]})
        else:
            client.send(method, path, table.headers("seat-1"))
        _provoke_statuses(client, method, path, table.headers("host"), valid_body)
        table.delete("host")
        body = {"invite": table.invites[0]} if table.invites else valid_body
        client.send(method, path, JSON | table.headers("host"), json_bytes(body))


def _provoke_statuses(client: Caller, method: str, path: str, token: dict[str, str], valid_body: Any) -> None:
    """Call an operation so that it answers the statuses that all have. `valid_body`: None if it takes no body."""
    body = None if valid_body is None else json_bytes(valid_body)
    headers = token if body is None else token | JSON
    client.exchange(f"{method} {path} HTTP/1.1\r\nNo Header\r\n\r\n".encode(), method, path)
    for status in (500, 503, 429, 409):
        client.send(method, path, headers | {"Prefer": f"code={status}"}, body)
    client.send(method, path, headers | {"X": 20_000 * "y"}, body)  # refused by the worker or nginx, the next is not
    client.send(method, path, headers | {"Accept-Language": 300 * "it, "}, body)
    client.send(method, f"{path}?no-such=1", headers, body)
    client.send(method, path, headers | {"If-Match": '"stale"'}, body)
    if method == "POST":
        client.send(method, path, headers | {"Accept": "image/png"}, body)
        client.send(method, path, headers, b'{"')
        client.send(method, path, headers | {"Content-Type": "text/plain"}, body)
        client.send(method, path, headers | {"Content-Length": "99999999"})
        client.send(method, path, headers, TOO_MANY_IN_BATCH if path == "/batch" else TOO_MANY)
        client.send(method, path, headers | KEY, body)
    if method == "GET":
        client.send(method, path, headers | {"Accept": "image/png"})
        tag = client.send(method, path, headers | {"Accept": "*/*"}).headers.get("etag", '"none"')
        client.send(method, path, headers | {"Accept": "*/*", "If-None-Match": tag})
    for other in ("HEAD", "OPTIONS", "PUT"):
        client.send(other, path, headers)
    client.send("OPTIONS", path, {"Access-Control-Request-Method": method})


def _call_other_paths(client: Caller) -> None:
    """Call the paths of pages, probes and documents, and one that does not exist."""
    for path in OTHER_PATHS:
        tag = client.get(path, {"Accept": "*/*"}).headers.get("etag", "")
        for method in ("GET", "HEAD", "OPTIONS", "POST"):
            client.send(
                method, path, {"If-None-Match": tag, "Accept-Encoding": "gzip"}, b"" if method == "POST" else None
            )


def _send_refused_requests(client: Caller, statuses: Iterable[int]) -> None:
    """Send the requests that are refused before they reach the application."""
    lines = f"Host: test\r\nOrigin: {ORIGIN}\r\n"
    for status in statuses:
        request = OVER_ITS_SHARE if status == 503 else REFUSED_REQUESTS[status]
        client.exchange(request.format(lines=lines).encode(), "ANY", f"refused with {status}")


def test_no_answer_has_a_header_twice(caller: Caller) -> None:
    assert caller.repeated == []


def test_every_status_of_every_operation_was_answered(caller: Caller) -> None:
    declared = {(*operation, status) for operation, statuses in OPERATIONS.items() for status in statuses}
    unread = set() if caller.reads_bodies else {("POST", f"/sessions/{{session_id}}/{end}", 413) for end in BODILESS}
    assert sorted(declared - caller.header_names.keys()) == sorted(unread)


def test_every_answer_has_the_headers_that_the_contract_declares_and_no_others(caller: Caller) -> None:
    """Of every operation. What nginx or gunicorn's own worker refuses by itself has fewer."""
    wrong = []
    for (method, path), statuses in OPERATIONS.items():
        for status in statuses:
            declared = declared_headers(method, path, status)
            for names in caller.header_names[method, path, status]:
                others = {name for name in names - declared.keys() - GENERAL if not name.startswith("access-control")}
                lacking = {name for name, is_required in declared.items() if is_required} - names
                if others or (lacking and "referee-version" in names):
                    wrong.append(f"{method} {path} {status}: has {others}, lacks {lacking}")
    assert wrong == []


def declared_headers(method: str, path: str, status: int) -> dict[str, bool]:
    """Return the headers that the contract declares for an answer, and whether each must be there."""
    answer = CONTRACT["paths"][path][method.lower()]["responses"][str(status)]
    if "$ref" in answer:
        answer = CONTRACT["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    components = {name.lower(): each["$ref"].rpartition("/")[2] for name, each in answer["headers"].items()}
    headers = CONTRACT["components"]["headers"]
    return {name: headers[component].get("required", False) for name, component in components.items()}


BODILESS = ("rematch", "tickets")  #: The ends of paths whose calls take no body.
EXTRA_STATUSES = {405, 409, 413, 429, 502}
"""Statuses that come of more than the operation: of a wrong method, of `Prefer`, and of nginx without a server."""


def test_no_operation_answers_a_status_that_it_does_not_declare(caller: Caller) -> None:
    answered = {(*operation, status) for *operation, status in caller.header_names if tuple(operation) in OPERATIONS}
    declared = {(*operation, status) for operation, statuses in OPERATIONS.items() for status in statuses}
    assert sorted(each for each in answered - declared if each[2] not in EXTRA_STATUSES) == []
