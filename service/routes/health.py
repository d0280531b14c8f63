"""Whether the server is alive and ready, and its metrics."""

from __future__ import annotations

from wsgiref.types import WSGIEnvironment

from flask import Blueprint, Response, request

import engines
from service.contract.answers import Alive, Checks, Readiness, Ready
from service.routes.shared import sessions_of
from service.sessions.stores.protocol import Risk, StoreUnavailable
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
    health = sessions_of(request.environ).check()
    word: Readiness = "ready" if health.ready else "away"
    checks = Checks(
        sessions="ready" if health.there else "away",
        token_keys=health.keys if health.there else None,
        eviction=Risk.EVICTION.value if Risk.EVICTION in health.risks else None,
        room=None if health.space == "ready" else health.space,
        unreadable=sessions_of(request.environ).unreadable[0] or None,
        durability=Risk.MEMORY.value if Risk.MEMORY in health.risks else None,
    )
    return json_answer(
        Ready(word, list(engines.registry()), checks), 200 if health.ready else 503, headers=FRESH
    ).response()


@bp.get("/metrics")
def figures() -> Response:
    """The metrics, for Prometheus."""
    store = sessions_of(request.environ).store

    def count() -> int | None:
        try:
            return store.count()
        except StoreUnavailable:
            return None

    return Response(metrics.exposition(count), content_type=metrics.CONTENT_TYPE)
