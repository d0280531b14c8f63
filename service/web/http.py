"""What every resource needs of HTTP: a body read strictly, an answer written plainly.

What reads a request takes the WSGI environment, so that it serves views with Flask and without.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from http import HTTPStatus
from mimetypes import guess_type
from pathlib import Path
from typing import NamedTuple
from wsgiref.types import WSGIEnvironment

from flask import Response, request
from werkzeug.datastructures import Headers, MIMEAccept
from werkzeug.exceptions import NotFound
from werkzeug.http import parse_accept_header, parse_options_header
from werkzeug.security import safe_join

from service.bounds import ACCEPT_LENGTH, MEDIA_TYPE_LENGTH, VALUES
from service.web import strict_json
from service.web.languages import language_for
from service.web.packing import LEAST, LEAST_KEPT, packed, packed_once, takes_gzip
from service.web.phrases import phrase
from service.web.problems import MEDIA_TYPE, Problem, reference, too_many_values

JSON = "application/json"
HTML = "text/html"
MARKDOWN = "text/markdown"
EVENT_STREAM = "text/event-stream"
TEXTS = (JSON, "application/yaml", "image/svg+xml")
"""What compression makes much shorter, beside all that is `text/…`."""
STATUS_LINES = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}


class Written(Headers):
    """Headers as they are given. Setting them one by one, as Werkzeug does, costs more than judging a move."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self._list = pairs


def language_of(environ: WSGIEnvironment) -> str:
    """The language that the client reads best, of those we speak."""
    return language_for(environ.get("HTTP_ACCEPT_LANGUAGE"))


def accept_json(environ: WSGIEnvironment) -> None:
    """Refuse, before any work is done, a client that would not take the answer."""
    _accept(environ, JSON)


def accept_event_stream(environ: WSGIEnvironment) -> None:
    """The same for a stream of events."""
    _accept(environ, EVENT_STREAM)


def _accept(environ: WSGIEnvironment, media_type: str) -> None:
    accepted(environ, media_type)


def accepted(environ: WSGIEnvironment, *media_types: str) -> str:
    """Which of these forms the client takes most gladly, of equal ones the first; it is refused if it takes none."""
    accept = environ.get("HTTP_ACCEPT")
    wanted = None if accept is not None and len(accept) > ACCEPT_LENGTH else preferred(accept, media_types)
    if wanted is None:
        raise Problem("not-acceptable", phrase("not-taken", media_type=media_types, accept=accept))
    return wanted


def json_body(environ: WSGIEnvironment, limit: int, values: int = VALUES) -> object:
    """The request's body, parsed strictly; one of more than `limit` bytes, chunked or not, or `values` is refused."""
    content_type = environ.get("CONTENT_TYPE", "")
    if len(content_type) > MEDIA_TYPE_LENGTH or not is_json(content_type):
        raise Problem("unsupported-media-type", phrase("send-json"))
    if "HTTP_CONTENT_ENCODING" in environ:
        raise Problem("unsupported-media-type", phrase("send-plain"))
    try:
        return strict_json.loads(_bytes(environ, limit), values)
    except strict_json.NotJson as error:
        raise Problem("malformed-json", error.detail) from None
    except strict_json.TooManyValues as error:
        raise too_many_values(error) from None


def _bytes(environ: WSGIEnvironment, limit: int) -> bytes:
    length = environ.get("CONTENT_LENGTH")
    # Werkzeug's own bound cuts a chunked body instead of refusing it: read one byte further than is allowed.
    due = int(length) if length and length.isdecimal() else limit + 1
    if due <= limit or not length:
        body: bytes = environ["wsgi.input"].read(due)
        if len(body) <= limit:
            return body
    raise Problem("payload-too-large", phrase("body-too-large", limit=limit))


@lru_cache(maxsize=256)
def is_json(content_type: str) -> bool:
    """Whether a `Content-Type` promises JSON in UTF-8."""
    media_type, options = parse_options_header(content_type)
    return media_type.lower() == JSON and options.get("charset", "utf-8").lower() in ("utf-8", "utf8")


@lru_cache(maxsize=256)
def preferred(accept: str | None, media_types: tuple[str, ...]) -> str | None:
    """The media type that an `Accept` header wants most, with whatever parameters it names it; None: it admits none."""
    if not accept:
        return media_types[0]
    ranges = [(each.partition(";")[0].strip(), quality) for each, quality in parse_accept_header(accept, MIMEAccept)]
    best = max(media_types, key=MIMEAccept(ranges).quality)
    return best if MIMEAccept(ranges).quality(best) else None


class Answer(NamedTuple):
    """What goes back to the client, before any framework touches it."""

    body: bytes
    status: int
    headers: list[tuple[str, str]]

    def response(self) -> Response:
        """The same for Flask."""
        response = Response([self.body], STATUS_LINES[self.status], Written(self.headers))
        if not self.body:  # an empty answer has no media type
            response.headers.remove("Content-Type")
        return response


def json_answer(
    value: object,
    status: int = 200,
    *,
    language: str | None = None,
    headers: Mapping[str, str] | None = None,
    media_type: str = JSON,
) -> Answer:
    """An answer in JSON; `language`: that of its sentences, where it has any."""
    body = strict_json.dumps(value)
    lines = [("Content-Type", media_type), ("Content-Length", str(len(body)))]
    if language is not None:
        lines += (("Content-Language", language), ("Vary", "Accept-Language"))
    if headers:
        lines += headers.items()
    return Answer(body, status, lines)


def problem_answer(problem: Problem, path: str, language: str) -> Answer:
    """A problem document. `path`: where the request was sent, as WSGI has it; `language`: the reader's."""
    return json_answer(
        problem.document(reference(path.encode("latin-1")), language),
        problem.kind.status,
        language=language,
        headers=problem.headers,
        media_type=MEDIA_TYPE,
    )


def compressed(answer: Answer, environ: WSGIEnvironment) -> Answer:
    """An answer to a call as its client takes it. Not for sessions: how short it gets would tell of what is secret."""
    if len(answer.body) < LEAST or not takes_gzip(environ.get("HTTP_ACCEPT_ENCODING")):
        return answer
    body = packed(answer.body)
    headers = [each for each in answer.headers if each[0] != "Content-Length"]
    return Answer(body, answer.status, [*headers, ("Content-Length", str(len(body))), ("Content-Encoding", "gzip")])


def document(body: bytes, media_type: str, language: str | None = None) -> Response:
    """What a client may keep and ask about with `If-None-Match`; the same bytes are tagged and compressed once."""
    response = Response(body, mimetype=media_type)
    response.headers["Cache-Control"] = "public, no-cache"
    response.set_etag(tag(body), weak=True)  # of the document, compressed or not
    if language is not None:
        response.headers["Content-Language"] = language
        response.vary.add("Accept-Language")
    if media_type in TEXTS or media_type.startswith("text/"):
        response.vary.add("Accept-Encoding")
        if len(body) >= LEAST_KEPT and takes_gzip(request.environ.get("HTTP_ACCEPT_ENCODING")):
            response.set_data(packed_once(body))
            response.headers["Content-Encoding"] = "gzip"
    response.make_conditional(request)
    return response


def file(folder: Path, name: str) -> Response:
    """The same of a file in a folder; raises NotFound."""
    path = safe_join(str(folder), name)
    try:
        content = _content(str(path), Path(path or "").stat().st_mtime_ns)
    except (OSError, ValueError):  # no file; no name of one
        raise NotFound from None
    return document(content, guess_type(name)[0] or "application/octet-stream")


@lru_cache(maxsize=128)
def _content(path: str, changed: int) -> bytes:
    return Path(path).read_bytes()


@lru_cache(maxsize=128)
def tag(body: bytes) -> str:
    """What stands for these bytes in an ETag."""
    return sha256(body).hexdigest()[:32]
