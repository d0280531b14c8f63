"""The laws that every engine keeps, tried on random games of every registered game: a new game is covered unasked."""

import random
from dataclasses import fields
from typing import Any

import pytest
from flask.testing import FlaskClient

import engines
from engines.core.dealing import Deal
from engines.core.judge import audit, facts, judge, legal_moves, resolve
from engines.core.records import changed
from service.contract import codecs
from service.contract.fields import Invalid
from service.judging.referee import Referee
from service.web import strict_json
from service.web.wording import NAMELESS
from tests.engines.games import SEEDS, AnyEngine, Broken, Turn, played, random_game, sound
from tests.engines.less_shown import differences, with_hidden_cards_exchanged, with_less_shown
from tests.mutation import mutated

GAMES = list(engines.registry().values())


@pytest.fixture(params=GAMES, ids=lambda engine: engine.game)
def engine(request: pytest.FixtureRequest) -> AnyEngine:
    engine: AnyEngine = request.param
    return engine


@pytest.fixture(params=SEEDS)
def seed(request: pytest.FixtureRequest) -> int:
    seed: int = request.param
    return seed


@pytest.fixture
def rng(seed: int) -> random.Random:
    return random.Random(seed)


@pytest.fixture
def turns(engine: AnyEngine, seed: int) -> list[Turn]:
    """A random game; the further laws are tried on sound ones."""
    sound(engine)
    game = played(engine, seed)
    assert not isinstance(game, Broken)
    return game


def some(turns: list[Turn], rng: random.Random, count: int = 25) -> list[Turn]:
    return rng.sample(turns, min(count, len(turns)))


def wire(engine: AnyEngine, state: Any) -> Any:
    """A state as it arrives at a client."""
    return strict_json.loads(strict_json.dumps(codecs(engine).state.dump(state)))


def test_every_step_of_a_random_game_keeps_the_laws(engine: AnyEngine) -> None:
    """Report the first game that breaks a law in one sentence: see `broken_laws`."""
    for seed in SEEDS:
        if isinstance(game := played(engine, seed), Broken):
            pytest.fail(
                f"{game}\nIn random game {seed}; test_secrecy.py and the further laws are skipped.", pytrace=False
            )


def test_same_input_gives_same_output(engine: AnyEngine, turns: list[Turn]) -> None:
    for turn in turns:
        assert resolve(engine, turn.before, [turn.move]) == turn.resolution


def test_a_move_is_listed_exactly_when_it_is_legal(engine: AnyEngine, turns: list[Turn], rng: random.Random) -> None:
    """Moves of the whole game are tried on tables where most of them are out of place."""
    dump = codecs(engine).move.dump
    for turn in some(turns, rng, 12):
        listed, complete = legal_moves(engine, turn.before)
        canonical = {strict_json.dumps(dump(move)) for move in listed}
        for other in some(turns, rng, 40):
            move = _canonical(other.move)
            legal = not judge(engine, turn.before, move).violations
            if legal:
                step = resolve(engine, turn.before, [move])
                assert step.applied == 1
            if strict_json.dumps(dump(move)) in canonical:
                assert legal
            elif legal and complete and engine.canonical(turn.before, move):
                assert _is_said_otherwise(engine, turn.before, move, listed), move


def _canonical(move: Any) -> Any:
    return changed(move, seed=None) if isinstance(move, Deal) else move


def _is_said_otherwise(engine: AnyEngine, state: Any, move: Any, listed: list[Any]) -> bool:
    """A legal move that is not listed comes to the same as one that is: cards in another order, melds stated, …"""
    after = resolve(engine, state, [move]).state
    return any(_same_table(engine, resolve(engine, state, [other]).state, after) for other in listed)


def _same_table(engine: AnyEngine, one: Any, other: Any) -> bool:
    return bool(_unordered(wire(engine, one)) == _unordered(wire(engine, other)))


def _unordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _unordered(item) for name, item in value.items()}
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return sorted(value)
    return [_unordered(item) for item in value] if isinstance(value, list) else value


def test_states_and_moves_survive_the_trip_through_json(engine: AnyEngine, turns: list[Turn]) -> None:
    both = codecs(engine)
    for turn in turns:
        assert engine.complete(both.state.load(wire(engine, turn.before))) == turn.before
        assert both.move.load(strict_json.loads(strict_json.dumps(both.move.dump(turn.move)))) == turn.move


def test_a_finished_game_accepts_nothing(engine: AnyEngine, rng: random.Random) -> None:
    sound(engine)
    turns = list(random_game(engine, rng, 20_000, next(iter(engine.rulesets.values())), checked=False))
    end = turns[-1].resolution.state
    assert engine.to_act(end) == ()
    assert engine.result(end) is not None
    assert legal_moves(engine, end) == ([], True)
    for turn in some(turns, rng, 50):
        assert judge(engine, end, turn.move).violations


def test_a_transcript_replayed_gives_the_same_end(engine: AnyEngine, turns: list[Turn]) -> None:
    replayed = resolve(engine, turns[0].before, [turn.move for turn in turns])
    assert replayed.state == turns[-1].resolution.state
    assert replayed.applied == len(turns)


def test_no_seat_beyond_the_table_deals(engine: AnyEngine, client: FlaskClient) -> None:
    """The schema knows only the largest table; what is beyond a smaller one is the setup audits' business."""
    if "dealer" not in {each.name for each in fields(engine.setup)}:
        pytest.skip("nobody deals")
    for seats in engine.seats:
        refused = client.post(f"/games/{engine.game}/deal", json={"seats": seats, "dealer": seats})
        assert refused.status_code in (400, 422), f"seat {seats} deals to {seats} seats"
        assert '"/dealer"' in refused.text


def test_a_seats_view_can_be_posted(engine: AnyEngine, turns: list[Turn], rng: random.Random) -> None:
    for turn in some(turns, rng):
        for seat in (None, *range(engine.seats_of(turn.before))):
            seen = engine.view(turn.before, seat)
            assert audit(engine, seen)[0] == []
            assert engine.view(seen, seat) == seen
            for move in legal_moves(engine, seen, seat, every=False)[0]:
                assert not judge(engine, turn.before, move).violations


def test_what_a_seat_cannot_see_changes_nothing_that_it_learns(
    engine: AnyEngine, turns: list[Turn], rng: random.Random
) -> None:
    referee = Referee(engine, "en")
    for turn in some(turns, rng, 10):
        for seat in (None, *range(engine.seats_of(turn.before))):
            other = with_hidden_cards_exchanged(engine, turn.before, seat, rng)
            if other is None:
                continue
            assert wire(engine, engine.view(other, seat)) == wire(engine, engine.view(turn.before, seat))
            if seat is not None:
                assert referee.listing(other, seat, every=False) == referee.listing(turn.before, seat, every=False)
                for foreign in some(turns, rng, 15):
                    assert _refusal(engine, other, foreign.move, seat) == _refusal(
                        engine, turn.before, foreign.move, seat
                    )


def _refusal(engine: AnyEngine, state: Any, move: Any, seat: int) -> Any:
    """What a seat learns of a move that it tries, as in a session: only its own moves, judged first on its view."""
    if getattr(move, "seat", None) != seat:
        return None
    refused = judge(engine, engine.view(state, seat), move).violations or judge(engine, state, move).violations
    return Referee(engine, "en").violations(refused, "/moves/0", NAMELESS)


def test_a_table_shown_in_part_gets_the_same_answer_or_that_it_cannot_be_known(
    engine: AnyEngine, turns: list[Turn], rng: random.Random
) -> None:
    """Never something else: no fault, no other violation, no other event, no other table."""
    for turn in turns:
        less = engine.complete(with_less_shown(turn.before, rng))
        assert engine.complete(codecs(engine).state.load(wire(engine, less))) == less
        assert audit(engine, less)[0] == []
        assert engine.standings(less) == engine.standings(turn.before)
        assert facts(engine, less, turn.move).items() <= facts(engine, turn.before, turn.move).items()
        for move in (turn.move, rng.choice(turns).move):
            true, seen = resolve(engine, turn.before, [move]), resolve(engine, less, [move])
            assert differences(engine, true, seen) == [], (less, turn.before, move)


def test_what_legal_moves_make_of_a_table_has_no_faults_however_little_is_shown(
    engine: AnyEngine, turns: list[Turn], rng: random.Random
) -> None:
    for turn in turns:
        less = engine.complete(with_less_shown(turn.before, rng))
        moves, _ = legal_moves(engine, less)
        for move in rng.sample(moves, min(6, len(moves))):
            after = resolve(engine, less, [move]).state
            assert audit(engine, after)[0] == [], (less, move)
            assert engine.complete(codecs(engine).state.load(wire(engine, after))) == after


def test_what_is_told_of_the_last_trick_or_hand_decides_nothing(engine: AnyEngine, turns: list[Turn]) -> None:
    """Of `last_hand` its kind and its winner do, which say who deals and whether hands lie open."""
    for turn in turns:
        for name in ("last_trick", "last_hand"):
            told = getattr(turn.before, name, None)
            if told is None:
                continue
            kept = {each: getattr(told, each) for each in ("kind", "seat", "points") if hasattr(told, each)}
            less = changed(turn.before, **{name: type(told)(**kept) if kept else None})
            assert audit(engine, less) == audit(engine, turn.before)
            assert legal_moves(engine, less) == legal_moves(engine, turn.before)
            true, seen = resolve(engine, turn.before, [turn.move]), resolve(engine, less, [turn.move])
            if getattr(true.state, name) == told:
                seen = seen._replace(state=changed(seen.state, **{name: told}))
            assert seen._replace(after=()) == true._replace(after=())


def test_a_table_without_faults_has_a_move_unless_something_of_it_is_not_shown(
    engine: AnyEngine, turns: list[Turn], rng: random.Random
) -> None:
    """Also one that nobody has played to: where a list is cut, doubled or exchanged, it has a fault or a move."""
    for turn in turns:
        for table in (wire(engine, turn.before), *(mutated(wire(engine, turn.before), rng) for _ in range(6))):
            try:
                state = engine.complete(codecs(engine).state.load(table))
            except Invalid:
                continue
            if not audit(engine, state)[0] and engine.to_act(state):
                moves, complete = legal_moves(engine, state)
                assert moves or not complete, table
