"""One server: how it is asked, what is asked again, and how what happens there is followed."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from typing import Any, Generic, NamedTuple, Self, TypeVar

from urllib3 import BaseHTTPResponse, PoolManager, Retry, Timeout
from urllib3.exceptions import HTTPError

from .problems import RefereeProblem, problem_of

T = TypeVar("T")
SILENCE = 45.0
"""Seconds without a byte after which a stream is given up: the server sends a comment at least every 15."""


KEPT = 8
"""How many connections are kept open for what comes next; more are opened where they are needed."""


TOLD = ("entry", "incident", "clock")
"""The events of a stream that are passed on."""


AGAIN = (429, 502, 503, 504)
"""Statuses that say: later. Nothing was done, or a key makes sure that it is done once."""
LONGEST = 60.0
"""Seconds that `Retry-After` can make the client wait at most."""


class Capped(Retry):
    """Retries that believe no `Retry-After` of more than a minute."""

    def get_retry_after(self, response: BaseHTTPResponse) -> float | None:
        """Seconds to wait; None where the server names none."""
        seconds = super().get_retry_after(response)
        return None if seconds is None else min(seconds, LONGEST)


class Answer(NamedTuple):
    """The JSON of an answer, and the version of the table that it shows, if any."""

    body: Any
    etag: str | None


class Connection:
    """Asks again, up to `retries` times, what broke off or was answered 429, 502, 503 or 504, after `Retry-After`."""

    def __init__(self, url: str, language: str | None, retries: int, timeout: float) -> None:
        again = Capped(
            total=retries,
            status_forcelist=AGAIN,
            allowed_methods=None,  # calls without a session change nothing, those of sessions carry a key
            backoff_factor=0.2,
            raise_on_status=False,
        )
        self._pool = PoolManager(maxsize=KEPT, retries=again, timeout=Timeout(connect=5, read=timeout))
        self._url = url.rstrip("/")
        self._headers = {} if language is None else {"Accept-Language": language}

    def ask(self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> Answer:
        """The answer; a RefereeProblem where there is none, an urllib3 HTTPError where nobody answers."""
        content = None if body is None else json.dumps(body).encode()
        sent = {"Accept": "application/json", **self._headers, **(headers or {})}
        if content is not None:
            sent["Content-Type"] = "application/json"
        answer = self._pool.request(method, self._url + path, body=content, headers=sent)
        if answer.status >= 400:
            raise problem_of(answer.status, answer.data)
        return Answer(json.loads(answer.data) if answer.data else None, answer.headers.get("ETag"))

    def close(self) -> None:
        """Close the connections that are kept."""
        self._pool.clear()

    def follow(self, path: str, headers: Mapping[str, str], after: int, only: str | None = None) -> Following[Any]:
        """What happens after a version: pairs of a name (`entry`, `incident`, `clock`) and its data, or the data alone
        of those named `only`."""
        stop = Stop()
        return Following(self._followed(path, headers, after, only, stop), stop)

    def _followed(
        self, path: str, headers: Mapping[str, str], after: int, only: str | None, stop: Stop
    ) -> Iterator[Any]:
        pause = 2.0
        while not stop.asked.is_set():
            try:
                for event in self._events(path, {**headers, "Last-Event-ID": str(after)}, stop):
                    if event.get("event") == "closed":
                        return
                    pause = int(event["retry"]) / 1000 if "retry" in event else pause
                    name = event.get("event", "")
                    if name in TOLD:
                        after = int(event.get("id", after))
                        data = json.loads(event["data"])
                        if only is None:
                            yield name, data
                        elif name == only:
                            yield data
            except HTTPError:
                pass  # broken off, or silent for too long: from the last entry on
            except RefereeProblem as problem:
                if problem.status not in AGAIN:
                    raise
            stop.asked.wait(pause)

    def _events(self, path: str, headers: Mapping[str, str], stop: Stop) -> Iterator[dict[str, str]]:
        """The events of one stream."""
        with self._stream(path, headers, stop) as stream:
            stop.stream, events = stream, Events()
            try:
                for chunk in stream:
                    if stop.asked.is_set():
                        return
                    yield from events.read(chunk)
            finally:
                stop.stream = None

    def _stream(self, path: str, headers: Mapping[str, str], stop: Stop) -> BaseHTTPResponse:
        stream = self._pool.request(
            "GET",
            self._url + path,
            headers={"Accept": "text/event-stream", **self._headers, **headers},
            preload_content=False,
            timeout=Timeout(connect=5, read=SILENCE),
            retries=False,  # urllib3's waits cannot be ended
        )
        if stream.status in AGAIN:
            stop.asked.wait(Capped().get_retry_after(stream) or 0)
        if stream.status >= 400:
            raise problem_of(stream.status, stream.data)
        return stream


class Following(Generic[T]):
    """An iterator of what happens in a session, over as many streams as it takes, until the session is closed."""

    def __init__(self, followed: Iterator[T], stop: Stop) -> None:
        self._followed, self._stop = followed, stop

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        return next(self._followed)

    def close(self) -> None:
        """Stop. Another thread may call this; the one that waits for the next event then finds no more."""
        self._stop.asked.set()
        if self._stop.stream is not None:
            self._stop.stream.shutdown()


class Stop:
    """Whether to stop, and the stream that is read meanwhile."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.stream: BaseHTTPResponse | None = None


class Events:
    """Reads server-sent events, each as its fields. Comments are left out, and what broke off before its empty line."""

    def __init__(self) -> None:
        self._fields: dict[str, str] = {}
        self._rest = b""

    def read(self, chunk: bytes) -> Iterator[dict[str, str]]:
        """The events that are whole with this piece of the stream."""
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            if line:
                name, _, value = line.decode().rstrip("\r").partition(":")
                if name:
                    self._fields[name] = value.removeprefix(" ")
            elif self._fields:
                yield self._fields
                self._fields = {}
