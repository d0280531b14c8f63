"""The service's own calls as a bare ASGI application: what a kept ASGI server would cost in place of our worker.

Stateless calls only, and nothing but their answers: no deadlines, no log, no turns between long calls.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from io import BytesIO
from typing import Any

from service.app import create_app
from service.config import Settings
from service.http.middleware import Middleware

FRONT = create_app(Settings(store_url=f"sqlite:///{os.devnull}/none")).wsgi_app
assert isinstance(FRONT, Middleware)


async def app(
    scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
) -> None:
    if scope["type"] != "http":
        return
    part = await receive()
    body = part["body"]
    while part.get("more_body"):
        part = await receive()
        body += part["body"]
    environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"],
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(body),
    }
    for name, value in scope["headers"]:
        key = name.decode("latin-1").upper().replace("-", "_")
        environ[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"] = value.decode("latin-1")
    begun: list[Any] = []

    def begin(status: str, headers: list[tuple[str, str]], *_: object) -> Callable[[bytes], object]:
        begun.extend((status, headers))
        return begun.append

    answer = b"".join(FRONT(environ, begin))
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in begun[1]]
    await send({"type": "http.response.start", "status": int(begun[0][:3]), "headers": headers})
    await send({"type": "http.response.body", "body": answer})
