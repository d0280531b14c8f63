"""Forged transcripts: a table of forgeries, each applied to a true transcript."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from engines.core.shuffle import commitment
from service.app import create_app
from service.config import Settings
from service.sessions.record import deal_seed
from tests.service.sessions.tables import opened

Json: TypeAlias = Any
Forge: TypeAlias = Callable[[Json], None]
"""Forges a transcript in place."""

SOON_OVER = {"gin-rummy": {"options": {"target": 1}}}
"""Rulesets under which a game ends after one or two hands."""
UNPROVED = {"id", "names"}
"""Members that no proof covers, because they only identify. Names are checked where sentences contain them."""


def transcript_of(game: str, fair: str, folder: Path) -> Json:
    """Return the transcript of a game played at random to its end."""
    service = create_app(Settings(store_url=f"sqlite:///{folder}/sessions.sqlite3")).test_client()
    table = opened(service, game, fair=fair, ruleset=SOON_OVER.get(game, {}))
    if fair == "joint":
        seeds = [f"seed {number}" for number in range(table.seats)]
        table.commit(*seeds)
        table.reveal(*seeds)
    dice = random.Random(game)
    while moves := table.get("host", "/legal-moves").get_json()["moves"]:
        least = min(map(_loss, moves)) if game in SOON_OVER else None
        chosen = dice.choice([each["move"] for each in moves if least in (None, _loss(each))])
        assert table.move("host", chosen).status_code == 201
    return table.get("host", "/transcript").get_json()


def _loss(listed: Json) -> int:
    """Return the value that a player minimises, so that hands come to an end."""
    knocks = listed["move"]["type"] == "knock"
    return -1 if knocks else sum(fact for fact in listed["facts"].values() if isinstance(fact, int))


def forgeries(true: Json) -> Iterator[tuple[str, Json]]:
    """Yield every forgery that changes a transcript, with its name."""
    named: dict[str, Forge] = {**BY_HAND, **dict(_by_member(true))}
    for name, forge in named.items():
        forged = copy.deepcopy(true)
        forge(forged)
        if forged != true:
            yield name, forged


def _number_chosen(forged: Json) -> None:
    """Choose another deal number, as a server would to get better cards; change everything that follows from it."""
    seed = deal_seed(forged["server_seed"], forged["seeds"], 7777)
    forged["deals"][0] = {"number": 7777, "seed": seed}
    forged["deal"]["seed"] = seed


def _seeds_chosen(forged: Json, seeds: list[str]) -> None:
    """Replace the seats' seeds; change all deals accordingly."""
    forged["seeds"] = seeds
    for deal in forged["deals"]:
        deal["seed"] = deal_seed(forged["server_seed"], seeds, deal["number"])
    later = iter(forged["deals"])
    forged["deal"]["seed"] = next(later)["seed"]
    for move in forged["moves"]:
        if move["type"] == "deal":
            move["seed"] = next(later)["seed"]


def _seeds_with_commitments(forged: Json, seeds: list[str]) -> None:
    _seeds_chosen(forged, seeds)
    forged["commitments"] = list(map(commitment, seeds))


def _server_chosen(forged: Json) -> None:
    """Replace the server seed and its commitment."""
    forged["server_seed"] = "b" * 64
    forged["commitment"] = commitment("b" * 64)
    _seeds_chosen(forged, forged["seeds"])


def _other_fairness(forged: Json) -> None:
    forged["fair"] = {"joint": "committed", "committed": "joint"}[forged["fair"]]


def _deck_beside(forged: Json) -> None:
    forged["deal"]["deck"] = []


def _deck_beside_a_later_deal(forged: Json) -> None:
    for move in forged["moves"]:
        if move["type"] == "deal":
            move["deck"] = None


def _without(name: str, place: int) -> Forge:
    return lambda forged: forged[name].pop(place)


def _swapped(forged: Json) -> None:
    """Swap two neighbouring moves."""
    moves = forged["moves"]
    place = next(place for place in range(2, len(moves)) if moves[place] != moves[place - 1])
    moves[place], moves[place - 1] = moves[place - 1], moves[place]


def _cards_swapped(forged: Json) -> None:
    """Swap the hands, or the piles, of two seats."""
    hands = forged["state"].get("hands") or forged["state"]["piles"]
    hands[0], hands[1] = hands[1], hands[0]


BY_HAND: dict[str, Forge] = {
    "a number chosen at will": _number_chosen,
    "a number left out": lambda forged: forged["deals"][0].update(number=2),
    "invented seeds": lambda forged: _seeds_chosen(forged, [*forged["seeds"][1:], "chosen"]),
    "invented seeds with commitments": lambda forged: _seeds_with_commitments(forged, [*forged["seeds"], "chosen"]),
    "a seed too few": lambda forged: _seeds_with_commitments(forged, forged["seeds"][1:]),
    "another server seed": _server_chosen,
    "another fairness": _other_fairness,
    "a deck beside the seed": _deck_beside,
    "a deck beside a later seed": _deck_beside_a_later_deal,
    "a seed that was not drawn": lambda forged: forged["deal"].update(seed="mine"),
    "a deal left out": _without("deals", -1),
    "a move left out": _without("moves", -1),
    "an entry left out": _without("entries", -1),
    "the first entry left out": _without("entries", 0),
    "moves in another order": _swapped,
    "hands changed": _cards_swapped,
    "no deal at all": lambda forged: forged.update(deals=[], deal=None),
}


def _by_member(true: Json) -> Iterator[tuple[str, Forge]]:
    """Yield forgeries of each member: invented, null and left out. The same for each part of the table."""
    for name in sorted(true.keys() - UNPROVED):
        yield f"{name} made null", _set(name, None)
        yield f"{name} left out", _left_out(name)
    for name in sorted(true["state"]):
        yield f"state: {name} left out", _left_out("state", name)
        yield f"state: {name} made up", _made_up("state", name)
    for name in ("version", "commitment", "commitments", "to_act", "standings", "result", "server_seed", "seeds"):
        yield f"{name} made up", _made_up(name)
    for place in (0, len(true["entries"]) // 2, -1):
        yield f"entry {place}: events made up", _made_up("entries", place, "events")
        yield f"entry {place}: moves made up", _made_up("entries", place, "moves")


def _set(name: str, value: Json) -> Forge:
    return lambda forged: forged.update({name: value})


def _left_out(*path: Any) -> Forge:
    return lambda forged: _at(forged, path[:-1]).pop(path[-1])


def _made_up(*path: Any) -> Forge:
    def forge(forged: Json) -> None:
        owner = _at(forged, path[:-1])
        owner[path[-1]] = _other(owner[path[-1]])

    return forge


def _at(value: Json, path: tuple[Any, ...]) -> Json:
    for step in path:
        value = value[step]
    return value


def _other(value: Json) -> Json:
    """Return a similar but different value: its first number plus one, or its first text reversed."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value[::-1] + ("" if value != value[::-1] else "x")
    if isinstance(value, dict):
        name = next(iter(value), "more")
        return {**value, name: _other(value.get(name))}
    return [_other(value[0]), *value[1:]] if value else [{"more": 1}]
