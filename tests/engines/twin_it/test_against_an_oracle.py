"""Random incidents on random tables, settled by the engine and by a second, independent program."""

import random
from collections.abc import Mapping
from typing import Any

import pytest

from engines.core.judge import audit
from engines.core.judge import resolve as core_resolve
from engines.core.records import changed
from engines.twin_it import ENGINE
from engines.twin_it.model import RULESETS, State
from tests.engines.partial_tables import partial_table, wrong_answers
from tests.engines.twin_it.oracle import settle
from tests.engines.twin_it.tables import claim
from tests.secrecy import as_sent

DESIGNS = tuple(
    (f"d{front}", f"d{back}")
    for front, back in zip([n // 3 for n in range(24)], [8 + n // 2 for n in range(24)], strict=True)
)
"""Eight designs three times in front, twelve designs twice behind: little else but matches."""


def random_table(rng: random.Random) -> State:
    """A table, of teams or not, with random cards in sets, forbidden, on the table and in piles, and random options."""
    by_team = rng.random() < 0.4
    seats = rng.randint(4, 6) if by_team else rng.randint(2, 6)
    sides = 2 if by_team else seats
    cards = [f"{number}{rng.choice('AAAB')}" for number in rng.sample(range(24), 24)]
    sets: list[list[tuple[str, ...]]] = [[] for _ in range(sides)]
    for front in range(8):
        if rng.random() < 0.4:
            won = tuple(f"{front * 3 + each}A" for each in range(rng.choice((2, 2, 3))))
            sets[rng.randrange(sides)].append(won)
            cards = [card for card in cards if not any(card[:-1] == each[:-1] for each in won)]
    beside: list[list[str]] = [[] for _ in range(sides)]
    if rng.random() < 0.4 and not (by_team and seats % 2 == 0):
        owner = 0 if by_team else rng.randrange(sides)  # team 0 has three of five
        for card in [card for card in cards if rng.random() < 0.3]:
            if len(beside[owner]) < 3 and face(card) not in map(face, beside[owner]):
                beside[owner].append(card)
                cards.remove(card)
    table = tuple(cards.pop() for _ in range(min(rng.randint(2, 8), len(cards))))
    options = {
        "sets_to_win": max(map(len, sets)) + rng.randint(1, 3),
        "own_pile_top": rng.choice(("others-only", "counts")),
        "mistake_loses": rng.choice(("pairs-only", "any-set")),
    }
    state = State(
        phase="play",
        ruleset=changed(RULESETS["team" if by_team else "competitive"], **options),
        designs=DESIGNS,
        turn=0,
        piles=tuple(tuple(cards[seat::seats]) for seat in range(seats)),
        table=table,
        sets=tuple(map(tuple, sets)),
        teams=tuple(seat % 2 for seat in range(seats)) if by_team else None,
        forbidden=tuple(map(tuple, beside)),
    )
    return ENGINE.complete(state)


def face(card: str) -> str:
    """The design on the side of a card that is up: of `3B`, the one on the back of card 3."""
    return DESIGNS[int(card[:-1])]["AB".index(card[-1])]


def visible_cards(state: State) -> list[str]:
    """Every visible card."""
    visible = [*state.table, *(pile[0] for pile in state.piles if pile and pile[0] is not None)]
    visible += [card for sets in state.sets for cards in sets for card in cards]
    return visible + [card for cards in state.forbidden for card in cards]


def random_hands(state: State, rng: random.Random) -> list[tuple[int, str]]:
    """At most two hands of each seat, mostly on cards that match another, in random order."""
    if rng.random() < 0.5:
        return crowded_hands(state, rng)
    visible = visible_cards(state)
    hands: list[tuple[int, str]] = []
    for seat in range(len(state.piles)):
        first = rng.choice(visible)
        alike = [card for card in visible if face(card) == face(first) and card != first]
        second = rng.choice(alike if alike and rng.random() < 0.7 else visible)
        hands += [(seat, card) for card in dict.fromkeys((first, second)) if rng.random() < 0.7]
    rng.shuffle(hands)
    return hands


def crowded_hands(state: State, rng: random.Random) -> list[tuple[int, str]]:
    """Two hands of each seat on the cards of a few designs, so that many lie on one card, in random order."""
    designs = {face(card): card for card in visible_cards(state)}
    names = rng.sample(sorted(designs), min(len(designs), rng.randint(1, 3)))
    cards = [card for card in visible_cards(state) if face(card) in names]
    hands = [(seat, card) for seat in range(len(state.piles)) for card in rng.sample(cards, min(len(cards), 2))]
    rng.shuffle(hands)
    return hands[: rng.randint(2, 12)]


def random_losses(state: State, hands: list[tuple[int, str]], rng: random.Random) -> dict[int, int]:
    """For some of the seats, the index of a set that it names to lose, such that the referee accepts the claim."""
    lose: dict[int, int] = {}
    for seat, _ in hands:
        for index in range(len(state.sets[seat % 2 if state.teams else seat])):
            move = claim(*hands, lose=[*lose.items(), (seat, index)])
            if seat not in lose and rng.random() < 0.4 and core_resolve(ENGINE, state, [move]).legal:
                lose[seat] = index
    return lose


@pytest.mark.parametrize("seed", range(25))
def test_engine_and_oracle_settle_an_incident_alike(seed: int) -> None:
    """TI-3.2, TI-3.4, TI-3.5, TI-4.1 to TI-4.7, TI-5.1, TI-6.1, TI-7.1, TI-7.2, TI-8.1, TI-8.2, TI-8.5."""
    rng = random.Random(seed)
    for _ in range(20):
        state = random_table(rng)
        faults, _unverified = audit(ENGINE, state)
        assert faults == []
        hands = random_hands(state, rng)
        if not hands:
            continue
        lose = random_losses(state, hands, rng)
        expected = settle(_plain(state), DESIGNS, state.teams, _options(state), hands, lose)
        resolution = core_resolve(ENGINE, state, [claim(*hands, lose=list(lose.items()))])
        assert resolution.legal
        assert events_of(resolution) == expected["events"]
        assert wrong_reasons(resolution, hands) == []
        assert_same_table(resolution.state, expected)
        if not any(expected["piles"]):
            continue  # how a game ends when no card is left, the oracle does not say
        over = expected["winner"] is not None
        assert (resolution.state.phase == "game-over") == over
        if over:
            assert ENGINE.result(resolution.state).winners == (expected["winner"],)  # type: ignore[union-attr]
        elif state.teams is not None:
            assert resolution.state.turn is None
        else:
            assert resolution.state.turn == _next_with_cards(expected["piles"], expected["turn"])


@pytest.mark.parametrize("seed", range(12))
def test_an_incident_with_hidden_cards_gets_no_answer_that_is_wrong_on_the_whole_table(seed: int) -> None:
    """TI-3.2, TI-4.5: cards on top of piles may be hidden. If one of them decides, the answer is that it is unknown."""
    rng = random.Random(seed)
    for _ in range(20):
        state = random_table(rng)
        hands = random_hands(state, rng)
        for move in (claim(), claim(*hands, lose=list(random_losses(state, hands, rng).items()))):
            less = partial_table(state, rng)
            assert wrong_answers(ENGINE, state, less, move) == [], (less, state, move)


@pytest.mark.parametrize("seed", range(10))
def test_engine_and_oracle_turn_the_visible_trebles_of_a_claim_without_hands_alike(seed: int) -> None:
    """TI-4.5: the visible trebles are turned, or the claim is refused if there is none."""
    rng = random.Random(seed)
    for _ in range(20):
        state = random_table(rng)
        if not any(state.piles):
            continue
        expected = settle(_plain(state), DESIGNS, state.teams, _options(state), [], {})
        resolution = core_resolve(ENGINE, state, [claim()])
        assert resolution.legal == (len(expected["events"]) > 0)
        assert events_of(resolution) == expected["events"]
        assert_same_table(resolution.state, expected)
        if any(expected["piles"]):
            assert resolution.state.turn == _next_with_cards(expected["piles"], 0)


def assert_same_table(state: State, expected: dict[str, Any]) -> None:
    """Compare a state with the oracle's table. The cards of a set may come in any order."""
    after = _plain(state)
    for zone in ("piles", "table", "forbidden"):
        assert after[zone] == expected[zone]
    assert [[sorted(cards) for cards in sets] for sets in after["sets"]] == [
        [sorted(cards) for cards in sets] for sets in expected["sets"]
    ]


COMPARED_PARAMETERS = {"no-effect": ("seat", "because"), "set-won": ("seat",), "robbed": ("by",), "treble": ()}
"""The parameters that the oracle, too, has for an event of this code."""


def events_of(resolution: Any) -> list[tuple[Any, ...]]:
    """The events of a resolution in the oracle's form: a code, then some of the parameters."""
    events: list[tuple[Any, ...]] = []
    for _move, event in resolution.events:
        code, params = event.ruling.code, event.params
        if code == "mistake":
            events.append((code, params["seat"], params["because"], params["lost"] and list(params["lost"])))
        elif code == "tied":
            events.append((code, *params["seats"]))
        elif code in COMPARED_PARAMETERS:
            events.append((code, *(params[name] for name in COMPARED_PARAMETERS[code])))
    return events


def wrong_reasons(resolution: Any, hands: list[tuple[int, str]]) -> list[Any]:
    """The hands without effect, and the mistakes, whose facts are not what the other events and the hands show."""
    events = [(event.ruling.code, event.params) for _move, event in resolution.events]
    won = {(params["seat"], params["design"]) for code, params in events if code == "set-won"}
    mistakes = [params for code, params in events if code == "mistake"]
    erred = {(params["seat"], params["designs"][0]) for params in mistakes if params["because"] != "two-designs"}
    lost = {(params["seat"], card) for params in mistakes for card in params["lost"] or ()}
    wrong = [params for params in mistakes if not _is_of_its_hands(params, hands)]
    for params in (params for code, params in events if code == "no-effect"):
        by, cards = params["by"], params["cards"]
        design = face(cards[0])
        by_cause = {"won": (by, design) in won, "erred": (by, design) in erred, "forbidden": by is None}
        right = by_cause.get(params["cause"], by is None or all((by, card) in lost for card in cards))
        earlier = {seat for card in cards for seat, on in hands[: hands.index((params["seat"], card))] if on == card}
        below = set(params["below"] or ())
        explained = params["because"] != "card-taken" or below or by is not None
        if not (right and below <= earlier and explained):
            wrong.append(params)
    return wrong


def _is_of_its_hands(mistake: Mapping[str, Any], hands: list[tuple[int, str]]) -> bool:
    """Whether a mistake names hands that fell, the last of the seat that erred, and what their cards show."""
    one, other = mistake["cards"]
    fell = [seat for seat in mistake["seats"] if (seat, one) in hands or (seat, other) in hands]
    shown = list(dict.fromkeys([face(one), face(other)]))
    return fell == list(mistake["seats"]) and (mistake["seat"], other) in hands and list(mistake["designs"]) == shown


def _options(state: State) -> dict[str, Any]:
    """The options that the oracle knows."""
    return {name: getattr(state.ruleset, name) for name in ("sets_to_win", "own_pile_top", "mistake_loses")}


def _next_with_cards(piles: list[list[str]], seat: int) -> int:
    """The first seat, from this one on, whose pile has a card."""
    while not piles[seat]:
        seat = (seat + 1) % len(piles)
    return seat


def _plain(state: State) -> dict[str, Any]:
    """A state as the table that the oracle takes."""
    whole = as_sent(ENGINE, state)
    return {name: whole[name] for name in ("table", "piles", "sets", "forbidden", "turn")}
