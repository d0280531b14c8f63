"""The one way into a game: judge a move, apply moves, list the legal ones, audit a state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

from engines.core.engine import (
    CLEAN,
    Audit,
    Candidates,
    Contested,
    Engine,
    Happening,
    Judgement,
    Move,
    Resolution,
    Seat,
    Step,
)
from engines.core.rulings import Decides, Event, Fault, Forbids, Ruling, Undetermined, Unverified, Violation

S = TypeVar("S")


def resolve(engine: Engine[S], state: S, moves: Iterable[Any]) -> Resolution[S]:
    """Apply moves in order to a state without faults, up to the first that is illegal or undetermined."""
    after: list[S] = []
    caused: list[Sequence[Event]] = []  #: The events of each move that was applied.
    unverified: list[str] = []
    violations: Sequence[Violation] = ()
    awaited = None
    ruleset = state.ruleset  # type: ignore[attr-defined]
    for move in moves:
        judgement = judge(engine, state, move)
        if judgement is not CLEAN:
            violations = judgement.violations
            unverified += judgement.unverified
            if violations:
                break
        step = engine.row[type(move)].effect(state, move)
        if isinstance(step, Undetermined):
            awaited = step
            break
        state, happened = step
        after.append(state)
        caused.append(happened)
    events: list[Happening] = [(move, event) for move, happened in enumerate(caused) for event in happened]
    decided: list[Ruling] = [event.ruling for _move, event in events if event.ruling.option]
    if decided:
        events = [(at, event) for at, event in events if not isinstance(event.ruling, Decides)]
    decided += [each.ruling for each in violations if each.ruling.option]
    return Resolution(
        state,
        len(after),
        tuple(after),
        tuple(events),
        _contested(engine, ruleset, decided) if decided else (),
        tuple(violations),
        tuple(engine.in_order(unverified)) if unverified else (),
        awaited,
    )


def seen(engine: Engine[S], resolution: Resolution[S], seat: Seat | None) -> Resolution[S]:
    """A resolution as a seat (None: a spectator) may see it: its last state, and each event as after its move."""
    events = [(at, engine.view_event(resolution.after[at], event, seat)) for at, event in resolution.events]
    return resolution._replace(state=engine.view(resolution.state, seat), events=tuple(events))


def judge(engine: Engine[S], state: S, move: Any) -> Judgement:
    """Run the checks of a move tier by tier, and stop after the first tier that forbids it.

    Most moves pass every check. So all checks run first, in one list: only if one objects are they run again by tiers.
    """
    for check in engine.checks[type(move)]:
        if check(state, move):
            return _judged_by_tiers(engine.row[type(move)], state, move)
    return CLEAN


def _judged_by_tiers(row: Move[S, Any], state: S, move: Any) -> Judgement:
    """The judgement of a move that a check objects to. Most moves never come here: saves 4 % of a trick of Twins."""
    violations: list[Violation] = []
    unverified: list[str] = []
    for tier in row.tiers:
        for check in tier:
            one_or_several = check(state, move) or []
            objections = one_or_several if isinstance(one_or_several, list) else [one_or_several]
            for objection in objections:
                if isinstance(objection, Violation):
                    violations.append(objection)
                else:
                    unverified.append(objection.ruling.rule)
        if violations:
            break
    return Judgement(violations, unverified)


def refused_in(phases: Mapping[str, Forbids]) -> Callable[[Any, Any], Violation | None]:
    """A check that forbids the move in each of these phases, and in no other.

    A ruling that has the parameter `phase` gets it.
    """
    violations = {
        phase: ruling.violated(**({"phase": phase} if "phase" in ruling.params else {}))
        for phase, ruling in phases.items()
    }

    def phase_admits_the_move(state: Any, move: object) -> Violation | None:
        return violations.get(state.phase)

    return phase_admits_the_move


def apply(engine: Engine[S], state: S, move: Any) -> Step | Undetermined:
    """What a legal move does."""
    return engine.row[type(move)].effect(state, move)


def legal_moves(engine: Engine[S], state: S, seat: Seat | None = None, *, every: bool = True) -> tuple[list[Any], bool]:
    """The legal candidates, of all seats to act (`every`) or of `seat`; and whether no legal move is missing."""
    moves: list[Any] = []
    complete = True
    actors = engine.to_act(state)
    if engine.table_claims and actors and None not in actors:
        actors = (*actors, None)
    for actor in actors:
        if every or actor == seat:
            if actor is None and engine.deal is not None:
                candidates = Candidates([engine.deal.kind()])
            else:
                candidates = engine.candidates(state, actor)
            complete = complete and candidates.complete
            moves += [move for move in candidates.moves if not judge(engine, state, move).violations]
    return moves, complete


def facts(engine: Engine[S], state: S, move: Any) -> Mapping[str, Any]:
    """Facts that help a player to choose a legal move. Of a deal `takes`: the members that show its cards."""
    return {"takes": _shows_cards(move.__class__)} if engine.row[type(move)].deals else engine.facts(state, move)


def particulars(engine: Engine[S], state: S, move: Any) -> Mapping[str, Any]:
    """What the words of a legal move may say beside its members and facts."""
    return {} if engine.row[type(move)].deals else engine.particulars(state, move)


@cache
def _shows_cards(deal: type) -> tuple[str, ...]:
    """The fields of a deal that may show cards: all but `seat`."""
    return tuple(each.name for each in fields(deal) if each.name != "seat")


def audit(engine: Engine[S], state: S) -> tuple[list[Fault], list[str]]:
    """Every fault of a state, and the clauses that could not be checked, in rulebook order."""
    return _findings(engine, engine.audits, state)


def audit_setup(engine: Engine[S], setup: Any) -> list[Fault]:
    """Every fault of a setup."""
    return _findings(engine, engine.asked_of_setups, setup)[0]


def _contested(engine: Engine[S], ruleset: Any, decided: Sequence[Ruling]) -> tuple[Contested, ...]:
    """One entry for each option that decided a ruling. `rule`: the first clause in the rulebook that it decided."""
    entries: dict[str, Contested] = {}
    for ruling in sorted(decided, key=lambda ruling: engine.rank[ruling.rule]):
        assert ruling.option is not None
        value, option = getattr(ruleset, ruling.option), engine.options[ruling.option]
        assert option.why is not None, f"{ruling.option} decides rulings, but nothing says why it is contested"
        others = tuple(other for other in _in_play(ruleset.__class__, ruling.option) if other != value)
        entries.setdefault(ruling.option, Contested(ruling.rule, ruling.option, value, others, option.why))
    return tuple(sorted(entries.values(), key=lambda entry: (engine.rank[entry.rule], entry.option)))


@cache
def _in_play(ruleset: type, name: str) -> tuple[Any, ...]:
    """The values of a contested option, published or of houses, in the order in which its type declares them.

    If its type declares no values, as `int`: in the order of the option.
    """
    (option,) = (each.metadata["option"] for each in fields(ruleset) if each.name == name)
    declared = get_args(get_type_hints(ruleset)[name])
    values = (*option.published, *option.houses)
    return tuple(sorted(values, key=declared.index)) if set(values) <= set(declared) else values


def _findings(engine: Engine[S], audits: tuple[Audit, ...], subject: Any) -> tuple[list[Fault], list[str]]:
    """The faults that these audits find, and the clauses that they could not check, in rulebook order."""
    faults: list[Fault] = []
    unseen: list[str] = []
    for each in audits:
        finding = each(subject)
        if finding is None:
            continue
        if isinstance(finding, Unverified):
            unseen.append(finding.ruling.rule)
        elif isinstance(finding, Fault):
            faults.append(finding)
        else:
            faults += finding
    faults.sort(key=lambda fault: engine.rank[fault.ruling.rule])
    return faults, engine.in_order(unseen) if unseen else []
