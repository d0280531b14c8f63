"""A law over all games: what the button of a listed move says, in every language, at whatever table it is listed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import engines
from engines.core.engine import Engine
from service import seeds
from service.contract.answers import LegalMove
from service.judging.referee import Referee
from service.judging.sentences import words
from service.words.languages import LANGUAGES, languages_of
from tests.conformance.test_traceability import assert_none
from tests.conformance.test_words import faults
from tests.engines.games import random_game
from tests.engines.partial_tables import partial_table
from tests.games import OURS

GAMES_IN_LANGUAGES = [
    (game, language) for game, engine in engines.registry().items() for language in sorted(languages_of(engine))
]
LONG_NAMES = [letter * 40 for letter in "ABCDEF"]
"""The longest names that players may have."""


def random_tables(engine: Engine[Any]) -> Iterator[Any]:
    """Tables of random games under every ruleset: whole, as seats see them, and shown in part."""
    for number, preset in enumerate(engine.rulesets.values()):
        rng = random.Random(number)
        for turn in random_game(engine, rng, 40, preset):
            yield turn.before
            yield engine.view(turn.before, rng.randrange(engine.seats_of(turn.before)))
            yield engine.complete(partial_table(turn.before, rng))


def names_of(engine: Engine[Any], state: Any) -> tuple[list[str] | None, ...]:
    """No names, short names, and long ones for the seats of a state."""
    seats = engine.seats_of(state)
    return None, ["Anna", "Bo", "Cy", "Dan", "Eve", "Flo"][:seats], LONG_NAMES[:seats]


def move_lists(engine: Engine[Any], language: str) -> Iterator[list[LegalMove]]:
    """The legal moves of random tables with their words, for each set of names."""
    for state in random_tables(engine):
        for names in names_of(engine, state):
            yield [*Referee(engine, language, names).listing(state, None, every=True).moves]


@pytest.mark.parametrize(("game", "language"), GAMES_IN_LANGUAGES)
def test_every_listed_move_has_words_of_its_own_in_every_language(game: str, language: str) -> None:
    engine = engines.registry()[game]
    worded = words(engine, language).buttons
    file = seeds.shown(seeds.words_file(engine, language))
    mistakes = set[str]()
    for moves in move_lists(engine, language):
        own = [each for each in moves if each.move["type"] in worded]
        times = Counter((each.move.get("seat"), each.text) for each in own)
        for each in own:
            text, wrong = each.text, [*faults(f"{each.text}.", language)]
            if times[each.move.get("seat"), text] > 1:
                wrong.append("said of two moves of a seat")
            if len(text) > 120 or "–" in text:
                wrong.append("too long, or says what is not known")
            mistakes |= {f"{file}: moves / {each.move['type']} / text is {fault}: {text}" for fault in wrong}
    assert_none(sorted(mistakes)[:9])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", OURS)
def test_our_games_have_words_for_every_move(game: str, language: str) -> None:
    engine = engines.registry()[game]
    assert list(words(engine, language).buttons) == list(engine.kinds)
