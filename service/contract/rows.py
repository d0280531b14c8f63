"""A stateless call as one row, and what follows from the row: its paths, its bodies and answers, its part of a batch.

The rows are in `service.judging.calls`; the functions here take them as parameters.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass
from functools import cache, partial
from typing import Any, Generic, TypeAlias, TypeVar

import engines
from service import bounds
from service.contract import fields, guesses
from service.contract.answers import BatchAnswers
from service.contract.codec import Codec, of_all_games, of_each_game
from service.contract.fields import StrictField
from service.contract.placeholders import Placeholder, WithSetup
from service.contract.problem_bodies import too_much
from service.contract.requests import BatchEntry, BatchRequest
from service.contract.shapes import Shapes, title
from service.words.phrases import Phrase, phrase

Judge = TypeVar("Judge")
Body = TypeVar("Body")
Answer = TypeVar("Answer")


@dataclass(frozen=True, eq=False)
class Call(Generic[Judge, Body, Answer]):
    """One stateless call. Its routes, its part of a batch, its operation and its command follow from this row.

    Bind each row to a name before it goes into the table: only then does a type checker compare body and answer with
    the judge.
    """

    name: str  #: The last part of its paths; its prose is in `prose.yaml`.
    takes: type[Body]
    gives: type[Answer]
    judge: Callable[[Judge, Body], Answer]


class PathField(fields.ValuesField):
    """The path of a call in a batch."""

    def guess(self, value: object) -> Sequence[Phrase] | None:
        """As of any value; of a path to an unknown game also which games there are."""
        named, known = re.match("/games/([^/]+)", str(value)), engines.registry()
        if named is None or named[1] in known:
            return super().guess(value)
        unknown = phrase("no-such-game", game=fields.shown(named[1]), known=", ".join(known))
        match = guesses.meant(named[1], [*known])
        return [unknown] if match is None else [unknown, fields.did_you_mean(match)]


AnyCall: TypeAlias = Call[Any, Any, Any]
Calls: TypeAlias = tuple[AnyCall, ...]


def path_of(call: AnyCall, game: str | None) -> str:
    """The path of a call for one game, or, with None, for all."""
    return f"/{call.name}" if game is None else f"/games/{game}/{call.name}"


@cache
def routes(calls: Calls) -> Mapping[str, tuple[AnyCall, str | None]]:
    """Every path of these calls, with the call and the game that the path names."""
    of_all = {path_of(call, None): (call, None) for call in calls}
    return of_all | {path_of(call, game): (call, game) for game in engines.registry() for call in calls}


def members(takes: type) -> dict[str, bool]:
    """The members that a body has in every game, and whether each must be there. `takes`: its dataclass."""
    own = {each.name: each.default is MISSING for each in dataclasses.fields(takes)}
    if not issubclass(takes, WithSetup):
        return own
    first, *others = [dataclasses.fields(engine.setup) for engine in engines.registry().values()]
    names = [{each.name for each in other} for other in others]
    return {each.name: each.default is MISSING for each in first if all(each.name in other for other in names)} | own


def body_fields(call: AnyCall, game: str) -> Mapping[str, StrictField]:
    """The fields of a call's body for one game, by member."""
    return of_each_game(call.takes)[game].shape.declared()


@cache
def body_codec(call: AnyCall, game: str | None) -> Codec[Any]:
    """The codec of a call's body: for one game, or, with None, for all, distinguished by the member `game`."""
    if game is not None:
        field = of_each_game(call.takes)[game]
        field.shape.remedies = {"game": phrase("game-in-path", game=game)}
        return Codec(field)
    return Codec(of_all_games(call.takes, f"{title(call.name)}Request", tagged=True))


def batch_entries(calls: Calls, value: object) -> Sequence[BatchEntry]:
    """The entries of a batch, their bodies not judged yet; raises `Problem` if they ask for too much in all."""
    entries = batch_codec(calls).load(value).requests
    count = sum(_outcomes(entry.body) for entry in entries)
    if count > bounds.OUTCOMES_IN_BATCH:
        raise too_much("batch-outcomes", count, bounds.OUTCOMES_IN_BATCH)
    return entries


def _outcomes(body: object) -> int:
    """The outcomes that the body of an entry asks for, judged by its shape; none without a list of moves."""
    if not isinstance(body, dict) or not isinstance(moves := body.get("moves"), list):
        return 0
    views = body.get("views")
    listed = body.get("legal_moves") is True
    return max(len(moves), 1) * bounds.outcomes(0, len(views) if isinstance(views, list) else 0, listed=listed)


@cache
def batch_codec(calls: Calls) -> Codec[BatchRequest]:
    """The codec of a batch."""
    return Codec(fields.ObjectField(_batch_shapes(calls).record(BatchRequest)))


@cache
def entry_codec(calls: Calls) -> Codec[BatchEntry]:
    """The codec of one entry of a batch, its body not judged."""
    return Codec(fields.ObjectField(_batch_shapes(calls).record(BatchEntry)))


@cache
def _batch_shapes(calls: Calls) -> Shapes:
    """The shapes of a batch of these calls; the bodies of its entries may be anything."""
    paths = partial(PathField, tuple(routes(calls)))
    return Shapes(by_game={Placeholder.PATH: paths, Placeholder.BODY: fields.AnyField})  # each body is judged alone


def answer(call: AnyCall, game: str | None) -> StrictField:
    """The answer of a call for one game, or, with None, for all."""
    return of_all_games(call.gives) if game is None else of_each_game(call.gives)[game]


def batch_answer() -> StrictField:
    """The field that describes the answer of `/batch`, in which the answer of each entry is any object."""
    return fields.ObjectField(Shapes(by_game={Placeholder.ANSWER: fields.AnyObjectField}).record(BatchAnswers))
