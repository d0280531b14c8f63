"""The calls of one game, and a table that the service keeps. `games.py` fills in the types of each game."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, Literal, Self, TypeAlias, TypeVar, cast
from urllib.parse import quote

from rules_referee_client import models
from rules_referee_client.aio.connection import Connection, Following
from rules_referee_client.problems import NotFound

# bodies and answers of the calls, generated: make clients
ResolveBody = TypeVar("ResolveBody")
Resolution = TypeVar("Resolution")
ValidateBody = TypeVar("ValidateBody")
Judgement = TypeVar("Judgement")
LegalMovesBody = TypeVar("LegalMovesBody")
LegalMoves = TypeVar("LegalMoves")
AuditBody = TypeVar("AuditBody")
Audit = TypeVar("Audit")
ViewBody = TypeVar("ViewBody")
View = TypeVar("View")
DealBody = TypeVar("DealBody")
Opening = TypeVar("Opening")
# end of bodies and answers of the calls
SessionRequest = TypeVar("SessionRequest")
SessionOpened = TypeVar("SessionOpened")
Session = TypeVar("Session")
Move = TypeVar("Move")
Moved = TypeVar("Moved")
Log = TypeVar("Log")
Entry = TypeVar("Entry")
Transcript = TypeVar("Transcript")

Live: TypeAlias = (
    tuple[Literal["entry"], Entry]
    | tuple[Literal["incident"], models.Incident]
    | tuple[Literal["clock"], models.RunningClock]
)
"""What `live` tells of."""


def fresh_key() -> str:
    """A secret under which a change that is sent again is made once."""
    return secrets.token_urlsafe(24)


def path_of(*parts: object) -> str:
    """The path with these parts, each of them escaped."""
    return "".join(f"/{quote(str(part), safe='')}" for part in parts)


def session_path(session_id: str, *parts: object) -> str:
    """The path of a part of a session. Raises a ValueError for a text that is no id of a session."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,128}", session_id):
        raise ValueError(f"{session_id!r} is no id of a session")
    return path_of("sessions", session_id, *parts)


class Table(Generic[Session, LegalMoves, Move, Moved, Log, Entry, Transcript]):
    """A session as one bearer sees it and acts in it. Without a token: as a spectator of a public one."""

    def __init__(self, connection: Connection, session_id: str, token: str | None) -> None:
        session_path(session_id)
        self._connection = connection
        self.id = session_id
        self.token = token
        self.etag: str | None = None
        """The version of the table that was read last, for `if_match`."""

    async def read(self, *, legal_moves: bool = False, deadline: float | None = None) -> Session:
        """The table as it is. `legal_moves`: with what the bearer may do now, in the member of this name."""
        query = "?legal_moves=true" if legal_moves else ""
        answer = await self._connection.ask("GET", f"{self._path()}{query}", headers=self._bearer(), deadline=deadline)
        self.etag = answer.etag
        return cast("Session", answer.body)

    async def legal_moves(self, *, deadline: float | None = None) -> LegalMoves:
        """What the bearer may do now."""
        return cast("LegalMoves", await self._read("legal-moves", deadline=deadline))

    async def move(
        self, *moves: Move, if_match: str | None = None, key: str | None = None, deadline: float | None = None
    ) -> Moved:
        """Makes all of the moves or none, once however often it is sent. `key`: stored to send the same again."""
        return cast("Moved", await self._change("moves", {"moves": moves}, if_match, key, deadline=deadline))

    async def bring(
        self, part: Move, *, if_match: str | None = None, key: str | None = None, deadline: float | None = None
    ) -> models.Joined:
        """In a session that gathers hands: a claim with hands, which join the incident."""
        return cast("models.Joined", await self._change("moves", {"moves": [part]}, if_match, key, deadline=deadline))

    async def start_clock(self, seconds: int | None = None, *, deadline: float | None = None) -> Session:
        """Where players count when the time is up: starts the clock. `seconds`: left out if the session has
        `clock_seconds`, else needed."""
        return cast(
            "Session", await self._change("clock", {} if seconds is None else {"seconds": seconds}, deadline=deadline)
        )

    async def count(
        self, count: Move, *, if_match: str | None = None, key: str | None = None, deadline: float | None = None
    ) -> models.Counted:
        """In a timed session with `clock_seconds`, after its clock: a seat's count. All are settled together."""
        return cast("models.Counted", await self._change("moves", {"moves": [count]}, if_match, key, deadline=deadline))

    async def commit(self, commitment: str, *, deadline: float | None = None) -> Session:
        """In a joint deal: the SHA-256, in hex, of the seed that this seat will give."""
        return cast("Session", await self._change("commitments", {"commitment": commitment}, deadline=deadline))

    async def give_seed(self, seed: str, *, deadline: float | None = None) -> Session:
        """In a joint deal, once all have committed: that seed."""
        return cast("Session", await self._change("seeds", {"seed": seed}, deadline=deadline))

    async def renew_token(self, seat: int | None = None, *, deadline: float | None = None) -> str:
        """A new token for the bearer, taken from now on, or, for the host to give, for a seat; the old one is void."""
        answer = await self._change("tokens", {} if seat is None else {"seat": seat}, deadline=deadline)
        token = str(answer["token"])
        if seat is None:
            self.token = token
        return token

    async def rematch(self, *, deadline: float | None = None) -> Self:
        """Once the game is over: this bearer's place at the next table, which the first to call opens."""
        answer = await self._change("rematch", None, deadline=deadline)
        return type(self)(self._connection, answer["id"], answer["token"])

    async def log(self, after: int = 0, *, deadline: float | None = None) -> Log:
        """A page of the log after a version; `next` is the `after` of the next page."""
        return cast("Log", await self._read("moves", after, deadline))

    def events(self, after: int = 0) -> Following[Entry]:
        """The log after a version as it grows, until the session or the iterator is closed. It waits for each entry,
        and comes back by itself when the stream breaks off."""
        return self._connection.follow(self._path("events"), self._bearer(), after, only="entry")

    def live(self, after: int = 0) -> Following[Live[Entry]]:
        """As `events`, with the hands of an incident as they fall, and the start and the end of the clock."""
        return self._connection.follow(self._path("events"), self._bearer(), after)

    async def transcript(self, after: int = 0, *, deadline: float | None = None) -> Transcript:
        """A page of the whole game; of a game that is not over, for a host who sees all."""
        return cast("Transcript", await self._read("transcript", after, deadline))

    async def take_ticket(self, *, deadline: float | None = None) -> models.Ticket:
        """A ticket, which opens one stream for what can send no token, such as the `EventSource` of a page."""
        answer = await self._connection.ask("POST", self._path("tickets"), headers=self._bearer(), deadline=deadline)
        return cast("models.Ticket", answer.body)

    async def close(self, *, deadline: float | None = None) -> None:
        """Forgets the session; the host's to do."""
        with suppress(NotFound):  # it is forgotten, perhaps by this call, whose answer was lost
            await self._connection.ask("DELETE", self._path(), headers=self._bearer(), deadline=deadline)

    async def _read(self, what: str, after: int | None = None, deadline: float | None = None) -> Any:
        query = "" if after is None else f"?after={quote(str(after), safe='')}"
        answer = await self._connection.ask("GET", self._path(what) + query, headers=self._bearer(), deadline=deadline)
        return answer.body

    async def _change(
        self, what: str, body: object, if_match: str | None = None, key: str | None = None, *, deadline: float | None
    ) -> Any:
        headers = {**self._bearer(), "Idempotency-Key": key or fresh_key()}
        if if_match is not None:
            headers["If-Match"] = if_match
        answer = await self._connection.ask("POST", self._path(what), body, headers, deadline)
        return answer.body

    def _path(self, *parts: str) -> str:
        return session_path(self.id, *parts)

    def _bearer(self) -> dict[str, str]:
        return {} if self.token is None else {"Authorization": f"Bearer {self.token}"}


@dataclass(frozen=True)
class Opened(Generic[SessionOpened, Session, LegalMoves, Move, Moved, Log, Entry, Transcript]):
    """A session that was opened. `seats` is empty where they are taken by invite."""

    answer: SessionOpened
    host: Table[Session, LegalMoves, Move, Moved, Log, Entry, Transcript]
    seats: list[Table[Session, LegalMoves, Move, Moved, Log, Entry, Transcript]]


class Game(
    Generic[
        # type parameters of the calls, generated: make clients
        ResolveBody,
        Resolution,
        ValidateBody,
        Judgement,
        LegalMovesBody,
        LegalMoves,
        AuditBody,
        Audit,
        ViewBody,
        View,
        DealBody,
        Opening,
        # end of type parameters of the calls
        SessionRequest,
        SessionOpened,
        Session,
        Move,
        Moved,
        Log,
        Entry,
        Transcript,
    ]
):
    """The calls for one game."""

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection = connection
        self.name = name

    # the calls, generated: make clients

    async def resolve(self, body: ResolveBody, *, deadline: float | None = None) -> Resolution:
        """Apply moves to a table."""
        return cast("Resolution", await self._post("resolve", body, deadline))

    async def validate(self, body: ValidateBody, *, deadline: float | None = None) -> Judgement:
        """Judge one move."""
        return cast("Judgement", await self._post("validate", body, deadline))

    async def legal_moves(self, body: LegalMovesBody, *, deadline: float | None = None) -> LegalMoves:
        """List the moves that may be made."""
        return cast("LegalMoves", await self._post("legal-moves", body, deadline))

    async def audit(self, body: AuditBody, *, deadline: float | None = None) -> Audit:
        """Find every contradiction in a table."""
        return cast("Audit", await self._post("audit", body, deadline))

    async def view(self, body: ViewBody, *, deadline: float | None = None) -> View:
        """See a table as one seat sees it."""
        return cast("View", await self._post("view", body, deadline))

    async def deal(self, body: DealBody, *, deadline: float | None = None) -> Opening:
        """Deal a game."""
        return cast("Opening", await self._post("deal", body, deadline))

    # end of the calls

    async def about(self, *, deadline: float | None = None) -> models.Game:
        """What the game is: seats, rulesets, options, moves, rulings, cards, each with its words."""
        answer = await self._connection.ask("GET", path_of("games", self.name), deadline=deadline)
        return cast("models.Game", answer.body)

    async def rulebook(self, *, deadline: float | None = None) -> models.Rulebook:
        """Every clause."""
        answer = await self._connection.ask("GET", path_of("games", self.name, "rulebook"), deadline=deadline)
        return cast("models.Rulebook", answer.body)

    async def open(
        self, body: SessionRequest, *, key: str | None = None, deadline: float | None = None
    ) -> Opened[SessionOpened, Session, LegalMoves, Move, Moved, Log, Entry, Transcript]:
        """A table that the service keeps. `key`: a secret, kept to ask for the same session again later."""
        headers = {"Idempotency-Key": key or fresh_key()}
        answer = await self._connection.ask("POST", "/sessions", body, headers, deadline)
        opened, tokens = answer.body, answer.body["tokens"]
        seats = [self.at(opened["id"], token) for token in tokens.get("seats", ())]
        return Opened(opened, self.at(opened["id"], tokens["host"]), seats)

    async def join(
        self, session_id: str, seat: int, invite: str, *, key: str | None = None, deadline: float | None = None
    ) -> Table[Session, LegalMoves, Move, Moved, Log, Entry, Transcript]:
        """The seat that an invite is for. `key`: a secret, kept to be given the same token again later."""
        path = session_path(session_id, "seats", seat)
        answer = await self._connection.ask(
            "POST", path, {"invite": invite}, {"Idempotency-Key": key or fresh_key()}, deadline
        )
        return self.at(session_id, answer.body["token"])

    def at(
        self, session_id: str, token: str | None = None
    ) -> Table[Session, LegalMoves, Move, Moved, Log, Entry, Transcript]:
        """A session that is open already."""
        return Table(self._connection, session_id, token)

    async def _post(self, call: str, body: object, deadline: float | None) -> Any:
        answer = await self._connection.ask("POST", path_of("games", self.name, call), body, deadline=deadline)
        return answer.body


class Server:
    """The calls that are for all games."""

    def __init__(self, url: str, language: str | None, retries: int, timeout: float, deadline: float | None) -> None:
        self.connection = Connection(url, language, retries, timeout, deadline)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the open connections; `async with Referee(url) as referee:` does it at the end."""
        await self.connection.close()

    async def games(self, *, deadline: float | None = None) -> list[models.GameSummary]:
        """Every game that is refereed there."""
        answer = await self.connection.ask("GET", "/games", deadline=deadline)
        return cast("models.Games", answer.body)["games"]

    async def problem(self, slug: str, *, deadline: float | None = None) -> models.ProblemKind:
        """What a kind of problem means."""
        answer = await self.connection.ask("GET", path_of("problems", slug), deadline=deadline)
        return cast("models.ProblemKind", answer.body)

    async def batch(
        self, requests: Iterable[models.BatchEntry], *, deadline: float | None = None
    ) -> list[models.BatchAnswer]:
        """Up to 1,000 stateless calls in one, each judged alone; a `body` is a problem where its `status` says so."""
        answer = await self.connection.ask("POST", "/batch", {"requests": list(requests)}, deadline=deadline)
        return cast("models.BatchAnswers", answer.body)["responses"]
