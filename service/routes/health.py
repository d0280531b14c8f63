"""Is it up, can it work, and what has it done."""

from __future__ import annotations

from flask import Blueprint, Response, request

import engines
from service.contract.answers import Alive, Checks, Readiness, Ready
from service.routes.shared import sessions_of
from service.web import metrics
from service.web.http import json_answer

bp = Blueprint("health", __name__)
FRESH = {"Cache-Control": "no-store"}


@bp.get("/livez")
def livez() -> Response:
    """It answers."""
    return json_answer(Alive("alive"), headers=FRESH).response()


@bp.get("/readyz")
def readyz() -> Response:
    """Whether it can do all that it is there for."""
    ready = sessions_of(request.environ).ready()
    word: Readiness = "ready" if ready else "away"
    body = Ready(word, list(engines.registry()), Checks(sessions=word))
    return json_answer(body, 200 if ready else 503, headers=FRESH).response()


@bp.get("/metrics")
def figures() -> Response:
    """What was counted."""
    return Response(metrics.exposition(), content_type=metrics.CONTENT_TYPE)
