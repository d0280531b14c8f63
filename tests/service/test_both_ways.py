"""The fast path and Flask give the same answers: status, headers and bytes. Only the request id differs."""

import json
import secrets
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from flask import Flask
from werkzeug.test import EnvironBuilder

import engines
from service import seeds
from service.app import create_app
from service.config import Settings
from service.http.middleware import ROUTE
from service.judging.referee import Referee
from service.seeds import vectors_in
from service.sessions import changes
from service.sessions.tokens import HOST
from tests.service.test_http import FOUR_HANDS

JSON = {"Content-Type": "application/json"}
BODY_LIMIT = 3000


class Request(NamedTuple):
    """A request to send."""

    method: str
    path: str
    body: bytes = b""
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed


class Answer(NamedTuple):
    """An answer, and whether the fast path gave it."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes
    fast: bool


def post(path: str, body: Any, **headers: str) -> Request:
    """Return a request that posts a body as JSON."""
    return Request("POST", path, json.dumps(body).encode(), JSON | _named(headers))


def get(path: str, **headers: str) -> Request:
    """A request to read this path. `headers`: by their names, with `_` for each dash."""
    return Request("GET", path, headers=_named(headers))


def _named(headers: dict[str, str]) -> dict[str, str]:
    """Headers by their names in HTTP: `Idempotency-Key` for `Idempotency_Key`."""
    return {name.replace("_", "-"): value for name, value in headers.items()}


def answer_of(app: Flask, sent: Request) -> Answer:
    """Send a request to an application, through WSGI. The request id is left out of the answer's headers."""
    path, _, query = sent.path.partition("?")
    builder = EnvironBuilder(method=sent.method, query_string=query, input_stream=BytesIO(sent.body))
    builder.headers.extend(sent.headers)
    builder.content_length = len(sent.body)
    environ = builder.get_environ()
    environ["PATH_INFO"] = path
    begun: list[tuple[str, list[tuple[str, str]]]] = []

    def begin(status: str, headers: list[tuple[str, str]], error: object = None) -> Callable[[bytes], object]:
        begun.append((status, headers))
        return lambda part: None

    body = b"".join(app.wsgi_app(environ, begin))
    assert len(begun) == 1
    status, headers = begun[0]
    plain = [each for each in headers if each[0] != "X-Request-ID"]
    assert len(plain) == len(headers) - 1, "every answer has a request id"
    return Answer(status, sorted(plain), body, ROUTE in environ)


@pytest.fixture
def both_apps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Flask, Flask]:
    """Create the application with and without the fast path, each with its own sessions. Both draw the same seeds."""
    monkeypatch.setattr(changes, "server_seed", lambda: "5" * 64)
    monkeypatch.setattr(secrets, "token_hex", lambda size: "ab" * size)
    monkeypatch.setattr(secrets, "token_urlsafe", lambda size: "ticket")
    with_it, without = (
        create_app(
            Settings(store_url=f"sqlite:///{tmp_path}/{fast}.sqlite3", token_keys=("k" * 32,), body_limit=BODY_LIMIT),
            fast_path=fast,
        )
        for fast in (True, False)
    )
    return with_it, without


def answers_of(both_apps: tuple[Flask, Flask], sent: Request) -> tuple[Answer, Answer]:
    """Send a request to the application with the fast path and to the one without it."""
    fast, flask = (answer_of(app, sent) for app in both_apps)
    assert not flask.fast
    return fast._replace(fast=False), flask


@pytest.mark.parametrize("game", engines.registry())
def test_every_vector_has_the_same_answer_with_and_without_the_fast_path(game: str, app: Flask) -> None:
    flask = create_app(app.extensions["settings"], fast_path=False)
    differing, answered_fast = [], 0
    for vector in vectors_in(seeds.folder(engines.registry()[game])):
        request = vector.request
        sent = Request(request["method"], request["path"], (vector.content or "").encode(), vector.headers)
        answer, by_flask = answer_of(app, sent), answer_of(flask, sent)
        answered_fast += answer.fast
        if answer._replace(fast=False) != by_flask:
            differing.append(vector.id)
    assert differing == []
    assert answered_fast


TWINS: dict[str, Any] = {"game": "twins", "state": {"phase": "buying", "chips": [2, 12, 12], "pot": 10, "dealer": 2}}
BROKEN = {
    "no body": Request("POST", "/resolve", headers=JSON),
    "no JSON": Request("POST", "/resolve", b"{", JSON),
    "no type": Request("POST", "/resolve", b"{}"),
    "an encoding": Request("POST", "/resolve", b"{}", {**JSON, "Content-Encoding": "gzip"}),
    "a body that is too large": Request("POST", "/resolve", b" " * (BODY_LIMIT + 1), JSON),
    "a schema that does not fit": post("/resolve", {"game": "twins"}, Accept_Language="it"),
    "a media type that is not to be had": post("/resolve", TWINS, Accept="text/html"),
    "another method": get("/resolve"),
    "a method of nobody": Request("BREW", "/resolve"),
    "what may be asked": Request("OPTIONS", "/resolve"),
    "an upgrade": post("/resolve", TWINS, Upgrade="websocket", Connection="Upgrade"),
    "a host that is none": post("/resolve", TWINS, Host="x" * 70),
    "a doubled slash": post("//resolve", TWINS),
    "an unknown call": post("/games/twins/guess", TWINS),
    "a long answer by gzip": post("/legal-moves", FOUR_HANDS, Accept_Encoding="gzip"),
    "a batch of one": post("/batch", {"requests": [{"path": "/audit", "body": TWINS}]}),
}


@pytest.mark.parametrize("sent", BROKEN.values(), ids=BROKEN)
def test_a_malformed_request_has_the_same_answer_with_and_without_the_fast_path(
    both_apps: tuple[Flask, Flask], sent: Request
) -> None:
    fast, flask = answers_of(both_apps, sent)
    assert fast == flask


def test_an_internal_error_has_the_same_answer_with_and_without_the_fast_path(
    both_apps: tuple[Flask, Flask], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(Referee, "resolution")
    fast_audit, flask_audit = answers_of(both_apps, post("/audit", TWINS))
    assert fast_audit == flask_audit
    fast_resolve, flask_resolve = answers_of(both_apps, post("/resolve", {**TWINS, "moves": []}))
    assert fast_resolve == flask_resolve
    assert flask_resolve.status.startswith("500")


def requests_of_a_session(host: dict[str, str], seat: dict[str, str], path: str) -> Iterator[Request]:
    """Yield the requests of a session from its opening to its end, with typical errors."""
    buy = {"moves": [{"type": "buy", "seat": 0, "count": 0}]}
    yield get(path, **host)
    yield get(path, **host, If_None_Match=f'"0-host-{"ab" * 8}"')
    yield get(path, **seat, Accept_Language="fr")
    yield from (get(path), get(path, Authorization="Bearer forged"), get(path, Authorization="Basic x"))
    yield get(path, **host, Accept="text/html")
    yield get(f"{path}/legal-moves", **seat, If_None_Match="*")
    yield post(f"{path}/moves", {"moves": [{"type": "buy", "seat": 1, "count": 0}]}, **seat)
    yield post(f"{path}/moves", {"moves": [{"type": "buy", "seat": 0, "count": 99}]}, **seat)
    yield post(f"{path}/moves", {"moves": [{"type": "play", "seat": 0, "cards": ["blue-1", "blue-2"]}]}, **seat)
    yield post(f"{path}/moves", buy, **seat, If_Match='"x"')
    yield post(f"{path}/moves", buy, **seat, Idempotency_Key="k")
    yield post(f"{path}/moves", buy, **seat, Idempotency_Key="k")
    yield post(f"{path}/moves", buy, **seat, Idempotency_Key="x" * 256)
    yield post(f"{path}/moves", buy)
    yield from (Request("POST", f"{path}/moves", b"{", JSON | seat), Request("POST", f"{path}/moves", b"{}", seat))
    yield post(f"{path}/seeds", {"seed": "mine"}, **seat)
    yield get(f"{path}/moves?after=0", **seat, Accept_Language="it")
    yield from (get(f"{path}/moves?after=x", **seat), get(f"{path}/transcript", **host))
    yield post(f"{path}/tickets", None, **seat)
    yield from (post(f"{path}/rematch", None, **each) for each in (seat, seat | {"Idempotency_Key": "short"}, {}))
    yield from (get(f"{path}/events", **seat, Accept="text/html"), get(f"{path}/events?ticket=spent"))
    yield from (Request(method, path, headers=host) for method in ("PUT", "HEAD", "OPTIONS"))
    yield from (get(f"{path}/nothing", **host), get("/sessions/0", **host), get("/sessions/\xc3\xa9", **host))
    yield from (post("/sessions//moves", buy, **host), get("/sessions"))
    yield post("/sessions", {"game": "twins", "seats": 3, "seed": "mine"})
    yield from (Request("DELETE", path, headers=each) for each in (seat, host, host))


def test_a_whole_session_has_the_same_answers_with_and_without_the_fast_path(both_apps: tuple[Flask, Flask]) -> None:
    open_it = post("/sessions", {"game": "twins", "seats": 3}, Idempotency_Key="a-secret-of-a-client")
    opened, by_flask = answers_of(both_apps, open_it)
    assert opened == by_flask
    assert opened.status == "201 Created"
    body = json.loads(opened.body)
    host, seat = ({"Authorization": f"Bearer {each}"} for each in (body["tokens"]["host"], body["tokens"]["seats"][0]))
    statuses = []
    for sent in requests_of_a_session(host, seat, f"/sessions/{body['id']}"):
        fast, flask = answers_of(both_apps, sent)
        assert fast == flask, sent
        statuses.append(int(fast.status[:3]))
    assert {200, 201, 204, 304, 400, 401, 403, 404, 405, 406, 412, 415, 422} <= set(statuses)


def test_an_unavailable_store_has_the_same_answer_with_and_without_the_fast_path() -> None:
    away = Settings(store_url="sqlite:////dev/null/nowhere", token_keys=("k" * 32,))
    both_apps = create_app(away), create_app(away, fast_path=False)
    token = both_apps[0].extensions["sessions"].tokens.token("0" * 32, HOST, "g")
    fast, flask = answers_of(both_apps, get(f"/sessions/{'0' * 32}", Authorization=f"Bearer {token}"))
    assert fast == flask
    assert (fast.status, ("Retry-After", "1") in fast.headers) == ("503 Service Unavailable", True)


def test_stateless_calls_and_sessions_take_the_fast_path_and_documents_and_streams_do_not(
    both_apps: tuple[Flask, Flask],
) -> None:
    with_fast_path, _without = both_apps
    session = f"/sessions/{'0' * 32}"
    fast = ["/resolve", "/games/twins/resolve", "/batch", "/sessions", f"{session}/moves", f"{session}/seeds"]
    flask = ["/games", "/games/bridge/resolve", f"{session}/events", f"{session}/m\u00f6ves"]
    flask += ["/sessions/\xff/moves"]
    assert [path for path in fast + flask if answer_of(with_fast_path, post(path, {})).fast] == fast
