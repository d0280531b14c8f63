"""Requests that are answered without the application: why, and with what."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import NamedTuple, TypeAlias
from wsgiref.types import WSGIEnvironment


class Answer(NamedTuple):
    """A complete answer. Only `Server`, `Date` and `Connection` are added to its headers."""

    headers: list[tuple[str, str]]
    body: bytes


class RefusedRequest(Exception):
    """A request that is not given to the application. Its connection closes after the answer.

    `reason`: a key of `SENTENCES`. `params`: the values for the words in braces there.
    """

    def __init__(self, status: HTTPStatus, reason: str, **params: object) -> None:
        super().__init__(status, reason, params)
        self.status = status
        self.reason = reason
        self.params = params


SENTENCES = {
    "unreadable": "The request cannot be read as HTTP.",
    "no-host": "This request needs the header Host.",
    "small-chunks": "More than {chunks} chunks have fewer than {bytes} bytes on average.",
    "took-too-long": "The request took too long to arrive.",
    "largest-body": "The body has more than {limit} bytes.",
    "address-too-long": "The first line of the request is too long.",
    "expectation-failed": "No other expectation than 100-continue is met.",
    "headers-too-large": "The headers are too many or too long.",
    "no-such-method": "There is no method {method}.",
    "no-such-coding": "No other transfer coding than chunked is read.",
    "failed": "The application failed.",
    "overloaded": "The server is too busy.",
}
"""What a refusal says unless the application words it itself, by its reason."""

RefusalAnswer: TypeAlias = Callable[[WSGIEnvironment, RefusedRequest], Answer]


def plain_answer(_: WSGIEnvironment, refusal: RefusedRequest) -> Answer:
    """The answer to a refused request in plain English text."""
    body = SENTENCES[refusal.reason].format_map(refusal.params).encode() + b"\n"
    headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
    if refusal.status == HTTPStatus.SERVICE_UNAVAILABLE:
        headers.append(("Retry-After", "5"))
    return Answer([*headers, ("X-Content-Type-Options", "nosniff")], body)
