"""Nothing a seat receives depends on what it may not see: random games of every kind are searched, byte for byte.

Two ways. A canary: the cards that a seat has never seen, and every seed, are looked for in all that it is sent. And
twins: the same session with the hidden cards dealt otherwise must send the same bytes.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engines.core.shuffle import commitment
from service.app import create_app
from service.config import Settings
from service.sessions.fairness import deal_seed
from service.sessions.record import Record
from service.sessions.store import Change
from tests.service.sessions.tables import GAMES, Seated, fewest, opened

GAMES_EACH = int(os.environ.get("REFEREE_CANARIES", "4"))
MOVES = 40
KEY = "the same key in both services"


def service(path: Path) -> FlaskClient:
    return create_app(Settings(store_url=f"sqlite:///{path}", token_keys=(KEY,))).test_client()


@pytest.fixture
def client(tmp_path: Path) -> FlaskClient:
    return service(tmp_path / "one.sqlite3")


def store_of(client: FlaskClient) -> Any:
    return client.application.extensions["sessions"].store


def record_of(table: Seated) -> Record:
    return Record.read(store_of(table.client).read(table.id).head)


def hidden(full: Any, seen: Any) -> Iterator[tuple[list[Any], int]]:
    """The places of a state that hold a card which the view does not show."""
    if isinstance(full, dict):
        for name in full:
            yield from hidden(full[name], seen.get(name))
    elif isinstance(full, list):
        for place, part in enumerate(full):
            shown = seen[place] if isinstance(seen, list) and place < len(seen) else None
            if isinstance(part, list | dict):
                yield from hidden(part, shown if shown is not None else [])
            elif shown is None and part is not None:
                yield full, place


def cards_in(document: Any) -> set[str]:
    return set(re.findall(r"[\w-]+", orjson.dumps(document).decode()))


def wish_of(table: Seated, bearer: str) -> Any:
    """A move that this seat might wish it could make: another's legal one, in its own name."""
    if not bearer.startswith("seat-"):
        return None
    number = int(bearer.removeprefix("seat-"))
    foreign = [move for move in table.legal() if move.get("seat") not in {None, number}]
    return {**foreign[0], "seat": number} if foreign and foreign[0] not in table.legal(bearer) else None


def received(table: Seated, bearer: str, wish: Any) -> Iterator[TestResponse]:
    """Everything that can be had without changing the table; a wish must be refused."""
    for call in ("", "/legal-moves", "/moves", "/transcript"):
        yield table.get(bearer, call)
    if wish is not None:
        yield table.move(bearer, wish, If_Match='"stale"')
        refused = table.move(bearer, wish, If_Match=table.get(bearer).headers["ETag"])
        assert refused.status_code == 422
        yield refused


def whole(response: TestResponse) -> bytes:
    headers = [f"{name}: {value}" for name, value in response.headers if name != "X-Request-ID"]
    return "\n".join(headers).encode() + b"\n\n" + response.get_data()


def watchers(table: Seated) -> list[str]:
    return [bearer for bearer in table.bearers if bearer != "host"]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("number", range(GAMES_EACH))
def test_no_bearer_receives_a_card_it_never_saw_or_a_seed(client: FlaskClient, game: str, number: int) -> None:
    dice = random.Random(f"{game} {number}")
    table = opened(client, game, public=True)
    seen: dict[str, set[str]] = {bearer: set() for bearer in watchers(table)}
    for _ in range(MOVES):
        move = table.choose(dice)
        if move is None:  # the game is over: its seeds come out with the transcript
            break
        record = record_of(table)
        seeds = [record.server_seed, *(deal_seed(record.server_seed, [], deal) for deal in range(1, 9))]
        for bearer in watchers(table):
            view = table.get(bearer).get_json()["state"]
            state = orjson.loads(orjson.dumps(record.state))
            seen[bearer] |= cards_in(view)
            foreign = {str(zone[place]) for zone, place in hidden(state, view) if isinstance(zone[place], str)}
            wish = wish_of(table, bearer)
            answers = b"\n".join(whole(response) for response in received(table, bearer, wish)).decode()
            unseen = foreign - seen[bearer] - cards_in(wish)
            assert not unseen & set(re.findall(r"[\w-]+", answers))
            assert not [seed for seed in seeds if seed in answers]
        assert table.move("host", move).status_code == 201


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("number", range(GAMES_EACH))
def test_hidden_cards_dealt_otherwise_change_no_byte(tmp_path: Path, game: str, number: int) -> None:
    dice = random.Random(f"{number} {game}")
    one, other = service(tmp_path / "one.sqlite3"), service(tmp_path / "other.sqlite3")
    table = opened(one, game, public=True)
    shown = 0
    for turn in range(MOVES):
        if turn % 4 == 0:
            for bearer in watchers(table):
                twin, wish = dealt_otherwise(table, other, bearer, dice), wish_of(table, bearer)
                assert twin.get(bearer).get_json()["state"] == table.get(bearer).get_json()["state"]
                for first, second in zip(received(table, bearer, wish), received(twin, bearer, wish), strict=True):
                    assert whole(first) == whole(second)
                    shown += 1
        move = table.choose(dice)
        if move is None:
            break
        assert table.move("host", move).status_code == 201
    assert shown


def dealt_otherwise(table: Seated, other: FlaskClient, bearer: str, dice: random.Random) -> Seated:
    """The same session in another service, with the cards that this bearer does not see in other places."""
    kept = store_of(table.client).read(table.id)
    record = Record.read(kept.head)
    places = list(hidden(record.state, table.get(bearer).get_json()["state"]))
    cards = [zone[place] for zone, place in places]
    dice.shuffle(cards)
    for (zone, place), card in zip(places, cards, strict=True):
        zone[place] = card
    store = store_of(other)
    store.delete(table.id)
    store.write(table.id, Change(-1, record.written()), 60)
    for version, entry in store_of(table.client).log(table.id, 0, 10_000):
        store.write(table.id, Change(version - 1, record.written(), entry), 60)
    return replace(table, client=other)


def test_secret_plays_stay_secret_until_the_last_is_in(client: FlaskClient) -> None:
    table = opened(client, "twins", 3, public=True)
    while (turn := table.legal())[0]["type"] == "buy":
        assert table.move("host", {**turn[0], "count": 0}).status_code == 201
    first = next(move for move in turn if move["seat"] == 0)
    assert table.move("seat-0", first).status_code == 201
    for bearer in ("seat-1", "seat-2", "spectator"):
        answers = b"".join(response.get_data() for response in received(table, bearer, None)).decode()
        assert not [card for card in first["cards"] if f'"{card}"' in answers]
        assert table.get(bearer).get_json()["state"]["plays"][0] == [None, None]
        assert table.get(bearer, "/moves").get_json()["entries"][-1]["moves"][0]["cards"] == [None, None]
    for seat in (1, 2):
        assert table.move(f"seat-{seat}", table.legal(f"seat-{seat}")[0]).status_code == 201
    last = table.get("seat-1", "/moves").get_json()["entries"][-1]
    plays = next(event for event in last["events"] if event["code"] == "revealed")["params"]["plays"]
    assert [play["cards"] for play in plays if play["seat"] == 0] == [first["cards"]]


def test_the_seed_that_comes_out_is_the_one_committed_to(client: FlaskClient) -> None:
    table = finished(client)
    transcript = table.get("seat-1", "/transcript").get_json()
    assert commitment(transcript["server_seed"]) == table.get("seat-0").get_json()["commitment"]


def finished(client: FlaskClient, game: str = "take-that", **more: Any) -> Seated:
    """A game played at random to its end."""
    table = opened(client, game, **more)
    if more.get("fair") == "joint":
        for number in range(table.seats):
            table.post(f"seat-{number}", "/seeds", {"seed": f"seed {number}"})
    dice = random.Random(game)
    while move := table.choose(dice):
        assert table.move("host", move).status_code == 201
    return table


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("fair", ["committed", "joint"])
def test_a_transcript_replayed_gives_the_same_game(client: FlaskClient, game: str, fair: str) -> None:
    transcript = finished(client, game, fair=fair).get("seat-0", "/transcript").get_json()
    dealt = client.post("/deal", json=transcript["deal"]).get_json()
    state, moves, end = dealt["state"], transcript["moves"], None
    while moves:
        end = client.post("/resolve", json={"game": game, "state": state, "moves": moves[:500]}).get_json()
        assert end["legal"]
        state, moves = end["state"], moves[500:]
    assert end is not None
    assert {name: end[name] for name in ("state", "standings", "result")} == {
        name: transcript[name] for name in ("state", "standings", "result")
    }
    for deal in transcript["deals"]:
        assert deal["seed"] == deal_seed(transcript["server_seed"], transcript["seeds"], deal["number"])


def test_a_seat_may_read_the_transcript_of_a_finished_game_of_a_blind_host(client: FlaskClient) -> None:
    table = opened(client, "take-that", fewest("take-that"), host="blind")
    assert table.get("seat-0", "/transcript").status_code == 403
