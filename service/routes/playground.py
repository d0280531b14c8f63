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
from service.judging.calls import NAMED
from service.routes.documents import NO_FOREIGN_HOSTS
from service.web.http import json_answer, with_etag
from service.web.strict_json import Json

bp = Blueprint("playground", __name__)

FILES = Path(__file__).parent.parent / "playground"

Lesson = Callable[[str, int, Json], Any]
"""Call, status and the worked part of the answer of a vector → whether it teaches this."""

LESSONS: tuple[Lesson, ...] = (
    lambda call, status, body: (
        call == "resolve" and body.get("legal", True) and body.get("events") and not body.get("contested")
    ),
    lambda call, status, body: call in ("resolve", "validate") and body.get("legal") is False,
    lambda call, status, body: call == "resolve" and body.get("contested"),
    lambda call, status, body: call == "resolve" and body.get("undetermined"),
    lambda call, status, body: call == "resolve" and status == 422,
    lambda call, status, body: call == "resolve" and status == 400,
    lambda call, status, body: call == "validate" and status == 200,
    lambda call, status, body: call == "legal-moves" and status == 200,
    lambda call, status, body: call == "audit" and status == 200,
    lambda call, status, body: call == "view" and status == 200,
)
"""What a visitor can be shown, in this order."""

SAID = ("events", "violations", "faults", "moves")


@bp.get("/")
def page() -> Response:
    """The playground."""
    response = send_from_directory(FILES, "index.html")
    response.headers["Content-Security-Policy"] = NO_FOREIGN_HOSTS
    return response


@bp.get("/playground/<path:file>")
def page_file(file: str) -> Response:
    """What its page loads."""
    if file == "examples.json":
        return with_etag(json_answer(examples()).response())
    return send_from_directory(FILES, file)


@cache
def examples() -> dict[str, list[Json]]:
    """What a visitor can be shown of each game; the game whose first example is the most telling comes first."""
    lessons = {game: _lessons(engine) for game, engine in engines.registry().items()}
    order = sorted(lessons, key=lambda game: [_worth(vector) for vector in lessons[game][:1]], reverse=True)
    return {game: [_shown(vector) for vector in lessons[game]] for game in order}


def _lessons(engine: Engine[Any]) -> list[Json]:
    """For each lesson the most telling of the vectors that are left."""
    left = sorted(filter(_can_be_asked, seeds.vectors(engine)), key=_worth, reverse=True)
    picked = []
    for teaches in LESSONS:
        for vector in left:
            if teaches(_call(vector), vector["response"]["status"], vector["response"]["body"]):
                picked.append(vector)
                left.remove(vector)
                break
    return picked


def _can_be_asked(vector: Json) -> bool:
    request = vector["request"]
    return _call(vector) in NAMED and isinstance(request.get("body"), dict) and "headers" not in request


def _call(vector: Json) -> str:
    return str(vector["request"]["path"].rpartition("/")[2])


def _worth(vector: Json) -> tuple[float, int]:
    """How much the answer says for the length of its question; of two that say nothing the shorter one counts more."""
    length = len(str(vector["request"]["body"]))
    return sum(len(vector["response"]["body"].get(name, ())) for name in SAID) / length, -length


def _shown(vector: Json) -> Json:
    body = {name: value for name, value in vector["request"]["body"].items() if name != "game"}
    return {"id": vector["id"], "why": vector["why"], "call": _call(vector), "body": body}
