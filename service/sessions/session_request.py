"""A request on a session, as `service/http/session_routes.py` reads it from HTTP, and the moves in its body."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

from service import strict_json
from service.bounds import LONGEST_KEY, SHORTEST_SECRET_KEY
from service.contract import Invalid
from service.contract.codec import Codec
from service.contract.of_game import AnyEngine, drawn_members
from service.contract.session_bodies import moves_codec
from service.sessions.outcomes import DoesNotFit, Outcome, Refused
from service.sessions.stores.protocol import StoredResponse
from service.sessions.tokens import SPECTATOR, Bearer, TokenClaim
from service.words.phrases import phrase

T = TypeVar("T")
GIVES_TOKENS = {"open", "tokens", "seats", "rematch"}
"""A client that guesses the key of such a call gets the token in its answer."""


class RequestKey(NamedTuple):
    """The idempotency key of a request.

    `name`: its name in the store, different for each bearer. `fingerprint`: equal for requests with the same call and
    equal bodies, however the JSON is written. `encode`: encodes an outcome as it is to be stored.
    """

    name: str
    fingerprint: str
    encode: Callable[[Outcome], bytes]

    @classmethod
    def of(
        cls, key: str | None, bearer: Bearer, call: str, body: object, encode: Callable[[Outcome], bytes]
    ) -> RequestKey | None:
        """The key of a request, if it has one; raises `DoesNotFit` for a key that is too short or too long."""
        if key is None:
            return None
        least = SHORTEST_SECRET_KEY if call in GIVES_TOKENS else 1
        if not least <= len(key) <= LONGEST_KEY:
            raise DoesNotFit.in_parameter("Idempotency-Key", phrase("key-length", least=least, most=LONGEST_KEY))
        return cls(
            key_name(bearer, key), sha256(call.encode() + b"\n" + strict_json.canonical(body)).hexdigest(), encode
        )


def key_name(bearer: Bearer, key: str) -> str:
    """The name in the store of a bearer's idempotency key."""
    return sha256(f"{bearer.name}\n{key}".encode()).hexdigest()


class SessionRequest(NamedTuple):
    """A request on a session.

    `claim`: None without a token. `language_in`: the language of the answer, by the game of the session. `call`: the
    kind of change, such as `moves`. `if_match`: the tags of `If-Match`, without quotes. `after`, `last_event_id`: as
    they were sent. `client`: its address, under which its openings and streams count.
    `on_testing`: called once the session turns out to be one of tests, so that its answer says so.
    """

    session: str
    claim: TokenClaim | None
    language_in: Callable[[str], str]
    call: str = ""
    body: Any = None
    key: RequestKey | None = None
    if_match: frozenset[str] | None = None
    after: str | None = None
    last_event_id: str | None = None
    ticket: str | None = None
    client: str = ""
    on_testing: Callable[[], object] = lambda: None

    @property
    def bearer(self) -> Bearer:
        """The bearer of its token; a spectator without one."""
        return SPECTATOR if self.claim is None else self.claim.bearer

    @property
    def key_name(self) -> str | None:
        """The name of its idempotency key in the store."""
        return None if self.key is None else self.key.name

    def stored_response(self, outcome: Outcome) -> StoredResponse | None:
        """The response to store under the request's key; None without a key."""
        key = self.key
        return None if key is None else StoredResponse(key.name, key.fingerprint, key.encode(outcome))

    def repeats(self, response: StoredResponse | None) -> bool:
        """Whether the response stored under the request's key was stored for the same request."""
        return self.key is not None and response is not None and response.fingerprint == self.key.fingerprint

    def replayed(self, response: StoredResponse) -> StoredResponse:
        """The response stored under the request's key; refuses if it was stored for another request."""
        if not self.repeats(response):
            raise Refused("idempotency-key-reused", phrase("other-body"))
        return response


def read(codec: Codec[T], body: object) -> T:
    """The body of a request, decoded; raises `DoesNotFit`."""
    try:
        return codec.load(body)
    except Invalid as error:
        raise DoesNotFit(error) from None


def moves_of(engine: AnyEngine, body: object) -> Sequence[object]:
    """The moves of a request; raises `DoesNotFit` with all errors.

    A move that gives the result of chance is an error, because the session draws.
    """
    drawn = list(_drawn_in(engine, body))
    try:
        moves = moves_codec(engine).load(body).moves
    except Invalid as error:
        raise DoesNotFit(Invalid(error.errors + drawn, more=error.more)) from None
    if drawn:
        raise DoesNotFit(Invalid(drawn))
    return moves


def _drawn_in(engine: AnyEngine, body: object) -> Iterator[Any]:
    """An error for each place where a move gives what the session draws itself."""
    drawn = drawn_members(engine)
    moves = body.get("moves") if isinstance(body, dict) else None
    for place, move in enumerate(moves if isinstance(moves, list) else ()):
        if not isinstance(move, dict) or not isinstance(move.get("type"), str):  # the schema refuses it
            continue
        for name in drawn.get(move["type"], ()):
            if move.get(name) is not None:
                yield {"pointer": f"/moves/{place}/{name}", "detail": phrase("table-draws")}
