"""The stateless calls: from a body to its answer. The engines decide, this translates."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Generic, Protocol

from engines.core import judge as core
from engines.core import shuffle
from engines.core.engine import Engine, Resolution
from engines.core.records import changed
from engines.core.rulings import Event, Fault, Undetermined, Violation
from service.contract import codecs
from service.contract.answers import (
    Comparison,
    LegalMove,
    LegalMoves,
    OtherOutcome,
    RulesetUsed,
    Standing,
    TeamStanding,
    View,
    WrittenAudit,
    WrittenContested,
    WrittenEvent,
    WrittenFault,
    WrittenJudgement,
    WrittenOpening,
    WrittenResolution,
    WrittenResult,
    WrittenStanding,
    WrittenUndetermined,
    WrittenViolation,
)
from service.contract.placeholders import M, S, WithSetup
from service.contract.requests import AuditBody, DealBody, LegalMovesBody, ResolveBody, ValidateBody, ViewBody
from service.judging.sentences import sentences
from service.web.problems import Problem


class Named(Protocol):
    """A ruleset: what is asked of those of every game."""

    @property
    def name(self) -> str:
        """Of the preset that it began with."""


def ruleset_of(state: object) -> Named:
    """The ruleset of a state, which every game's has."""
    ruleset: Named = state.ruleset  # type: ignore[attr-defined]
    return ruleset


@dataclass(frozen=True)
class Referee(Generic[S]):
    """One game, refereed in one language."""

    engine: Engine[S]
    language: str

    def resolve(self, body: ResolveBody[S, M]) -> WrittenResolution:
        """`POST /resolve`: apply the moves up to the first that is illegal or undetermined."""
        state = self.table(body.state)
        resolution = core.resolve(self.engine, state, body.moves)
        answer = self.resolution(ruleset_of(state), resolution)
        if body.compare is True:
            for entry in answer.contested:
                entry.outcomes = [
                    self._outcome(state, body.moves, resolution, entry.option, value) for value in entry.alternatives
                ]
        elif body.compare:
            answer.comparison = [self._under(state, body.moves, name) for name in body.compare]
        return answer

    def validate(self, body: ValidateBody[S, M]) -> WrittenJudgement:
        """`POST /validate`: may this move be made, and would its effect be known?"""
        state = self.table(body.state)
        violations, unverified = core.judge(self.engine, state, body.move)
        step = None if violations else core.apply(self.engine, state, body.move)
        return WrittenJudgement(
            game=self.engine.game,
            ruleset=self.ruleset(ruleset_of(state)),
            legal=not violations,
            violations=self.violations(violations, "/move"),
            unverified=self.engine.in_order(unverified),
            undetermined=self._undetermined(step, None) if isinstance(step, Undetermined) else None,
        )

    def legal_moves(self, body: LegalMovesBody[S]) -> LegalMoves:
        """`POST /legal-moves`: of one seat, or of everyone to act."""
        state = self.table(body.state)
        if body.seat is not None:
            self._at_the_table(state, body.seat)
        return self.listing(state, body.seat, every=body.seat is None)

    def listing(self, state: S, seat: int | None, *, every: bool) -> LegalMoves:
        """The legal moves of a table without faults."""
        moves, complete = core.legal_moves(self.engine, state, seat, every=every)
        dump = codecs(self.engine).move.dump
        return LegalMoves(
            game=self.engine.game,
            ruleset=self.ruleset(ruleset_of(state)),
            to_act=self.engine.to_act(state),
            moves=[LegalMove(dump(move), core.facts(self.engine, state, move)) for move in moves],
            complete=complete,
        )

    def audit(self, body: AuditBody[S]) -> WrittenAudit:
        """`POST /audit`: every fault of a table at once."""
        faults, unverified = core.audit(self.engine, self.engine.complete(body.state))
        return WrittenAudit(self.engine.game, not faults, self.faults(faults, "/state"), unverified)

    def view(self, body: ViewBody[S]) -> View:
        """`POST /view`: the table as a seat, or a spectator, may see it."""
        state = self.table(body.state)
        if body.seat is not None:
            self._at_the_table(state, body.seat)
        return View(self.engine.game, body.seat, self.state(self.engine.view(state, body.seat)))

    def deal(self, body: DealBody) -> WrittenOpening:
        """`POST /deal`: the first state of a game, from a seed, from a deck, or from a seed drawn here."""
        seed = body.seed
        if seed is None and self._setup(body).deck is None:
            seed = secrets.token_hex(16)
        state = self.opening(body, seed)
        return WrittenOpening(
            game=self.engine.game,
            state=self.state(state),
            to_act=self.engine.to_act(state),
            seed=seed,
            commitment=None if seed is None else shuffle.commitment(seed),
        )

    def opening(self, body: WithSetup, seed: str | None) -> S:
        """The table that a setup asks for. `seed`: the order of the deck, where the setup brings none."""
        engine, setup = self.engine, self._setup(body)
        faults = core.audit_setup(engine, setup)
        if faults:
            raise self._invalid_state(faults, "")
        if seed is not None:
            setup = changed(setup, deck=shuffle.in_order(engine.cards(setup), seed))
        return engine.opening(setup)

    def table(self, posted: S) -> S:
        """A posted state made complete; one with faults is refused with all of them."""
        state = self.engine.complete(posted)
        faults, _ = core.audit(self.engine, state)
        if faults:
            raise self._invalid_state(faults, "/state")
        return state

    # --- what the engines answer, as it is written ---------------------------------------------------

    def resolution(self, ruleset: Named, resolution: Resolution[S]) -> WrittenResolution:
        """`ruleset`: the one it was judged by."""
        engine, state = self.engine, resolution.state
        return WrittenResolution(
            engine.game,
            self.ruleset(ruleset),
            not resolution.violations,
            resolution.applied,
            self.violations(resolution.violations, f"/moves/{resolution.applied}"),
            resolution.unverified,
            self._undetermined(resolution.undetermined, resolution.applied),
            self.events(resolution.events),
            [WrittenContested(*each) for each in resolution.contested],
            self.state(state),
            engine.to_act(state),
            self.standings(state),
            self.result(state),
        )

    def ruleset(self, ruleset: Named) -> RulesetUsed:
        """Every option spelled out."""
        options = {name: getattr(ruleset, name) for name in self.engine.options}
        return RulesetUsed(ruleset.name, self.engine.version, options)

    def state(self, state: S) -> dict[str, object]:
        """A state as JSON."""
        return codecs(self.engine).state.dump(state)

    def events(self, happenings: Iterable[tuple[int, Event]]) -> list[WrittenEvent]:
        """Each with the index of its move."""
        text = sentences(self.engine, self.language)
        return [
            WrittenEvent(ruling.rule, ruling.code, move, params, text[ruling.code](params))
            for move, (ruling, params) in happenings
        ]

    def violations(self, violations: Iterable[Violation], where: str) -> list[WrittenViolation]:
        """`where`: the pointer of the move in the request."""
        return [
            WrittenViolation(ruling.rule, ruling.code, params, self._sentence(ruling.code, params), where + pointer)
            for ruling, params, pointer in violations
        ]

    def faults(self, faults: Iterable[Fault], where: str) -> list[WrittenFault]:
        """`where`: the pointer of the state in the request."""
        return [
            WrittenFault(
                ruling.rule,
                ruling.code,
                params,
                self._sentence(ruling.code, params),
                [where + pointer for pointer in pointers],
            )
            for ruling, params, pointers in faults
        ]

    def standings(self, state: S) -> Sequence[Standing]:
        """Of seats or of teams."""
        kind = TeamStanding if self.engine.teams(state) else WrittenStanding
        return [kind(*each) for each in self.engine.standings(state)]

    def result(self, state: S) -> WrittenResult | None:
        """How the game ended; None while it goes on."""
        result = self.engine.result(state)
        if result is None:
            return None
        return WrittenResult(winners=result.winners, points=result.points, rating=result.rating, rule=result.rule)

    def _sentence(self, code: str, params: Mapping[str, object]) -> str:
        return sentences(self.engine, self.language)[code](params)

    def _undetermined(self, awaited: Undetermined | None, move: int | None) -> WrittenUndetermined | None:
        if awaited is None:
            return None
        ruling, params, pointer = awaited
        return WrittenUndetermined(
            move=move,
            rule=ruling.rule,
            code=ruling.code,
            params=params,
            text=self._sentence(ruling.code, params),
            pointer=f"/state{pointer}",
        )

    def _outcome(self, state: S, moves: Sequence[M], actual: Resolution[S], option: str, value: object) -> OtherOutcome:
        ruleset = changed(ruleset_of(state), **{option: value})
        other = core.resolve(self.engine, changed(state, ruleset=ruleset), moves)
        return OtherOutcome(
            value=value,
            legal=other.legal,
            applied=other.applied,
            standings=self.standings(other.state),
            result=self.result(other.state),
            changed=self._came_to(other) != self._came_to(actual),
        )

    def _came_to(self, resolution: Resolution[S]) -> tuple[object, ...]:
        """All that a ruleset can change of a resolution, the ruleset itself aside."""
        state = resolution.state
        table = changed(state, ruleset=None)
        return resolution.legal, resolution.applied, table, self.standings(state), self.result(state)

    def _under(self, state: S, moves: Sequence[M], name: str) -> Comparison:
        under = changed(state, ruleset=self.engine.rulesets[name])
        faults, _ = core.audit(self.engine, under)
        if faults:
            raise self._invalid_state(faults, "/state", f"Under the ruleset {name}, with which to compare, the table")
        other = core.resolve(self.engine, under, moves)
        return Comparison(
            ruleset=name,
            legal=other.legal,
            standings=self.standings(other.state),
            result=self.result(other.state),
            events=self.events(other.events),
        )

    def _setup(self, body: WithSetup) -> Any:
        """The game's own setup, of which a body has every field."""
        setup = self.engine.setup
        return setup(**{each.name: getattr(body, each.name) for each in fields(setup)})

    def _at_the_table(self, state: S, seat: int) -> None:
        seats = self.engine.seats_of(state)
        if seat >= seats:
            assert self.engine.no_such_seat is not None, "the schema takes no seat beyond tables that are all alike"
            fault = self.engine.no_such_seat.found("/seat", "/state", seat=seat, seats=seats)
            raise self._invalid_state([fault], "", "The seat")

    def _invalid_state(self, faults: Sequence[Fault], where: str, table: str = "The table") -> Problem:
        count = len({fault.ruling.rule for fault in faults})
        detail = f"{table} contradicts {count} clause{'s' if count > 1 else ''} of the rulebook."
        return Problem("invalid-state", detail, faults=self.faults(faults, where))
