"""A refusal names no card that is hidden from the seat it is for, in its parameters and in its sentence."""

import random
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import engines
from engines.core.judge import judge, legal_moves
from engines.core.rulings import Violation
from engines.gin_rummy import rulings as gin_rummy
from service.contract import codecs
from service.judging.sentences import words
from service.strict_json import plain
from service.words.languages import languages_of
from tests.engines.built_moves import Sight, built_moves, used_members
from tests.engines.games import random_game
from tests.engines.laws import AnyEngine
from tests.secrecy import as_sent, card_of, cards_among, cards_by_spoken_name, leaves, secrets

TABLES_OF_A_GAME = 12  #: Tables of a random game of each game.
COMPUTED_PARAMETERS = {"least", "most", "partner"}
"""Parameters that are worked out from the row, or from the card of the move, wherever the card of that number lies."""
MOVES_TRIED = 40  #: Moves of each class that are tried on a table, for each seat.


def refusals_on(engine: AnyEngine, state: Any, seat: int, rng: random.Random) -> Iterator[tuple[Any, Violation]]:
    """Moves of a seat, and why a session refuses each: it is judged on the seat's view, then on the table."""
    listed = legal_moves(engine, state)[0]
    sight, seen = Sight(engine, state, listed), engine.view(state, seat)
    moves = list(islice(built_moves(engine, sight, listed, used_members(listed), rng, MOVES_TRIED), 20 * MOVES_TRIED))
    for move in rng.sample(moves, min(MOVES_TRIED, len(moves))):
        if getattr(move, "seat", None) in (None, seat):
            for violation in judge(engine, seen, move).violations or judge(engine, state, move).violations:
                yield move, violation


def leaks_of(engine: AnyEngine, state: Any, seat: int, move: Any, violations: Sequence[Violation]) -> Iterator[str]:
    """Yield a line for each card in these violations that the seat does not see and its move does not name."""
    table, card = as_sent(engine, state), card_of(engine)
    named = {value for _place, value in leaves(plain(codecs(engine).move.dump(move)))}
    seen = {value for _place, value in leaves(as_sent(engine, engine.view(state, seat)))}
    secret = set(secrets(engine).kept_from([seat], table)[seat].values()).intersection(card.values) - seen - named
    for violation in violations:
        code = violation.ruling.code
        for name, value in violation.params.items():
            if name in COMPUTED_PARAMETERS:
                continue
            shown = {each for _place, each in cards_among(violation.ruling.params[name], plain(value), card)}
            yield from (f"{code}: {name} is {each}" for each in shown & secret)
        for language in languages_of(engine):
            text = words(engine, language).sentences[code].filled(violation.params)
            for name, meant in cards_by_spoken_name(engine).items():
                if meant and meant <= secret and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                    yield f"{code}: {text}"


def test_a_refusal_shows_no_card_that_its_seat_does_not_see(engine: AnyEngine) -> None:
    rng, refused = random.Random(engine.game), set()
    faults: list[str] = []
    turns = list(random_game(engine, rng, 80))
    for turn in rng.sample(turns, min(TABLES_OF_A_GAME, len(turns))):
        for seat in range(engine.seats_of(turn.before)):
            for move, violation in refusals_on(engine, turn.before, seat, rng):
                refused.add(violation.ruling.code)
                faults += leaks_of(engine, turn.before, seat, move, [violation])
    assert faults == []
    assert len(refused) > 1, "too few kinds of refusals to say anything"  # a small game has three


def test_a_refusal_that_names_the_top_of_the_stock_is_reported_in_its_parameters_and_its_sentences() -> None:
    engine = engines.registry()["gin-rummy"]
    turn = next(turn for turn in random_game(engine, random.Random(1), 40) if turn.before.phase == "discard")
    state, seat = turn.before, turn.before.turn
    top = state.stock[0]
    leak = gin_rummy.DRAWN_OTHERWISE.violated("/drawn", card=turn.move.card, top=top)
    faults = list(leaks_of(engine, state, seat, turn.move, [leak]))
    assert faults[0] == f"drawn-otherwise: top is {top}"
    assert len(faults) == 1 + len(languages_of(engine))
