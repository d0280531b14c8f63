"""Whether the server is alive and ready, and its metrics."""

from __future__ import annotations

from dataclasses import fields
from wsgiref.types import WSGIEnvironment

from flask import Blueprint, Response, request

import engines
from service import build, metrics
from service.config import Serving
from service.contract.answers import Alive, Checks, Readiness, Ready
from service.http.bodies import Answer, json_answer
from service.http.fast_path import environ_only
from service.http.nearby import Nearby
from service.http.shared import NEARBY, SESSIONS
from service.problems import Problem
from service.sessions.service import Sessions
from service.words.phrases import phrase

bp = Blueprint("health", __name__)
FRESH = {"Cache-Control": "no-store"}
ALIVE = json_answer(Alive("alive"), headers=FRESH)
OFF = Checks(sessions="off")


@bp.get("/livez")
@environ_only
def livez(_: WSGIEnvironment) -> Answer:
    """Say that the server answers."""
    return ALIVE


@bp.get("/readyz")
def readyz() -> Response:
    """Say whether sessions can be served, and what threatens them.

    The server is ready if moves can be made and are kept, and tokens that it makes are valid on every server; or if
    sessions are off.
    """
    sessions: Sessions | None = request.environ[SESSIONS]
    if sessions is None:
        return _readiness("ready", OFF)
    checks = sessions.check()
    valid, lasting = checks.token_keys in ("ready", "missing"), checks.eviction is None
    ready = checks.sessions == "ready" and valid and lasting and checks.room != "full"
    return _readiness("ready" if ready else "away", checks)


def _readiness(status: Readiness, checks: Checks) -> Response:
    """The answer of `/readyz`."""
    answer = Ready(status, build.VERSION, build.commit(), list(engines.registry()), checks)
    return json_answer(answer, 200 if status == "ready" else 503, headers=FRESH).response()


@bp.get("/metrics")
def figures() -> Response:
    """The metrics, for Prometheus."""
    nearby: Nearby = request.environ[NEARBY]
    if not nearby.may_read_metrics(request.environ):
        raise Problem("forbidden", phrase("metrics-for-this-machine"))
    return Response(metrics.exposition(_now), content_type=metrics.CONTENT_TYPE)


def _now() -> metrics.Now:
    """The figures of this moment; without sessions, or while their store is away, those that are known."""
    sessions: Sessions | None = request.environ[SESSIONS]
    serving = Serving.from_environment()
    known: dict[str, float] = {"referee_connections_limit": serving.connections * serving.workers}
    if sessions is None:
        return metrics.Now(known, {})
    checks = sessions.check()
    known |= {
        "referee_streams_limit": sessions.settings.streams * serving.workers,
        "referee_sessions_unreadable": sessions.unreadable[0],
    }
    if checks.sessions == "ready":
        known |= sessions.capacity.figures()
    passed = {each.name: getattr(checks, each.name) in {None, "ready"} for each in fields(Checks)}
    return metrics.Now(known, passed)
