"""Bodies: of requests, read as strict JSON; of answers and documents, written and compressed.

Requests are read from the WSGI environment, so that views with Flask and without can use the same functions.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from http import HTTPStatus
from mimetypes import guess_type
from pathlib import Path
from typing import Any, NamedTuple
from wsgiref.types import WSGIEnvironment

from flask import Response, request
from werkzeug.exceptions import NotFound
from werkzeug.security import safe_join

from service import strict_json
from service.bounds import MEDIA_TYPE_LENGTH, VALUES
from service.contract.fields import shown
from service.http.preferences import JSON, accept_json, is_json, takes_gzip
from service.http.tags import as_written
from service.problems import MEDIA_TYPE, Problem, reference
from service.scheduling import SCHEDULER
from service.words.phrases import phrase

TEXTS = (JSON, "application/yaml", "image/svg+xml")
"""Media types that gzip makes much shorter, beside all of `text/…`."""
NOT_STORED = {"Cache-Control": "no-store"}  #: For answers that no cache may store.
SHORTEST_COMPRESSED = 4 * 1024
"""Bytes of the shortest answer that is compressed. Compressing a shorter one hardly saves packets."""
LEAST_KEPT = 1024  #: The same for documents, which are compressed only once.
GZIP = 16 + zlib.MAX_WBITS
PIECE = 64 * 1024  #: Bytes that are compressed before the request yields.
STATUS_LINES = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}


def json_request(environ: WSGIEnvironment, limit: int, values: int = VALUES) -> Any:
    """The body, read as strict JSON of at most `limit` bytes and `values` values."""
    accept_json(environ)
    content_type = environ.get("CONTENT_TYPE", "")
    if len(content_type) > MEDIA_TYPE_LENGTH or not is_json(content_type):
        raise Problem(
            "unsupported-media-type", phrase("send-json", media_type=shown(content_type) if content_type else None)
        )
    if "HTTP_CONTENT_ENCODING" in environ:
        raise Problem("unsupported-media-type", phrase("send-plain"))
    length, stream = environ.get("CONTENT_LENGTH"), environ["wsgi.input"]
    body = None
    if not length:  # chunks: one byte beyond the limit shows that they are too many
        body = stream.read(limit + 1)
    elif length.isdecimal() and int(length) <= limit:
        body = stream.read(int(length))
    if body is None or len(body) > limit:
        raise Problem("payload-too-large", phrase("body-too-large", limit=limit))
    return strict_json.loads(body, values)


class Answer(NamedTuple):
    """An answer as plain data. The fast path sends it as it is; `response` makes Flask's `Response` of it."""

    body: bytes
    status: int
    headers: list[tuple[str, str]]

    def response(self) -> Response:
        """The same answer as Flask's `Response`."""
        response = Response([self.body], STATUS_LINES[self.status], self.headers)
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
    """An answer in JSON. `language`: of its sentences, if it has any."""
    body = strict_json.dumps(value)
    lines = [("Content-Type", media_type), ("Content-Length", str(len(body)))]
    if language is not None:
        lines += (("Content-Language", language), ("Vary", "Accept-Language"))
    if headers:
        lines += headers.items()
    return Answer(body, status, lines)


def problem_answer(problem: Problem, path: str, language: str) -> Answer:
    """A problem document. `path`: of the request, as WSGI has it. `language`: of its sentences."""
    return json_answer(
        problem.document(reference(path.encode("latin-1")), language),
        problem.kind.status,
        language=language,
        headers=problem.headers,
        media_type=MEDIA_TYPE,
    )


def compressed(answer: Answer, environ: WSGIEnvironment) -> Answer:
    """The answer, in gzip if the client accepts that. Not for sessions: the compressed length would leak secrets."""
    if len(answer.body) < SHORTEST_COMPRESSED or not takes_gzip(environ.get("HTTP_ACCEPT_ENCODING")):
        return answer
    body = gzip(answer.body)
    headers = [each for each in answer.headers if each[0] != "Content-Length"]
    return Answer(body, answer.status, [*headers, ("Content-Length", str(len(body))), ("Content-Encoding", "gzip")])


def document(body: bytes, media_type: str, language: str | None = None) -> Response:
    """A document that clients may cache; its tag and its gzip form are made once."""
    response = Response(body, mimetype=media_type)
    response.headers["Cache-Control"] = "public, no-cache"
    response.set_etag(tag(body), weak=True)  # of the document, compressed or not
    if language is not None:
        response.headers["Content-Language"] = language
        response.vary.add("Accept-Language")
    if media_type in TEXTS or media_type.startswith("text/"):
        response.vary.add("Accept-Encoding")
        if len(body) >= LEAST_KEPT and takes_gzip(request.environ.get("HTTP_ACCEPT_ENCODING")):
            response.set_data(_gzip_once(body))
            response.headers["Content-Encoding"] = "gzip"
    # Documents ignore `If-Match`: Werkzeug would answer it 412, with the document as the body.
    tags = as_written(request.environ.get("HTTP_IF_NONE_MATCH", ""))
    response.make_conditional({**request.environ, "HTTP_IF_MATCH": "", "HTTP_IF_NONE_MATCH": tags})
    return response


def gzip(body: bytes, level: int = 1) -> bytes:
    """The same bytes, compressed; yields to other requests meanwhile."""
    packer, parts = zlib.compressobj(level, wbits=GZIP), []
    for start in range(0, len(body), PIECE):
        parts.append(packer.compress(body[start : start + PIECE]))
        SCHEDULER.yield_if_due()
    return b"".join([*parts, packer.flush()])


@lru_cache(maxsize=128)
def _gzip_once(body: bytes) -> bytes:
    """A document, compressed as well as gzip can."""
    return gzip(body, 9)


def file(folder: Path, name: str) -> Response:
    """A file in a folder as a document; raises NotFound."""
    path = safe_join(str(folder), name)
    if path is None or path != f"{folder}/{name}":  # a file has one path: without `.` and `x/..`
        raise NotFound
    try:
        content = _content(path, Path(path).stat().st_mtime_ns)
    except (OSError, ValueError):  # there is no such file; it cannot be the name of a file
        raise NotFound from None
    return document(content, guess_type(name)[0] or "application/octet-stream")


@lru_cache(maxsize=128)
def _content(path: str, changed: int) -> bytes:
    """The content of a file. `changed`: when it was changed last, so that the cache has the latest content."""
    return Path(path).read_bytes()


@lru_cache(maxsize=128)
def tag(body: bytes) -> str:
    """A digest of these bytes for an ETag."""
    return sha256(body).hexdigest()[:32]
