"""What comes back, as closed schemas. They load and dump nothing: they are published, and tests hold to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias, cast, get_type_hints

import engines
from engines.core.engine import Engine
from engines.core.rulings import Awaits, Decides, Forbids, Happens, Refutes, Ruling
from engines.core.shape import OneOf, Text, Whole
from service.contract.calls import BatchEntry, title
from service.contract.codec import codecs
from service.contract.fields import Anything, Choice, Closed, Listing, Record, Ruled, Strict, Values
from service.contract.of_game import moves_of, prefix
from service.contract.placeholders import Seat
from service.contract.shapes import Shapes
from service.web.problems import KINDS

Members: TypeAlias = Mapping[str, Any]
"""Annotations or fields by the name of the member."""

Count: TypeAlias = Annotated[int, Whole(0, 1_000_000)]
Status: TypeAlias = Annotated[int, Whole(100, 599)]
Version: TypeAlias = Annotated[int, Whole(1, 1_000_000)]

GENERAL = Shapes("", {}, {})

ANSWER = {
    "resolve": "Resolution",
    "validate": "Judgement",
    "legal-moves": "LegalMoves",
    "audit": "Audit",
    "view": "View",
    "deal": "Opening",
}
"""What the answer to each call is called."""

SAID = {
    "Event": "It happened",
    "Violation": "It forbids the move",
    "Fault": "It makes the state impossible",
    "Undetermined": "The effect of the move depends on what is not seen",
}


def shaped(
    name: str | None, doc: str, members: Members, optional: Members | None = None, shapes: Shapes = GENERAL
) -> type[Closed]:
    """A closed schema from annotations. `name` None: it is published in place, not as a component."""
    declared = {}
    for each, required in ((members, True), (optional or {}, False)):
        for key, what in each.items():
            declared[key] = what if isinstance(what, Strict) else shapes.field(what)
            declared[key].required = required
    schema: Any = type(name or "InPlace", (Closed,), declared)
    schema.component, schema.__doc__ = name, doc
    return schema  # type: ignore[no-any-return]


def list_of(item: Any) -> Any:
    """The annotation of a list of any length."""
    return tuple[item, ...]


class AnyOf(Strict):
    """One of several fields that nothing tells apart beforehand."""

    def __init__(self, members: Sequence[Strict], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.members = tuple(members)


@dataclass(frozen=True)
class Family:
    """Shapes of one kind, told apart by the member `key`; there may be none."""

    name: str
    key: str
    members: Mapping[str, Record]

    def listed(self) -> Strict:
        """A list of them."""
        return Listing(Choice(self.key, self.members, self.name)) if self.members else Listing(Values(()), 0, 0)

    def or_null(self) -> Strict:
        """One of them or null."""
        return (
            Choice(self.key, self.members, self.name, allow_none=True) if self.members else Values((), allow_none=True)
        )


class Answers:
    """The answers of one game."""

    def __init__(self, engine: Engine[Any]) -> None:
        self.engine = engine
        self.prefix = prefix(engine.game)
        self.shapes = codecs(engine).shapes
        self.clause: Any = Annotated[str, OneOf(f"{self.prefix}Clause", tuple(engine.rank))]
        self.seat: Any = Seat
        self.ruleset = self._ruleset()
        self.event = self._said("Event", Happens, {"move": Annotated[int, Whole(0, 499)]})
        self.violation = self._said("Violation", Forbids, {"pointer": str})
        self.fault = self._said("Fault", Refutes, {"pointers": tuple[str, ...]})
        self.awaited = self._said("Undetermined", Awaits, {"pointer": str}, {"move": Annotated[int, Whole(0, 499)]})
        self.standing = self._standing()
        self.result = self._result()
        self.calls = {call: self._answer(call) for call in ANSWER}
        """The schema of the answer to each call."""

    def _answer(self, call: str) -> type[Closed]:
        members: dict[str, tuple[str, Members]] = {
            "resolve": ("What the moves came to: applied in order, up to the first that is not.", self._resolution()),
            "validate": ("Whether one move may be made, and what forbids it.", self._judgement()),
            "legal-moves": ("The moves that may be made now.", self._legal_moves()),
            "audit": ("Everything in a table that contradicts the rulebook.", self._audit()),
            "view": ("The table as one seat may see it.", {"seat": self.seat | None, "state": self.engine.state}),
            "deal": ("A table as it stands after the deal.", self._deal()),
        }
        doc, answered = members[call]
        game = {"game": Values((self.engine.game,))}
        optional = {"comparison": _many(self._compared())} if call == "resolve" else {}
        return self._shaped(ANSWER[call], doc, {**game, **answered}, optional)

    def _resolution(self) -> Members:
        return {
            "ruleset": Record(self.ruleset),
            "legal": bool,
            "applied": Annotated[int, Whole(0, 500)],
            "violations": self.violation.listed(),
            "unverified": list_of(self.clause),
            "undetermined": self.awaited.or_null(),
            "events": self.event.listed(),
            "contested": self._contested(),
            "state": self.engine.state,
            **self._table(),
        }

    def _table(self) -> Members:
        return {
            "to_act": list_of(self.seat | None),
            "standings": _many(self.standing),
            "result": Record(self.result, allow_none=True),
        }

    def _judgement(self) -> Members:
        return {
            "ruleset": Record(self.ruleset),
            "legal": bool,
            "violations": self.violation.listed(),
            "unverified": list_of(self.clause),
            "undetermined": self.awaited.or_null(),
        }

    def _legal_moves(self) -> Members:
        facts = self._shaped("Facts", "What a player would want to know of a legal move.", {}, self.engine.fact_types)
        listed = self._shaped(
            "LegalMove",
            "A move that may be made, in canonical form, and what there is to know of it.",
            {"move": moves_of(self.engine), "facts": Record(facts)},
        )
        return {
            "ruleset": Record(self.ruleset),
            "to_act": list_of(self.seat | None),
            "moves": _many(listed),
            "complete": bool,
        }

    def _audit(self) -> Members:
        return {"consistent": bool, "faults": self.fault.listed(), "unverified": list_of(self.clause)}

    def _deal(self) -> Members:
        return {
            "state": self.engine.state,
            "to_act": list_of(self.seat | None),
            "seed": Annotated[str, Text(1, 200)] | None,
            "commitment": Annotated[str, Text(64, 64)] | None,
        }

    def _ruleset(self) -> type[Closed]:
        posted = cast("type[Ruled]", self.shapes.record(type(next(iter(self.engine.rulesets.values())))))
        members = {
            "name": Values(tuple(self.engine.rulesets)),
            "version": Version,
            "options": Record(posted.options()),
        }
        return self._shaped("RulesetUsed", "The ruleset that was judged by, every option spelled out.", members)

    def _said(self, kind: str, rulings: type[Ruling], members: Members, optional: Members | None = None) -> Family:
        """What rulings of one kind say, by code; those that share a code differ only in the clause."""
        groups: dict[str, list[Ruling]] = {}
        for ruling in self.engine.rulings:
            if isinstance(ruling, rulings) and not isinstance(ruling, Decides):
                groups.setdefault(ruling.code, []).append(ruling)
        said = {}
        for code, group in groups.items():
            clauses: Any = Literal[tuple(dict.fromkeys(ruling.rule for ruling in group))]
            params = (
                shaped(None, "The particulars.", group[0].params, shapes=self.shapes) if group[0].params else NO_PARAMS
            )
            said[code] = Record(
                self._shaped(
                    title(code) + kind,
                    f"{SAID[kind]}: {code}.",
                    {"rule": clauses, "code": Values((code,)), "params": Record(params), **members, "text": str},
                    optional,
                )
            )
        return Family(self.prefix + kind, "code", said)

    def _standing(self) -> type[Closed]:
        score: Members = {"score": int, "rank": Annotated[int, Whole(1, len(self.engine.seats) + 10)]}
        doc = "A place in the ranking; equal scores share a rank (1, 1, 3)."
        if "teams" not in {each.name for each in fields(self.engine.state)}:
            return self._shaped("Standing", doc, {"seat": self.seat, **score})
        return self._shaped(
            "Standing", f"{doc} Of a seat or, in team play, of a team.", score, {"seat": self.seat, "team": self.seat}
        )

    def _result(self) -> type[Closed]:
        doc = "How the game ended: the winners (seats or teams), or the points and rating of a game played together."
        optional = {"winners": list_of(self.seat), "points": int, "rating": str}
        return self._shaped("Result", doc, {"rule": self.clause}, optional)

    def _contested(self) -> Strict:
        ruleset = type(next(iter(self.engine.rulesets.values())))
        hints = get_type_hints(ruleset, include_extras=True)
        members = {
            name: Record(self._contested_option(name, hints[name]))
            for name, option in self.engine.options.items()
            if option.published
        }
        return Family(f"{self.prefix}Contested", "option", members).listed()

    def _contested_option(self, option: str, value: Any) -> type[Closed]:
        name = title(option.replace("_", "-"))
        outcome = self._shaped(
            f"{name}Outcome",
            "What the same moves come to under another value of the option.",
            {"value": value, "legal": bool, "applied": Count, "standings": _many(self.standing)}
            | {"result": Record(self.result, allow_none=True), "changed": bool},
        )
        rules: Any = Literal[tuple(dict.fromkeys(each.rule for each in self.engine.rulings if each.option == option))]
        return self._shaped(
            f"{name}Contested",
            "A ruling of this resolution that rests on an option on which published texts disagree.",
            {"rule": rules, "option": Values((option,)), "value": value, "alternatives": list_of(value)},
            {"outcomes": _many(outcome)},
        )

    def _compared(self) -> type[Closed]:
        names: Any = Literal[tuple(self.engine.rulesets)]
        return self._shaped(
            "Comparison",
            "What the same moves come to under another ruleset.",
            {"ruleset": names, "legal": bool, "standings": _many(self.standing)}
            | {"result": Record(self.result, allow_none=True), "events": self.event.listed()},
        )

    def _shaped(self, name: str, doc: str, members: Members, optional: Members | None = None) -> type[Closed]:
        return shaped(self.prefix + name, doc, members, optional, self.shapes)


@cache
def answers(engine: Engine[Any]) -> Answers:
    """The answers of a game, made once."""
    return Answers(engine)


def answer(call: str, game: str | None) -> Strict:
    """What a stateless call answers: for one game, or for all, told apart by `game`."""
    if game is not None:
        return Record(answers(engines.registry()[game]).calls[call])
    members = {name: Record(answers(engine).calls[call]) for name, engine in engines.registry().items()}
    return Choice("game", members, ANSWER[call])


NO_PARAMS = shaped("NoParams", "There are no particulars.", {})


# Problems.

WRONG_PLACE = shaped(
    "WrongPlace", "A place in the body that does not fit, and how to mend it.", {"pointer": str, "detail": str}
)


def problem(slug: str, game: str | None = None) -> Record:
    """A problem document. `game`: whose faults it tells; without, what it tells of every game."""
    return Record(_problem(slug, game if slug in BY_GAME else None))


@cache
def _problem(slug: str, game: str | None) -> type[Closed]:
    kind = KINDS[slug]
    members = {
        "type": Values((f"/problems/{slug}",)),
        "title": str,
        "status": Values((kind.status,)),
        "detail": str,
        "instance": str,
        **({} if game is None else {"faults": answers(engines.registry()[game]).fault.listed()}),
        **_extra(slug),
    }
    return shaped(("" if game is None else prefix(game)) + title(slug) + "Problem", kind.meaning, members)


BY_GAME = {"invalid-state"}
"""Problems that cite a game's clauses."""


def _extra(slug: str) -> Members:
    """The members that a problem has beside the standard ones."""
    if slug == "invalid-request":
        return {"errors": Listing(Record(WRONG_PLACE), 1)}
    if slug == "illegal-move":
        return {"violations": AnyOf([answers(engine).violation.listed() for engine in engines.registry().values()])}
    return {"version": int, "view": Anything()} if slug == "version-mismatch" else {}


def problems(slugs: Iterable[str], game: str | None) -> Strict:
    """One of several problem documents, told apart by `type`."""
    return Choice("type", {f"/problems/{slug}": problem(slug, game) for slug in slugs})


def invalid_state() -> Strict:
    """A problem document with the faults of any game; their clauses tell the games apart."""
    return AnyOf([problem("invalid-state", game) for game in engines.registry()])


# What there is.

Setting: TypeAlias = bool | int | str | tuple[str, ...]
Language: TypeAlias = Literal["en", "it", "fr"]
Source: TypeAlias = Literal["S", "S/P", "S/D", "S/P/D", "P", "P/D", "D"]


@cache
def _games() -> Any:
    return Literal[tuple(engines.registry())]


def _summary(rulesets: Any) -> Members:
    return {"game": _games(), "title": str, "seats": tuple[Count, ...], "rulesets": rulesets}


@cache
def games() -> Strict:
    """The answer of `GET /games`."""
    listed = shaped(
        "GameSummary", "A game: how many may play, and its rulesets, the default first.", _summary(tuple[str, ...])
    )
    return Record(shaped("Games", "Every game that is refereed here.", {"games": _many(listed)}))


@cache
def description() -> Strict:
    """The answer of `GET /games/{game}`."""
    domain = shaped(
        "OptionValues",
        "What an option may be: one of a list, an integer in a range, or a list of different values of a list.",
        {},
        {"one_of": tuple[Setting, ...], "least": int, "most": int, "list_of": tuple[str, ...]},
    )
    option = shaped(
        "Option",
        "A point that a ruleset settles. `contested`: published texts disagree on it; `published`: what they say.",
        {"name": str, "rule": str, "values": Record(domain), "default": Setting, "contested": bool}
        | {"published": tuple[Setting, ...]},
    )
    used = AnyOf([Record(answers(engine).ruleset) for engine in engines.registry().values()])
    ruling = shaped(
        "Ruling",
        "One thing that the referee can say, with the clause that makes it say so, and its sentence with placeholders.",
        {"rule": str, "code": str, "kind": Literal["violation", "event", "fault", "undetermined"]}
        | {"params": tuple[str, ...], "option": str | None, "text": str},
    )
    members = {
        **_summary(Listing(used)),
        "options": _many(option),
        "moves": tuple[str, ...],
        "phases": tuple[str, ...],
        "rulings": _many(ruling),
    }
    return Record(shaped("Game", "All that can be known of a game beforehand.", members))


@cache
def rulebook() -> Strict:
    """The answer of `GET /games/{game}/rulebook`."""
    clause = shaped(
        "Clause",
        "A clause in this project's words. `source`: S the published text, P practice, D a decision of this project.",
        {"id": str, "section": str, "text": str, "source": Source, "options": tuple[str, ...]},
    )
    members = {"game": _games(), "title": str, "language": Language, "clauses": _many(clause)}
    return Record(shaped("Rulebook", "Every clause of a game.", members))


@cache
def batch() -> Strict:
    """The answer of `POST /batch`."""
    judged = [answer(call, None) for call in ANSWER]
    refused = [problem("invalid-request"), invalid_state()]
    member = shaped(
        "BatchAnswer",
        "The answer to one call of a batch: what the call alone would have answered.",
        {"status": Status, "body": AnyOf([*judged, *refused])},
        {"id": get_type_hints(BatchEntry, include_extras=True)["id"]},
    )
    return Record(shaped("BatchAnswers", "The answers, in the order of the calls.", {"responses": _many(member)}))


@cache
def problem_kind() -> Strict:
    """The answer of `GET /problems/{slug}`."""
    return Record(
        shaped(
            "ProblemKind",
            "What a problem means.",
            {"type": str, "title": str, "status": Status, "meaning": str},
        )
    )


def anything() -> Strict:
    """An answer that has a schema of its own elsewhere, such as an OpenAPI document."""
    return Anything()


@cache
def alive() -> Strict:
    """The answer of `GET /livez`."""
    return Record(shaped("Alive", "The process answers.", {"status": Literal["alive"]}))


@cache
def ready() -> Strict:
    """The answer of `GET /readyz`."""
    state = Literal["ready", "away"]
    checks = shaped("Checks", "What was asked whether it is ready.", {}, {"sessions": state})
    members = {"status": state, "games": list_of(_games()), "checks": Record(checks)}
    return Record(shaped("Ready", "Whether all that the service needs is there.", members))


def _many(schema: type[Closed]) -> Strict:
    return Listing(Record(schema))
