"""Is it up, can it work, and what has it done: `/livez`, `/readyz`, `/metrics`."""

from __future__ import annotations

from flask import Blueprint, Response, current_app

import engines
from service.config import Settings
from service.web import metrics
from service.web.http import answer


def blueprint(settings: Settings) -> Blueprint:
    """The calls that operators and probes make."""
    health = Blueprint("health", __name__)
    health.add_url_rule("/livez", "livez", _livez)
    health.add_url_rule("/readyz", "readyz", _readyz)
    health.add_url_rule("/metrics", "metrics", _metrics)
    return health


def _livez() -> Response:
    return answer({"status": "alive"}, headers={"Cache-Control": "no-store"})


def _readyz() -> Response:
    checks = {name: "ready" if check() else "away" for name, check in current_app.config["READINESS"].items()}
    ready = all(state == "ready" for state in checks.values())
    body = {"status": "ready" if ready else "away", "games": list(engines.registry()), "checks": checks}
    return answer(body, 200 if ready else 503, headers={"Cache-Control": "no-store"})


def _metrics() -> Response:
    return Response(metrics.exposition(), content_type=metrics.CONTENT_TYPE)
