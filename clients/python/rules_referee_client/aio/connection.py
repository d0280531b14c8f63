"""One server, by asyncio: how requests are sent, which are sent again, and how a stream of events is read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeAlias, TypeVar

import httpx2

from rules_referee_client.connection import EVENT_STREAM, KEPT, SILENCE, Answer, Streams, Tries, encoded
from rules_referee_client.problems import body_of, network_error

T = TypeVar("T")
Following: TypeAlias = AsyncGenerator[T, None]
"""What happens in a session. To stop, cancel the task that waits for it, or call `aclose()`."""


class Connection:
    """Sends a call again, up to `retries` times, after `Retry-After`: one that broke off, or was answered 429, 502,
    503, 504, or 409 `request-in-progress` (a call that broke off still runs)."""

    def __init__(self, url: str, language: str | None, retries: int, timeout: float, deadline: float | None) -> None:
        self._retries, self._timeout, self._deadline = retries, timeout, deadline
        self._client = httpx2.AsyncClient(
            base_url=url.rstrip("/"),
            headers={} if language is None else {"Accept-Language": language},
            timeout=httpx2.Timeout(timeout, connect=5),
            limits=httpx2.Limits(max_keepalive_connections=KEPT),
        )

    async def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        deadline: float | None = None,
    ) -> Answer:
        """The answer; a RefereeProblem where it is refused, a NetworkError where there is none. `deadline`: instead of
        the connection's."""
        content, sent = encoded(body, headers)
        tries = Tries(self._retries, self._timeout, self._deadline if deadline is None else deadline)
        while True:
            try:
                async with asyncio.timeout(tries.seconds()):
                    answer = await self._client.request(method, path, content=content, headers=sent)
            except (httpx2.HTTPError, TimeoutError) as error:
                pause = tries.pause()
                if pause is None:
                    raise network_error(error) from error
            else:
                retry_after = answer.headers.get("Retry-After", "")
                pause = tries.pause_after(answer.status_code, answer.content, retry_after)
                if pause is None:
                    return Answer(body_of(answer.status_code, answer.content), answer.headers.get("ETag"))
            await asyncio.sleep(pause)

    async def close(self) -> None:
        """Close the open connections."""
        await self._client.aclose()

    async def follow(
        self, path: str, headers: Mapping[str, str], after: int, only: str | None = None
    ) -> Following[Any]:
        """What happens after a version, over as many streams as it takes, until the session is closed: pairs of a name
        (`entry`, `incident`, `clock`) and its data, or the data alone of those named `only`."""
        streams = Streams(after, only, self._retries)
        while True:
            try:
                async with self._stream(path, {**headers, **streams.begin()}) as stream:
                    if not stream.headers.get("Content-Type", "").startswith(EVENT_STREAM):
                        retry_after = stream.headers.get("Retry-After", "")
                        streams.refused(stream.status_code, retry_after, await stream.aread())
                    else:
                        async for chunk in stream.aiter_bytes():
                            for told in streams.read(chunk):
                                yield told
                            if streams.closed:
                                return
                    if streams.closed:
                        return
            except httpx2.HTTPError as error:  # broken off, or silent for too long
                if not streams.again():
                    raise network_error(error) from error
            await asyncio.sleep(streams.pause)

    def _stream(self, path: str, headers: Mapping[str, str]) -> AbstractAsyncContextManager[httpx2.Response]:
        return self._client.stream("GET", path, headers=headers, timeout=httpx2.Timeout(SILENCE, connect=5))
