"""GR-5.2, GR-5.6: what is seen of a knocker's hand may forbid the knock before the rest is shown."""

import random
from itertools import combinations
from typing import Any

import pytest

from engines.core.judge import judge, resolve
from engines.gin_rummy import ENGINE
from engines.gin_rummy.deadwood import least_deadwood
from engines.gin_rummy.melds import CARDS, bits_of
from engines.gin_rummy.model import Knock, LayOff, State
from engines.gin_rummy.unseen import least_possible
from tests.engines.gin_rummy.hands import crowded

RUN = ("4S", "5S", "6S")


def knock(*beside: str | None, melds: tuple[tuple[str, ...], ...] | None = (RUN,)) -> tuple[list[str], list[str]]:
    """Codes and clauses of what is said of a knock by hand of the run, `beside` and a king to discard."""
    state = State(phase="discard", turn=0, hands=((*RUN, *beside, "KC"), (None,) * 10))
    violations, unverified = judge(ENGINE, ENGINE.complete(state), Knock(0, discard="KC", melds=melds))
    return [f"{each.ruling.code} {each.params['points']}" for each in violations], list(unverified)


@pytest.mark.parametrize(
    ("beside", "refused"),
    [
        (("5H", "6D", None), ["knock-too-heavy 17"]),
        (("3H", None), ["knock-too-heavy 11"]),
        (("2H", None), ["knock-too-heavy 10"]),
        (("AH", "TH", "TD", None, None, None, None), ["knock-too-heavy 26"]),
    ],
)
def test_cards_beside_stated_melds_count_the_unseen_ones_with_the_least_they_can_be(
    beside: tuple[str | None, ...], refused: list[str]
) -> None:
    """Of ten cards, as many as are not listed are not seen; the cheapest that lie nowhere else are the least."""
    said, unverified = knock(*beside)
    allowed = refused == ["knock-too-heavy 10"]
    assert (said, unverified) == (([], ["GR-5.2"]) if allowed else (refused, []))


def test_without_stated_melds_an_unseen_card_may_still_match() -> None:
    assert knock("5H", "6D", None, melds=None) == ([], ["GR-5.2"])


def all_but(unseen: int, *cards: str, **facts: Any) -> tuple[list[tuple[str, int]], list[str]]:
    """What is said of a knock with these cards and so many unseen ones, and a king discarded."""
    state = State(phase="discard", turn=0, hands=((*cards, *(None,) * unseen, "KC"), (None,) * 10), **facts)
    violations, unverified = judge(ENGINE, state, Knock(0, discard="KC"))
    return [(each.ruling.code, each.params["points"]) for each in violations], list(unverified)


def test_a_knock_that_no_unseen_card_could_make_legal_is_refused() -> None:
    """GR-5.2: whatever the unseen card is. A nine makes a set of 9H 9D, if one is left."""
    nines = ("4S", "5S", "6S", "9H", "9D", "2H", "2C")
    assert all_but(1, *nines, "KH", "QD") == ([("knock-too-heavy", 24)], [])
    assert all_but(1, "4S", "5S", "6S", "9H", "9D", "2H", "2C", "AH", "AC") == ([], ["GR-5.2"])
    assert all_but(1, "4S", "5S", "6S", "9H", "9D", "2H", "2C", "AH", "AC", discards=("9S", "9C")) == (
        [("knock-too-heavy", 20)],
        [],
    )


def test_the_card_just_taken_is_among_the_unseen_ones() -> None:
    """GR-4.2."""
    seen = ("4S", "5S", "6S", "9H", "9D", "2H", "2C", "AH", "AC")
    assert all_but(1, *seen, taken="QD") == ([("knock-too-heavy", 34)], [])
    assert all_but(1, *seen, taken="9S") == ([], [])


def test_an_oracle_that_tries_every_card_finds_the_same() -> None:
    """GR-5.2: for one unseen card and for two."""
    rng = random.Random(1)
    for _ in range(60):
        unseen = rng.choice((1, 1, 2))
        hand = crowded(rng, 10 - unseen)
        others = [card for card in CARDS if card not in hand and rng.random() < 0.4]
        least = min(least_deadwood(bits_of((*hand, *more))) for more in combinations(others, unseen))
        assert least_possible(bits_of(hand), unseen, bits_of(others))[0] == least


def test_for_more_unseen_cards_the_least_is_a_lower_bound() -> None:
    rng = random.Random(2)
    for _ in range(40):
        unseen = rng.randint(3, 10)
        whole = rng.sample(CARDS, 40)
        seen, rest = whole[: 10 - unseen], whole[10 - unseen :]
        bound = least_possible(bits_of(seen), unseen, bits_of(rest))[0]
        assert all(bound <= least_deadwood(bits_of((*seen, *rng.sample(rest, unseen)))) for _ in range(50))


HAND = ("4S", "5S", "6S", "9H", "9D", "9C", "AH", "2D", "3C", "AD")
DEFENDER = ("QS", "QH", "QD", "7S", "9S", "KH", "5D", "2C", "8C", "JD")
UNSEEN: tuple[str | None, ...] = (None,)


def shown_by(hand: tuple[str | None, ...], move: Knock, **facts: Any) -> tuple[list[str], list[str]]:
    state = State(**{"phase": "discard", "turn": 0, "hands": (hand, DEFENDER), **facts})
    violations, unverified = judge(ENGINE, state, move)
    return [f"{each.ruling.code} {each.pointer}" for each in violations], list(unverified)


@pytest.mark.parametrize("hand", [(*HAND, "KC"), (*HAND[:8], None, None, None), (*HAND, None), UNSEEN])
def test_a_knock_shows_the_cards_that_were_not_seen(hand: tuple[str | None, ...]) -> None:
    """GR-5.7: the table is as if they had been posted."""
    shown = tuple(card for card in HAND if card not in hand)
    state = State("discard", 0, (hand, UNSEEN))
    knock, laid = Knock(0, discard="KC", shown=shown), LayOff(1, shown=DEFENDER)
    after = resolve(ENGINE, state, [knock, laid])
    assert (after.violations, after.undetermined, after.state.scores) == ((), None, (28, 0))
    assert [*map(set, after.state.hands)] == [set(HAND), set(DEFENDER)]


@pytest.mark.parametrize(
    ("hand", "shown", "facts", "said"),
    [
        ((*HAND[:8], None, None, "KC"), ("3C", "AD"), {}, ([], [])),
        ((*HAND[:8], None, None, "KC"), ("3C",), {}, ([], ["GR-5.2"])),
        ((*HAND[:8], None, None, "KC"), ("3C", "3C"), {}, (["shown-elsewhere /shown/1"], [])),
        ((*HAND[:8], None, None, "KC"), ("3C", "2D"), {}, (["shown-elsewhere /shown/1"], [])),
        ((*HAND[:8], None, None, "KC"), ("3C", "QS"), {}, (["shown-elsewhere /shown/1"], [])),
        ((*HAND[:8], None, None, None), ("3C", "KC"), {}, (["shown-elsewhere /shown/1"], [])),
        ((*HAND[:8], None, None, "KC"), ("3C", "AD", "AS"), {}, (["shown-too-many /shown"], [])),
        ((*HAND, "KC"), ("AS",), {}, (["shown-too-many /shown"], [])),
        ((*HAND[:8], None, None, "KC"), ("KD", "KS"), {}, (["knock-too-heavy /discard"], [])),
        ((*HAND[:8], None, None, "KC"), ("3C", "AD"), {"taken": "AS"}, (["shown-without-taken /shown"], [])),
        ((*HAND[:8], None, None, "KC"), ("3C", "AD"), {"taken": "AD"}, ([], [])),
    ],
)
def test_cards_shown_are_judged_like_posted_ones(
    hand: tuple[str | None, ...], shown: tuple[str, ...], facts: Any, said: tuple[list[str], list[str]]
) -> None:
    """GR-1.1, GR-1.2, GR-4.2, GR-5.2."""
    refused, unverified = shown_by(hand, Knock(0, discard="KC", shown=shown), **facts)
    assert refused == said[0]
    assert [rule for rule in unverified if rule == "GR-5.2"] == said[1]


def test_big_gin_that_no_unseen_card_could_make_is_refused() -> None:
    """GR-5.5."""
    melded = ("4S", "5S", "6S", "7S", "KH", "KD", "KC", "QD", "QH")
    assert shown_by((*melded, None, None), Knock(0, big=True))[0] == []
    assert shown_by((*melded, "2S", None), Knock(0, big=True))[0] == ["not-big-gin /big"]
    stated = (("4S", "5S", "6S", "7S"), ("KH", "KD", "KC"))
    assert shown_by((*melded, None, None), Knock(0, big=True, melds=stated))[0] == ["not-big-gin /big"]
