"""The shape of a game's answers follows from its rulings and options, even if it has none of some kind."""

import json
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from engines.core.engine import Candidates, Engine, Move, Step
from engines.core.rulings import forbids, happens
from engines.core.shape import Whole
from engines.core.zones import Zones
from service.contract.answers import EncodedResolution, EncodedResult, EncodedUndetermined
from service.contract.codec import codecs
from service.contract.fields import ListField, ObjectField, UnionField, ValuesField
from service.web.strict_json import dumps


@dataclass(frozen=True)
class Ruleset:
    """Rules without options."""

    name: Literal["only"] = "only"


@dataclass(frozen=True)
class State:
    """The smallest possible table."""

    phase: Literal["play", "game-over"]
    ruleset: Ruleset = Ruleset()


@dataclass(frozen=True)
class Stop:
    """End the game."""

    type: ClassVar[str] = "stop"


@dataclass(frozen=True)
class Setup:
    """A set-up without options."""

    seats: Annotated[int, Whole(2, 2)]


def stop(state: State, move: Stop) -> Step:
    """Do nothing."""
    return state, []


STOP: Move[State, Stop] = Move(Stop, ((lambda state, move: None,),), stop)
BARE: Engine[Any] = Engine(
    game="bare-game",
    rulesets={"only": Ruleset()},
    state=State,
    zones=Zones(State),
    moves=(STOP,),
    setup=Setup,
    rulings=(forbids("BG-1", "over"), happens("BG-2", "stopped", by=int), happens("BG-3", "stopped", by=int)),
    audits=(),
    seats_of=lambda state: 2,
    to_act=lambda state: (),
    candidates=lambda state, seat: Candidates([]),
    standings=lambda state: (),
    result=lambda state: None,
    view=lambda state, seat: state,
    cards=lambda setup: (),
    opening=lambda setup: State("play"),
)
SHAPES = codecs(BARE).shapes
RESOLUTION = SHAPES.record(EncodedResolution).declared()


def test_rulings_that_share_a_code_have_one_shape_with_several_clauses() -> None:
    events = RESOLUTION["events"]
    assert isinstance(events, ListField)
    assert isinstance(events.item, UnionField)
    rule = events.item.members["stopped"].shape.declared()["rule"]
    assert isinstance(rule, ValuesField)
    assert rule.values == ("BG-2", "BG-3")


def test_a_game_without_contested_options_and_unseen_effects_never_answers_with_them() -> None:
    contested, undetermined = RESOLUTION["contested"], RESOLUTION["undetermined"]
    assert isinstance(contested, ListField)
    assert isinstance(undetermined, UnionField)
    assert (contested.least, contested.most, undetermined.members, undetermined.allow_none) == (0, 0, {}, True)


def test_a_game_without_teams_ranks_seats() -> None:
    standings = RESOLUTION["standings"]
    assert isinstance(standings, ListField)
    assert isinstance(standings.item, ObjectField)
    assert list(standings.item.shape.declared()) == ["seat", "score", "rank"]


def test_a_member_that_is_none_by_default_is_left_out_and_the_others_keep_their_order() -> None:
    said = EncodedUndetermined(rule="BG-1", code="over", params={}, text="It is over.", pointer="/state/phase")
    assert list(json.loads(dumps(said))) == ["rule", "code", "params", "text", "pointer"]
    assert json.loads(dumps(EncodedResult(winners=[1], rule="BG-1"))) == {"winners": [1], "rule": "BG-1"}


def test_components_begin_with_the_game_and_required_members_come_first() -> None:
    assert SHAPES.record(EncodedResult).component == "BareGameResult"
    assert list(SHAPES.record(EncodedResult).declared()) == ["rule", "winners", "points", "rating"]
