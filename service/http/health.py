"""Whether the server is alive and ready, and its metrics."""

from __future__ import annotations

from dataclasses import fields
from wsgiref.types import WSGIEnvironment

from flask import Blueprint, Response, request

import engines
from service import build, metrics
from service.config import Serving
from service.contract.answers import Alive, Checks, Readiness, Ready
from service.http.bodies import NOT_STORED, Answer, json_answer
from service.http.fast_path import environ_only
from service.http.nearby import Nearby
from service.http.shared import NEARBY, SESSIONS
from service.problems import Problem
from service.sessions.service import Sessions
from service.sessions.stores.protocol import Risk
from service.words.phrases import phrase

bp = Blueprint("health", __name__)
ALIVE = json_answer(Alive("alive"), headers=NOT_STORED)
SESSIONS_OFF = Checks(sessions="off")
OBSTACLES = (("sessions", "away"), ("token_keys", "differ"), ("room", "full"), ("eviction", Risk.EVICTION.value))
"""Checks, each with its result that makes the server not ready. All other results only warn."""


@bp.get("/livez")
@environ_only
def livez(_: WSGIEnvironment) -> Answer:
    """Say that the server answers."""
    return ALIVE


@bp.get("/readyz")
def readyz() -> Response:
    """Say whether sessions can be served, and what threatens them.

    The server is ready if moves can be made and are stored, and tokens that it makes are valid on every server; or if
    sessions are off.
    """
    sessions: Sessions | None = request.environ[SESSIONS]
    if sessions is None:
        return _readiness("ready", SESSIONS_OFF)
    checks = sessions.check()
    return _readiness("away" if _obstacles(checks) else "ready", checks)


def _obstacles(checks: Checks) -> set[str]:
    """The names of the checks that make `/readyz` answer 503."""
    return {each for each, value in OBSTACLES if getattr(checks, each) == value}


def _readiness(status: Readiness, checks: Checks) -> Response:
    """The answer of `/readyz`."""
    answer = Ready(status, build.VERSION, build.commit(), list(engines.registry()), checks)
    return json_answer(answer, 200 if status == "ready" else 503, headers=NOT_STORED).response()


@bp.get("/metrics")
def figures() -> Response:
    """The metrics, for Prometheus."""
    nearby: Nearby = request.environ[NEARBY]
    if not nearby.may_read_metrics(request.environ):
        raise Problem("forbidden", phrase("metrics-for-this-machine"))
    return Response(metrics.exposition(_now), content_type=metrics.CONTENT_TYPE)


def _now() -> metrics.Now:
    """The figures of this moment. Those of the store are absent without sessions, or if it is unavailable."""
    sessions: Sessions | None = request.environ[SESSIONS]
    serving = Serving.from_environment()
    known: dict[str, float] = {"referee_connections_limit": serving.connections * serving.workers}
    if sessions is None:
        return metrics.Now(known, {}, {})
    checks = sessions.check()
    known |= {
        "referee_streams_limit": sessions.settings.streams * serving.workers,
        "referee_sessions_unreadable": sessions.unreadable[0],
    }
    if checks.sessions == "ready":
        known |= sessions.capacity.figures() | {"referee_older_tokens_seconds": checks.older_tokens or 0}
    names = [each.name for each in fields(Checks) if each.name != "older_tokens"]  # in a rotation nothing is wrong
    passed = {name: getattr(checks, name) in {None, "ready"} for name in names}
    obstacles = _obstacles(checks)
    return metrics.Now(known, passed, {name: name not in obstacles for name in passed})
