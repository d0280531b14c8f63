"""One server: how requests are sent, which are sent again, and how a stream of events is read."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any, Generic, NamedTuple, Self, TypeVar

from urllib3 import BaseHTTPResponse, PoolManager, Retry, Timeout
from urllib3.exceptions import HTTPError, InvalidHeader
from urllib3.exceptions import TimeoutError as TimeLimitError

from .problems import NetworkError, NotFound, body_of, detail_of, network_error, problem_of, still_runs

T = TypeVar("T")
SILENCE = 45.0
"""Seconds without a byte after which a stream is given up: the server sends `event: ping` after 15 s of silence."""
KEPT = 8
"""How many connections are kept open for what comes next; more are opened where they are needed."""
EVENT_STREAM = "text/event-stream"
TOLD = ("entry", "incident", "clock")
"""The events of a stream that are passed on."""
AGAIN = (429, 502, 503, 504)
"""Statuses that say: later. Nothing was done, or a key makes sure that it is done once."""
BACKOFF = 0.2
"""Seconds before a call is first sent again, where the server names no time; doubled each time."""
LONGEST = 60.0
"""Seconds that `Retry-After` can make the client wait at most."""


class Capped(Retry):
    """Retries that believe no `Retry-After` of more than a minute."""

    def parse_retry_after(self, retry_after: str) -> float:
        """Seconds to wait; 0 where the server names none."""
        try:
            return min(super().parse_retry_after(retry_after), LONGEST)
        except InvalidHeader:
            return 0.0


class Answer(NamedTuple):
    """The JSON of an answer, and the version of the table that it shows, if any."""

    body: Any
    etag: str | None


class Tries:
    """The tries of one call. `timeout`: seconds for each. `deadline`: for all of them, with the waits between."""

    def __init__(self, retries: int, timeout: float, deadline: float | None) -> None:
        self._left, self._timeout, self._backoff = retries, timeout, BACKOFF
        self._end = None if deadline is None else time.monotonic() + deadline

    def seconds(self) -> float:
        """How long the next try may take."""
        left = self._timeout if self._end is None else min(self._timeout, self._end - time.monotonic())
        return max(left, 0.001)

    def pause(self, retry_after: str = "") -> float | None:
        """Seconds until the next try; None where all are used up, or it would begin after the deadline."""
        if not self._left:
            return None
        seconds = Capped().parse_retry_after(retry_after) or self._backoff
        self._left -= 1
        self._backoff *= 2
        return seconds if self._end is None or time.monotonic() + seconds < self._end else None

    def pause_after(self, status: int, body: bytes, retry_after: str) -> float | None:
        """As `pause`; None also where the answer is not one that says: later."""
        return self.pause(retry_after) if status in AGAIN or still_runs(status, body) else None


def encoded(body: object, headers: Mapping[str, str] | None) -> tuple[bytes | None, dict[str, str]]:
    """A body as JSON, None where there is none, and the headers of its request."""
    sent = {"Accept": "application/json", **(headers or {})}
    if body is None:
        return None, sent
    return json.dumps(body).encode(), {**sent, "Content-Type": "application/json"}


class Connection:
    """Sends a call again, up to `retries` times, after `Retry-After`: one that broke off, or was answered 429, 502,
    503, 504, or 409 `request-in-progress` (a call that broke off still runs)."""

    def __init__(self, url: str, language: str | None, retries: int, timeout: float, deadline: float | None) -> None:
        once = Retry(None, connect=0, read=0, other=0, redirect=retries)  # urllib3's waits know no deadline
        self._pool = PoolManager(maxsize=KEPT, retries=once)
        self._retries, self._timeout, self._deadline = retries, timeout, deadline
        self._url = url.rstrip("/")
        self._headers = {} if language is None else {"Accept-Language": language}

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        deadline: float | None = None,
    ) -> Answer:
        """The answer; a RefereeProblem where it is refused, a NetworkError where there is none. `deadline`: instead of
        the connection's."""
        content, sent = encoded(body, {**self._headers, **(headers or {})})
        # Calls without a session change nothing, those of sessions carry a key: every one may be sent again.
        tries = Tries(self._retries, self._timeout, self._deadline if deadline is None else deadline)
        while True:
            try:
                answer, data = self._answer(method, path, content, sent, tries.seconds())
            except HTTPError as error:
                pause = tries.pause()
                if pause is None:
                    raise network_error(error) from error
            else:
                pause = tries.pause_after(answer.status, data, answer.headers.get("Retry-After", ""))
                if pause is None:
                    return Answer(body_of(answer.status, data), answer.headers.get("ETag"))
            time.sleep(pause)

    def _answer(
        self, method: str, path: str, content: bytes | None, headers: Mapping[str, str], seconds: float
    ) -> tuple[BaseHTTPResponse, bytes]:
        """The answer to one try, and its body. urllib3 has limits for each piece alone, so they are added up here."""
        end, data = time.monotonic() + seconds, b""
        limits = Timeout(connect=5, total=seconds)
        with self._pool.request(
            method, self._url + path, body=content, headers=headers, timeout=limits, preload_content=False
        ) as answer:
            while piece := answer.read1(1 << 16):
                data += piece
                if time.monotonic() > end:
                    raise TimeLimitError(f"no whole answer in {seconds:g} s")
        return answer, data

    def close(self) -> None:
        """Close the open connections."""
        self._pool.clear()

    def follow(self, path: str, headers: Mapping[str, str], after: int, only: str | None = None) -> Following[Any]:
        """What happens after a version: pairs of a name (`entry`, `incident`, `clock`) and its data, or the data alone
        of those named `only`."""
        stop = Stop()
        return Following(self._followed(path, headers, Streams(after, only, self._retries), stop), stop)

    def _followed(self, path: str, headers: Mapping[str, str], streams: Streams, stop: Stop) -> Iterator[Any]:
        while not stop.asked.is_set():
            try:
                with self._stream(path, {**headers, **streams.begin()}) as stream:
                    stop.stream = stream
                    if not stream.headers.get("Content-Type", "").startswith(EVENT_STREAM):
                        streams.refused(stream.status, stream.headers.get("Retry-After", ""), stream.data)
                    else:
                        for chunk in stream:
                            if stop.asked.is_set():
                                return
                            yield from streams.read(chunk)
                    if streams.closed:
                        return
            except HTTPError as error:  # broken off, or silent for too long
                if not streams.again():
                    raise network_error(error) from error
            finally:
                stop.stream = None
            stop.asked.wait(streams.pause)

    def _stream(self, path: str, headers: Mapping[str, str]) -> BaseHTTPResponse:
        return self._pool.request(
            "GET",
            self._url + path,
            headers={**self._headers, **headers},
            preload_content=False,
            timeout=Timeout(connect=5, read=SILENCE),
            retries=False,  # urllib3's waits cannot be ended
        )


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


class Streams:
    """The streams of a session, one after the other, each from the last entry on: reads their server-sent events, and
    chooses what is passed on. The first is tried as often as a call; those after it, as long as it takes."""

    def __init__(self, after: int, only: str | None, retries: int) -> None:
        self.closed = False
        """Whether the session is."""
        self.pause = self._retry = 2.0
        """Seconds until the next stream."""
        self._after, self._only, self._granted = after, only, False
        self._tries = Tries(retries, SILENCE, None)

    def begin(self) -> dict[str, str]:
        """The headers that ask for the next stream, from the last entry on."""
        self._fields: dict[str, str] = {}
        self._rest, self.pause = b"", self._retry
        return {"Accept": EVENT_STREAM, "Last-Event-ID": str(self._after)}

    def refused(self, status: int, retry_after: str, body: bytes) -> None:
        """Raises the problem, unless the next stream may be granted, or the session that was followed is closed."""
        if status < 400:
            raise NetworkError(detail_of(status, body), status)
        if status in AGAIN and self.again(retry_after):
            return
        problem = problem_of(status, body)
        self.closed = self._granted and isinstance(problem, NotFound)
        if not self.closed:
            raise problem

    def again(self, retry_after: str = "") -> bool:
        """Whether there is another try, after `pause`."""
        if self._granted:
            self.pause = max(self.pause, Capped().parse_retry_after(retry_after))
            return True
        pause = self._tries.pause(retry_after)
        self.pause = pause or 0.0
        return pause is not None

    def read(self, chunk: bytes) -> Iterator[Any]:
        """What is passed on of a piece of the stream. Comments are left out, and an event without its empty line."""
        try:
            yield from self._read(chunk)
        except (ValueError, LookupError) as error:
            raise NetworkError("A stream that holds something else than events of the referee.", 200) from error

    def _read(self, chunk: bytes) -> Iterator[Any]:
        self._granted = True
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            if line:
                name, _, value = line.decode().rstrip("\r").partition(":")
                self._fields[name] = value.removeprefix(" ")
            else:
                yield from self._passed_on(self._fields)
                self._fields = {}

    def _passed_on(self, event: dict[str, str]) -> Iterator[Any]:
        name = event.get("event", "")
        self.closed = self.closed or name == "closed"
        if "retry" in event:
            self.pause = self._retry = int(event["retry"]) / 1000
        if name in TOLD:
            self._after = int(event.get("id", self._after))
            data = json.loads(event["data"])
            if self._only is None:
                yield name, data
            elif name == self._only:
                yield data
