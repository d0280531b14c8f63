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
    observations_of,
    renamings_of_unseen_cards,
    words_of,
    write_story,
)
from tests.service.sessions.tables import SessionClient, open_session, service_client

STORIES_OF_A_GAME = int(os.environ.get("REFEREE_CANARIES", "1"))
BEARERS_PLAYED_AGAIN = 2  #: The number of bearers for whom a story is played again. Every story has as many at least.


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> FlaskClient:
    """One service for all stories."""
    return service_client(f"sqlite:///{tmp_path_factory.mktemp('stories')}/sessions.sqlite3")


class Played(NamedTuple):
    """A story, and the answers to every bearer that may not see everything."""

    story: Story
    observations: dict[str, list[Observation]]


@pytest.fixture(scope="module", params=cases(STORIES_OF_A_GAME), ids=str)
def played(request: pytest.FixtureRequest, service: FlaskClient) -> Played:
    """A story that was played in a session, with all that its watchers were answered."""
    case: Case = request.param
    story = write_story(case)
    return Played(story, observations_of(service, story, story.watchers))


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
def test_the_search_for_cards_finds_them_by_the_names_that_sentences_use(game: str, text: str, meant: set[str]) -> None:
    assert cards_meant(engines.registry()[game], text.encode()) == meant


def test_hidden_cards_dealt_differently_change_no_byte(played: Played, service: FlaskClient) -> None:
    story = played.story
    for watcher in random.Random(str(story.case)).sample(
        story.watchers, min(BEARERS_PLAYED_AGAIN, len(story.watchers))
    ):
        observations = played.observations[watcher]
        renamings = renamings_of_unseen_cards(story, watcher, random.Random(watcher))
        again = observations_of(service, story, [watcher], renamings)[watcher]
        for one, other in zip(observations, again, strict=False):  # the second ends where a move becomes impossible
            if one != other:
                pairs = zip_longest(one.answer, other.answer)
                at = next((place for place, (byte, same) in enumerate(pairs) if byte != same), 0)
                pytest.fail(
                    f"{story.engine.game}: {watcher} learns by {one.request.call!r} at version {one.version} how "
                    f"hidden cards lie: {one.answer[max(at - 60, 0) :][:80]!r} becomes {other.answer[at:][:20]!r}",
                    pytrace=False,
                )


def test_every_story_is_played_to_its_end(played: Played) -> None:
    """Otherwise the tests above would search too little."""
    ends = {observations[-1].version for observations in played.observations.values()}
    assert ends == {len(played.story.steps)}


def test_a_refusal_always_names_a_clause_to_a_seat(played: Played) -> None:
    for watcher, observations in played.observations.items():
        for each in observations:
            if watcher != "host" and isinstance(each.request, Question) and each.answer.startswith(b"422"):
                assert b'"violations":[{' in each.answer


def hand_of(table: SessionClient, seat: int) -> Any:
    """Return the cards of a seat, as it sees them itself."""
    return table.get(f"seat-{seat}").get_json()["state"]["hands"][seat]


def past_buying(client: FlaskClient, **more: Any) -> SessionClient:
    """Open a session of Twins and let every seat buy no card, so that the first trick follows."""
    table = open_session(client, "twins", 3, **more)
    for seat in range(3):
        assert table.move(f"seat-{seat}", {"type": "buy", "seat": seat, "count": 0}).status_code == 201
    return table


def test_a_blind_host_that_moves_for_a_seat_is_refused_whatever_the_seat_holds(service: FlaskClient) -> None:
    table = past_buying(service, host="blind")
    held, not_held = hand_of(table, 0)[:2], hand_of(table, 1)[:2]
    refusals = [table.move("host", {"type": "play", "seat": 0, "cards": cards}) for cards in (held, not_held)]
    assert [each.status_code for each in refusals] == [403, 403]
    assert refusals[0].get_data() == refusals[1].get_data()


def test_a_blind_host_may_make_only_one_move_in_a_request(service: FlaskClient) -> None:
    table = past_buying(service, host="blind")
    refused = table.move("host", {"type": "deal"}, {"type": "deal"})
    assert (refused.status_code, refused.get_json()["errors"][0]["pointer"]) == (400, "/moves")


def test_a_blind_host_is_listed_the_moves_of_the_table_alone(service: FlaskClient) -> None:
    table = past_buying(service, host="blind")
    assert table.legal_moves("host") == []
    while {"type": "deal"} not in table.legal_moves("seat-0"):
        mover = next(seat for seat in ("seat-0", "seat-1", "seat-2") if table.legal_moves(seat))
        assert table.move(mover, table.legal_moves(mover)[0]).status_code == 201
    assert table.legal_moves("host") == [{"type": "deal"}]
    assert table.move("host", {"type": "deal"}).status_code == 201


@pytest.mark.parametrize("ruleset", engines.registry()["twin-it"].rulesets)
def test_seats_can_end_a_game_of_a_blind_host_without_the_host(service: FlaskClient, ruleset: str) -> None:
    """A claim without hands, or a count, ends the game. Both are moves of the table, which any seat may make."""
    seats = 4 if ruleset == "team" else 2
    table = open_session(service, "twin-it", seats, host="blind", ruleset={"name": ruleset})
    dice = random.Random(ruleset)
    while acting := [seat for seat in range(seats) if table.legal_moves(f"seat-{seat}")]:
        move = table.choose(dice, f"seat-{acting[0]}")
        hands = move.get("hands")
        mover = hands[0]["seat"] if hands else move.get("seat") or 0
        assert table.move(f"seat-{mover}", move).status_code == 201
    assert table.get("seat-0").get_json()["result"] is not None
