"""Forged transcripts: a table of forgeries, each applied to a true transcript."""

import copy
import pathlib
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any, TypeAlias

import pytest

from engines.core.shuffle import commitment
from service.sessions.record import deal_seed
from service.words.pages import FILES
from tests.service.bodies import paths
from tests.service.sessions.tables import SessionClient, fewest_seats, open_session, service_client

Json: TypeAlias = Any
Path: TypeAlias = tuple[Any, ...]  #: The names and places that lead to a field.
Forge: TypeAlias = Callable[[Json], None]  #: Forges a transcript in place.

VERIFIER = FILES / "fairness.mjs"
RULESETS = {
    "gin-rummy": {"options": {"target": 1}},
    "take-that": {"options": {"voluntary_take": "forced-only", "rounds": 2}},
    "twins": {"options": {"short_pot_ties": "split"}},
    "twin-it": {"options": {"sets_to_win": 3}},
}
"""Rulesets other than the default, so that it shows if one is left out. They are soon over; Take That has two deals."""
NAMES = ("Anna", "Bo", "Cy")
UNPROVED_MEMBERS = {"id", "names"}  #: Members that no proof covers by itself: names stand in sentences alone.
SENTENCE = "text"  #: The member of an event that is no evidence.


def transcript_of(game: str, fair: str, folder: pathlib.Path, *, named: bool = True) -> Json:
    """Return the transcript of a game played at random to its end, with Italian or French sentences.

    A committed game is played by its host. A joint one is played by the seats, at the table of a blind host.
    """
    service = service_client(f"sqlite:///{folder}/sessions.sqlite3")
    names: dict[str, Any] = {"names": NAMES[: fewest_seats(game)]} if named else {}
    host = "blind" if fair == "joint" else "sees-all"
    table = open_session(service, game, fair=fair, host=host, ruleset=RULESETS.get(game, {}), **names)
    if fair == "joint":
        seeds = [f"seed {number}" for number in range(table.seats)]
        table.commit(*seeds)
        table.reveal(*seeds)
    dice = random.Random(game)
    movers = ["host"] if fair == "committed" else [bearer for bearer in table.tokens if bearer != "host"]
    while (turn := _next_turn(table, movers, dice)) is not None:
        bearer, move = turn
        assert table.move(bearer, move).status_code == 201
    return table.get("seat-0", "/transcript", **{"Accept-Language": "it" if fair == "joint" else "fr"}).get_json()


def _next_turn(table: SessionClient, bearers: list[str], dice: random.Random) -> tuple[str, Json] | None:
    """Return the first of these bearers that has a legal move, and such a move; None at the end of the game."""
    for bearer in bearers:
        move = table.choose_towards_the_end(dice, bearer)
        if move is not None:
            return bearer, move
    return None


def in_node(*arguments: object, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run Node with these arguments. Skip the test where Node is not installed."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    return subprocess.run([node, *map(str, arguments)], capture_output=True, check=check, text=True)


def forgeries(true: Json) -> Iterator[tuple[str, Json]]:
    """Yield every forgery that changes a transcript, with its name."""
    named: dict[str, Forge] = {**BY_HAND, **dict(_by_field(true))}
    for name, forge in named.items():
        forged = copy.deepcopy(true)
        forge(forged)  # changes it in place
        if forged != true:
            yield name, forged


def _number_chosen(forged: Json) -> None:
    """Choose another deal number, as a server would to get better cards; change everything that follows from it."""
    seed = deal_seed(forged["server_seed"], forged["seeds"], 7777)
    forged["deals"][0] = {"number": 7777, "seed": seed}
    forged["deal"]["seed"] = seed


def _deal_from(forged: Json, seeds: list[str]) -> None:
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
    """Replace the seats' seeds and their commitments; change all deals accordingly."""
    _deal_from(forged, seeds)
    forged["commitments"] = list(map(commitment, seeds))


def _replace_server_seed(forged: Json) -> None:
    """Replace the server seed and its commitment, and deal anew, so that the transcript agrees with itself."""
    forged["server_seed"] = "b" * 64
    forged["commitment"] = commitment("b" * 64)
    _deal_from(forged, forged["seeds"])


def _deck_beside_a_later_deal(forged: Json) -> None:
    """Add the member `deck` to every deal after the first. A transcript has only the seed of a deal."""
    for move in forged["moves"]:
        if move["type"] == "deal":
            move["deck"] = None


def _without(name: str, place: int) -> Forge:
    """Return a forgery that takes the item at `place` out of the list `name`."""
    return lambda forged: forged[name].pop(place)


def _appended(forged: Json) -> None:
    """Append a move that nobody may make after the end, with a log entry that has no events."""
    move = next(move for move in forged["moves"] if move["type"] != "deal")
    forged["moves"].append(move)
    forged["version"] += 1
    forged["entries"].append({"version": forged["version"], "moves": [move], "events": []})


def _event_repeated(forged: Json) -> None:
    """Repeat an event of the last log entry, as an event of another move."""
    event = forged["entries"][-1]["events"][0]
    forged["entries"][-1]["events"].insert(1, {**event, "move": 1})


def _events_exchanged(forged: Json) -> None:
    """Exchange the events of the last two log entries that have moves."""
    one, other = [entry for entry in forged["entries"] if entry["moves"]][-2:]
    one["events"], other["events"] = other["events"], one["events"]


def _drawn_card(forged: Json) -> None:
    """Write into a move which cards its seat drew. They are the true ones, but no move of a transcript says them."""
    field_and_param = {"drew": ("drawn", "card"), "bought": ("cards", "cards"), "flipped": ("uncovered", "uncovered")}
    for place, entry in enumerate(forged["entries"]):
        for event in entry["events"]:
            field, param = field_and_param.get(event["code"], ("", ""))
            if event["params"].get(param) and event["params"].get("from") != "discards":
                before = sum(len(each["moves"]) for each in forged["entries"][:place])
                for move in (entry["moves"][event["move"]], forged["moves"][before + event["move"]]):
                    move[field] = event["params"][param]
                return


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
    "invented seeds": lambda forged: _deal_from(forged, [*forged["seeds"][1:], "chosen"]),
    "invented seeds with commitments": lambda forged: _seeds_with_commitments(forged, [*forged["seeds"], "chosen"]),
    "a seed too few": lambda forged: _seeds_with_commitments(forged, forged["seeds"][1:]),
    "another server seed": _replace_server_seed,
    "another fairness": lambda forged: forged.update(fair="joint" if forged["fair"] == "committed" else "committed"),
    "a deck beside the seed": lambda forged: forged["deal"].update(deck=[]),
    "a deck beside a later seed": _deck_beside_a_later_deal,
    "a seed that was not drawn": lambda forged: forged["deal"].update(seed="mine"),
    "a deal left out": _without("deals", -1),
    "a move left out": _without("moves", -1),
    "an entry left out": _without("entries", -1),
    "the first entry left out": _without("entries", 0),
    "moves in another order": _swapped,
    "a move after the end": _appended,
    "an event told twice": _event_repeated,
    "events of one entry in another": _events_exchanged,
    "a drawn card in its move": _drawn_card,
    "hands changed": _cards_swapped,
    "no deal at all": lambda forged: forged.update(deals=[], deal=None),
}


def _by_field(true: Json) -> Iterator[tuple[str, Forge]]:
    """Yield a forgery of every field: by turns made up, made null, left out and given one part more.

    Of fields that differ only in their place (the events of one code, the moves of one type) the last is forged. A
    transcript has every move twice: in the log and in the list of moves. A part of a move is forged in the log alone,
    and then in both.
    """
    proved = [path for path in paths(true) if path and path[0] not in UNPROVED_MEMBERS and path[-1] != SENTENCE]
    last = {_name_of(true, path): path for path in proved}
    moves_of_the_log = [(at, move) for at, entry in enumerate(true["entries"]) for move in range(len(entry["moves"]))]
    ways = cycle(HOW.items())
    for name, path in last.items():
        how, forge = next(ways)
        yield f"{name} {how}", _forged_at([path], forge)
        if path[0] == "entries" and path[2:3] == ("moves",) and len(path) > 4:
            how, forge = next(ways)
            in_the_list = ("moves", moves_of_the_log.index((path[1], path[3])), *path[4:])
            yield f"{name} {how} in both", _forged_at([path, in_the_list], forge)


def _name_of(true: Json, path: Path) -> str:
    """Return the path with each index of a list replaced by the code or type of the item there, or by an asterisk."""
    name = ""
    for depth, step in enumerate(path, 1):
        value = _at(true, path[:depth])
        kind = (value.get("code") or value.get("type")) if isinstance(value, dict) else None
        name += f"/{(kind or '*') if isinstance(step, int) else step}"
    return name


def _forged_at(paths: list[Path], how: Callable[[Json, Any], object]) -> Forge:
    """Return a forgery that calls `how` with the owner and the name of each of these fields."""

    def forge(forged: Json) -> None:
        for path in paths:
            how(_at(forged, path[:-1]), path[-1])

    return forge


def _made_null(owner: Json, name: Any) -> None:
    """Set a member to null."""
    owner[name] = None


def _changed(owner: Json, name: Any) -> None:
    """Set a member to another value."""
    owner[name] = _other(owner[name])


def _add_one(owner: Json, name: Any) -> None:
    """Forge a part of a transcript: add a member to an object, an item to a list, or a list around a value."""
    value = owner[name]
    if isinstance(value, dict):
        value["more"] = None
    else:
        owner[name] = [*value, value[-1]] if isinstance(value, list) and value else [value]


HOW = {
    "changed": _changed,
    "made null": _made_null,
    "left out": lambda owner, name: owner.pop(name),
    "given more": _add_one,
}


def _at(value: Json, path: tuple[Any, ...]) -> Json:
    """Return the value at a path."""
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
