"""What a service that was started for the tests of others answers beside all else: how each problem is brought about.

`GET /testing` lists the requests. Those of a session open it first. Its id and its tokens follow from the key of the
opening, so they can be listed before it is open. What no short list of requests brings about is answered to
`Prefer: code=503` on any path, as Prism does.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from wsgiref.types import WSGIEnvironment

from flask import Blueprint, Response, request
from werkzeug.http import parse_dict_header

from engines.core.shuffle import commitment
from service.bounds import ACCEPT_LENGTH, DEPTH
from service.config import Settings
from service.http.bodies import NOT_STORED, Answer, json_answer
from service.http.middleware import ROUTE
from service.http.parameters import refuse_parameters
from service.http.preferences import JSON, accept_json
from service.http.responses import answer_to
from service.http.shared import SESSIONS
from service.judging.calls import judged
from service.problems import FAILED, KINDS, Problem
from service.scheduling import Overloaded
from service.sessions import outcomes
from service.sessions.changes import generation_of_tests
from service.sessions.service import Sessions
from service.sessions.session_request import key_name
from service.sessions.stores.protocol import StoreUnavailable
from service.sessions.tokens import HOST, Bearer, Tokens, session_names
from service.strict_json import Json
from service.words.phrases import phrase

bp = Blueprint("testing", __name__)
LIFETIME = 600  #: Seconds after which a session of these lists expires.
JSON_HEADERS = {"Content-Type": JSON}
ON_DEMAND: Mapping[str, Exception] = {
    "request-in-progress": outcomes.Refused("request-in-progress", phrase("still-running"), 1),
    "session-full": outcomes.Refused("session-full", phrase("most-answers")),
    "time-over": outcomes.Refused("time-over", phrase("time-over")),
    "payload-too-large": Problem("payload-too-large", phrase("body-too-large", limit=Settings.body_limit)),
    "too-many-requests": outcomes.ShareUsedUp(outcomes.Share(most=1, seconds=60, left=0, wait=1, full_in=60)),
    "internal-error": FAILED,
    "store-unavailable": StoreUnavailable(),
    "overloaded": Overloaded(),
}
"""The problems that come by chance, after minutes, or of a megabyte: answered to requests that prefer them."""


@dataclass(frozen=True)
class Step:
    """A request, as it is to be sent. `body`: JSON; None: there is no body."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = None


@dataclass(frozen=True)
class ProblemState:
    """Requests of which the last is answered with a problem. `problem`: its kind; `status`: of that answer."""

    name: str
    problem: str
    status: int
    requests: tuple[Step, ...]


@dataclass(frozen=True)
class ProblemStates:
    """How each problem is brought about."""

    states: list[ProblemState]


@bp.get("/testing")
def states() -> Response:
    """The requests that bring each problem about; those of sessions are others each time."""
    accept_json(request.environ)
    refuse_parameters(request.environ)
    sessions: Sessions | None = request.environ[SESSIONS]
    every = [*_of_calls(), *_on_demand(), *(() if sessions is None else _of_sessions(sessions.tokens))]
    listed = ProblemStates(sorted(every, key=lambda state: (state.status, state.name)))
    return json_answer(listed, headers=NOT_STORED).response()


class Preferring:
    """Answers a problem that the request prefers, by its status or its kind; all else is left to `otherwise`."""

    def __init__(self, otherwise: Callable[[WSGIEnvironment], Answer | None]) -> None:
        self._otherwise = otherwise

    def __call__(self, environ: WSGIEnvironment) -> Answer | None:
        preferred = parse_dict_header(environ.get("HTTP_PREFER", "").replace(";", ","))
        code, kind = preferred.get("code"), preferred.get("example")
        fitting = [slug for slug in ON_DEMAND if code in (None, str(KINDS[slug].status))]
        slug = kind if kind in fitting else next(iter(fitting), None) if code else None
        if slug is None:
            return self._otherwise(environ)
        environ[ROUTE] = "none"
        return answer_to(ON_DEMAND[slug], environ)


def _state(problem: str, *requests: Step, name: str | None = None) -> ProblemState:
    """How a problem is brought about: the last of these requests is answered by it. `name`: by default the problem."""
    return ProblemState(name or problem, problem, KINDS[problem].status, requests)


def _on_demand() -> Iterator[ProblemState]:
    """What `Prefer` brings about."""
    for slug in ON_DEMAND:
        prefer = f"code={KINDS[slug].status}, example={slug}"
        yield _state(slug, Step("GET", "/games", {"Prefer": prefer}))


def _of_calls() -> Iterator[ProblemState]:
    """The problems of calls without a session, each with requests that bring it about."""
    too_deep: object = []
    for _ in range(DEPTH):
        too_deep = [too_deep]
    bidding = {"phase": "buying", "chips": [1, 12, 12], "pot": 0, "dealer": 2}
    much = {
        "state": {"phase": "trick", "trick": 1, "chips": [12, 12, 12], "pot": 0},
        "moves": [{"type": "deal"}] * 51,
        "views": [0, 1, 2, None],
        "legal_moves": True,
    }
    yield _state("malformed-json", Step("POST", "/audit", JSON_HEADERS, too_deep))
    yield _state("invalid-request", Step("POST", "/games/twins/deal", JSON_HEADERS, {"seats": "three"}))
    yield _state("not-found", Step("GET", "/games/chess"))
    yield _state("method-not-allowed", Step("DELETE", "/games"))
    yield _state("not-acceptable", Step("GET", "/games", {"Accept": "image/png"}))
    yield _state(
        "unsupported-media-type", Step("POST", "/games/twins/deal", {"Content-Type": "text/plain"}, {"seats": 3})
    )
    yield _state("headers-too-large", Step("GET", "/games", {"Accept-Language": "it, " * (ACCEPT_LENGTH // 4 + 1)}))
    yield _state("invalid-state", Step("POST", "/games/twins/view", JSON_HEADERS, {"state": bidding, "seat": 0}))
    yield _state("too-much-asked", Step("POST", "/games/twins/resolve", JSON_HEADERS, much))


class PlannedSession:
    """A session that is still to be opened. Its id and its tokens follow from the key of its opening."""

    def __init__(self, tokens: Tokens, **body: object) -> None:
        key = secrets.token_urlsafe(24)
        name = key_name(HOST, key)
        self._tokens, self._generation = tokens, generation_of_tests(name)
        self.id, *_other_names = session_names(tokens, name)
        self.request = self.again(body, key)

    def again(self, body: Mapping[str, object], key: str | None = None) -> Step:
        """An opening under the same key."""
        headers = {**JSON_HEADERS, "Idempotency-Key": key or self.request.headers["Idempotency-Key"]}
        return Step("POST", "/sessions", headers, {**body, "expires_in": LIFETIME})

    def token(self, bearer: Bearer) -> str:
        """The token, or the invite, that the opening will give."""
        return self._tokens.token(self.id, bearer, self._generation)

    def step_by(self, bearer: Bearer, method: str, call: str = "", body: object = None, **headers: str) -> Step:
        """The step in which a bearer makes a call; nothing is sent. `call`: its path below the session's.

        `headers`: more of them; those with a dash in their name as `**{"If-Match": …}`.
        """
        token = {"Authorization": f"Bearer {self.token(bearer)}"}
        plain = {} if body is None else JSON_HEADERS
        return Step(method, f"/sessions/{self.id}{call}", {**plain, **token, **headers}, body)

    def move_step(self, bearer: Bearer, move: Json, **headers: str) -> Step:
        """The step in which a bearer makes one move; nothing is sent. `headers`: as of `step_by`."""
        return self.step_by(bearer, "POST", "/moves", {"moves": [move]}, **headers)


def _of_sessions(tokens: Tokens) -> Iterator[ProblemState]:
    """The problems of calls on sessions, each with requests that bring it about."""
    first, second = Bearer("seat", 0), Bearer("seat", 1)
    dealt = _dealt("twins", seats=3, seed="testing")

    def begun(**more: object) -> PlannedSession:
        """A session of Twins that begins with a table of its own."""
        return PlannedSession(tokens, game="twins", seats=3, state=dealt, **more)

    yield _state("unauthorized", Step("GET", f"/sessions/{'0' * 32}", {"Authorization": "Bearer of-nothing"}))
    table = begun()
    yield _state("forbidden", table.request, table.step_by(first, "DELETE"))
    table = begun()
    yield _state(
        "not-found", table.request, table.step_by(HOST, "DELETE"), table.step_by(HOST, "GET"), name="session-gone"
    )
    table = begun()
    play = {"type": "play", "seat": 0, "cards": ["blue-1", "blue-2"]}
    yield _state("illegal-move", table.request, table.move_step(first, play))
    table = begun()
    buy = {"type": "buy", "seat": 0, "count": 0}
    yield _state("version-mismatch", table.request, table.move_step(first, buy, **{"If-Match": '"7"'}))
    table = begun()
    yield _state("not-over", table.request, table.step_by(first, "POST", "/rematch"))
    table = begun()
    yield _state("idempotency-key-reused", table.request, table.again({"game": "gin-rummy", "seats": 2}))
    table = begun(invite=True)
    invited = {"invite": table.token(Bearer("invite", 0))}
    taking = Step("POST", f"/sessions/{table.id}/seats/0", JSON_HEADERS, invited)
    yield _state("seat-taken", table.request, taking, taking)
    table = PlannedSession(tokens, game="gin-rummy", seats=2, fair="joint")
    commits = [
        table.step_by(seat, "POST", "/commitments", {"commitment": commitment("rain")}) for seat in (first, second)
    ]
    yield _state("seed-mismatch", table.request, *commits, table.step_by(first, "POST", "/seeds", {"seed": "snow"}))
    table = PlannedSession(tokens, game="twin-it", seats=2, ruleset={"name": "cooperative"}, clock_seconds=60)
    yield _state("time-running", table.request, table.move_step(HOST, {"type": "count", "seat": None, "groups": []}))
    yield _incident_open(tokens, first)


def _incident_open(tokens: Tokens, seat: Bearer) -> ProblemState:
    """A hand falls on a card on the table, and before it is settled a player flips another card."""
    state = _dealt("twin-it", seats=2, seed="testing")
    table = PlannedSession(tokens, game="twin-it", seats=2, gather_ms=3000, state=state)
    claim = {"type": "claim", "hands": [{"seat": 0, "card": state["piles"][0][0]}]}
    return _state(
        "incident-open", table.request, table.move_step(seat, claim), table.move_step(seat, {"type": "flip", "seat": 0})
    )


def _dealt(game: str, **setup: object) -> Json:
    """A table as it was dealt."""
    opening: Any = judged("deal", game, setup, "en")
    return dict(opening.state)
