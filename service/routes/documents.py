"""What people and tools read: the contract, its interactive pages, what a problem means."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import flask_swagger_ui
from flask import Blueprint, Response, request

from service import seeds
from service.contract.answers import ProblemKind
from service.web import strict_json
from service.web.http import JSON, document, file, language_of
from service.web.phrases import phrase
from service.web.problems import KINDS, Problem

CONTRACT = seeds.ROOT / "openapi.yaml"
SWAGGER_FILES = Path(flask_swagger_ui.__file__).parent / "dist"
OWN_FILES = Path(__file__).parent.parent / "docs_page"
NO_FOREIGN_HOSTS = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What our pages may load, where they may lead, and that nobody may put them into a frame."""


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
    return document(_contract(), "application/yaml")


@bp.get("/openapi.json")
def openapi_json() -> Response:
    """The contract for tools that read no YAML."""
    return document(_contract_as_json(), JSON)


@bp.get("/docs")
def docs() -> Response:
    """The contract as a page on which calls can be tried."""
    page = file(OWN_FILES, "index.html")
    page.headers["Content-Security-Policy"] = NO_FOREIGN_HOSTS
    return page


@bp.get("/docs/<path:name>")
def docs_file(name: str) -> Response:
    """What that page loads."""
    own = {each.name for each in OWN_FILES.iterdir()}
    return file(OWN_FILES if name in own else SWAGGER_FILES, name)


@bp.get("/problems/<slug>")
def problem(slug: str) -> Response:
    """What a kind of problem means."""
    kind = KINDS.get(slug)
    if kind is None:
        raise Problem("not-found", phrase("no-such-problem", slug=repr(slug), known=", ".join(KINDS)))
    language = language_of(request.environ)
    body = ProblemKind(request.path, kind.title(language), kind.status, kind.meaning(language))
    return document(strict_json.dumps(body), JSON, language)
