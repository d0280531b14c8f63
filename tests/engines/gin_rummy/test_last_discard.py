"""The last turn of a hand under `stock_end: last-discard` (GR-4.3), beside what the vectors show."""

from typing import Any

import pytest

from engines.core.judge import audit, legal_moves, resolve
from engines.gin_rummy import ENGINE
from engines.gin_rummy.model import Discard, Draw, Pass, Ruleset, State

HAND = ("4S", "5S", "6S", "9H", "9D", "9C", "AH", "2D", "3C", "KC")
GIN = ("4S", "5S", "6S", "9H", "9D", "9C", "TS", "JS", "QS", "KC")
UNSEEN = (None,)


def last(hand: tuple[str | None, ...] = HAND, top: str | None = "AD", rules: Any = None, **facts: Any) -> State:
    ruleset = Ruleset(stock_end="last-discard", **(rules or {}))
    usual: dict[str, Any] = {"phase": "draw", "turn": 1, "hands": (UNSEEN, hand), "stock": (None, None)}
    return State(**{**usual, "discards": (top,), "ruleset": ruleset, **facts})


def taken(hand: tuple[str | None, ...], card: str, **facts: Any) -> State:
    return last((*hand, card), **{"phase": "discard", "taken": card, "discards": (), **facts})


OKLAHOMA = {"oklahoma": True}


@pytest.mark.parametrize(
    ("state", "refused", "unverified"),
    [
        (last(), ["only-to-knock"], []),
        (last(top="QD"), ["only-to-knock", "only-to-knock"], []),
        (last(top=None), ["only-to-knock"], ["GR-4.3"]),
        (last(stock=None), [], []),
        (last(stock=None, hands=(UNSEEN, HAND), discards=None), [], ["GR-4.3"]),
        (last(passes=2, stock=None), ["stock-after-passes"], []),
        (last(GIN, "KD", rules=OKLAHOMA), ["only-to-knock"], ["GR-4.3"]),
        (last(GIN, "KD", rules=OKLAHOMA, upcard="9S"), ["only-to-knock", "only-to-knock"], []),
        (last(GIN, "KD", rules=OKLAHOMA, upcard="KS"), ["only-to-knock"], []),
        (last(GIN, "KS", rules=OKLAHOMA), ["only-to-knock"], []),
        (last((*GIN[:6], "KC", "KH", "2D", "4C"), "KD", rules={"knock_limit": 1, **OKLAHOMA}),
         ["only-to-knock"] * 2, []),
        (last(("7S", *GIN[:-1]), "9S"), ["only-to-knock"], []),
    ],
)  # fmt: skip
def test_a_card_is_drawn_only_to_knock(state: State, refused: list[str], unverified: list[str]) -> None:
    """From the stock, then from the discards."""
    both = [resolve(ENGINE, state, [Draw(1, "stock")]), resolve(ENGINE, state, [Draw(1, "discards")])]
    assert [each.ruling.code for one in both for each in one.violations] == refused
    assert sorted({rule for one in both for rule in one.unverified}) == unverified


def test_whether_the_last_turn_has_come_is_unverified_where_the_stock_is_not_seen() -> None:
    unseen: dict[str, Any] = {"stock": None, "discards": None}
    assert resolve(ENGINE, last(**unseen), [Pass(1)]).unverified == ("GR-3.1",)
    assert resolve(ENGINE, taken(HAND, "AD", **unseen), [Discard(1, "KC")]).unverified == ("GR-4.3",)


def test_the_stock_of_a_table_of_which_the_rest_is_known_is_known() -> None:
    """GR-4.3: 52 less both hands and the discards."""
    discards = (None,) * 30
    assert resolve(ENGINE, last(stock=None, discards=("AD", *discards[1:])), [Pass(1)]).unverified == ()
    after = resolve(
        ENGINE, taken(HAND, "QD", stock=None, discards=discards[:29], ruleset=Ruleset()), [Discard(1, "KC")]
    )
    assert [event.params["stock"] for _, event in after.events if event.ruling.code == "hand-over"] == [2]
    assert resolve(ENGINE, last(stock=None, discards=discards[:29]), [Pass(1)]).violations != ()


def test_the_last_discard_may_be_left_though_it_would_bring_a_knock() -> None:
    moves, complete = legal_moves(ENGINE, last())
    assert (moves, complete) == ([Draw(1, "discards"), Pass(1)], True)


@pytest.mark.parametrize(
    ("state", "faults", "unverified"),
    [
        (taken(HAND, "AD"), [], False),
        (taken(HAND, "QD"), ["no-last-knock"], False),
        (taken(HAND, "QD", stock=None), [], False),
        (taken(HAND, "QD", stock=None, discards=None), [], True),
        (taken(HAND, "QD", stock=None, discards=(None,) * 29), ["no-last-knock"], False),
        (taken(HAND, "QD", stock=(None,) * 3), [], False),
        (taken((None,), "QD"), [], True),
        (taken((None,), "QD", turn=None, stock=None, discards=(None,) * 29), ["nobody-on-turn"], False),
        (taken((*HAND[:8], None, None), "QD"), [], True),
        (taken((*HAND[:9], None), "QD"), ["no-last-knock"], False),
        (taken((*HAND[:9], "QD"), "QD"), ["card-twice"], False),
        (taken((*HAND, "4S", "KC"), "QD"), ["card-twice", "card-twice", "hand-too-big"], False),
        (taken((), "QD"), ["hand-too-small"], False),
        (last((*HAND, "QD"), phase="discard"), [], False),
        (last(stock=(None,)), ["stock-run-out"], False),
        (taken(HAND, "QD", turn=None), ["nobody-on-turn"], False),
    ],
)
def test_a_card_taken_in_the_last_turn_brings_a_knock(state: State, faults: list[str], unverified: bool) -> None:
    found, unseen = audit(ENGINE, state)
    assert [fault.ruling.code for fault in found if fault.ruling.rule != "GR-4.2"] == faults
    assert ("GR-4.3" in unseen) == unverified
