"""Every engine shows each seat exactly what `seeds/<game>/secrets.yaml` lets it see, in random games of every game."""

import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

import engines
from engines.core.judge import resolve
from engines.core.records import changed
from service import seeds
from service.contract import codecs
from service.contract.fields import Invalid
from service.seeds import vectors_in
from tests.engines.games import random_game, random_ruleset
from tests.engines.laws import AnyEngine, Turn
from tests.secrecy import faults_of_log, faults_of_view, secrets

GAMES = list(engines.registry().values())
GAMES_OF_A_PRESET = 2  #: Random games of each preset.
TURNS_OF_A_GAME = 60  #: Turns of a game that are looked at.


@cache
def turns_of(engine: AnyEngine) -> list[Turn]:
    """Turns of random games under every preset, half of them with other options; about as many of each type of move."""
    turns: dict[str, list[Turn]] = {}
    for name, preset in engine.rulesets.items():
        for number in range(GAMES_OF_A_PRESET):
            dice = random.Random(f"{name} {number}")
            rules = random_ruleset(engine, dice, name, 0.5) if number % 2 else preset
            for turn in random_game(engine, dice, 120, rules):
                turns.setdefault(turn.move.type, []).append(turn)
    dice = random.Random(engine.game)
    share = 1 + TURNS_OF_A_GAME // len(turns)
    return [turn for each in turns.values() for turn in dice.sample(each, min(share, len(each)))]


def turns_of_vectors(engine: AnyEngine) -> Iterator[Turn]:
    """The moves that the game's vectors apply, but no deal of a stated deck: no session takes one."""
    load = codecs(engine)
    for vector in vectors_in(seeds.folder(engine)):
        if vector.call == "resolve" and vector.response["status"] == 200:
            body = vector.request["body"]
            try:
                state, moves = load.state.load(body["state"]), [load.move.load(move) for move in body["moves"]]
            except Invalid as refusal:
                place = seeds.folder(engine).parent / vector.file
                what = f": {vector.id}: expects 200, but its request is refused: {refusal}"
                raise seeds.FaultySeeds(place, what) from None
            state = engine.complete(state)
            for move in moves:
                resolution = resolve(engine, state, [move])
                if not resolution.applied:
                    break
                if getattr(move, "deck", None) is None:
                    yield Turn(state, move, resolution)
                state = resolution.state


def view_faults(engine: AnyEngine, turns: list[Turn]) -> Iterator[str]:
    """Where the views of the tables show or hide anything else than the file of secrets says, in sentences."""
    for turn in turns:
        yield from faults_of_view(engine, turn.before)


def log_faults(engine: AnyEngine, turns: list[Turn]) -> Iterator[str]:
    """Where moves and events in the log show or hide anything else than the file of secrets says, in sentences."""
    for turn in turns:
        events = [event for _move, event in turn.resolution.events]
        yield from faults_of_log(engine, turn.before, turn.move, events, turn.resolution.state)


def assert_no_faults(faults: Iterator[str]) -> None:
    """Fail with the first ten sentences, each once."""
    if lines := list(dict.fromkeys(faults)):
        pytest.fail("\n".join(lines[:10]), pytrace=False)


def test_a_view_hides_exactly_what_is_secret(engine: AnyEngine) -> None:
    assert_no_faults(view_faults(engine, turns_of(engine)))


def test_a_log_hides_exactly_what_is_secret(engine: AnyEngine) -> None:
    assert_no_faults(log_faults(engine, turns_of(engine)))


def test_the_events_of_a_vector_hide_exactly_what_is_secret(engine: AnyEngine) -> None:
    assert_no_faults(log_faults(engine, list(turns_of_vectors(engine))))


# --- a view that leaks is reported by name, in every game -----------------------------------------------------------


ZONES = [(engine, name) for engine in GAMES for name, rule in secrets(engine).zones.items() if rule.seen_by != "all"]
LOGGED = [
    (engine, view, name)
    for engine in GAMES
    for view, stated in (("view_move", secrets(engine).moves), ("view_event", secrets(engine).events))
    for name, parts in stated.items()
    if any(rule.seen_by != "all" for rule in parts.values())
]


def id_of(value: Any) -> str:
    """The id of a test's parameter: of an engine, its game."""
    return getattr(value, "game", None) or str(value)


@pytest.mark.parametrize(("engine", "zone"), ZONES, ids=id_of)
def test_a_view_that_leaks_one_zone_is_reported_by_seat_and_zone(engine: AnyEngine, zone: str) -> None:
    leaks = changed(engine, view=lambda state, seat: changed(engine.view(state, seat), **{zone: getattr(state, zone)}))
    lines = set(view_faults(leaks, turns_of(engine)[::3]))
    assert any(f"{engine.game}: a spectator is shown '{zone}" in each for each in lines)
    assert any(f"{engine.game}: seat {engine.seats[0] - 1} is shown '{zone}" in each for each in lines)
    assert all(f"is shown '{zone}" in each for each in lines)


@pytest.mark.parametrize(("engine", "zone"), ZONES, ids=id_of)
def test_a_view_that_leaves_a_zone_out_is_reported_by_zone(engine: AnyEngine, zone: str) -> None:
    """A hidden card is a null at its place in the list: others may count the cards."""
    emptied = changed(engine, view=lambda state, seat: changed(engine.view(state, seat), **{zone: ()}))
    lists = [turn for turn in turns_of(engine)[::3] if isinstance(getattr(turn.before, zone), tuple)]
    if not lists:
        pytest.skip("the zone is no list that could be counted")
    lines = set(view_faults(emptied, lists))
    assert any(f"{engine.game}: a spectator cannot count '{zone}/" in each for each in lines)


@pytest.mark.parametrize(("engine", "view", "name"), LOGGED, ids=id_of)
def test_a_log_that_leaks_is_reported_by_seat_and_part(engine: AnyEngine, view: str, name: str) -> None:
    leaks = changed(engine, **{view: HIDING_NOTHING[view]})
    lines = set(log_faults(leaks, turns_of(engine)))
    assert any(f"seat {engine.seats[0] - 1} is shown '" in each and f"{name!r}" in each for each in lines)


HIDING_NOTHING: dict[str, Callable[..., Any]] = {
    "view_move": lambda state, move, seat: move,
    "view_event": lambda state, event, seat: event,
}
"""Views that hide nothing."""


def test_a_secret_card_in_an_event_is_reported_though_the_file_does_not_name_the_event(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = engines.registry()["take-that"]
    silent = changed(secrets(engine), events={})
    monkeypatch.setattr("tests.secrecy.secrets", lambda engine: silent)
    lines = set(log_faults(changed(engine, view_event=HIDING_NOTHING["view_event"]), turns_of(engine)))
    assert "take-that: seat 1 is shown 'card' of the event 'drew'; see seeds/take_that/secrets.yaml." in lines


def test_a_view_that_hides_too_much_is_reported(engine: AnyEngine) -> None:
    turn = turns_of(engine)[-1]
    hiding = changed(engine, view=lambda state, seat: changed(engine.view(state, seat), phase=None))
    assert any(f"{engine.game}: seat 0 is not shown 'phase'" in each for each in view_faults(hiding, [turn]))
