"""The playground at `/`: its files, and examples picked from the conformance vectors. None of it judges anything."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, send_from_directory

import engines
from engines.core.engine import Engine
from service import seeds
from service.config import Settings
from service.problems import Problem
from service.referee import Json
from service.resources.documents import NO_FOREIGN_HOSTS
from service.resources.http import answer, with_etag
from service.schemas.requests import CALLS

FILES = Path(__file__).parent.parent / "playground"

Lesson = Callable[[str, int, Json], Any]
"""Call, status and answer of a vector → whether it teaches this."""

LESSONS: tuple[Lesson, ...] = (
    lambda call, status, told: call == "resolve" and told.get("legal") and told["events"] and not told["contested"],
    lambda call, status, told: call == "resolve" and told.get("legal") is False,
    lambda call, status, told: call == "resolve" and told.get("contested"),
    lambda call, status, told: call == "resolve" and told.get("undetermined"),
    lambda call, status, told: call == "resolve" and status == 422,
    lambda call, status, told: call == "resolve" and status == 400,
    lambda call, status, told: call == "validate" and status == 200,
    lambda call, status, told: call == "legal-moves" and status == 200,
    lambda call, status, told: call == "audit" and status == 200,
    lambda call, status, told: call == "view" and status == 200,
)
"""What a visitor can be shown, in this order."""

SAID = ("events", "violations", "faults", "moves")


def blueprint(settings: Settings) -> Blueprint:
    """`/` and what its page loads."""
    playground = Blueprint("playground", __name__)
    playground.add_url_rule("/", "page", _page)
    playground.add_url_rule("/playground/<path:file>", "file", _file)
    playground.add_url_rule("/playground/examples/<path:game>.json", "examples", _examples)
    return playground


def _page() -> Response:
    page = send_from_directory(FILES, "index.html")
    page.headers["Content-Security-Policy"] = NO_FOREIGN_HOSTS
    return page


def _file(file: str) -> Response:
    return send_from_directory(FILES, file)


def _examples(game: str) -> Response:
    engine = engines.registry().get(game)
    if engine is None:
        raise Problem("not-found", f"There is no game {game!r} here.")
    return with_etag(answer(examples(engine)))


@cache
def examples(engine: Engine[Any]) -> list[Json]:
    """For each lesson the vector whose answer says most; among equals the one with the shortest request."""
    found: list[tuple[int, int, Json] | None] = [None] * len(LESSONS)
    for vector in seeds.vectors(engine):
        request, response = vector["request"], vector["response"]
        call = request["path"].rpartition("/")[2]
        body = request.get("body")
        if call not in CALLS or not isinstance(body, dict) or "headers" in request:
            continue
        worth = sum(len(response["body"].get(name, ())) for name in SAID), -len(str(body))
        shown = {
            "id": vector["id"],
            "why": vector["why"],
            "call": call,
            "body": {name: value for name, value in body.items() if name != "game"},
        }
        for place, teaches in enumerate(LESSONS):
            best = found[place]
            if teaches(call, response["status"], response["body"]) and (best is None or worth > best[:2]):
                found[place] = (*worth, shown)
    return [each[2] for each in found if each is not None]
