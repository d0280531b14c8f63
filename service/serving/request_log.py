"""gunicorn's logs as JSON: one object a line, one line a request."""

from __future__ import annotations

import logging
import os
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from time import time_ns
from typing import Protocol
from wsgiref.types import WSGIEnvironment

import orjson
from gunicorn.config import Config
from gunicorn.glogging import Logger

TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?")


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": now(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return orjson.dumps(entry).decode()


class Sent(Protocol):
    """What gunicorn's response says of itself."""

    status: str | None
    sent: int


class RequestLog(Logger):
    """Method, path (never the query: it may hold a ticket), status, time and size of every request."""

    def setup(self, cfg: Config) -> None:
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(JsonFormatter())
        ours = logging.getLogger("service")
        ours.handlers = self.error_log.handlers
        ours.setLevel(self.error_log.level)
        self.requests = next((h for h in self.access_log.handlers if isinstance(h, logging.StreamHandler)), None)

    def access(self, resp: Sent, req: object, environ: WSGIEnvironment, request_time: timedelta) -> None:
        """What gunicorn's own workers call."""
        self.request(environ, int(resp.status[:3]) if resp.status else 0, resp.sent, request_time.total_seconds())

    def request(self, environ: WSGIEnvironment, status: int, size: int, seconds: float) -> None:
        """Write a request's line. `status`: 0 where nothing was answered; `size`: bytes of the answer's body."""
        if self.requests is None:
            return
        line = {
            "time": now(),
            "method": environ.get("REQUEST_METHOD"),
            "path": environ.get("RAW_URI", "").partition("?")[0][:500],
            "status": status or None,
            "duration_ms": round(seconds * 1000, 3),
            "bytes": size,
            "request_id": environ.get("HTTP_X_REQUEST_ID"),
        }
        if "HTTP_TRACEPARENT" in environ:
            line["trace_id"] = trace_id(environ["HTTP_TRACEPARENT"])
        # One short write, so that the lines of several workers never mix. A reader gone away harms no request.
        with suppress(OSError):
            os.write(self.requests.stream.fileno(), orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))


def trace_id(traceparent: str) -> str | None:
    """Of the trace that a client's or proxy's request is part of (W3C, Trace Context); None of what names none."""
    found = TRACEPARENT.fullmatch(traceparent)
    return found and found[1]


def now() -> str:
    """The time in UTC, to the millisecond."""
    seconds, milliseconds = divmod(time_ns() // 1_000_000, 1000)
    return f"{to_the_second(seconds)}.{milliseconds:03}+00:00"


@lru_cache(maxsize=2)
def to_the_second(seconds: int) -> str:
    """A time as text, made once a second: a line of the log costs half of what it did."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
