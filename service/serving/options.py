"""What the service hands the worker that runs it (gunicorn_llhttp), and what it takes of it: the scheduler."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from wsgiref.types import WSGIEnvironment

from gunicorn_llhttp import fair_scheduling
from gunicorn_llhttp.options import Options
from gunicorn_llhttp.refusals import Answer, RefusedRequest
from service import metrics
from service.config import Serving
from service.contract.fields import PAUSES
from service.http.refusals import Refusals
from service.scheduling import SCHEDULER, Overloaded
from service.words.phrases import phrase

PROBES = frozenset({"/livez", "/readyz"})


def options_for(worker: Any) -> Options:
    """The options of a worker of gunicorn that runs the service."""
    extensions, serving = worker.wsgi.extensions, Serving.from_environment()
    return Options(
        refusal=partial(_refusal, extensions["refusals"]),
        body_limit=extensions["body_limit"],
        keepalive_seconds=serving.keepalive_seconds,
        receive_seconds=serving.receive_seconds,
        send_seconds=serving.send_seconds,
        bytes_in_flight=serving.bytes_in_flight,
        probes=PROBES,
        log=worker.log.request,
        opened=metrics.connections().inc,
        closed=metrics.connections().dec,
        tick=metrics.write,
    )


def _refusal(refusals: Refusals, environ: WSGIEnvironment, refusal: RefusedRequest) -> Answer:
    """The answer to a request that the worker has refused, in the service's own words."""
    answer = refusals.answer(environ, refusal.status, phrase(refusal.reason, **refusal.params))
    return Answer(answer.headers, answer.body)


def use_scheduler() -> None:
    """Let the service yield as the worker schedules. gunicorn's own gevent worker can run so, too."""
    SCHEDULER.start_slice = fair_scheduling.start_slice
    SCHEDULER.yield_if_due = PAUSES.pause = _waiting(fair_scheduling.yield_if_due)
    SCHEDULER.yield_now = _waiting(fair_scheduling.yield_now)


def _waiting(wait: Callable[[], None]) -> Callable[[], None]:
    """The same function, raising our own Overloaded."""

    def call() -> None:
        try:
            wait()
        except fair_scheduling.Overloaded as error:
            raise Overloaded from error

    return call
