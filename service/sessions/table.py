"""A session's table as each bearer sees it, and what a bearer's moves make of it. Knows neither HTTP nor the store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import engines
from engines.core import judge as core
from engines.core.engine import Contested, Resolution, seen_by_all
from engines.core.records import changed
from engines.core.rulings import Event
from service.bounds import TOLD
from service.contract import codecs
from service.contract.answers import (
    EncodedEvent,
    EncodedResolution,
    EncodedResult,
    LegalMoves,
    RulesetUsed,
    Standing,
)
from service.contract.placeholders import EncodedState
from service.contract.refusals import more
from service.contract.sessions import EncodedEntry, EncodedSession, SessionDeal, Transcript
from service.judging.referee import Referee
from service.judging.sentences import sentences
from service.sessions.fairness import deal_seed
from service.sessions.record import Face, SessionRecord, entry_read, entry_written
from service.sessions.tokens import HOST, SPECTATOR, Bearer, everyone, may_make
from service.web import strict_json
from service.web.phrases import phrase
from service.web.problems import Problem
from service.web.wording import NAMELESS

AnyResolution: TypeAlias = Resolution[Any]
State: TypeAlias = Any
"""The state of whatever game it is; a session has it from the codec of that game."""


class Moved(NamedTuple):
    """What moves came to: the table after them, their log entry, and the resolution as their bearer sees it."""

    table: Table
    entry: bytes
    resolution: EncodedResolution


class VisibleTable(NamedTuple):
    """A table as a bearer sees it, and what follows from it."""

    state: EncodedState | None
    to_act: Sequence[int | None]
    standings: Sequence[Standing]
    result: EncodedResult | None


class Table:
    """One session's table as it is, refereed in one language."""

    def __init__(self, referee: Referee[Any], record: SessionRecord, state: State = None) -> None:
        """`state`: the record's, where it is at hand."""
        self.engine = referee.engine
        self.record = record
        self.referee = referee
        dealt = state is None and record.state is not None
        self.state = codecs(self.engine).state.load(record.state) if dealt else state

    @classmethod
    def of(cls, record: SessionRecord, language: str) -> Table:
        """The table that a record tells of."""
        return cls(Referee(engines.registry()[record.game], language).naming(record.names), record)

    def in_language(self, language: str) -> Table:
        """The same table, refereed in this language."""
        same = language == self.referee.language
        return self if same else Table(replace(self.referee, language=language), self.record, self.state)

    @property
    def over(self) -> bool:
        """The game has ended."""
        return self.state is not None and self.engine.result(self.state) is not None

    def shown(self, bearer: Bearer) -> VisibleTable:
        """The table as a bearer may see it. Before a joint deal those act who owe a commitment or a seed."""
        if self.state is None:
            return VisibleTable(None, self.record.awaited, [], None)
        return self._shown(self._seen(self.state, bearer))

    def legal_moves(self, bearer: Bearer) -> LegalMoves:
        """What a bearer may do, judged from what it sees: the host all, a seat its own, a spectator nothing."""
        if self.state is None:
            ruleset = RulesetUsed(**self.record.ruleset)
            return LegalMoves(self.engine.game, ruleset, self.record.awaited, moves=[], complete=True)
        seen = self._seen(self.state, bearer)
        listing = self.referee.listing(seen, bearer.seat, every=bearer == HOST)
        if bearer == SPECTATOR:
            return replace(listing, moves=[], complete=True)
        if bearer.seat is not None:
            of_the_table = self.referee.listing(seen, None, every=False)
            own = [each for each in of_the_table.moves if may_make(bearer, each.move, self.engine.deal_name)]
            listing.moves = [*listing.moves, *own]
        return listing

    def moved(self, bearer: Bearer, moves: Sequence[object]) -> Moved:
        """Make all the moves.

        Refused with the violations where one of them is not legal: with those that the bearer's own view shows, so that
        nothing it reads depends on what it may not see.
        """
        if self.state is None:
            raise Problem("illegal-move", phrase("seeds-first"), violations=[])
        drawn, deals = self._with_seeds(moves)
        resolution = core.resolve(self.engine, self.state, drawn)
        if not resolution.legal:
            raise self._illegal(bearer, moves, resolution)
        assert resolution.undetermined is None, "a session's table is wholly known"
        entry = self._entry(moves, resolution)
        record = changed(
            self.record,
            deals=deals,
            moves=self.record.moves + len(moves),
            state=self.referee.state(resolution.state),
        )
        after = Table(self.referee, record, resolution.state)
        return Moved(after, entry, self._resolution(bearer, moves, resolution))

    def entry(self, version: int, entry: bytes, bearer: Bearer) -> EncodedEntry:
        """A log entry as this bearer saw it, in the language asked for."""
        return self._entry_shown(version, entry_read(entry, self._viewpoint(bearer).name))

    def transcript(
        self, session: EncodedSession, entries: Iterable[tuple[int, bytes]], since: int = 0, most: int | None = None
    ) -> Transcript:
        """The whole game of a session as its host sees it: `deal` can be posted to `/deal`, `moves` to `/resolve`.

        The server's seed comes out once the game is over, the seats' once they are dealt from: whoever gives the last
        may not choose it by the others. `entries`: all; those after version `since` are shown, until they and what
        stands around them have more than `most` bytes.
        """
        seeds = [self._deal_seed(number) for number in range(1, self.record.deals + 1)]
        deal = {**self.record.setup, "seed": seeds[0]} if seeds else None
        later = iter(seeds[1:])
        shown = self._shown(self.state)._asdict() if self.over else {}
        size = len(strict_json.dumps([session, shown, deal, seeds, self.record.seeds])) + 64 * len(seeds)
        moves, written, following = list[Any](), list[Any](), None
        for version, entry in entries:
            face = entry_read(entry, HOST.name)
            dealt = [
                {**move, "seed": next(later)} if move["type"] == self.engine.deal_name else move for move in face.moves
            ]
            if version <= since:
                continue
            part = strict_json.dumps(self._entry_shown(version, face))
            size += len(part) + len(strict_json.dumps(dealt))
            if most is not None and written and size > most:
                following = version - 1
                break
            moves += dealt
            written.append(strict_json.Part(part))
        return Transcript(
            **vars(session) | shown,
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
        """The moves with the seed of every deal among them, and how many deals there have been then."""
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
        return deal_seed(self.record.server_seed, [seed or "" for seed in self.record.seeds], number)

    def _illegal(self, bearer: Bearer, moves: Sequence[object], resolution: AnyResolution) -> Problem:
        """The first move that the bearer's view forbids; of others it only learns that they are not legal.

        The view judges the moves as they were posted: what a deal among them would bring is nobody's to see.
        """
        if self._viewpoint(bearer) != HOST:
            resolution = core.resolve(self.engine, self._seen(self.state, bearer), moves)
        violations = resolution.violations
        count = len(violations)
        return Problem(
            "illegal-move",
            phrase("clauses-forbid", count=count) if count else phrase("hidden-forbids"),
            violations=self.referee.violations(
                violations, f"/moves/{resolution.applied}", self.referee.players(self.state)
            ),
            **more(count > TOLD),
        )

    def _resolution(self, bearer: Bearer, moves: Sequence[object], resolution: AnyResolution) -> EncodedResolution:
        viewpoint = self._viewpoint(bearer)
        if viewpoint != HOST:
            resolution = core.seen(self.engine, resolution, viewpoint.seat)
        if viewpoint == SPECTATOR:
            resolution = resolution._replace(contested=self._contested(moves, resolution))
        return self.referee.resolution(resolution.state.ruleset, resolution)

    def _contested(self, moves: Sequence[object], resolution: AnyResolution) -> tuple[Contested, ...]:
        """Those that follow from what a blind host sees: an option may silently have decided upon a hand."""
        named = {(event.ruling.rule, event.ruling.option) for _, event in resolution.events}
        seen = core.resolve(self.engine, self._seen(self.state, HOST), moves).contested
        return tuple(each for each in resolution.contested if each in seen or (each.rule, each.option) in named)

    def _entry(self, moves: Sequence[object], resolution: AnyResolution) -> bytes:
        """The moves and what happened, for everyone who may ever ask."""
        after, events = resolution.after, resolution.events
        dump = codecs(self.engine).move.dump
        view_move, view_event = self.engine.view_move, self.engine.view_event
        happened = [event for _, event in events]
        plain = view_event is seen_by_all
        views = [([*moves], happened)]
        of = {HOST.name: 0}
        for name, number in _onlookers(self.record.seats):
            seen = [view_move(state, move, number) for state, move in zip(after, moves, strict=True)]
            view = seen, happened if plain else [view_event(after[at], event, number) for at, event in events]
            if view not in views:
                views.append(view)
            of[name] = views.index(view)
        faces = [
            Face(
                [dump(move) for move in seen],
                [_compact(at, event) for (at, _), event in zip(events, heard, strict=True)],
            )
            for seen, heard in views
        ]
        return entry_written(faces, of)

    def _entry_shown(self, version: int, face: Face) -> EncodedEntry:
        text = sentences(self.engine, self.referee.language)
        players = self.referee.players(self.state) if face.events else NAMELESS
        events: list[EncodedEvent] = [
            {"rule": rule, "code": code, "move": move, "params": params, "text": text[code].filled(params, players)}
            for move, rule, code, params in face.events
        ]
        return EncodedEntry(version, face.moves, events)

    def _viewpoint(self, bearer: Bearer) -> Bearer:
        """As whom a bearer sees the table: a blind host sees what a spectator sees."""
        return SPECTATOR if bearer == HOST and self.record.blind else bearer

    def _shown(self, state: State) -> VisibleTable:
        referee = self.referee
        return VisibleTable(
            referee.state(state), self.engine.to_act(state), referee.standings(state), referee.result(state)
        )

    def _seen(self, state: State, bearer: Bearer) -> State:
        viewpoint = self._viewpoint(bearer)
        return state if viewpoint == HOST else self.engine.view(state, viewpoint.seat)


@cache
def _onlookers(seats: int) -> list[tuple[str, int | None]]:
    """Names and seats of everyone but the host."""
    return [(each.name, each.seat) for each in everyone(seats) if each != HOST]


def _compact(move: int, event: Event) -> tuple[int, str, str, Mapping[str, object]]:
    """An event as the log keeps it: its sentence is looked up when it is read."""
    return move, event.ruling.rule, event.ruling.code, event.params
