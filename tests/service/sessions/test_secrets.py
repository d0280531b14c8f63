"""A seat's answers do not depend on what the seat may not see. Random games under every ruleset are searched for leaks.

There are two tests. The first searches everything that a bearer receives for cards that it has never seen, and for
seeds. The second plays the same story again with the hidden cards dealt differently: the bearer must receive the same
bytes.

`REFEREE_CANARIES=20` plays twenty times as many stories as `make check` does.
"""

import os
import random
from itertools import zip_longest
from typing import Any, NamedTuple

import orjson
import pytest
from flask.testing import FlaskClient

import engines
from tests.service.sessions.stories import (
    Case,
    Observation,
    Question,
    Story,
    cards_meant,
    cases,
    listened,
    otherwise,
    words_of,
    written,
)
from tests.service.sessions.tables import Seated, opened, served

EACH = int(os.environ.get("REFEREE_CANARIES", "1"))
AGAIN = 2  #: Bearers of a story for whom it is played again. Every story has as many at least.


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> FlaskClient:
    """One service for all stories."""
    return served(f"sqlite:///{tmp_path_factory.mktemp('stories')}/sessions.sqlite3")


class Played(NamedTuple):
    """A story, and the answers to every bearer that may not see everything."""

    story: Story
    observations: dict[str, list[Observation]]


@pytest.fixture(scope="module", params=cases(EACH), ids=str)
def played(request: pytest.FixtureRequest, service: FlaskClient) -> Played:
    case: Case = request.param
    story = written(case)
    return Played(story, listened(service, story, story.watchers))


def test_no_bearer_receives_a_card_it_never_saw_or_a_seed(played: Played) -> None:
    story = played.story
    seeds = [story.server, *map(story.seed, (*story.deals(), story.deals()[-1] + 1))]
    for watcher, observations in played.observations.items():
        clients = {seed for seat, seed in enumerate(story.clients) if watcher != f"seat-{seat}"}
        for version, request, answer in observations:
            unseen = {face for index in story.unseen_until(watcher, version) for face in story.cards[index]}
            cards = {card for card in unseen if isinstance(card, str)}  # a number may mean anything
            hidden = cards - words_of(orjson.dumps(request.body))
            assert not hidden & words_of(answer)
            assert not hidden & cards_meant(story.engine, answer)
            assert not [secret for secret in (*seeds, *clients) if secret.encode() in answer]


@pytest.mark.parametrize(
    ("game", "text", "meant"),
    [
        ("gin-rummy", "Anna draws 7♠ and 10♥.", {"7S", "TH"}),
        ("twins", "Anna has blue 10, Bruno 1 blu, Claire 3 bleu.", {"blue-10", "blue-1", "blue-3"}),
        ("twins", "blueblue 10 blue", set()),
    ],
)
def test_the_search_knows_the_names_that_sentences_give_to_cards(game: str, text: str, meant: set[str]) -> None:
    assert cards_meant(engines.registry()[game], text.encode()) == meant


def test_hidden_cards_dealt_differently_change_no_byte(played: Played, service: FlaskClient) -> None:
    story = played.story
    for watcher in random.Random(str(story.case)).sample(story.watchers, min(AGAIN, len(story.watchers))):
        observations = played.observations[watcher]
        again = listened(service, story, [watcher], otherwise(story, watcher, random.Random(watcher)))[watcher]
        for one, other in zip(observations, again, strict=False):  # the second ends where the story becomes impossible
            if one != other:
                pairs = zip_longest(one.answer, other.answer)
                at = next((place for place, (byte, same) in enumerate(pairs) if byte != same), 0)
                pytest.fail(
                    f"{story.engine.game}: {watcher} learns by {one.request.call!r} at version {one.version} how "
                    f"hidden cards lie: {one.answer[max(at - 60, 0) :][:80]!r} becomes {other.answer[at:][:20]!r}",
                    pytrace=False,
                )


def test_every_story_is_played_to_its_end(played: Played) -> None:
    ends = {observations[-1].version for observations in played.observations.values()}
    assert ends == {len(played.story.steps)}


def test_a_refusal_always_names_a_clause_to_a_seat(played: Played) -> None:
    for watcher, observations in played.observations.items():
        for each in observations:
            if watcher != "host" and isinstance(each.request, Question) and each.answer.startswith(b"422"):
                assert b'"violations":[{' in each.answer


def hand_of(table: Seated, seat: int) -> Any:
    return table.get(f"seat-{seat}").get_json()["state"]["hands"][seat]


def bought(client: FlaskClient, **more: Any) -> Seated:
    """Return a table of Twins at which nobody has bought a card."""
    table = opened(client, "twins", 3, **more)
    for seat in range(3):
        assert table.move(f"seat-{seat}", {"type": "buy", "seat": seat, "count": 0}).status_code == 201
    return table


def test_a_blind_host_that_moves_for_a_seat_is_refused_whatever_the_seat_holds(service: FlaskClient) -> None:
    table = bought(service, host="blind")
    tried = [table.move("host", {"type": "play", "seat": 0, "cards": hand_of(table, seat)[:2]}) for seat in (0, 1)]
    assert [each.status_code for each in tried] == [403, 403]
    assert tried[0].get_data() == tried[1].get_data()


def test_a_blind_host_makes_one_move_a_request(service: FlaskClient) -> None:
    table = bought(service, host="blind")
    refused = table.move("host", {"type": "deal"}, {"type": "deal"})
    assert (refused.status_code, refused.get_json()["errors"][0]["pointer"]) == (400, "/moves")


def test_a_blind_host_is_listed_the_moves_of_the_table_alone(service: FlaskClient) -> None:
    table = bought(service, host="blind")
    assert table.legal("host") == []
    while (moves := [table.legal(f"seat-{seat}") for seat in range(3)]) and {"type": "deal"} not in moves[0]:
        mover, move = next((seat, each[0]) for seat, each in enumerate(moves) if each)
        assert table.move(f"seat-{mover}", move).status_code == 201
    assert table.legal("host") == [{"type": "deal"}]
    assert table.move("host", {"type": "deal"}).status_code == 201


@pytest.mark.parametrize("ruleset", engines.registry()["twin-it"].rulesets)
def test_seats_alone_bring_a_game_to_its_end_at_the_table_of_a_blind_host(service: FlaskClient, ruleset: str) -> None:
    """They end it by a claim without hands, or by counts, which are moves of the table."""
    seats = 4 if ruleset == "team" else 2
    table = opened(service, "twin-it", seats, host="blind", ruleset={"name": ruleset})
    dice = random.Random(ruleset)
    while move := next((move for seat in range(seats) if (move := table.choose(dice, f"seat-{seat}"))), None):
        mover = move.get("seat") or next((hand["seat"] for hand in move.get("hands", [])), 0)
        assert table.move(f"seat-{mover}", move).status_code == 201
    assert table.get("seat-0").get_json()["result"] is not None
