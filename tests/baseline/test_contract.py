"""Changes that break a client are distinguished from additions."""

import copy
import json
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from typing import Any

import pytest

from service.contract.openapi import document
from service.judging.calls import CALLS
from tests.baseline.__main__ import as_release_file, contract_of_last_release, may_break
from tests.baseline.comparing import Json, differences, what_must_stay


def contract_after(change: Callable[[Json], object]) -> Json:
    """Return what is compared of the contract after a change."""
    new = copy.deepcopy(document(CALLS))
    change(new)
    return what_must_stay(new, "0.1.0")


@cache
def contract() -> Json:
    """The contract without any change."""
    return contract_after(lambda new: None)


def schema(new: Json, name: str) -> Any:
    """The component of this name."""
    return new["components"]["schemas"][name]


def member(new: Json, name: str, member: str) -> Any:
    """A member of the component of this name."""
    return schema(new, name)["properties"][member]


BREAKING_CHANGES: dict[str, tuple[Callable[[Json], object], str]] = {
    "a call is gone": (lambda new: new["paths"].pop("/audit"), "POST /audit is gone"),
    "a call is called otherwise": (
        lambda new: new["paths"]["/audit"]["post"].update(operationId="search"),
        "POST /audit was audit, is search",
    ),
    "a status is gone": (
        lambda new: new["paths"]["/games/{game}"]["get"]["responses"].pop("404"),
        "GET /games/{game} 404 is gone",
    ),
    "a member of an answer is gone": (
        lambda new: schema(new, "TwinsResolution")["properties"].pop("standings"),
        "TwinsResolution.standings is gone",
    ),
    "a member of an answer may be left out": (
        lambda new: schema(new, "TwinsResolution")["required"].remove("result"),
        "TwinsResolution.result may be left out",
    ),
    "a member of an answer may be null": (
        lambda new: member(new, "TwinsResolution", "applied").update(type=["integer", "null"]),
        "TwinsResolution.applied may be null",
    ),
    "a member of an answer has another type": (
        lambda new: schema(new, "TwinsResolution")["properties"].update(applied={"type": "string"}),
        "TwinsResolution.applied was integer, is string",
    ),
    "a member of a request is gone": (
        lambda new: schema(new, "TwinsResolveBody")["properties"].pop("views"),
        "TwinsResolveBody.views is gone",
    ),
    "a member of a request must be there": (
        lambda new: schema(new, "TwinsResolveBody")["required"].append("names"),
        "TwinsResolveBody.names must be there",
    ),
    "a member of a request takes less": (
        lambda new: member(new, "TwinsResolveBody", "moves").update(maxItems=400),
        "TwinsResolveBody.moves maxItems 400",
    ),
    "a value is refused": (
        lambda new: member(new, "TwinsState", "phase")["enum"].remove("buying"),
        "TwinsState.phase: 'buying' is gone",
    ),
    "a kind of move is gone": (
        lambda new: schema(new, "TwinsMove")["discriminator"]["mapping"].pop("buy"),
        "TwinsMove buy is gone",
    ),
}


@pytest.mark.parametrize(("change", "sentence"), BREAKING_CHANGES.values(), ids=BREAKING_CHANGES)
def test_a_breaking_change_is_named(change: Callable[[Json], object], sentence: str) -> None:
    since = differences(contract(), contract_after(change))
    assert (sentence in since.broken, since.added) == (True, [])


def test_a_component_with_another_name_breaks_clients() -> None:
    def rename(new: Json) -> None:
        new.update(json.loads(json.dumps(new).replace("schemas/TwinsState", "schemas/TwinsTable")))
        new["components"]["schemas"]["TwinsTable"] = new["components"]["schemas"].pop("TwinsState")

    assert "the component TwinsState is gone" in differences(contract(), contract_after(rename)).broken


GAINS_OF_CLOSED_SHAPES: dict[str, tuple[Callable[[Json], object], str]] = {
    "a member of a state": (
        lambda new: schema(new, "TwinsState")["properties"].update(hint={"type": "string"}),
        "TwinsState.hint is new in what is closed",
    ),
    "a phase": (
        lambda new: member(new, "TwinsState", "phase")["enum"].append("pause"),
        "TwinsState.phase: 'pause' is new in what is closed",
    ),
    "a move": (
        lambda new: schema(new, "TwinsMove")["discriminator"]["mapping"].update(fold="#/components/schemas/TwinsDeal"),
        "TwinsMove fold is new in what is closed",
    ),
}


@pytest.mark.parametrize(("change", "sentence"), GAINS_OF_CLOSED_SHAPES.values(), ids=GAINS_OF_CLOSED_SHAPES)
def test_what_a_state_or_a_move_gains_breaks_clients_of_that_game(
    change: Callable[[Json], object], sentence: str
) -> None:
    assert differences(contract(), contract_after(change)).broken == [sentence]


def make_minor_changes(new: Json) -> None:
    """Make the changes that a minor version may contain."""
    schema(new, "TwinsResolution")["properties"]["hint"] = {"type": "string"}
    schema(new, "TwinsResolution")["required"].append("hint")
    schema(new, "TwinsResolveBody")["properties"]["hints"] = {"type": "boolean"}
    member(new, "TwinsResolveBody", "moves")["maxItems"] = 600
    member(new, "BatchEntry", "path")["enum"].append("/hint")
    new["paths"]["/hint"] = copy.deepcopy(new["paths"]["/audit"])


def test_additions_are_listed_for_the_changelog() -> None:
    since = differences(contract(), contract_after(make_minor_changes))
    assert since.broken == []
    assert set(since.added) == {
        "POST /hint", "TwinsResolution.hint", "TwinsResolveBody.hints", "BatchEntry.path: '/hint'",
    }  # fmt: skip


def test_the_contract_still_fulfils_the_last_release() -> None:
    old = contract_of_last_release()
    if old is not None and not may_break(old["version"], version("rules-referee")):
        assert differences(old, contract()).broken == []


@pytest.mark.parametrize(
    ("old", "new", "may"),
    [("0.1.0", "0.1.1", False), ("0.1.9", "0.2.0", True), ("1.1.0", "1.2.0", False), ("1.9.0", "2.0.0", True)],
)
def test_only_certain_versions_may_break_clients(old: str, new: str, *, may: bool) -> None:
    assert may_break(old, new) is may


def test_a_release_has_one_line_for_each_thing() -> None:
    lines = as_release_file(contract()).splitlines()
    assert sum(line.startswith('"TwinsState.phase": ') for line in lines) == 2  # in requests and in answers
