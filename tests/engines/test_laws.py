"""The laws that every engine keeps, tried on random games of every registered game: a new game is covered unasked."""

import random
from dataclasses import fields
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import settings

from engines.core.judge import audit, judge, legal_moves, resolve
from engines.core.records import changed
from service.contract import codecs
from service.contract.fields import Invalid
from service.judging.referee import Referee
from service.words.wording import NAMELESS
from tests.engines.facts import wrong_fact
from tests.engines.games import SEEDS, broken_law, random_game, random_opening, turns_of_seed
from tests.engines.laws import AnyEngine, Turn, sent_and_read_again, text_of
from tests.engines.listing import first_disagreement
from tests.engines.partial_tables import with_hidden_cards_exchanged
from tests.mutation import mutated
from tests.secrecy import as_sent


@pytest.fixture(params=SEEDS)
def seed(request: pytest.FixtureRequest) -> int:
    seed: int = request.param
    return seed


@pytest.fixture
def rng(seed: int) -> random.Random:
    """Dice of the seed."""
    return random.Random(seed)


@pytest.fixture
def turns(engine: AnyEngine, seed: int) -> list[Turn]:
    """The turns of a random game."""
    return turns_of_seed(engine, seed)


def random_turns(turns: list[Turn], rng: random.Random, count: int = 25) -> list[Turn]:
    """So many of the turns, or all if there are fewer."""
    return rng.sample(turns, min(count, len(turns)))


def test_a_table_that_is_opened_has_no_fault(engine: AnyEngine) -> None:
    dice = random.Random(engine.game)
    for _ in range(20):
        table = engine.complete(random_opening(engine, dice))
        if faults := audit(engine, table)[0]:
            pytest.fail(f"{engine.game}: an opening is refused: {text_of(faults[0])}", pytrace=False)


@pytest.mark.no_cover
def test_every_step_of_a_random_game_keeps_the_laws(engine: AnyEngine) -> None:
    """Report the first game that breaks a law in one sentence: see `broken_laws`."""
    for seed in SEEDS:
        if broken := broken_law(engine, seed):
            pytest.fail(f"{broken}\nIn random game {seed}; what else fails for this game is skipped.", pytrace=False)


@pytest.mark.no_cover
def test_the_listing_has_each_legal_move_once_in_its_canonical_form(
    engine: AnyEngine, request: pytest.FixtureRequest
) -> None:
    """`make night` tries a hundred times as many tables, others each day."""
    seed = request.config.getoption("hypothesis_seed") or 0
    if parting := first_disagreement(engine, seed, times=settings().max_examples // 200):
        pytest.fail(f"{parting}\nOn the tables of seed {seed}.", pytrace=False)


def test_the_facts_of_a_move_come_true(engine: AnyEngine, request: pytest.FixtureRequest) -> None:
    """`make night` tries more tables."""
    seed = request.config.getoption("hypothesis_seed") or 0
    if wrong := wrong_fact(engine, seed, times=settings().max_examples // 200):
        pytest.fail(f"{wrong}\nOn the tables of seed {seed}.", pytrace=False)


@pytest.mark.no_cover
def test_a_finished_game_has_a_result_and_no_legal_move(engine: AnyEngine, rng: random.Random) -> None:
    turns = list(random_game(engine, rng, 20_000, next(iter(engine.rulesets.values()))))
    end = turns[-1].resolution.state
    assert engine.to_act(end) == ()
    assert engine.result(end) is not None
    assert sent_and_read_again(engine, end) == end
    assert legal_moves(engine, end) == ([], True)
    for turn in random_turns(turns, rng, 50):
        assert judge(engine, end, turn.move).violations


@pytest.mark.no_cover
def test_a_transcript_replayed_gives_the_same_end(engine: AnyEngine, turns: list[Turn]) -> None:
    replayed = resolve(engine, turns[0].before, [turn.move for turn in turns])
    assert replayed.state == turns[-1].resolution.state
    assert replayed.applied == len(turns)


def test_no_seat_beyond_the_table_deals(engine: AnyEngine, client: FlaskClient) -> None:
    """The schema refuses a dealer beyond the largest table. Beyond a smaller one, an audit of the setup has to."""
    if "dealer" not in {each.name for each in fields(engine.setup)}:
        pytest.skip("nobody deals")
    for seats in engine.seats:
        refused = client.post(f"/games/{engine.game}/deal", json={"seats": seats, "dealer": seats})
        assert refused.status_code in (400, 422), f"seat {seats} deals to {seats} seats"
        assert '"/dealer"' in refused.text


@pytest.mark.no_cover
def test_what_a_seat_cannot_see_changes_nothing_that_it_learns(
    engine: AnyEngine, turns: list[Turn], rng: random.Random
) -> None:
    referee = Referee(engine, "en")
    for turn in random_turns(turns, rng, 10):
        for seat in (None, *range(engine.seats_of(turn.before))):
            other = with_hidden_cards_exchanged(engine, turn.before, seat, rng)
            if other is None:
                continue
            assert as_sent(engine, engine.view(other, seat)) == as_sent(engine, engine.view(turn.before, seat))
            if seat is not None:
                assert referee.listing(other, seat, every=False) == referee.listing(turn.before, seat, every=False)
                for foreign in random_turns(turns, rng, 15):
                    assert _refusal(engine, other, foreign.move, seat) == _refusal(
                        engine, turn.before, foreign.move, seat
                    )


def _refusal(engine: AnyEngine, state: Any, move: Any, seat: int) -> Any:
    """The violations that a session shows to a seat for a move, which is judged first on the seat's view.

    None for a move that is not the seat's own, because a session refuses such a move unread.
    """
    if getattr(move, "seat", None) != seat:
        return None
    refused = judge(engine, engine.view(state, seat), move).violations or judge(engine, state, move).violations
    return Referee(engine, "en").violations(refused, "/moves/0", NAMELESS)


@pytest.mark.no_cover
def test_what_a_state_says_of_the_last_trick_or_hand_decides_nothing(engine: AnyEngine, turns: list[Turn]) -> None:
    """Exceptions are `kind`, `seat` and `points` of `last_hand`: they say who deals and whether hands lie open."""
    for turn in turns:
        for name in ("last_trick", "last_hand"):
            shown = getattr(turn.before, name, None)
            if shown is None:
                continue
            exceptions = {each: getattr(shown, each) for each in ("kind", "seat", "points") if hasattr(shown, each)}
            less = changed(turn.before, **{name: type(shown)(**exceptions) if exceptions else None})
            assert audit(engine, less) == audit(engine, turn.before)
            assert legal_moves(engine, less) == legal_moves(engine, turn.before)
            true, seen = resolve(engine, turn.before, [turn.move]), resolve(engine, less, [turn.move])
            if getattr(true.state, name) == shown:  # the move left it as it was
                seen = seen._replace(state=changed(seen.state, **{name: shown}))
            assert seen._replace(after=()) == true._replace(after=())


@pytest.mark.no_cover
def test_a_table_without_faults_on_which_somebody_is_to_act_has_a_legal_move(
    engine: AnyEngine, turns: list[Turn], rng: random.Random
) -> None:
    """This holds of all tables that clients may post: here of tables of games, and with lists cut, doubled, exchanged.

    Where cards are hidden, the list of moves may be incomplete, and then empty.
    """
    for turn in turns:
        for table in (
            as_sent(engine, turn.before),
            *(mutated(as_sent(engine, turn.before), rng) for _ in range(6)),
        ):
            try:
                state = engine.complete(codecs(engine).state.load(table))
            except Invalid:
                continue
            faults, _unverified = audit(engine, state)
            if not faults and engine.to_act(state):
                moves, complete = legal_moves(engine, state)
                assert moves or not complete, table
