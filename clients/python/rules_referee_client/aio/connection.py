"""One server, asked by asyncio: what is asked again, and how what happens there is followed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import suppress
from typing import Any, TypeAlias, TypeVar

import httpx2

from rules_referee_client.connection import AGAIN, KEPT, LONGEST, SILENCE, TOLD, Answer, Events
from rules_referee_client.problems import RefereeProblem, problem_of

T = TypeVar("T")
Following: TypeAlias = AsyncGenerator[T, None]
"""What happens in a session. To stop, cancel the task that waits for it, or call `aclose()`."""


class Connection:
    """Asks again, up to `retries` times, what broke off or was answered 429, 502, 503 or 504, after `Retry-After`."""

    def __init__(self, url: str, language: str | None, retries: int, timeout: float) -> None:
        self._retries = retries
        self._client = httpx2.AsyncClient(
            base_url=url.rstrip("/"),
            headers={} if language is None else {"Accept-Language": language},
            timeout=httpx2.Timeout(timeout, connect=5),
            limits=httpx2.Limits(max_keepalive_connections=KEPT),
        )

    async def ask(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """The answer; a RefereeProblem where there is none, an httpx2 TransportError where nobody answers."""
        sent = {"Accept": "application/json", **(headers or {})}
        content = None if body is None else json.dumps(body).encode()
        if content is not None:
            sent["Content-Type"] = "application/json"
        for attempt in range(self._retries):
            pause = 0.2 * 2**attempt
            with suppress(httpx2.TransportError):
                answer = await self._client.request(method, path, content=content, headers=sent)
                if answer.status_code not in AGAIN:
                    break
                after = answer.headers.get("Retry-After", "")
                pause = min(float(after), LONGEST) if after.isdecimal() else pause
            await asyncio.sleep(pause)
        else:
            answer = await self._client.request(method, path, content=content, headers=sent)
        if answer.status_code >= 400:
            raise problem_of(answer.status_code, answer.content)
        return Answer(answer.json() if answer.content else None, answer.headers.get("ETag"))

    async def close(self) -> None:
        """Close the connections that are kept."""
        await self._client.aclose()

    async def follow(
        self, path: str, headers: Mapping[str, str], after: int, only: str | None = None
    ) -> Following[Any]:
        """What happens after a version, over as many streams as it takes, until the session is closed: pairs of a name
        (`entry`, `incident`, `clock`) and its data, or the data alone of those named `only`."""
        pause = 2.0
        while True:
            try:
                async for event in self._events(path, {**headers, "Last-Event-ID": str(after)}):
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
            except httpx2.TransportError:
                pass  # broken off, or silent for too long: from the last entry on
            except RefereeProblem as problem:
                if problem.status not in AGAIN:
                    raise
            await asyncio.sleep(pause)

    async def _events(self, path: str, headers: Mapping[str, str]) -> AsyncIterator[dict[str, str]]:
        """The events of one stream."""
        sent = {"Accept": "text/event-stream", **headers}
        silence = httpx2.Timeout(SILENCE, connect=5)
        async with self._client.stream("GET", path, headers=sent, timeout=silence) as stream:
            if stream.status_code >= 400:
                raise problem_of(stream.status_code, await stream.aread())
            events = Events()
            async for chunk in stream.aiter_bytes():
                for event in events.read(chunk):
                    yield event
