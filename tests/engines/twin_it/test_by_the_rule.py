"""Incidents of the rarer kinds, settled by the engine and by a program that follows TI-4.6 sentence by sentence."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from hypothesis import settings

from engines.core.judge import audit, resolve
from engines.core.records import changed
from engines.twin_it import ENGINE
from engines.twin_it.model import RULESETS, State
from tests.engines.twin_it.by_the_rule import Table
from tests.engines.twin_it.tables import claim
from tests.secrecy import as_sent

DECK = tuple((f"f{number // 3}", f"b{number // 2}") for number in range(36))
"""Twelve designs three times in front, eighteen twice behind."""
INCIDENTS = 3_000
"""Of each kind in `make check`."""


def cards_with_front(design: int) -> list[str]:
    """The three cards that have this design on side A."""
    return [f"{3 * design + copy}A" for copy in range(3)]


def random_state_with(rng: random.Random, shown: list[str], *, by_team: bool, **fields: Any) -> State:
    """A random table on which these cards show, lying or on top of a pile, and a few others. Piles have three cards."""
    of_team = 5 if "beside" in fields else rng.randint(4, 6)  # TI-8.4: such cards are of the larger team's
    seats = of_team if by_team else rng.randint(2, 5)
    sides = 2 if by_team else seats
    teams = rng.choice(((0, 1) * 3, (0, 0, 1, 1, 0, 1)))[:seats] if by_team else None
    sets: list[list[Any]] = [[] for _ in range(sides)]
    beside: list[Any] = [[] for _ in range(sides)]
    for cards in fields.get("sets", ()):
        sets[rng.randrange(sides)].append(tuple(cards))
    if "beside" in fields:
        beside[0 if by_team else rng.randrange(sides)] = fields["beside"]
    away = {card[:-1] for each in (shown, *chain(*sets), *beside) for card in each}
    rest = [f"{number}{rng.choice('AB')}" for number in range(36) if str(number) not in away]
    rng.shuffle(rest)
    shown = [*shown, *(rest.pop() for _ in range(rng.randint(0, 3)))]
    rng.shuffle(shown)
    tops = [shown.pop() if shown and rng.random() < 0.4 else rest.pop() for _ in range(seats)]
    piles = [(top, rest.pop(), rest.pop()) for top in tops]
    options = {
        "own_pile_top": rng.choice(("others-only", "counts")),
        "mistake_loses": rng.choice(("pairs-only", "any-set")),
        "sets_to_win": max(map(len, sets)) + rng.randint(1, 3),
    }
    return ENGINE.complete(
        State(
            phase="play",
            ruleset=changed(RULESETS["team" if by_team else "competitive"], **options),
            designs=DECK,
            turn=rng.choice((None, 0)) if by_team else rng.randrange(seats),
            piles=tuple(piles),
            table=tuple(shown),
            sets=tuple(map(tuple, sets)),
            teams=teams,
            forbidden=tuple(map(tuple, beside)),
        )
    )


def visible_cards(state: State) -> list[str]:
    """Every card that a hand may be on."""
    tops = [pile[0] for pile in state.piles]
    return [*state.table, *tops, *(card for sets in (*state.sets, state.forbidden) for each in sets for card in each)]  # type: ignore[list-item]


def random_hands_on(state: State, cards: list[str], rng: random.Random, share: float = 0.8) -> list[tuple[int, str]]:
    """Up to two hands of each seat, mostly on these cards, in random order."""
    hands: list[tuple[int, str]] = []
    for seat in range(len(state.piles)):
        for _ in range(rng.choice((0, 1, 2, 2))):
            card = rng.choice(cards if rng.random() < share else visible_cards(state))
            if (seat, card) not in hands:
                hands.append((seat, card))
    rng.shuffle(hands)
    return hands


def hands_on_a_treble(rng: random.Random) -> tuple[State, list[tuple[int, str]]]:
    """One or two lone hands on a visible treble."""
    state = random_state_with(rng, cards_with_front(0), by_team=rng.random() < 0.5)
    seats = rng.sample(range(len(state.piles)), rng.randint(1, 2))
    others = [
        hand
        for hand in random_hands_on(state, cards_with_front(1), rng)
        if hand[1] in visible_cards(state) and rng.random() < 0.3
    ]
    hands = [
        *((seat, rng.choice(cards_with_front(0))) for seat in seats),
        *(hand for hand in others if hand[0] not in seats),
    ]
    return state, rng.sample(hands, len(hands))


def hands_on_a_won_pair(rng: random.Random) -> tuple[State, list[tuple[int, str]]]:
    """Hands of several sides on a pair that was won, and on its third card, if that shows."""
    pair, third = cards_with_front(0)[:2], cards_with_front(0)[2:]
    shown = third if rng.random() < 0.5 else []
    state = random_state_with(rng, [*shown, *cards_with_front(1)[:2]], by_team=rng.random() < 0.4, sets=[pair])
    return state, random_hands_on(state, [*pair, *pair, *[card for card in third if card in visible_cards(state)]], rng)


def hands_on_a_forbidden_design(rng: random.Random) -> tuple[State, list[tuple[int, str]]]:
    """Hands of several members of the team, or of several players, on a design that is forbidden to one side."""
    shown = cards_with_front(0)[1 : rng.randint(2, 3)]
    sets = [cards_with_front(5)[:2], cards_with_front(6)[: rng.randint(2, 3)]][: rng.randint(0, 2)]
    beside = [cards_with_front(0)[0], cards_with_front(3)[0], cards_with_front(4)[0]]
    state = random_state_with(
        rng, [*shown, cards_with_front(3)[1]], by_team=rng.random() < 0.8, beside=beside, sets=sets
    )
    return state, random_hands_on(
        state, [card for card in cards_with_front(0) if card in visible_cards(state)], rng, 0.9
    )


def hands_on_a_forbidden_design_that_is_covered(rng: random.Random) -> tuple[State, list[tuple[int, str]]]:
    """Hands on a forbidden design, of which one card is held already by another side."""
    state, hands = hands_on_a_forbidden_design(rng)
    owner = next(side for side, cards in enumerate(state.forbidden) if cards)
    others = [seat for seat in range(len(state.piles)) if (state.teams[seat] if state.teams else seat) != owner]
    cards = [card for card in cards_with_front(0) if card in visible_cards(state)]
    below = (rng.choice(others), rng.choice(cards))
    return state, [below, *(hand for hand in hands if hand != below and hand[0] != below[0])]


def random_incident_of_teams(rng: random.Random) -> tuple[State, list[tuple[int, str]]]:
    """A table of teams with a pair and trebles that show, sets that were won, and hands on all of these."""
    state = random_state_with(
        rng,
        [*cards_with_front(0)[:2], *cards_with_front(1)],
        by_team=True,
        sets=[cards_with_front(2)[:2], cards_with_front(5)],
    )
    return state, random_hands_on(
        state,
        [
            *cards_with_front(0)[:2],
            *cards_with_front(1)[: rng.randint(1, 3)],
            cards_with_front(2)[0],
            cards_with_front(2)[1],
        ],
        rng,
    )


KINDS_OF_INCIDENT = {
    kind.__name__: kind
    for kind in (
        hands_on_a_treble,
        hands_on_a_won_pair,
        hands_on_a_forbidden_design,
        hands_on_a_forbidden_design_that_is_covered,
        random_incident_of_teams,
    )
}


COMMON_RESULTS = {
    "hands_on_a_treble": ("treble",),
    "hands_on_a_won_pair": ("no-effect", "tied", "set-won", "TI-5.1"),
    "hands_on_a_forbidden_design": ("TI-7.1", "TI-8.1", "tied", "set-won"),
    "hands_on_a_forbidden_design_that_is_covered": ("TI-7.1", "no-effect", "set-won"),
    "random_incident_of_teams": ("set-won", "TI-8.1", "TI-5.1", "no-effect"),
}
"""What incidents of a kind often come to; else the kind would be one by name alone."""


def settle_by_the_rule(state: State, hands: list[tuple[int, str]]) -> Table:
    """Settle an incident by the second program; return its table."""
    lists: Any = as_sent(ENGINE, state)
    table = Table(
        state.designs,
        state.teams,
        **{name: lists[name] for name in ("table", "piles", "sets", "forbidden")},
        own_top_counts=state.ruleset.own_pile_top == "counts",
        any_set_is_lost=state.ruleset.mistake_loses == "any-set",
        sets_to_win=state.ruleset.sets_to_win,
    )
    table.settle(hands)
    return table


def events_of(resolution: Any) -> Iterator[tuple[Any, ...]]:
    """The mistakes, sets and ties of a resolution, as the second program tells them."""
    for _move, event in resolution.events:
        params = event.params
        if event.ruling.code == "mistake":
            yield "mistake", event.ruling.rule, params["seat"], sorted(params["lost"] or [])
        elif event.ruling.code == "set-won":
            yield "set-won", params["seat"], sorted(params["cards"])
        elif event.ruling.code == "treble":
            yield "treble", sorted(params["cards"])
        elif event.ruling.code == "tied":
            yield "tied", list(params["seats"])


def hands_without_effect(resolution: Any) -> list[tuple[int, str]]:
    """The hands that the events call without effect."""
    events = [event.params for _move, event in resolution.events if event.ruling.code == "no-effect"]
    return sorted((params["seat"], card) for params in events for card in params["cards"])


@pytest.mark.no_cover
@pytest.mark.parametrize("kind", KINDS_OF_INCIDENT)
def test_engine_and_second_program_settle_an_incident_alike(kind: str, request: pytest.FixtureRequest) -> None:
    """TI-3.6, TI-4.1 to TI-4.7, TI-5.1, TI-7.1, TI-7.2, TI-8.1 to TI-8.3, TI-8.5; more by `make night`."""
    rng = random.Random(f"{kind} {request.config.getoption('hypothesis_seed') or 0}")
    seen: Counter[str] = Counter()
    for _ in range(INCIDENTS * settings().max_examples // 200):
        state, hands = KINDS_OF_INCIDENT[kind](rng)
        assert audit(ENGINE, state)[0] == []
        if not hands:
            continue
        expected = settle_by_the_rule(state, hands)
        resolution = resolve(ENGINE, state, [claim(*hands)])
        after, incident = resolution.state, (state, hands)
        assert resolution.applied == 1, incident
        assert list(events_of(resolution)) == expected.events, incident
        assert [list(pile) for pile in after.piles] == expected.piles, incident
        assert list(after.table) == expected.table, incident
        assert [[sorted(cards) for cards in sets] for sets in after.sets] == [
            [sorted(cards) for cards in sets] for sets in expected.sets
        ], incident
        assert [list(cards) for cards in after.forbidden] == expected.forbidden, incident
        assert (after.phase == "game-over") == (expected.champion is not None), incident
        if expected.champion is None:
            assert hands_without_effect(resolution) == expected.hands_without_effect, incident
            assert after.turn == expected.next_to_flip(state.turn), incident
        seen.update(each[1] if each[0] == "mistake" else each[0] for each in expected.events)
        seen["no-effect"] += bool(expected.hands_without_effect)
    rare = {name: seen[name] for name in COMMON_RESULTS[kind] if seen[name] < INCIDENTS // 20}
    assert rare == {}, "too few incidents of what this kind is for"
