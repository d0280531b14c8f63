"""What people and tools read: the contract, its interactive pages, what a problem means."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import flask_swagger_ui
from flask import Blueprint, Response, request, send_from_directory

from service import seeds
from service.contract.answers import ProblemKind
from service.web import strict_json
from service.web.http import json_answer, with_etag
from service.web.problems import KINDS, Problem

CONTRACT = seeds.ROOT / "openapi.yaml"
SWAGGER_FILES = Path(flask_swagger_ui.__file__).parent / "dist"
OWN_FILES = Path(__file__).parent.parent / "docs_page"
NO_FOREIGN_HOSTS = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"


bp = Blueprint("documents", __name__)


@cache
def _contract() -> bytes:
    return CONTRACT.read_bytes()


@cache
def _contract_as_json() -> bytes:
    return strict_json.dumps(seeds.read(CONTRACT))


@bp.get("/openapi.yaml")
def openapi_yaml() -> Response:
    """The contract."""
    return with_etag(Response(_contract(), mimetype="application/yaml"))


@bp.get("/openapi.json")
def openapi_json() -> Response:
    """The contract for tools that read no YAML."""
    return with_etag(Response(_contract_as_json(), mimetype="application/json"))


@bp.get("/docs")
def docs() -> Response:
    """The contract as a page on which calls can be tried."""
    page = send_from_directory(OWN_FILES, "index.html")
    page.headers["Content-Security-Policy"] = NO_FOREIGN_HOSTS
    return page


@bp.get("/docs/<path:file>")
def docs_file(file: str) -> Response:
    """What that page loads."""
    own = {each.name for each in OWN_FILES.iterdir()}
    return send_from_directory(OWN_FILES if file in own else SWAGGER_FILES, file)


@bp.get("/problems/<slug>")
def problem(slug: str) -> Response:
    """What a kind of problem means."""
    kind = KINDS.get(slug)
    if kind is None:
        raise Problem("not-found", f"There is no problem {slug!r}; there are {', '.join(KINDS)}.")
    return with_etag(json_answer(ProblemKind(request.path, kind.title, kind.status, kind.meaning)).response())
