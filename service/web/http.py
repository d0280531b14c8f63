"""What every resource needs of HTTP: a body read strictly, an answer written plainly.

These functions take the WSGI environment: on the hot path Flask's proxies cost more than what they look up.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from flask import Response, request
from werkzeug.datastructures import Headers, MIMEAccept
from werkzeug.http import parse_accept_header, parse_options_header

from service.seeds import LANGUAGES
from service.web import strict_json
from service.web.languages import language_for
from service.web.problems import MEDIA_TYPE, Problem, reference

JSON = "application/json"

Environ = dict[str, Any]


class Written(Headers):
    """Headers as they are given. Setting them one by one, as Werkzeug does, costs more than judging a move."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self._list = pairs


def language(environ: Environ) -> str:
    """The language that the client reads best, of those we speak."""
    return language_for(environ.get("HTTP_ACCEPT_LANGUAGE"))


def accept_json(environ: Environ) -> None:
    """Refuse, before any work is done, a client that would not take the answer."""
    accept = environ.get("HTTP_ACCEPT")
    if not takes(accept, JSON):
        raise Problem("not-acceptable", f"The answer is {JSON}; the Accept header asks for {accept}.")


def json_body(environ: Environ, limit: int) -> Any:
    """The request's body, parsed strictly; a body of more than `limit` bytes is refused, chunked or not."""
    if not is_json(environ.get("CONTENT_TYPE", "")):
        raise Problem("unsupported-media-type", "Send the body with the header Content-Type: application/json.")
    if "HTTP_CONTENT_ENCODING" in environ:
        raise Problem("unsupported-media-type", "Send the body as it is, without Content-Encoding.")
    try:
        return strict_json.loads(_bytes(environ, limit))
    except strict_json.NotJson as error:
        raise Problem("malformed-json", str(error)) from None


def _bytes(environ: Environ, limit: int) -> bytes:
    length = environ.get("CONTENT_LENGTH")
    # Werkzeug's own bound cuts a chunked body instead of refusing it: read one byte further than is allowed.
    due = int(length) if length and length.isdecimal() else limit + 1
    if due <= limit or not length:
        body: bytes = environ["wsgi.input"].read(due)
        if len(body) <= limit:
            return body
    raise Problem("payload-too-large", f"The body has more than {limit} bytes, the most that is read here.")


@lru_cache(maxsize=256)
def is_json(content_type: str) -> bool:
    """Whether a `Content-Type` promises JSON in UTF-8."""
    media_type, options = parse_options_header(content_type)
    return media_type.lower() == JSON and options.get("charset", "utf-8").lower() in ("utf-8", "utf8")


@lru_cache(maxsize=256)
def takes(accept: str | None, media_type: str) -> bool:
    """Whether an `Accept` header admits a media type, with whatever parameters it names it."""
    ranges = [(each.partition(";")[0].strip(), quality) for each, quality in parse_accept_header(accept, MIMEAccept)]
    return not accept or bool(MIMEAccept(ranges)[media_type])


class Answer(NamedTuple):
    """What goes back to the client, before any framework has a hand in it."""

    body: bytes
    status: int
    headers: list[tuple[str, str]]

    def response(self) -> Response:
        """The same for Flask."""
        return Response([self.body], self.status, Written(self.headers))


def written(
    data: Any,
    status: int = 200,
    *,
    spoken: str | None = None,
    headers: Mapping[str, str] | None = None,
    media_type: str = JSON,
) -> Answer:
    """JSON; `spoken`: the language of its sentences, where it has any."""
    body = strict_json.dumps(data)
    lines = [("Content-Type", media_type), ("Content-Length", str(len(body)))]
    if spoken is not None:
        lines += (("Content-Language", spoken), ("Vary", "Accept-Language"))
    if headers:
        lines += headers.items()
    return Answer(body, status, lines)


def answer(data: Any, status: int = 200, **how: Any) -> Response:
    """As `written`, for Flask."""
    return written(data, status, **how).response()


def problem_written(problem: Problem, environ: Environ) -> Answer:
    """A problem document."""
    return written(
        problem.document(reference(environ["PATH_INFO"].encode("latin-1"))),
        problem.kind.status,
        spoken=language(environ) if problem.cites_rules else LANGUAGES[0],
        headers=problem.headers,
        media_type=MEDIA_TYPE,
    )


def problem_answer(problem: Problem) -> Response:
    """As `problem_written`, for Flask."""
    return problem_written(problem, request.environ).response()


def with_etag(response: Response) -> Response:
    """A response that a client may keep and ask about with `If-None-Match`."""
    response.add_etag()
    response.headers["Cache-Control"] = "public, no-cache"
    response.make_conditional(request)
    return response
