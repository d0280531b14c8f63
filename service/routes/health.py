"""Whether the server is alive and ready, and its metrics."""

from __future__ import annotations

from dataclasses import fields
from wsgiref.types import WSGIEnvironment

from flask import Blueprint, Response, request

import engines
from service.config import Serving
from service.contract.answers import Alive, Checks, Readiness, Ready
from service.routes import sessions_of
from service.sessions.service import Health
from service.sessions.stores.protocol import Risk
from service.web import metrics
from service.web.fast_path import environ_only
from service.web.http import Answer, json_answer

bp = Blueprint("health", __name__)
FRESH = {"Cache-Control": "no-store"}
ALIVE = json_answer(Alive("alive"), headers=FRESH)


@bp.get("/livez")
@environ_only
def livez(_: WSGIEnvironment) -> Answer:
    """Say that the server answers."""
    return ALIVE


@bp.get("/readyz")
def readyz() -> Response:
    """Say whether sessions can be served, and what threatens them."""
    health, checks = _checked()
    word: Readiness = "ready" if health.ready else "away"
    return json_answer(
        Ready(word, list(engines.registry()), checks), 200 if health.ready else 503, headers=FRESH
    ).response()


def _checked() -> tuple[Health, Checks]:
    sessions = sessions_of(request.environ)
    health = sessions.check()
    return health, Checks(
        sessions="ready" if health.there else "away",
        token_keys=health.keys if health.there else None,
        eviction=Risk.EVICTION.value if Risk.EVICTION in health.risks else None,
        room=None if health.space == "ready" else health.space,
        unreadable=sessions.unreadable[0] or None,
        durability=Risk.MEMORY.value if Risk.MEMORY in health.risks else None,
    )


@bp.get("/metrics")
def figures() -> Response:
    """The metrics, for Prometheus."""
    return Response(metrics.exposition(_now), content_type=metrics.CONTENT_TYPE)


def _now() -> metrics.Now:
    health, checks = _checked()
    sessions, serving = sessions_of(request.environ), Serving.from_environment()
    known: dict[str, float] = {
        "referee_connections_limit": serving.connections * serving.workers,
        "referee_streams_limit": sessions.settings.streams * serving.workers,
        "referee_sessions_unreadable": sessions.unreadable[0],
    }
    if health.there:
        known |= sessions.capacity.figures()
    passed = {each.name: getattr(checks, each.name) in {None, "ready"} for each in fields(Checks)}
    return metrics.Now(known, passed)
