"""What every resource needs of HTTP: a body read strictly, an answer written plainly."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from flask import Response, current_app, request
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header, parse_options_header

from service import json
from service.messages import language_for
from service.problems import MEDIA_TYPE, Problem

JSON = "application/json"


def language() -> str:
    """The language that the client reads best, of those we speak."""
    return language_for(request.environ.get("HTTP_ACCEPT_LANGUAGE"))


def json_body(limit: int) -> Any:
    """The request's body, parsed strictly; a body of more than `limit` bytes is refused, chunked or not."""
    environ = request.environ
    if not is_json(environ.get("CONTENT_TYPE", "")):
        raise Problem("unsupported-media-type", "Send the body with the header Content-Type: application/json.")
    if environ.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        raise Problem("unsupported-media-type", "Send the body as it is, without Content-Encoding.")
    try:
        return json.loads(_bytes(limit))
    except json.NotJson as error:
        raise Problem("malformed-json", str(error)) from None


def _bytes(limit: int) -> bytes:
    length = request.content_length
    # Werkzeug's own bound cuts a chunked body instead of refusing it: read one byte further than is allowed.
    if length is not None and length > limit:
        raise Problem("payload-too-large", f"The body has {length} bytes; up to {limit} are read here.")
    body: bytes = request.environ["wsgi.input"].read(limit + 1 if length is None else length)
    if len(body) > limit:
        raise Problem("payload-too-large", f"The body has more than {limit} bytes.")
    return body


@lru_cache(maxsize=256)
def is_json(content_type: str) -> bool:
    """Whether a `Content-Type` promises JSON in UTF-8."""
    media_type, options = parse_options_header(content_type)
    return media_type == JSON and options.get("charset", "utf-8").lower() in ("utf-8", "utf8")


@lru_cache(maxsize=256)
def takes(accept: str | None, media_type: str) -> bool:
    """Whether an `Accept` header admits a media type."""
    return not accept or bool(parse_accept_header(accept, MIMEAccept)[media_type])


def accept_json() -> None:
    """Refuse, before any work is done, a client that would not take the answer."""
    accept = request.environ.get("HTTP_ACCEPT")
    if not takes(accept, JSON):
        raise Problem("not-acceptable", f"The answer is {JSON}; the Accept header asks for {accept}.")


def answer(data: Any, status: int = 200, headers: dict[str, str] | None = None, spoken: str | None = None) -> Response:
    """JSON; `spoken`: the language of its sentences, where it has any."""
    response = Response(json.dumps(data), status, mimetype=JSON)
    if spoken is not None:
        response.headers["Content-Language"] = spoken
        response.headers["Vary"] = "Accept-Language"
    if headers:
        response.headers.update(headers)
    return response


def problem_answer(problem: Problem) -> Response:
    """A problem document."""
    document = problem.document(request.path)
    response = Response(json.dumps(document), problem.kind.status, mimetype=MEDIA_TYPE)
    response.headers.update({"Content-Language": language(), "Vary": "Accept-Language", **problem.headers})
    return response


def with_etag(response: Response) -> Response:
    """A response that a client may keep and ask about with `If-None-Match`."""
    response.add_etag()
    response.headers["Cache-Control"] = "public, no-cache"
    return response.make_conditional(request)


def limit(name: str) -> int:
    """A bound from the settings."""
    return int(getattr(current_app.config["SETTINGS"], name))
