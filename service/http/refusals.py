"""Answers to requests that no view gets: the worker has refused them, or the application has failed."""

from __future__ import annotations

from http import HTTPStatus
from time import perf_counter
from wsgiref.types import WSGIEnvironment

from service.http.bodies import Answer, json_answer, problem_answer
from service.http.middleware import ROUTE, Cors, Middleware, request_id
from service.http.preferences import language_of
from service.problems import BY_STATUS, MEDIA_TYPE, Problem, reference
from service.words.phrases import Phrase, messages


class Refusals:
    """Problem documents that are named, counted and completed like the answers of views."""

    def __init__(self, middleware: Middleware, cors: Cors | None) -> None:
        self.middleware = middleware
        self.cors = cors

    def answer(self, environ: WSGIEnvironment, status: HTTPStatus, detail: Phrase) -> Answer:
        """The complete answer. The environment may be that of a request that could not be read."""
        began = perf_counter()
        path, language = environ.setdefault("PATH_INFO", ""), language_of(environ)
        environ[ROUTE] = "none"
        name = environ["HTTP_X_REQUEST_ID"] = request_id(environ.get("HTTP_X_REQUEST_ID"))  # the log reads it, too
        headers = {"Retry-After": "5"} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}
        if status in BY_STATUS:
            answer = problem_answer(Problem(BY_STATUS[status], detail, headers), path, language)
        else:
            answer = _without_page(status, detail, path, language)
        finished = self.middleware.finish(environ, name, status, answer.headers, began)
        if self.cors is not None:
            finished = self.cors.completed(finished, environ.get("HTTP_ORIGIN", self.cors.unread))
        return answer._replace(headers=finished)


def _without_page(status: HTTPStatus, detail: Phrase, path: str, language: str) -> Answer:
    """A problem document of the type `about:blank`: the contract has no page for the status (RFC 9457)."""
    document = {
        "type": "about:blank",
        "title": messages(language)["statuses"][status.value],
        "status": status,
        "detail": detail.text_in(language),
        "instance": reference(path.encode("latin-1")),
    }
    return json_answer(document, status, language=language, media_type=MEDIA_TYPE)
