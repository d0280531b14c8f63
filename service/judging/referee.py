"""The stateless calls: from a parsed request to the answer, as plain data. The engines decide, this translates."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias

from engines.core import judge as core
from engines.core import shuffle
from engines.core.engine import Engine, Resolution
from engines.core.records import changed
from engines.core.rulings import Event, Fault, Undetermined, Violation
from service.contract import codecs
from service.judging.sentences import sentences
from service.web.problems import Problem

Json: TypeAlias = dict[str, Any]
AnyEngine: TypeAlias = Engine[Any]


@dataclass(frozen=True)
class Referee:
    """One game, refereed in one language."""

    engine: AnyEngine
    language: str

    def resolve(self, body: Any) -> Json:
        """`POST /resolve`: apply the moves up to the first that is illegal or undetermined."""
        state = self.table(body.state)
        resolution = core.resolve(self.engine, state, body.moves)
        answer = self.resolution(state.ruleset, resolution)
        if body.compare is True:
            for entry in answer["contested"]:
                entry["outcomes"] = [
                    self._outcome(state, body.moves, resolution, entry["option"], value)
                    for value in entry["alternatives"]
                ]
        elif body.compare:
            answer["comparison"] = [self._under(state, body.moves, name) for name in body.compare]
        return answer

    def validate(self, body: Any) -> Json:
        """`POST /validate`: may this move be made, and would its effect be known?"""
        state = self.table(body.state)
        violations, unverified = core.judge(self.engine, state, body.move)
        step = None if violations else core.apply(self.engine, state, body.move)
        return {
            "game": self.engine.game,
            "ruleset": self.ruleset(state.ruleset),
            "legal": not violations,
            "violations": self.violations(violations, "/move"),
            "unverified": self.engine.in_order(unverified),
            "undetermined": self._undetermined(step, None) if isinstance(step, Undetermined) else None,
        }

    def legal_moves(self, body: Any) -> Json:
        """`POST /legal-moves`: of one seat, or of everyone to act."""
        state = self.table(body.state)
        if body.seat is not None:
            self._at_the_table(state, body.seat)
        return self.listing(state, body.seat, every=body.seat is None)

    def listing(self, state: Any, seat: int | None, *, every: bool) -> Json:
        """The legal moves of a table without faults."""
        moves, complete = core.legal_moves(self.engine, state, seat, every=every)
        dump = codecs(self.engine).move.dump
        return {
            "game": self.engine.game,
            "ruleset": self.ruleset(state.ruleset),
            "to_act": self.engine.to_act(state),
            "moves": [{"move": dump(move), "facts": self.engine.facts(state, move)} for move in moves],
            "complete": complete,
        }

    def audit(self, body: Any) -> Json:
        """`POST /audit`: every fault of a table at once."""
        faults, unverified = core.audit(self.engine, self.engine.complete(body.state))
        return {
            "game": self.engine.game,
            "consistent": not faults,
            "faults": self.faults(faults, "/state"),
            "unverified": unverified,
        }

    def view(self, body: Any) -> Json:
        """`POST /view`: the table as a seat, or a spectator, may see it."""
        state = self.table(body.state)
        if body.seat is not None:
            self._at_the_table(state, body.seat)
        return {"game": self.engine.game, "seat": body.seat, "state": self.state(self.engine.view(state, body.seat))}

    def deal(self, body: Any) -> Json:
        """`POST /deal`: the first state of a game, from a seed, from a deck, or from a seed drawn here."""
        seed = body.seed
        if body.deck is None and seed is None:
            seed = secrets.token_hex(16)
        state = self.opening(body, seed)
        return {
            "game": self.engine.game,
            "state": self.state(state),
            "to_act": self.engine.to_act(state),
            "seed": seed,
            "commitment": None if seed is None else shuffle.commitment(seed),
        }

    def opening(self, body: Any, seed: str | None) -> Any:
        """The table that a setup asks for. `seed`: the order of the deck, where the setup brings none."""
        engine = self.engine
        setup = engine.setup(**{each.name: getattr(body, each.name) for each in fields(engine.setup)})
        faults = core.audit_setup(engine, setup)
        if faults:
            raise self._invalid_state(faults, "")
        if seed is not None:
            setup = changed(setup, deck=shuffle.in_order(engine.cards(setup), seed))
        return engine.opening(setup)

    def table(self, posted: Any) -> Any:
        """A posted state made complete; one with faults is refused with all of them."""
        state = self.engine.complete(posted)
        faults, _ = core.audit(self.engine, state)
        if faults:
            raise self._invalid_state(faults, "/state")
        return state

    def resolution(self, ruleset: Any, resolution: Resolution[Any]) -> Json:
        """A resolution on the wire. `ruleset`: the one it was judged by."""
        engine, state = self.engine, resolution.state
        return {
            "game": engine.game,
            "ruleset": self.ruleset(ruleset),
            "legal": not resolution.violations,
            "applied": resolution.applied,
            "violations": self.violations(resolution.violations, f"/moves/{resolution.applied}"),
            "unverified": resolution.unverified,
            "undetermined": self._undetermined(resolution.undetermined, resolution.applied),
            "events": self.events(resolution.events),
            "contested": [each._asdict() for each in resolution.contested],
            "state": self.state(state),
            "to_act": engine.to_act(state),
            "standings": self.standings(state),
            "result": self.result(state),
        }

    def ruleset(self, ruleset: Any) -> Json:
        """Name, version and every option spelled out."""
        options = {name: getattr(ruleset, name) for name in self.engine.options}
        return {"name": ruleset.name, "version": self.engine.version, "options": options}

    def state(self, state: Any) -> Json:
        """A state on the wire."""
        written: Json = codecs(self.engine).state.dump(state)
        return written

    def events(self, happenings: Sequence[tuple[int, Event]]) -> list[Json]:
        """Events on the wire, each with the index of its move."""
        text = sentences(self.engine, self.language)
        return [
            {
                "rule": ruling.rule,
                "code": ruling.code,
                "move": move,
                "params": params,
                "text": text[ruling.code](params),
            }
            for move, (ruling, params) in happenings
        ]

    def violations(self, violations: Sequence[Violation], where: str) -> list[Json]:
        """Violations on the wire; `where`: the pointer of the move in the request."""
        return [
            {**self._said(ruling.rule, ruling.code, params), "pointer": where + pointer}
            for ruling, params, pointer in violations
        ]

    def faults(self, faults: Sequence[Fault], where: str) -> list[Json]:
        """Faults on the wire; `where`: the pointer of the state in the request."""
        return [
            {
                **self._said(ruling.rule, ruling.code, params),
                "pointers": [where + pointer for pointer in pointers],
            }
            for ruling, params, pointers in faults
        ]

    def standings(self, state: Any) -> list[Json]:
        """Standings on the wire, of seats or of teams."""
        side = "team" if self.engine.teams(state) else "seat"
        return [{side: each.side, "score": each.score, "rank": each.rank} for each in self.engine.standings(state)]

    def result(self, state: Any) -> Json | None:
        """How the game ended, on the wire; None while it goes on."""
        result = self.engine.result(state)
        if result is None:
            return None
        if result.winners is not None:
            return {"winners": result.winners, "rule": result.rule}
        return {"points": result.points, "rating": result.rating, "rule": result.rule}

    def _said(self, rule: str, code: str, params: Mapping[str, Any]) -> Json:
        text = sentences(self.engine, self.language)[code](params)
        return {"rule": rule, "code": code, "params": params, "text": text}

    def _undetermined(self, awaited: Undetermined | None, move: int | None) -> Json | None:
        if awaited is None:
            return None
        ruling, params, pointer = awaited
        return {
            **({} if move is None else {"move": move}),
            **self._said(ruling.rule, ruling.code, params),
            "pointer": f"/state{pointer}",
        }

    def _outcome(self, state: Any, moves: Sequence[Any], actual: Resolution[Any], option: str, value: Any) -> Json:
        ruleset = changed(state.ruleset, **{option: value})
        other = core.resolve(self.engine, changed(state, ruleset=ruleset), moves)
        return {
            "value": value,
            "legal": other.legal,
            "applied": other.applied,
            "standings": self.standings(other.state),
            "result": self.result(other.state),
            "changed": self._came_to(other) != self._came_to(actual),
        }

    def _came_to(self, resolution: Resolution[Any]) -> Any:
        """All that a ruleset can change of a resolution, the ruleset itself aside."""
        state = resolution.state
        table = changed(state, ruleset=None)
        return resolution.legal, resolution.applied, table, self.standings(state), self.result(state)

    def _under(self, state: Any, moves: Sequence[Any], name: str) -> Json:
        under = changed(state, ruleset=self.engine.rulesets[name])
        faults, _ = core.audit(self.engine, under)
        if faults:
            raise self._invalid_state(faults, "/state", f"Under the ruleset {name}, with which to compare, the table")
        other = core.resolve(self.engine, under, moves)
        return {
            "ruleset": name,
            "legal": other.legal,
            "standings": self.standings(other.state),
            "result": self.result(other.state),
            "events": self.events(other.events),
        }

    def _at_the_table(self, state: Any, seat: int) -> None:
        seats = self.engine.seats_of(state)
        if seat >= seats:
            assert self.engine.no_such_seat is not None, "the schema takes no seat beyond tables that are all alike"
            fault = self.engine.no_such_seat.found("/seat", "/state", seat=seat, seats=seats)
            raise self._invalid_state([fault], "", "The seat")

    def _invalid_state(self, faults: Sequence[Fault], where: str, table: str = "The table") -> Problem:
        count = len({fault.ruling.rule for fault in faults})
        detail = f"{table} contradicts {count} clause{'s' if count > 1 else ''} of the rulebook."
        return Problem("invalid-state", detail, faults=self.faults(faults, where))
