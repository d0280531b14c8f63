"""Where the time of a trick goes that was never posted: `python -m bench.around`. Microseconds of CPU on one core.

Each part is called as the worker calls it, without a socket. The log is discarded; metrics go to files as in a server.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from itertools import cycle
from statistics import median
from time import perf_counter, process_time
from typing import Any, TypeVar

from gevent import get_hub
from gevent.event import Event
from gunicorn.config import Config

from bench.peers import new_tables
from bench.results import Table, figure
from bench.verdicts import TWINS
from engines.core import judge
from gunicorn_llhttp.greenlets import Greenlets
from gunicorn_llhttp.reading import Limits, Reader
from gunicorn_llhttp.response import Response
from service import metrics, strict_json
from service.app import create_app
from service.config import Settings
from service.contract.calls import body_of
from service.http.bodies import json_answer
from service.http.middleware import request_id
from service.judging import calls
from service.judging.referee import Referee
from service.serving.request_log import RequestLog

T = TypeVar("T")

ROUNDS, TIMES = 25, 1_000
FEW = 20
"""Tables that are judged in turn. More would not stay in the processor's cache, where a request's own table is."""
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


def with_each(work: Callable[[T], object], several: Iterable[T]) -> Callable[[], object]:
    """The work with the next of several things, again from the first after the last."""
    given = cycle(list(several))
    return lambda: work(next(given))


def verdict(tables: list[Any]) -> dict[str, Callable[[], object]]:
    """The parts of judging these tables."""
    texts = [json.dumps(table).encode() for table in tables]
    bodies = [body_of(calls.RESOLVE, None, table) for table in tables]
    referee = Referee(bodies[0][0], "en")
    states = [referee.table(body.state) for _, body in bodies]
    resolved = [judge.resolve(engine, state, body.moves) for (engine, body), state in zip(bodies, states, strict=True)]
    answers = [referee.resolve(body) for _, body in bodies]
    ruleset, players = states[0].ruleset, referee.players(states[0])
    return {
        "reading JSON": with_each(strict_json.loads, texts),
        "accepting it as dataclasses": with_each(lambda table: body_of(calls.RESOLVE, None, table), tables),
        "completing and auditing the table": with_each(referee.table, [body.state for _, body in bodies]),
        "the engine's resolution": with_each(
            lambda each: judge.resolve(referee.engine, each[0], each[1].moves),
            [(state, body) for state, (_, body) in zip(states, bodies, strict=True)],
        ),
        "encoding it, with the sentences of its events": with_each(partial(referee.resolution, ruleset), resolved),
        "of that, the events": with_each(lambda each: referee.events(each.events, players), resolved),
        "writing JSON": with_each(lambda answer: json_answer(answer, language="en"), answers),
        "counting the verdict": with_each(calls.count, answers),
    }


def way(tables: list[Any]) -> dict[str, Callable[[], object]]:
    """The parts of the way in and out, and the whole."""
    reader = Reader({}, {}, LIMITS, lambda: None, lambda size, whole: True)
    texts = [request_of(table) for table in tables]
    environ = reader.feed(texts[0]) or {}
    headers = [("Content-Type", "application/json"), ("Content-Length", "9"), ("Content-Language", "en")]
    headers += [("Vary", "Accept-Language"), ("X-Request-ID", "a name"), ("X-Content-Type-Options", "nosniff")]
    config = Config()
    config.set("accesslog", os.devnull)
    log = RequestLog(config)
    greenlets = Greenlets(partial(log.exception, "failed"))
    app = create_app(Settings(store_url="sqlite:///:memory:"))

    def whole(sent: bytes) -> None:
        environ = reader.feed(sent) or {}
        response = Response(environ, len, lambda: True)
        for item in app.wsgi_app(environ, response.start_response):
            response.write(item)
        response.close()
        log.request(environ, response.status, response.sent, 0.0003)

    def head() -> None:
        response = Response(environ, len, lambda: True)
        response.start_response("200 OK", headers)
        response.write(b"an answer")
        response.close()

    return {
        "reading the request": with_each(reader.feed, texts),
        "switching to a greenlet": lambda: greenlets.run(int),
        "naming the request": lambda: request_id(None),
        "writing the answer's head": head,
        "counting the request": lambda: metrics.answered("/resolve", 200, perf_counter()),
        "logging the request": lambda: log.request(environ, 200, 1630, 0.0003),
        "the whole": with_each(whole, texts),
    }


def main() -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    tables = list(new_tables(TWINS, FEW))
    print(json.dumps({name: cost(work) for name, work in (verdict(tables) | way(tables)).items()}))


def from_the_hub(work: Callable[[], object]) -> None:
    done = Event()

    def worked() -> None:
        work()
        done.set()

    get_hub().loop.run_callback(worked)
    done.wait()


def around() -> Table:
    """The table in bench/RESULTS.md."""
    with tempfile.TemporaryDirectory() as folder:  # counters are kept in files only if this is set on import
        counted = os.environ | {"PROMETHEUS_MULTIPROC_DIR": folder}
        printed = subprocess.check_output([sys.executable, "-m", "bench.around", "within"], text=True, env=counted)
    parts: dict[str, float] = json.loads(printed)
    whole = parts.pop("the whole")
    rest = whole - sum(micros for name, micros in parts.items() if not name.startswith("of that"))
    rows = [
        *parts.items(),
        ("everything else, and what a part costs more among the others", rest),
        ("the whole", whole),
    ]
    return Table(
        "Where the time of a new trick goes",
        "A trick of Twins for six on a table that was never posted, in process, without a socket. Each part is called "
        "alone again and again, so the processor has its code and data at hand. In a request it has not.",
        ("part", "µs CPU"),
        [[name, figure(micros)] for name, micros in rows],
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["within"]:
        from_the_hub(main)
    else:
        print(around().written())
