"""A session's table: what each bearer sees of it, and how a bearer's moves change it. Nothing here uses the store."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache
from itertools import repeat
from typing import Any, NamedTuple, TypeAlias

import engines
from engines.core import judge as core
from engines.core.engine import Resolution
from engines.core.gathering import entries, joined, judge_part
from engines.core.records import changed
from engines.core.rulings import Violation
from engines.core.shuffle import commitment
from service import strict_json
from service.bounds import LISTED
from service.contract import Invalid, codecs
from service.contract.answers import EncodedEvent, LegalMoves, Listing, RulesetUsed
from service.contract.of_game import AnyEngine
from service.contract.placeholders import WithSetup
from service.contract.session_bodies import EncodedEntry, EncodedMoved, EncodedSession, SessionDeal, Transcript
from service.judging.referee import Referee
from service.judging.sentences import sentences
from service.sessions.outcomes import Illegal
from service.sessions.record import (
    EntryView,
    SessionRecord,
    Unreadable,
    deal_seed,
    entry_read,
    entry_without_moves,
    entry_written,
)
from service.sessions.stores.protocol import StoredResponse
from service.sessions.tokens import HOST, SPECTATOR, Bearer, everyone
from service.strict_json import Json
from service.words.phrases import phrase
from service.words.wording import NAMELESS

State: TypeAlias = Any  #: The state of any game.


class Table:
    """The table in a session's record, refereed in one language."""

    def __init__(self, referee: Referee[Any], record: SessionRecord, state: State = None) -> None:
        """`state`: the record's, decoded; None: it is decoded here."""
        self.engine = referee.engine
        self.record = record
        self.referee = referee
        dealt = state is None and record.state is not None
        self.state = codecs(self.engine).stored_state(record.state) if dealt else state

    @classmethod
    def of(cls, record: SessionRecord, language: str) -> Table:
        """The table of a record. Raises `Unreadable` if the record holds no table."""
        try:
            return cls(Referee(engines.registry()[record.game], language, record.names), record)
        except (LookupError, TypeError, Invalid) as error:
            raise Unreadable("what is stored is no table") from error

    @classmethod
    def dealt(cls, referee: Referee[Any], body: WithSetup, seed: str, **members: Any) -> Table:
        """The table of a session whose cards are dealt from a seed. `members`: what else its record has."""
        return cls.begun(referee, referee.opening(body, seed), deals=1, **members)

    @classmethod
    def begun(cls, referee: Referee[Any], state: State, **members: Any) -> Table:
        """The table of a session that begins with this state. `members`: what else its record has."""
        record = SessionRecord(
            game=referee.engine.game,
            ruleset=vars(referee.ruleset(state.ruleset)).copy(),
            seats=referee.engine.seats_of(state),
            state=_encoded(referee, state),
            **members,
        )
        return cls(referee, record, state)

    def in_language(self, language: str) -> Table:
        """The same table, refereed in this language."""
        same = language == self.referee.language
        return self if same else Table(replace(self.referee, language=language), self.record, self.state)

    @property
    def over(self) -> bool:
        """The game has ended."""
        return self.state is not None and self.engine.result(self.state) is not None

    def shown(self, bearer: Bearer) -> Json:
        """The state as a bearer may see it, and the members of a session that follow from this view.

        Before a joint deal, `to_act` says who owes a commitment or a seed.
        """
        if self.state is None:
            return {"state": None, "to_act": self.record.awaited, "standings": [], "result": None}
        return self._shown(self._seen(self.state, bearer))

    def legal_moves(self, bearer: Bearer) -> LegalMoves:
        """A bearer's legal moves, with what else `/legal-moves` says of the table."""
        ruleset = RulesetUsed(**self.record.ruleset)
        to_act: Sequence[int | None] = self.record.awaited
        if self.state is not None:
            to_act = self.engine.to_act(self._seen(self.state, bearer))
        return LegalMoves(self.engine.game, ruleset, to_act, **vars(self.listing(bearer)))

    def listing(self, bearer: Bearer) -> Listing:
        """A bearer's legal moves, judged on what it sees. A host that sees all has the moves of all seats.

        A count is listed without groups: finding them is the game.
        """
        if self.state is None:
            return Listing([], complete=True)
        seen = self._seen(self.state, bearer)
        if bearer == HOST:
            listing = self.referee.listing(seen, None, every=self._viewpoint(bearer) == HOST, counts=False)
        else:
            listing = self.referee.listing_of(seen, bearer.seat, counts=False)
        for each in listing.moves:
            if each.move["type"] == self.engine.deal_name:
                each.facts = {}  # the service draws: no deal takes a seed or a deck here
        return listing

    def moved(self, bearer: Bearer, moves: Sequence[object], version: int) -> tuple[Table, bytes, EncodedMoved]:
        """Make all the moves, which lead to this version; raises `Illegal` if one of them is not legal.

        Returns the table after them, their log entry, and the answer as their bearer sees it.

        The move of a bearer that does not see all is judged on that bearer's view first. If it is illegal there, it is
        refused before the hidden cards are looked at. So neither the refusal nor its time tells anything hidden.
        """
        if self.state is None:
            raise Illegal(self.engine.game, phrase("seeds-first"), [])
        sees_all = self._viewpoint(bearer) == HOST
        if not sees_all:
            (move,) = moves
            if violations := core.judge(self.engine, self._seen(self.state, bearer), move).violations:
                raise self._illegal(violations, 0)
        drawn, deals = self._with_seeds(moves)
        resolution = core.resolve(self.engine, self.state, drawn)
        if resolution.violations:
            # A law of all games: what is legal on a bearer's view is legal. So only a host that sees all comes here. If
            # the law were broken, the bearer still must not see these violations.
            raise self._illegal(resolution.violations if sees_all else (), resolution.applied)
        assert resolution.undetermined is None, "a session's table is wholly known"
        entry = self._entry(moves, resolution)
        shown = resolution if sees_all else core.seen(self.engine, resolution, self._viewpoint(bearer).seat)
        seen = self.referee.resolution(shown.state.ruleset, drawn, shown)
        seen.state = _without_printed(seen.state, shown.state, self.engine)
        answer = EncodedMoved(**vars(seen), version=version)
        record = self.record
        idle = record.idle if record.idle and self._only_gathered(moves) else []
        state = seen.state if sees_all else _encoded(self.referee, resolution.state)
        record = changed(record, deals=deals, moves=record.moves + len(moves), state=state, idle=idle)
        return Table(self.referee, record, resolution.state), entry, answer

    def joined_by(self, bearer: Bearer, part: Any, closes: int) -> Table:
        """The same table with a part added to its incident; raises `Illegal`.

        If no incident is open, the part opens one. `closes`: when that one closes. As in `moved`, the part is judged on
        its bearer's view first.
        """
        incident = self.record.incident or {"type": part.type, "parts": [], "closes": closes}
        before = entries(self.engine, self.gathered) if incident["parts"] else ()
        new: Sequence[object] = ()
        for state in (self._seen(self.state, bearer), self.state):
            judgement, new = judge_part(self.engine, state, before, part)
            if judgement.violations:
                raise self._illegal(judgement.violations, 0)
        if new:
            dumped = codecs(self.engine).move.dump(joined(self.engine, type(part), new))
            brought = dumped[self.engine.row[type(part)].gathers]
            incident = {**incident, "parts": [*incident["parts"], brought]}
        return Table(self.referee, changed(self.record, incident=incident), self.state)

    def counted_by(self, bearer: Bearer, count: Any) -> Table:
        """The same table with a seat's count among those that are collected; raises `Illegal`.

        The count is judged on its seat's view, after the seat's earlier count if there is one, and on no other's. The
        same count again changes nothing.
        """
        before = [move for move in self._collected() if move.seat == count.seat]
        if count in before:
            return self
        viewpoint = bearer if bearer.seat == count.seat else Bearer("seat", count.seat)
        for state in (self._seen(self.state, viewpoint), self.state):
            judgement = core.judge(self.engine, core.resolve(self.engine, state, before).state, count)
            if judgement.violations:
                raise self._illegal(judgement.violations, 0)
        counted = [*self.record.counted, codecs(self.engine).move.dump(count)]
        return Table(self.referee, changed(self.record, counted=counted), self.state)

    def counts(self, bearer: Bearer) -> Sequence[Any] | None:
        """What a seat has counted, until that is settled; for a host who sees all, that of each seat. None: nothing."""
        fields_by_type = {name: self.engine.row[kind].counts for name, kind in self.engine.kinds.items()}
        collected = [each for each in self.record.counted if fields_by_type.get(each["type"])]
        groups = {each["seat"]: each[fields_by_type[each["type"]]] for each in collected}
        if self._viewpoint(bearer) == HOST and groups:
            return [groups.get(seat) for seat in range(self.record.seats)]
        return groups.get(bearer.seat)

    def _collected(self) -> list[Any]:
        """The counts that are collected, without those that the rules do not know: these may be newer."""
        load, moves = codecs(self.engine).move.load, []
        for each in self.record.counted:
            with suppress(Invalid):
                moves.append(load(each))
        return moves

    def _owed(self) -> Sequence[Any]:
        """The counts that end the game: first those that are collected, then an empty one of each other seat."""
        owed = self.engine.owed(self.state)
        counted = [move for move in self._collected() if not core.judge(self.engine, self.state, move).violations]
        seats = {move.seat for move in counted}
        return [*counted, *(move for move in owed if move.seat not in seats)] if owed else []

    @property
    def gathered(self) -> object | None:
        """The move of all parts of the open incident. None if none is open, or if the rules do not allow the move.

        The rules may be newer than the incident.
        """
        incident = self.record.incident
        if incident is None:
            return None
        every = [entry for part in incident["parts"] for entry in part]
        try:
            gathers = self.engine.row[self.engine.kinds[incident["type"]]].gathers
            move = codecs(self.engine).move.load({"type": incident["type"], gathers: every})
        except (Invalid, LookupError):
            return None
        return None if core.judge(self.engine, self.state, move).violations else move

    def _only_gathered(self, moves: Sequence[object]) -> bool:
        """Whether all these moves are of kinds that several seats bring in parts."""
        return all(self.engine.row[type(move)].gathers for move in moves)

    def settled(self) -> tuple[Table, bytes] | None:
        """The table after the moves that time has made due, with their log entry; None if there are none.

        If an incident changed nothing, the seat that opened it may not open another before a move of another kind is
        made. Otherwise that seat could stall the table. Where no move of another kind is legal, any change of
        the table is enough, and so is that no seat is left that may open one.
        """
        incident, idle = self.record.incident, self.record.idle
        gathered = self.gathered
        moves = self._owed() if incident is None else [] if gathered is None else [gathered]
        if not moves:
            if incident is None and not self.record.counted:
                return None
            # A newer version of the rules forbids the incident's move, or does not know it; or a server of 0.1.0, to
            # which no clock binds, has ended the game. The entry has no moves: the session's new version tells every
            # client that the incident is over.
            entry = entry_without_moves(self.record.seats)
            record = changed(self.record, incident=None, counted=(), size=self.record.size + len(entry))
            return Table(self.referee, record, self.state), entry
        resolution = core.resolve(self.engine, self.state, moves)
        assert resolution.legal, "what is owed is legal"
        state, entry = resolution.state, self._entry(moves, resolution)
        enough_to_clear = 1  #: How many idle seats there must be for all to be free again.
        if incident is not None and state == self.state:
            opener = incident["parts"][0][0]["seat"]
            idle = sorted({*idle, opener})
            enough_to_clear = self.record.seats
        if len(idle) >= enough_to_clear:
            legal, _complete = core.legal_moves(self.engine, state)
            idle = [] if self._only_gathered(legal) else idle
        count, size = self.record.moves + len(moves), self.record.size + len(entry)
        record = changed(
            self.record,
            moves=count,
            size=size,
            state=_encoded(self.referee, state),
            incident=None,
            idle=idle,
            counted=(),
        )
        return Table(self.referee, record, state), entry

    def entry(self, version: int, entry: bytes, bearer: Bearer) -> EncodedEntry:
        """A log entry as this bearer saw it, in the table's language."""
        return self._entry_shown(version, entry_read(entry, self._viewpoint(bearer).name))

    def transcript(
        self, session: EncodedSession, entries: Iterable[tuple[int, bytes]], since: int = 0, most: int | None = None
    ) -> Transcript:
        """The whole game as its host sees it: `deal` can be posted to `/deal`, `moves` to `/resolve`.

        The server's seed is shown once the game is over. The seats' seeds are shown once the cards are dealt from them:
        the seat that gives the last one must not know the others. `entries`: the whole log. The transcript has those
        after version `since`, as many as fit into `most` bytes.
        """
        seeds = [self._deal_seed(number) for number in range(1, self.record.deals + 1)]
        dealt = [] if self.record.from_state else seeds[:1]  # the seed of the table that the session began with
        deal = {**self.record.setup, "seed": dealt[0]} if dealt else None
        later = iter(seeds[len(dealt) :])
        shown = self._shown(self.state) if self.over else {}
        size = len(strict_json.dumps([session, shown, deal, seeds, self.record.seeds])) + 64 * len(seeds)
        moves, written, following = list[Any](), list[Any](), None
        for version, entry in entries:
            view = entry_read(entry, HOST.name)
            seeded = [
                {**move, "seed": next(later)} if move["type"] == self.engine.deal_name else move for move in view.moves
            ]
            if version <= since:
                continue
            part = strict_json.dumps(self._entry_shown(version, view))
            size += len(part) + len(strict_json.dumps(seeded))
            if most is not None and written and size > most:
                following = version - 1
                break
            moves += seeded
            written.append(strict_json.Part(part))
        members = vars(session) | shown
        for name in ("taken", "gather_ms", "incident", "clock", "clock_seconds", "counted", "rematch"):
            # No transcript can prove them.
            del members[name]
        return Transcript(
            **members,
            fair=self.record.fair,
            server_seed=self.record.server_seed if self.over else None,
            seeds=self.record.seeds if seeds else [None] * len(self.record.seeds),
            deals=[SessionDeal(number, seed) for number, seed in enumerate(seeds, 1)],
            deal=deal,
            moves=moves,
            entries=written,
            next=following,
        )

    def _with_seeds(self, moves: Sequence[object]) -> tuple[list[object], int]:
        """The moves, with a seed added to each deal among them, and the session's number of deals after them."""
        deal, deals = self.engine.deal, self.record.deals
        drawn = []
        for move in moves:
            if deal is not None and isinstance(move, deal.kind):
                deals += 1
                drawn.append(changed(move, seed=self._deal_seed(deals)))
            else:
                drawn.append(move)
        return drawn, deals

    def _deal_seed(self, number: int) -> str:
        """The seed of a deal, from the server's seed and those of the seats. `number`: of the deal."""
        return deal_seed(self.record.server_seed, [seed or "" for seed in self.record.seeds], number)

    def _illegal(self, violations: Sequence[Violation], at: int) -> Illegal:
        """The refusal of the move at this index. No violations: a hidden card forbids it."""
        count = len(violations)
        return Illegal(
            self.engine.game,
            phrase("clauses-forbid", count=count) if count else phrase("hidden-forbids"),
            self.referee.violations(violations, f"/moves/{at}", self.referee.players(self.state)),
            more=count > LISTED,
        )

    def _entry(self, moves: Sequence[object], resolution: Resolution[Any]) -> bytes:
        """The log entry: the moves and events as each bearer sees them. Equal views are written once."""
        after_moves, events = resolution.after, [event for _move, event in resolution.events]
        # The state after the move of each event.
        after_events = [after_moves[move] for move, _event in resolution.events]
        dump = codecs(self.engine).move.dump
        views = [([*moves], events)]
        view_of = {HOST.name: 0}
        for bearer in everyone(self.record.seats)[1:]:
            seen_moves = list(map(self.engine.view_move, after_moves, moves, repeat(bearer.seat)))
            seen_events = list(map(self.engine.view_event, after_events, events, repeat(bearer.seat)))
            view = (seen_moves, seen_events)
            if view not in views:
                views.append(view)
            view_of[bearer.name] = views.index(view)
        written = [
            EntryView(
                [dump(move) for move in moves_seen],
                [
                    (at, event.ruling.rule, event.ruling.code, event.params)  # no sentence: it differs by language
                    for (at, _event), event in zip(resolution.events, events_seen, strict=True)
                ],
            )
            for moves_seen, events_seen in views
        ]
        return entry_written(written, view_of)

    def _entry_shown(self, version: int, view: EntryView) -> EncodedEntry:
        """A view of a log entry, with sentences in the table's language."""
        text = sentences(self.engine, self.referee.language)
        players = self.referee.players(self.state) if view.events else NAMELESS
        events: list[EncodedEvent] = [
            {
                "rule": rule,
                "code": code,
                "move": move,
                "params": params,
                "text": text[code].filled_as_stored(params, players),
            }
            for move, rule, code, params in view.events
        ]
        return EncodedEntry(version, view.moves, events)

    def _viewpoint(self, bearer: Bearer) -> Bearer:
        """The bearer whose view this bearer has: a blind host has a spectator's, all others their own."""
        return SPECTATOR if bearer == HOST and self.record.blind else bearer

    def _shown(self, state: State) -> Json:
        """A state, and the members of a session that follow from it."""
        referee = self.referee
        standings, result = referee.ranking(state)
        return {
            "state": _encoded(referee, state),
            "to_act": self.engine.to_act(state),
            "standings": standings,
            "result": result,
        }

    def _seen(self, state: State, bearer: Bearer) -> State:
        """The state as a bearer may see it."""
        viewpoint = self._viewpoint(bearer)
        return state if viewpoint == HOST else self.engine.view(state, viewpoint.seat)


class Snapshot(NamedTuple):
    """A session at one version, for one bearer. `response`: the one stored under the request's idempotency key.

    `parts`, `now`: see `StoredSession`.
    """

    name: str
    bearer: Bearer
    version: int
    table: Table
    response: StoredResponse | None = None
    parts: int = 0
    now: int = 0

    @property
    def record(self) -> SessionRecord:
        return self.table.record

    @property
    def tag(self) -> str:
        """The ETag, unquoted. It has the generation, because a deleted session's name may be opened again."""
        return f"{self.version}-{self.bearer.name}-{self.record.generation}"

    def version_of(self, tag: str) -> int | None:
        """The version that a tag of `If-Match` names; None for a tag of another session, generation or bearer.

        A version alone (`7`, as streams give it) is a tag, too. Where answers have sentences, their language follows.
        """
        rest = re.escape(self.tag.removeprefix(str(self.version)))
        match = re.fullmatch(rf"([0-9]{{1,9}})(?:{rest}(?:-[a-z]{{2,3}})?)?", tag, re.ASCII)
        return None if match is None else int(match[1])

    def document_with_moves(self) -> EncodedSession:
        """The session as its bearer may see it, with its legal moves."""
        session = self.document()
        session.legal_moves = self.table.listing(self.bearer)
        return session

    def document(self) -> EncodedSession:
        """The session as its bearer may see it."""
        return EncodedSession(
            self.name,
            self.record.game,
            RulesetUsed(**self.record.ruleset),
            self.version,
            commitment(self.record.server_seed),
            self.record.commitments,
            self.record.names,
            **self.table.shown(self.bearer),
            taken=self.record.taken,
            gather_ms=self.record.gather_ms,
            incident=self.record.running_incident(self.now),
            clock=self.record.running_clock(self.now),
            rematch=self.record.next_table,
            clock_seconds=self.record.clock_seconds,
            counted=self.table.counts(self.bearer),
        )

    @property
    def is_running(self) -> bool:
        """Whether the session may look different though its version is the same.

        A clock that binds runs until the counts are settled: those of single seats are collected after its end.
        """
        record, clock = self.record, self.record.running_clock(self.now)
        if record.incident is not None or clock is None:
            return record.incident is not None
        return not self.table.over if record.clock_seconds else clock.ends_in_ms > 0

    def followed_by(self, table: Table) -> Snapshot:
        """The session after a change to this table: one version later, with no response that answers it already."""
        return self._replace(version=self.version + 1, table=table, response=None)


def _encoded(referee: Referee[Any], state: State) -> Json:
    """A state as JSON. What is printed on the cards is left out if they are the game's own deck."""
    return _without_printed(referee.state(state), state, referee.engine)


def _without_printed(encoded: Mapping[str, object], state: State, engine: AnyEngine) -> Json:
    """An encoded state without what is printed on the cards, if they are the game's own deck."""
    rest = dict(encoded)
    for name, printed in _printed(engine).items():
        if getattr(state, name) == printed:
            del rest[name]
    return rest


@cache
def _printed(engine: AnyEngine) -> Mapping[str, object]:
    """The fields of the state whose default is what the game's own deck has on its cards, with that default."""
    own = engine.deck and engine.deck(engine.setup(seats=max(engine.seats)))
    return {each.name: each.default for each in fields(engine.state) if own and each.default == own}
