"""What people and tools read: the contract, its interactive pages, what a problem means."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import flask_swagger_ui
from flask import Blueprint, Response, request, send_from_directory

from service import seeds
from service.config import Settings
from service.web import strict_json
from service.web.http import answer, with_etag
from service.web.problems import KINDS, Problem

CONTRACT = seeds.ROOT / "openapi.yaml"
SWAGGER_FILES = Path(flask_swagger_ui.__file__).parent / "dist"
OWN_FILES = Path(__file__).parent.parent / "docs_page"
NO_FOREIGN_HOSTS = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"


def blueprint(settings: Settings) -> Blueprint:
    """`/openapi.yaml`, `/openapi.json`, `/docs`, `/problems/{slug}`."""
    documents = Blueprint("documents", __name__)
    documents.add_url_rule("/openapi.yaml", "openapi_yaml", _openapi_yaml)
    documents.add_url_rule("/openapi.json", "openapi_json", _openapi_json)
    documents.add_url_rule("/docs", "docs", _docs)
    documents.add_url_rule("/docs/<path:file>", "docs_file", _docs_file)
    documents.add_url_rule("/problems/<slug>", "problem", _problem)
    return documents


@cache
def _contract() -> bytes:
    return CONTRACT.read_bytes()


@cache
def _contract_as_json() -> bytes:
    return strict_json.dumps(seeds.read(CONTRACT))


def _openapi_yaml() -> Response:
    return with_etag(Response(_contract(), mimetype="application/yaml"))


def _openapi_json() -> Response:
    return with_etag(Response(_contract_as_json(), mimetype="application/json"))


def _docs() -> Response:
    page = send_from_directory(OWN_FILES, "index.html")
    page.headers["Content-Security-Policy"] = NO_FOREIGN_HOSTS
    return page


def _docs_file(file: str) -> Response:
    own = {each.name for each in OWN_FILES.iterdir()}
    return send_from_directory(OWN_FILES if file in own else SWAGGER_FILES, file)


def _problem(slug: str) -> Response:
    kind = KINDS.get(slug)
    if kind is None:
        raise Problem("not-found", f"There is no problem {slug!r}; there are {', '.join(KINDS)}.")
    body: dict[str, Any] = {
        "type": request.path,
        "title": kind.title,
        "status": kind.status,
        "meaning": kind.meaning,
    }
    return with_etag(answer(body))
