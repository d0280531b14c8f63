"""What a request costs around its verdict: `python -m bench.around`. Microseconds of CPU a request on one core.

Each part is called as the worker calls it, without a socket. The log is discarded; metrics go to files as in a server.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter, process_time
from typing import Any

from gevent import get_hub
from gevent.event import Event
from gunicorn.config import Config

from bench.verdicts import TWINS
from service.app import create_app
from service.config import Settings
from service.serving.greenlets import Greenlets
from service.serving.reading import Limits, Reader
from service.serving.request_log import RequestLog
from service.serving.response import Response
from service.web import fair_scheduling, metrics
from service.web.request_id import request_id

ROUNDS, TIMES = 15, 2_000
LIMITS = Limits(line=4094, field=8190, fields=64, body=lambda method, path: 1 << 20)


def cost(work: Callable[[], object]) -> float:
    """Microseconds of CPU of one call: the median of the rounds."""
    found = []
    for _ in range(ROUNDS):
        began = process_time()
        for _ in range(TIMES):
            work()
        found.append((process_time() - began) / TIMES * 1e6)
    return median(found)


def request_of(body: Any, *headers: str) -> bytes:
    sent = json.dumps(body).encode()
    lines = ["POST /resolve HTTP/1.1", "Host: 127.0.0.1:8000", "Content-Type: application/json", *headers]
    return "\r\n".join([*lines, f"Content-Length: {len(sent)}", "\r\n"]).encode() + sent


def parts() -> dict[str, Callable[[], object]]:
    trick = request_of(TWINS)
    browsers = request_of(TWINS, *(f"X-Header-{number}: {number * 7}" for number in range(10)))
    nothing = request_of({**TWINS, "moves": []})
    reader = Reader({}, {}, LIMITS, lambda: None, lambda size, whole: True)
    environ = reader.feed(trick).environ  # type: ignore[union-attr]
    headers = [("Content-Type", "application/json"), ("Content-Length", "9"), ("Content-Language", "en")]
    headers += [("Vary", "Accept-Language"), ("X-Request-ID", "a name"), ("X-Content-Type-Options", "nosniff")]
    config = Config()
    config.set("accesslog", os.devnull)
    log = RequestLog(config)
    greenlets = Greenlets(partial(log.exception, "failed"))
    app = create_app(Settings(store_url="sqlite:///:memory:"))

    def answer(sent: bytes) -> Callable[[], object]:
        def whole() -> None:
            request = reader.feed(sent)
            assert request is not None
            response = Response(request.environ, len, lambda: True)
            for item in app.wsgi_app(request.environ, response.start_response):
                response.write(item)
            response.close()
            log.request(request.environ, response.status, response.sent, 0.0003)

        return whole

    def head() -> None:
        response = Response(environ, len, lambda: True)
        response.start_response("200 OK", headers)
        response.write(b"an answer")
        response.close()

    return {
        "a request is read": lambda: reader.feed(trick),
        "one with ten headers more": lambda: reader.feed(browsers),
        "a greenlet is switched to": lambda: greenlets.run(abs, 1),
        "a request gets a name": lambda: request_id(None),
        "an answer is written": head,
        "a request is counted": lambda: metrics.answered("/resolve", 200, perf_counter()),
        "a request is logged": lambda: log.request(environ, 200, 1630, 0.0003),
        "all of a resolution without moves": answer(nothing),
        "all of a trick of Twins": answer(trick),
    }


def main() -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    fair_scheduling.TIME_SLICE = float("inf")  # this runs in the hub, which cannot yield
    for name, work in parts().items():
        print(f"{name:<36} {cost(work):6.2f}", flush=True)


def from_the_hub(work: Callable[[], object]) -> None:
    done = Event()

    def worked() -> None:
        work()
        done.set()

    get_hub().loop.run_callback(worked)
    done.wait()


if __name__ == "__main__":
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        from_the_hub(main)
    else:  # counters are kept in files only if the variable is set when they are imported
        with tempfile.TemporaryDirectory() as folder:
            counted = os.environ | {"PROMETHEUS_MULTIPROC_DIR": folder}
            subprocess.run([sys.executable, "-m", "bench.around"], check=True, env=counted)
