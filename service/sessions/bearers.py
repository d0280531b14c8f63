"""What every call on a session needs: who asks, and the session as it is. No handler of sessions knows Flask."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

from engines.core.shuffle import commitment
from service.config import Settings
from service.sessions.events import Feed
from service.sessions.record import Record
from service.sessions.stores.by_url import open_store
from service.sessions.stores.protocol import Answer, Store, StoreUnavailable
from service.sessions.table import Table
from service.sessions.tokens import SPECTATOR, Bearer, Tokens
from service.web.http import Environ, json_body, language
from service.web.problems import Problem
from service.web.strict_json import Json

PATIENCE = 2.0
"""Seconds that a change waits for its turn: a crowd at one table is no store that is away."""
REMEMBERED = 512
"""Sessions that a worker remembers."""
TURNS = 1024
NAME = re.compile(r"[0-9a-f]{32}", re.ASCII)


class Unauthorized(Problem):
    """Missing, forged or another session's token: one answer for all, wherever it was sent."""

    def __init__(self) -> None:
        detail = "Send the token of a seat or of the host of this session, as Authorization: Bearer …"
        super().__init__("unauthorized", detail, {"WWW-Authenticate": "Bearer"})

    def document(self, instance: str) -> Json:
        """Without the session's name: the answer is the same whether there is such a session."""
        return super().document("/sessions")


class Claim(NamedTuple):
    """What a genuine token says."""

    bearer: Bearer
    generation: str


class Found(NamedTuple):
    """A session as a request found it, and who asks."""

    name: str
    bearer: Bearer
    version: int
    table: Table
    answer: Answer | None = None

    @property
    def record(self) -> Record:
        return self.table.record

    @property
    def tag(self) -> str:
        """The ETag, unquoted."""
        return tag(self.version, self.bearer, self.record)

    def document(self) -> Json:
        """The table as the bearer may see it."""
        return document(self.name, self.version, self.table, self.bearer)


class Turn:
    """A session's changes in this worker, one after the other. A few sessions may share a turn."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(timeout=PATIENCE):
            raise StoreUnavailable("the session is busy")

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class Sessions:
    """What the calls share in one process: the store, the tokens, and who listens."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.lifetime = settings.session_hours * 3600
        self.store: Store = open_store(settings.store_url)
        self.tokens = Tokens(settings.token_keys, lambda: self.store)
        self.feed = Feed(self.store)
        self._turns = [Turn() for _ in range(TURNS)]
        self._running: set[str] = set()
        self._remembered: OrderedDict[str, tuple[int, Table]] = OrderedDict()

    def ready(self) -> bool:
        """The store can be read and written."""
        try:
            self.store.ping()
        except StoreUnavailable:
            return False
        return True

    def body(self, environ: Environ) -> Any:
        """The request's body."""
        return json_body(environ, self.settings.body_limit)

    def claim(self, environ: Environ, name: str) -> Claim | None:
        """What the request's token says; None without one. A token that is not genuine is refused."""
        header = environ.get("HTTP_AUTHORIZATION")
        if header is None:
            return None
        scheme, _, token = header.partition(" ")
        read = self.tokens.read(token.strip(), name) if scheme.lower() == "bearer" else None
        if read is None:
            raise Unauthorized
        return Claim(*read)

    def with_token(self, environ: Environ, name: str) -> Claim:
        """As `claim`, where there is nothing to be had without a token."""
        claim = self.claim(environ, name)
        if claim is None:
            raise Unauthorized
        return claim

    def find(self, environ: Environ, name: str, claim: Claim | None, key: str | None = None) -> Found:
        """The session of a name; a spectator finds public ones only."""
        if not NAME.fullmatch(name):
            raise Unauthorized
        kept = self.store.read(name, key)
        if kept is None:
            raise Unauthorized if claim is None else gone()
        record = Record.read(kept.head)
        if claim is None and not record.public:
            raise Unauthorized
        if claim is not None and claim.generation != record.generation:
            raise gone()
        table = Table.of(record, language(environ))
        return Found(name, claim.bearer if claim else SPECTATOR, kept.version, table, kept.answer)

    def guess(self, environ: Environ, name: str, claim: Claim) -> Found | None:
        """The session as this worker last wrote it. Good for a change, which the store makes only if it still is so."""
        version, table = self._remembered.get(name, (0, None))
        if table is None or table.record.generation != claim.generation:
            return None
        return Found(name, claim.bearer, version, table.spoken(language(environ)))

    def remember(self, name: str, version: int, table: Table) -> None:
        """Keep what was written; the least recently written is forgotten first."""
        self._remembered.pop(name, None)
        self._remembered[name] = version, table
        if len(self._remembered) > REMEMBERED:
            self._remembered.popitem(last=False)

    def look(self, environ: Environ, name: str) -> Found:
        """The session as whoever asks may read it."""
        return self.find(environ, name, self.claim(environ, name))

    def turn(self, name: str, key: str | None) -> AbstractContextManager[None]:
        """The session's turn, to be waited for. `key`: the request's; its double is refused meanwhile."""
        turn = self._turns[hash(name) % TURNS]
        return turn if key is None else self._running_once(turn, f"{name} {key}")

    @contextmanager
    def _running_once(self, turn: Turn, request: str) -> Iterator[None]:
        if request in self._running:
            raise Problem("request-in-progress", "This request is still running.", {"Retry-After": "1"})
        self._running.add(request)
        try:
            with turn:
                yield
        finally:
            self._running.discard(request)


def document(name: str, version: int, table: Table, bearer: Bearer) -> Json:
    """A session as a bearer may see it."""
    return {
        "id": name,
        "game": table.record.game,
        "ruleset": table.record.ruleset,
        "version": version,
        "commitment": commitment(table.record.server_seed),
        **table.document(bearer),
    }


def tag(version: int, bearer: Bearer, record: Record) -> str:
    """What the ETag of a bearer's answers holds. With the generation: a name may be opened again under its key."""
    return f"{version}-{bearer.name}-{record.generation}"


def gone() -> Problem:
    """For a genuine token only."""
    return Problem("not-found", "This session was deleted, or has expired.")


def refused(pointer: str, detail: str) -> Problem:
    """One thing that does not fit."""
    return Problem("invalid-request", detail, errors=[{"pointer": pointer, "detail": detail}])
