"""One server: how it is asked, what is asked again, and how what happens there is followed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from urllib3 import BaseHTTPResponse, PoolManager, Retry, Timeout
from urllib3.exceptions import HTTPError

from .problems import RefereeProblem, problem_of

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

    def follow(self, path: str, headers: Mapping[str, str], after: int) -> Iterator[tuple[str, Any]]:
        """What happens after a version, over as many streams as it takes, until the session is closed: pairs of a name
        (`entry`, `incident`, `clock`) and its data."""
        pause = 2.0
        while True:
            try:
                with self._stream(path, {**headers, "Last-Event-ID": str(after)}) as stream:
                    for event in events_in(stream):
                        if event.get("event") == "closed":
                            return
                        if "retry" in event:
                            pause = int(event["retry"]) / 1000
                        if event.get("event") in TOLD:
                            after = int(event.get("id", after))
                            yield event["event"], json.loads(event["data"])
            except HTTPError:
                pass  # broken off, or silent for too long: from the last entry on
            except RefereeProblem as problem:
                if problem.status not in AGAIN:
                    raise
            time.sleep(pause)

    def _stream(self, path: str, headers: Mapping[str, str]) -> BaseHTTPResponse:
        stream = self._pool.request(
            "GET",
            self._url + path,
            headers={"Accept": "text/event-stream", **self._headers, **headers},
            preload_content=False,
            timeout=Timeout(connect=5, read=SILENCE),
        )
        if stream.status >= 400:
            raise problem_of(stream.status, stream.data)
        return stream


def events_in(chunks: Iterable[bytes]) -> Iterator[dict[str, str]]:
    """Server-sent events, each as its fields; comments are left out, and what broke off before its empty line."""
    fields: dict[str, str] = {}
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line:
                name, _, value = line.decode().rstrip("\r").partition(":")
                if name:
                    fields[name] = value.removeprefix(" ")
            elif fields:
                yield fields
                fields = {}
