"""A session's record and log entries, encoded as JSON for the store; and its seeds.

docs/fairness.md gives the algorithm of the seeds, with vectors and a verifier in another language.

In real time a session has an incident, a clock, or both. Engines know no time. An incident is a move to which several
seats may bring parts within a window. The session collects the parts, and makes the move once the window has closed.
When the clock has ended, the session makes the missing counts. A clock that the opening set binds: no count
is made before its end, and those of single seats are collected, so that nobody counts what another has counted already.
All times are of the store's clock, in ms.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple

import orjson

from service.contract.session_bodies import EncodedIncident, Rematch, RunningClock
from service.sessions.stores.protocol import StoreUnavailable
from service.sessions.tokens import Bearer, TokenClaim, everyone
from service.strict_json import Json

GRACE_MS = 5000  #: Milliseconds after the end of a clock in which a move may still arrive.


class Unreadable(StoreUnavailable):
    """What the store has of a session is damaged, or a version that this one does not follow has written it."""


@dataclass(frozen=True)
class SessionRecord:
    """A session without its log, and without its version, which the store counts.

    `setup`: the members of the opening's body that `/deal` takes, too. `ruleset`: as answers show it. `names`: of the
    players, if they have any. `commitments`, `seeds`: one for each seat in a joint deal, None until given; else empty.
    `state`: None until the cards are dealt. `moves`: how many the log has. `size`: bytes of the log and of its changes'
    stored responses. `spent`: the moves and bytes of each seat. `taken`: for each seat, whether its invite was
    used; empty without invites. `renewals`: how often a bearer's token was renewed, by the bearer's name. `rematch`:
    the `id` and the `generation` of the next table, the seat `by` which it was opened (None: the host), and the seats
    `seated` that have their token of it. `is_rematch`: whether this table was opened as a next one. `newer`: the
    members that only a newer version of the service knows. Each change writes them again as they were.

    For games in real time: `incident`: the `type` of the move whose parts are collected, the
    `parts`, each a list of entries, and when it `closes`. `idle`: the seats that may not open an incident now. `clock`:
    when it `ends`, and how long it `lasts`. `clock_seconds`: how long a clock lasts that binds; None: none does.
    `counted`: the counts of single seats that are collected, in the order in which the store took them.

    `testing`: whether it was opened for a test, with a table or a seed that was chosen, or for so many seconds
    (`expires_in`). `from_state`: whether with a table: then no deal led to it, and `setup` is what the table says.
    """

    game: str
    generation: str
    setup: Json
    ruleset: Json
    seats: int
    server_seed: str
    fair: Literal["committed", "joint"] = "committed"
    blind: bool = False
    public: bool = False
    names: list[str] | None = None
    commitments: Sequence[str | None] = ()
    seeds: Sequence[str | None] = ()
    deals: int = 0
    moves: int = 0
    size: int = 0
    spent: Sequence[Sequence[int]] = ()
    taken: list[bool] = field(default_factory=list)
    renewals: dict[str, int] = field(default_factory=dict)
    state: Json | None = None
    gather_ms: int | None = None
    incident: Json | None = None
    idle: list[int] = field(default_factory=list)
    clock: Json | None = None
    rematch: Json | None = None
    is_rematch: bool = False
    clock_seconds: int | None = None
    counted: Sequence[Json] = ()
    testing: bool = False
    expires_in: int | None = None
    from_state: bool = False
    newer: Json = field(default_factory=dict)

    @classmethod
    def read(cls, record: bytes) -> SessionRecord:
        """Decode a record from the store. Raises `Unreadable` if it is none."""
        try:
            members = orjson.loads(record)
            if not members.keys() <= MEMBERS:
                members["newer"] = {name: members.pop(name) for name in members.keys() - MEMBERS}
            return cls(**members)
        except (TypeError, ValueError, AttributeError) as error:
            raise Unreadable("what is stored is no session") from error

    def written(self) -> bytes:
        """Encode the record for the store."""
        members = {**self.__dict__, **self.newer}
        del members["newer"]
        return orjson.dumps(members)

    @property
    def awaited(self) -> list[int]:
        """The seats that a joint deal waits for: first for their commitments, and after all these for their seeds."""
        owed = self.commitments if None in self.commitments else self.seeds
        return [seat for seat, text in enumerate(owed) if text is None]

    def renewal(self, bearer: Bearer) -> int:
        """How often this bearer's token was renewed."""
        return self.renewals.get(bearer.name, 0)

    def honours(self, claim: TokenClaim) -> bool:
        """Whether the claim is of its bearer's latest token, and of this opening of the session."""
        return claim.generation == self.generation and claim.renewal == self.renewal(claim.bearer)

    def taking(self, seat: int | None) -> list[bool]:
        """`taken`, with this seat taken as well; None: as it is."""
        return [is_taken or number == seat for number, is_taken in enumerate(self.taken)]

    @property
    def next_table(self) -> Rematch | None:
        """The next table, as a session shows it."""
        table = self.rematch
        return None if table is None else Rematch(table["id"], table["by"], table["seated"])

    def running_incident(self, now: int) -> EncodedIncident | None:
        """The incident that is open, with its hands in the order in which the store took them; None if none is open.

        `now`: milliseconds of the store's clock.
        """
        if self.incident is None:
            return None
        hands = [entry for part in self.incident["parts"] for entry in part]
        return EncodedIncident(hands, _remaining(self.incident["closes"], self.gather_ms or 0, now))

    def running_clock(self, now: int) -> RunningClock | None:
        """The clock, if one was started."""
        clock = self.clock
        return None if clock is None else RunningClock(_remaining(clock["ends"], clock["lasts"], now))

    @property
    def all_counted(self) -> bool:
        """Whether the count of every seat is collected."""
        return len(self.counted) == self.seats

    def is_late(self, now: int) -> bool:
        """Whether no more moves are taken, because the clock ended a while ago."""
        clock = self.clock
        return clock is not None and not _remaining(clock["ends"] + GRACE_MS, clock["lasts"] + GRACE_MS, now)

    def is_due(self, now: int) -> bool:
        """Whether the session may have to make moves itself.

        The window has closed, the clock ended a while ago, or every seat has counted.
        """
        incident = self.running_incident(now)
        return self.is_late(now) or self.all_counted if incident is None else incident.closes_in_ms == 0

    def next_at(self, now: int) -> int | None:
        """The next time at which the session may change without a request; None: there is none."""
        if self.incident is not None:
            return int(self.incident["closes"])
        if self.all_counted:
            return now
        ends = [] if self.clock is None else [self.clock["ends"], self.clock["ends"] + GRACE_MS]
        return next((at for at in ends if at > now), None)


MEMBERS = {each.name for each in fields(SessionRecord)}


def _remaining(ends: int, lasts: int, now: int) -> int:
    """Milliseconds from `now` until the end of a window or a clock; 0 once that is past. `lasts`: the whole time.

    More can be left only if another clock has replaced the store's clock: a replica's, or one that began anew with the
    machine. Then the time counts as past, too.
    """
    left = ends - now
    return left if 0 < left <= lasts else 0


def may_be_public(written: bytes) -> bool:
    """Whether an encoded record may be of a public session.

    It takes next to no time, whatever the record holds. No text of a client has these bytes: JSON escapes its quotes.
    """
    return b'"public":true' in written


def marked(written: bytes) -> bytes:
    """A JSON object about a session of tests, with the member that says so before its own."""
    rest = written.lstrip()[1:]
    return b'{"testing":true' + (rest if rest == b"}" else b"," + rest)


class EntryView(NamedTuple):
    """A log entry as some bearers saw it. Events: [index of the move, rule, code, params]."""

    moves: Sequence[Json]
    events: Sequence[Sequence[Any]]


def entry_written(views: Sequence[EntryView], view_of: dict[str, int]) -> bytes:
    """Encode an entry for the store. `view_of`: the index of each bearer's view, by the bearer's name.

    Its members have the names that 0.1.0 gave them, because servers of 0.1.0 may use the same store. The next release
    will write `views` and `view_of`, which `entry_read` reads already.
    """
    return orjson.dumps({"faces": list(map(tuple, views)), "of": view_of})


def entry_without_moves(seats: int) -> bytes:
    """The entry for a commitment, a seed or a new token. It shows only that there was a change."""
    return entry_written([EntryView([], [])], {bearer.name: 0 for bearer in everyone(seats)})


def entry_read(entry: bytes, bearer: str) -> EntryView:
    """Decode one view of an entry from the store. `bearer`: the name of the bearer who had it."""
    try:
        members = orjson.loads(entry)
        views, view_of = ("views", "view_of") if "views" in members else ("faces", "of")
        return EntryView(*members[views][members[view_of][bearer]])
    except (TypeError, ValueError, LookupError) as error:
        raise Unreadable("what is stored is no entry of a log") from error


def server_seed() -> str:
    """256 random bits, in hex. This text is hashed for the commitment, and is the key of every deal."""
    return secrets.token_hex(32)


def deal_seed(server: str, clients: Sequence[str], number: int) -> str:
    """The seed of a session's deal `number`, counted from 1. `clients`: the seats' seeds, in the order of the seats."""
    message = json.dumps([*clients, number], ensure_ascii=False, separators=(",", ":"))
    return hmac.digest(server.encode(), message.encode(), "sha256").hex()
