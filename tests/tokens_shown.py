"""A law: no answer holds the token or the invite of another bearer than its own.

It is held over every answer that the service gives in the process of the tests, whatever test asks for it: every token
that is made is remembered, and every answer under `/sessions` is searched for them.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any, NamedTuple
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest
from werkzeug.wsgi import ClosingIterator

from service.http.middleware import Middleware
from service.sessions.tokens import MAC_BYTES, Bearer, Tokens

MAC = MAC_BYTES * 4 // 3  #: Letters of the part of a token that cannot be guessed.
RUN_OF_BASE64 = re.compile(rb"[A-Za-z0-9_-]{%d,}" % MAC)


class Owner(NamedTuple):
    """The session and the name of the bearer that a token is of. An invite's is `invite-0`."""

    session: str
    bearer: str


OWNERS: dict[bytes, Owner] = {}  #: Of every token that was made, by the part that cannot be guessed.


def owners_in(text: bytes) -> set[Owner]:
    """Return the owners of all tokens in a text, also of those of which only the secret part is there."""
    windows = (run[start : start + MAC] for run in RUN_OF_BASE64.findall(text) for start in range(len(run) - MAC + 1))
    return {OWNERS[window] for window in windows if window in OWNERS}


def _may_show(owner: Owner, environ: WSGIEnvironment, body: bytes) -> bool:
    """Return whether the answer to a request with this body may hold this owner's token."""
    _, _, session, *call = environ["PATH_INFO"].split("/")
    asker: str = environ.get("HTTP_AUTHORIZATION", "").partition(" ")[2].partition(".")[0]
    match call:
        case ["seats", seat]:  # the invite was sent in the body
            return owner == Owner(session, f"seat-{seat}")
        case ["tokens"]:
            seat = json.loads(body).get("seat") if asker == "host" else None
            return owner == Owner(session, asker if seat is None else f"seat-{seat}")
        case ["rematch"]:
            return bool(owner.session != session and owner.bearer == asker)
    return False


@contextmanager
def refuse_tokens_of_others() -> Iterator[None]:
    """Fail every request under `/sessions` whose answer holds a token of another. An opening gives out all."""
    make, answer = Tokens.token, Middleware.__call__

    def token_with_owner(self: Tokens, session: str, bearer: Bearer, generation: str, renewal: int = 0) -> str:
        token = make(self, session, bearer, generation, renewal)
        OWNERS[token.rpartition(".")[2].encode()] = Owner(session, bearer.name)
        return token

    def answer_without_tokens_of_others(
        self: Middleware, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        if not environ["PATH_INFO"].startswith("/sessions/"):
            return answer(self, environ, start_response)
        body = b""
        if environ["PATH_INFO"].endswith("/tokens"):
            body = environ["wsgi.input"].read()
            environ["wsgi.input"] = BytesIO(body)

        def check(part: bytes) -> None:
            for owner in owners_in(part):
                assert _may_show(owner, environ, body), f"{environ['PATH_INFO']} holds the token of {owner.bearer}"

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            check(repr(headers).encode())
            return start_response(status, headers, *more)

        def checked_parts(parts: Iterable[bytes]) -> Iterator[bytes]:
            for part in parts:
                check(part)
                yield part

        parts = answer(self, environ, start)
        return ClosingIterator(checked_parts(parts), getattr(parts, "close", None))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tokens, "token", token_with_owner)
        patch.setattr(Middleware, "__call__", answer_without_tokens_of_others)
        yield
