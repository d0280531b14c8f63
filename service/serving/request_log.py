"""gunicorn's logs as JSON: one object a line, one line a request."""

from __future__ import annotations

import logging
import os
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from wsgiref.types import WSGIEnvironment

import orjson
from gunicorn.config import Config
from gunicorn.glogging import Logger

LONGEST_PATH = 500
GUESS = " Perhaps out of memory?"  #: The end of gunicorn's line about a worker that was sent SIGKILL.
TRACEPARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?")


class JsonFormatter(logging.Formatter):
    """Formats a record of a log as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line of JSON."""
        entry = {
            "time": now(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return orjson.dumps(entry).decode()


class RequestLog(Logger):
    """Logs each request: method, path, status, time and size; never the query, which may hold a ticket."""

    def setup(self, cfg: Config) -> None:
        """Let the service log where gunicorn logs errors, as JSON, and find where requests are logged."""
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(JsonFormatter())
        ours = logging.getLogger("service")
        ours.handlers = self.error_log.handlers
        ours.setLevel(self.error_log.level)
        self.requests = next((h for h in self.access_log.handlers if isinstance(h, logging.StreamHandler)), None)

    def critical(self, msg: object, *args: object, **kwargs: Any) -> None:
        """Log what gunicorn says; of a worker that does not run, also since when."""
        if str(msg).startswith("WORKER TIMEOUT"):
            since = now(-timedelta(seconds=self.cfg.timeout))
            msg, args = "The worker (pid:%s) has not run since %s; it is replaced unless it runs now", (*args, since)
        super().critical(msg, *args, **kwargs)

    def error(self, msg: object, *args: object, **kwargs: Any) -> None:
        """Log what gunicorn says, but not its guess why a worker was killed: we may have done it."""
        super().error(str(msg).removesuffix(GUESS), *args, **kwargs)

    def access(self, resp: Any, req: object, environ: WSGIEnvironment, request_time: timedelta) -> None:
        """Write a request's line. Called by gunicorn's own workers."""
        self.request(environ, int(resp.status[:3]) if resp.status else 0, resp.sent, request_time.total_seconds())

    def request(self, environ: WSGIEnvironment, status: int, size: int, seconds: float) -> None:
        """Write a request's line. `status`: 0 if there was no answer; `size`: bytes of the answer's body."""
        if self.requests is None:
            return
        line = {
            "time": now(),
            "method": environ.get("REQUEST_METHOD"),
            "path": environ.get("RAW_URI", "").partition("?")[0][:LONGEST_PATH],
            "status": status or None,
            "duration_ms": round(seconds * 1000, 3),
            "bytes": size,
            "request_id": environ.get("HTTP_X_REQUEST_ID"),
        }
        if "HTTP_TRACEPARENT" in environ:
            line["trace_id"] = trace_id(environ["HTTP_TRACEPARENT"])
        # One write a line, so that lines of several workers never mix. A closed log fails no request.
        with suppress(OSError):
            os.write(self.requests.stream.fileno(), orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))


def trace_id(traceparent: str) -> str | None:
    """The id of the trace that a request is part of (W3C Trace Context); None if the header is not valid."""
    match = TRACEPARENT.fullmatch(traceparent)
    return None if match is None else match[1]


def now(later: timedelta = timedelta()) -> str:
    """The time in UTC, to the millisecond; `later`: by so much."""
    return (datetime.now(UTC) + later).isoformat(timespec="milliseconds")
