"""Gin rummy clause by clause, in the order of the rulebook, worked out by hand; more tests of some stand beside."""

from typing import Any

import pytest

from engines.core.engine import Resolution
from engines.core.judge import audit, judge, legal_moves, resolve
from engines.core.records import changed
from engines.gin_rummy import ENGINE
from engines.gin_rummy.deadwood import least_deadwood
from engines.gin_rummy.melds import bits_of
from engines.gin_rummy.model import (
    RULESETS,
    Deal,
    Discard,
    Draw,
    Knock,
    Knocked,
    LaidCard,
    LastHand,
    LayOff,
    Pass,
    Ruleset,
    Setup,
    State,
    TakeUpcard,
)


def cards(text: str) -> tuple[str, ...]:
    return tuple(text.split())


DECK = tuple(rank + suit for suit in "SHDC" for rank in "A23456789TJQK")
UNSEEN = (None,) * 10
RUN = cards("4S 5S 6S")
NINES = cards("9H 9D 9C")
SEVEN = (*RUN, *NINES, *cards("AH 2D 3C AD"))
"""A hand of two melds and deadwood 7."""
KNOCKED = Knocked(0, (RUN, NINES))
GIN = cards("4S 5S 6S 7S KH KD KC QD QH QC")
BIG_GIN = (*GIN, "8S")
FORTY_TWO = cards("8S KS 3C 3D 3H JC 2H 2D 9H AC")
"""Deadwood 42 against gin; 8S and KS would go on its melds."""
SEVENS = cards("7S 7H 7D 7C")
TENS = cards("TH TD TC")


def to_discard(hand: tuple[str, ...], other: tuple[str | None, ...] = UNSEEN, **facts: Any) -> State:
    """Seat 0 has drawn; the stock has ten cards more."""
    return State(**{"phase": "discard", "turn": 0, "hands": (hand, other), "stock": (None,) * 10, **facts})


def to_lay_off(defender: tuple[str, ...], **facts: Any) -> State:
    """Seat 0 knocked with deadwood 7."""
    return State(**{"phase": "lay-off", "turn": 1, "hands": (SEVEN, defender), "knock": KNOCKED, **facts})


def between(kind: Any, winner: int | None, **facts: Any) -> State:
    """A hand is over."""
    last = LastHand(kind, winner, 0 if winner is None else 10)
    return State(**{"phase": "hand-over", "turn": None, "hands": ((), ()), "last_hand": last, **facts})


def happened(resolution: Resolution[State], code: str = "") -> list[tuple[Any, ...]]:
    """What happened, or what happened of one code, as (clause, code, parameters)."""
    events = [event for _, event in resolution.events]
    return [
        (event.ruling.rule, event.ruling.code, *event.params.values())
        for event in events
        if code in ("", event.ruling.code)
    ]


def scored(after: Resolution[State]) -> list[tuple[Any, ...]]:
    """The lines of the score, as (clause, seat, item, points, those of its sum that are there)."""
    lines = [event for _, event in after.events if event.ruling.code == "scored"]
    return [(line.ruling.rule, *[each for each in line.params.values() if each is not None]) for line in lines]


def refused(state: State, move: Any) -> list[tuple[str, str, str]]:
    """What forbids a move, as (clause, code, pointer)."""
    return [(each.ruling.rule, each.ruling.code, each.pointer) for each in judge(ENGINE, state, move).violations]


def faults(state: State) -> list[tuple[Any, ...]]:
    """What a table cannot be, as (clause, code, parameters)."""
    return [(each.ruling.rule, each.ruling.code, *each.params.values()) for each in audit(ENGINE, state)[0]]


def least(text: str) -> int:
    return least_deadwood(bits_of(cards(text)))


def test_two_play() -> None:
    """GR-1.1."""
    assert tuple(ENGINE.seats) == (2,)


def test_no_hand_and_no_stock_is_bigger_than_the_deal_makes_it() -> None:
    """GR-1.2: eleven cards before a draw, and a stock of 32."""
    state = State("draw", 0, ((None,) * 11, (None,) * 9), stock=(None,) * 32)
    assert faults(state) == [("GR-1.2", "hand-too-big", 0, 11, 10, 10), ("GR-1.2", "stock-too-big", 32, 31)]


def test_an_ace_is_one_and_a_face_card_ten() -> None:
    """GR-1.3."""
    assert {rank: least(f"{rank}S") for rank in "A23456789TJQK"} == {
        "A": 1,
        "2": 2,
        "3": 3,
        "4": 4,
        "5": 5,
        "6": 6,
        "7": 7,
        "8": 8,
        "9": 9,
        "T": 10,
        "J": 10,
        "Q": 10,
        "K": 10,
    }


@pytest.mark.parametrize(
    ("options", "winner", "dealer"),
    [
        ({}, 0, 1),
        ({}, 1, 1),
        ({"next_dealer": "winner"}, 0, 0),
        ({"next_dealer": "winner"}, 1, 1),
        ({"next_dealer": "loser"}, 0, 1),
        ({"next_dealer": "loser"}, 1, 0),
    ],
)
def test_who_deals_the_next_hand(options: dict[str, Any], winner: int, dealer: int) -> None:
    """GR-1.4: seat 0 dealt the last one."""
    state = between("knock", winner, dealer=0, ruleset=Ruleset(**options))
    after = resolve(ENGINE, state, [Deal(deck=DECK)]).state
    assert (after.dealer, after.hand) == (dealer, 2)


@pytest.mark.parametrize("next_dealer", ["alternate", "winner", "loser"])
def test_who_deals_cannot_be_told_where_the_end_of_the_last_hand_is_not_known(next_dealer: Any) -> None:
    """GR-1.4: after a hand that nobody won the same player deals again."""
    state = changed(between("knock", 0, dealer=0, ruleset=Ruleset(next_dealer=next_dealer)), last_hand=None)
    awaited = resolve(ENGINE, state, [Deal(deck=DECK)]).undetermined
    assert awaited is not None
    assert (awaited.ruling.code, awaited.pointer) == ("winner-unseen", "/last_hand")


def test_deadwood_is_the_points_of_the_cards_in_no_meld() -> None:
    """GR-2.2: AH 2D 3C AD are 7."""
    assert least(" ".join(SEVEN)) == 7


def test_the_upcard_goes_to_the_other_player_then_to_the_dealer_then_a_card_is_drawn_from_the_stock() -> None:
    """GR-3.1: seat 1 deals."""
    state = ENGINE.opening(Setup(2, dealer=1, deck=DECK))
    offered = []
    for _ in range(3):
        moves, _ = legal_moves(ENGINE, state)
        offered.append(moves)
        state = resolve(ENGINE, state, [moves[-1]]).state
    assert offered == [[TakeUpcard(0), Pass(0)], [TakeUpcard(1), Pass(1)], [Draw(0, "stock")]]


@pytest.mark.parametrize("seen", [{"discards": ("KC",), "upcard": "KC"}, {"discards": ("KC",)}, {"upcard": "KC"}])
def test_who_takes_the_upcard_has_drawn(seen: dict[str, Any]) -> None:
    """GR-3.1: the dealer takes it."""
    state = State("upcard", 0, (UNSEEN, UNSEEN), dealer=1, **seen)
    after = resolve(ENGINE, state, [Pass(0), TakeUpcard(1)])
    assert happened(after) == [("GR-3.1", "passed", 0), ("GR-3.1", "drew", 1, "discards", "KC")]
    assert (after.state.phase, after.state.turn, after.state.hands[1]) == ("discard", 1, (*UNSEEN, "KC"))


def test_a_discard_ends_the_turn() -> None:
    """GR-4.1."""
    after = resolve(ENGINE, to_discard((*SEVEN, "KC"), discards=("KH",)), [Discard(0, "KC")])
    assert happened(after) == [("GR-4.1", "discarded", 0, "KC")]
    assert (after.state.phase, after.state.turn) == ("draw", 1)
    assert (after.state.hands[0], after.state.discards) == (SEVEN, ("KC", "KH"))


def test_nobody_has_passed_when_the_cards_are_dealt() -> None:
    """GR-3.1: whatever the last hand left behind."""
    assert resolve(ENGINE, between("dead", None, dealer=1, passes=1), [Deal()]).state.passes == 0


@pytest.mark.parametrize(
    ("options", "left", "phase"),
    [
        ({}, 3, "draw"),
        ({}, 2, "hand-over"),
        ({"stock_end": "void-at-zero"}, 2, "draw"),
        ({"stock_end": "void-at-zero"}, 1, "draw"),
        ({"stock_end": "void-at-zero"}, 0, "hand-over"),
    ],
)
def test_the_stock_ends_the_hand(options: dict[str, Any], left: int, phase: str) -> None:
    """GR-4.3."""
    state = to_discard((*SEVEN, "KC"), stock=(None,) * left, ruleset=Ruleset(**options))
    assert resolve(ENGINE, state, [Discard(0, "KC")]).state.phase == phase


def test_only_who_is_on_turn_acts() -> None:
    """GR-4.4."""
    state = State("draw", 0, (UNSEEN, UNSEEN))
    assert refused(state, Draw(1, "stock")) == [("GR-4.4", "not-your-turn", "/seat")]


@pytest.mark.parametrize(
    ("last", "options", "expected"),
    [
        ("4D", {}, []),
        ("5D", {}, [("GR-5.2", {"points": 11, "limit": 10, "upcard": None})]),
        ("AD", {"knock_limit": 7}, []),
        ("2C", {"knock_limit": 7}, [("GR-5.2", {"points": 8, "limit": 7, "upcard": None})]),
    ],
)
def test_the_deadwood_of_a_knock_is_within_the_limit(last: str, options: Any, expected: list[Any]) -> None:
    """GR-5.2: AH, 2D, 3C and one card more."""
    state = to_discard((*RUN, *NINES, "AH", "2D", "3C", last, "KC"), ruleset=Ruleset(**options))
    violations = judge(ENGINE, state, Knock(0, discard="KC")).violations
    assert [(each.ruling.rule, each.params) for each in violations] == expected


@pytest.mark.parametrize(
    ("upcard", "options", "limit"),
    [
        ("7H", {}, 7),
        ("QH", {}, 10),
        ("7H", {"knock_limit": 5}, 5),
        ("AC", {}, 1),
        ("AC", {"oklahoma_ace": "gin"}, 0),
    ],
)
def test_in_oklahoma_the_upcard_sets_the_limit(upcard: str, options: dict[str, Any], limit: int) -> None:
    """GR-5.3: a knock with 11 learns the limit, and the upcard."""
    hand = (*RUN, *NINES, *cards("AH 2D 3C 5D KC"))
    state = to_discard(hand, upcard=upcard, ruleset=Ruleset(oklahoma=True, **options))
    (violation,) = judge(ENGINE, state, Knock(0, discard="KC")).violations
    assert violation.params == {"points": 11, "limit": limit, "upcard": upcard}


def test_no_deadwood_after_the_discard_is_gin() -> None:
    """GR-5.4: and the hand is over."""
    after = resolve(ENGINE, to_discard((*GIN, "2S"), FORTY_TWO), [Knock(0, discard="2S")])
    (knocked,) = [event for _, event in after.events if event.ruling.code == "knocked"]
    assert (knocked.ruling.rule, knocked.params["kind"], knocked.params["deadwood"]) == ("GR-5.4", "gin", 0)
    assert after.state.phase == "hand-over"


def test_eleven_melded_cards_are_big_gin() -> None:
    """GR-5.5: without a discard."""
    other = ("9S", *FORTY_TWO[1:])
    after = resolve(ENGINE, to_discard(BIG_GIN, other), [Knock(0, big=True)])
    (knocked,) = [event for _, event in after.events if event.ruling.code == "knocked"]
    assert (knocked.ruling.rule, knocked.params["kind"], knocked.params["discard"]) == ("GR-5.5", "big-gin", None)


def test_a_gin_hand_shown_with_deadwood_is_a_knock() -> None:
    """GR-5.6: stated melds bind; 7S could have gone on the run."""
    melds = (RUN, cards("KH KD KC"), cards("QH QD QC"))
    after = resolve(ENGINE, to_discard((*GIN, "2S")), [Knock(0, discard="2S", melds=melds)])
    assert happened(after) == [("GR-5.1", "knocked", 0, "knock", "2S", melds, ("7S",), 7)]


@pytest.mark.parametrize(
    ("defender", "deadwood"),
    [
        ("3S 7S KH QD 2D 9D JS 8H 4H AC", ("4S", "6S")),
        ("5C 2S KH QD 2D 9D JS 8H 4H AC", ("5H", "5D")),
    ],
    ids=["the defender could lay off on the run", "the defender could lay off on the set"],
)
def test_of_equal_arrangements_the_one_that_leaves_the_defender_most(defender: str, deadwood: tuple[str, ...]) -> None:
    """GR-5.6: 5S makes a run with 4S and 6S or a set with 5H and 5D; 10 are left either way."""
    hand = cards("4S 5S 6S 5H 5D 9C TC JC QC KC 2C")
    after = resolve(ENGINE, to_discard(hand, cards(defender)), [Knock(0, discard="2C")])
    (knocked,) = [event for _, event in after.events]
    assert knocked.params["deadwood_cards"] == deadwood


@pytest.mark.parametrize(
    "lay_offs",
    [
        (LaidCard("9S", 1),),
        (LaidCard("3S", 0),),
        (LaidCard("7S", 0),),
        (LaidCard("7S", 0), LaidCard("8S", 0)),
    ],
    ids=["a fourth to a set", "below a run", "above a run", "upon a card laid off"],
)
def test_the_defender_lays_off_unmatched_cards(lay_offs: tuple[LaidCard, ...]) -> None:
    """GR-6.1: on the run 4S 5S 6S and on three nines."""
    state = to_lay_off(cards("3S 7S 8S 9S KH QD JD 2C 4H 8C"))
    (event,) = happened(resolve(ENGINE, state, [LayOff(1, melds=(), lay_offs=lay_offs)]), "laid-off")
    assert event[:5] == ("GR-6.1", "laid-off", 1, (), lay_offs)


@pytest.mark.parametrize(
    ("lay_offs", "expected"),
    [
        ((LaidCard("8S", 0),), ("does-not-fit", "/lay_offs/0")),
        ((LaidCard("8S", 0), LaidCard("7S", 0)), ("does-not-fit", "/lay_offs/0")),
        ((LaidCard("8C", 1),), ("does-not-fit", "/lay_offs/0")),
        ((LaidCard("7S", 0), LaidCard("7S", 0)), ("laid-off-twice", "/lay_offs/1/card")),
        ((LaidCard("7S", 2),), ("no-such-meld", "/lay_offs/0/meld")),
    ],
)
def test_a_card_that_does_not_fit_when_its_turn_comes_is_not_laid_off(lay_offs: Any, expected: tuple[str, str]) -> None:
    """GR-6.1: on the run 4S 5S 6S and on three nines."""
    state = to_lay_off(cards("3S 7S 8S 9S KH QD JD 2C 4H 8C"))
    assert refused(state, LayOff(1, melds=(), lay_offs=lay_offs)) == [("GR-6.1", *expected)]


@pytest.mark.parametrize("kind", ["gin", "big-gin"])
def test_a_lay_off_after_gin_is_refused(kind: str) -> None:
    """GR-6.2."""
    assert refused(between(kind, 0), LayOff(1))[0] == ("GR-6.2", "none-against-gin", "")


@pytest.mark.parametrize(
    ("stated", "lay_offs", "deadwood"),
    [
        ({}, ("7S", "8S"), 11),
        ({"melds": (SEVENS, TENS)}, (), 19),
        ({"lay_offs": ()}, (), 19),
        ({"lay_offs": (LaidCard("7S", 0),)}, ("7S",), 19),
        ({"melds": ()}, ("7S", "8S"), 62),
        ({"melds": (), "lay_offs": ()}, (), 77),
    ],
    ids=["nothing stated", "melds", "no lay-offs", "a lay-off", "no melds", "neither melds nor lay-offs"],
)
def test_what_the_defender_does_not_state_is_found_as_is_best(stated: Any, lay_offs: Any, deadwood: int) -> None:
    """GR-6.3: four sevens leave 19; breaking them and laying off 7S and 8S leaves 11."""
    state = State(
        "lay-off",
        1,
        (cards("4S 5S 6S KH KD KC AH 2D 3C AD"), (*SEVENS, "8S", *TENS, "2H", "9C")),
        knock=Knocked(0, (RUN, cards("KH KD KC"))),
    )
    after = resolve(ENGINE, state, [LayOff(1, **stated)])
    (laid,) = [event.params for _, event in after.events if event.ruling.code == "laid-off"]
    assert (tuple(each.card for each in laid["lay_offs"]), laid["deadwood"]) == (lay_offs, deadwood)


def test_the_lighter_knocker_scores_the_difference() -> None:
    """GR-7.1: 7 against 35."""
    after = resolve(ENGINE, to_lay_off(cards("QS QH QD 7S 9S KH 5D 2C 8C JD")), [LayOff(1)])
    assert scored(after) == [("GR-7.1", 0, "difference", 28, 35, 7)]
    assert happened(after, "hand-over") == [("GR-7.1", "hand-over", 0, 28, "knock", None)]
    assert after.state.scores == (28, 0)


@pytest.mark.parametrize(("options", "bonus"), [({}, 25), ({"undercut_bonus": 10}, 10)])
def test_a_lighter_defender_scores_the_difference_and_a_bonus(options: dict[str, Any], bonus: int) -> None:
    """GR-7.2: 7 against 2."""
    state = to_lay_off(cards("QS QH QD JS JH JD TH TD TC 2C"), ruleset=Ruleset(**options))
    after = resolve(ENGINE, state, [LayOff(1)])
    assert scored(after) == [("GR-7.2", 1, "difference", 5, 7, 2), ("GR-7.2", 1, "undercut-bonus", bonus)]
    assert happened(after, "hand-over") == [("GR-7.2", "hand-over", 1, 5 + bonus, "undercut", None)]
    assert after.state.scores == (0, 5 + bonus)


@pytest.mark.parametrize(
    ("options", "ended", "scores"),
    [
        ({}, ("GR-7.3", "hand-over", 1, 25, "undercut", None), (0, 25)),
        ({"equal_deadwood": "nobody"}, ("GR-7.3", "hand-over", None, 0, "equal", None), (0, 0)),
    ],
)
def test_equal_deadwood(options: dict[str, Any], ended: tuple[Any, ...], scores: tuple[int, int]) -> None:
    """GR-7.3: 7 against 7."""
    state = to_lay_off(cards("QS QH QD JS JH JD TH TD TC 7C"), ruleset=Ruleset(**options))
    after = resolve(ENGINE, state, [LayOff(1)])
    assert happened(after, "hand-over") == [ended]
    assert after.state.scores == scores


@pytest.mark.parametrize(("options", "bonus"), [({}, 25), ({"gin_bonus": 20}, 20)])
def test_gin_scores_a_bonus_and_all_that_the_defender_holds(options: dict[str, Any], bonus: int) -> None:
    """GR-7.4: against 42."""
    state = to_discard((*GIN, "2S"), FORTY_TWO, ruleset=Ruleset(**options))
    after = resolve(ENGINE, state, [Knock(0, discard="2S")])
    assert scored(after) == [("GR-7.4", 0, "gin-bonus", bonus), ("GR-7.4", 0, "difference", 42)]
    assert happened(after, "hand-over") == [("GR-7.4", "hand-over", 0, 42 + bonus, "gin", None)]
    assert after.state.scores == (42 + bonus, 0)


def test_big_gin_scores_its_bonus_and_all_that_the_defender_holds() -> None:
    """GR-7.5: against 43, with 9S for 8S."""
    after = resolve(ENGINE, to_discard(BIG_GIN, ("9S", *FORTY_TWO[1:])), [Knock(0, big=True)])
    assert scored(after) == [("GR-7.5", 0, "big-gin-bonus", 31), ("GR-7.5", 0, "difference", 43)]
    assert happened(after, "hand-over") == [("GR-7.5", "hand-over", 0, 74, "big-gin", None)]
    assert after.state.scores == (74, 0)


def test_bonuses_do_not_change_who_won() -> None:
    """GR-8.1: line bonuses bring the loser from 99 to 199 and the winner from 100 to 125."""
    state = State("game-over", None, ((), ()), scores=(100, 99), hands_won=(1, 4), ruleset=Ruleset(line_bonus=25))
    result = ENGINE.result(state)
    assert result is not None
    assert (result.rule, result.winners) == ("GR-8.1", (0,))


@pytest.mark.parametrize(
    ("ruleset", "scores", "hands_won", "totals"),
    [
        ("standard", (100, 40), (4, 2), [100, 40]),
        ("standard", (100, 0), (4, 0), [100, 0]),
        ("wikipedia", (100, 40), (4, 2), [300, 90]),
        ("wikipedia", (100, 0), (4, 0), [400, 0]),
        ("pagat", (100, 40), (4, 2), [280, 80]),
        ("pagat", (100, 0), (4, 0), [380, 0]),
        ("bicycle", (100, 0), (4, 0), [380, 0]),
    ],
)
def test_line_game_and_shutout_bonuses(ruleset: str, scores: Any, hands_won: Any, totals: list[int]) -> None:
    """GR-8.2."""
    state = State("game-over", None, ((), ()), RULESETS[ruleset], scores=scores, hands_won=hands_won)
    assert [standing.score for standing in ENGINE.standings(state)] == totals


def test_the_bonuses_are_told_when_the_game_is_over() -> None:
    """GR-8.2: pagat, a fourth hand won to none."""
    hand = cards("QS QH QD 7S 9S KH 5D 2C 8C JD")
    state = to_lay_off(hand, scores=(90, 0), hands_won=(3, 0), ruleset=RULESETS["pagat"])
    assert scored(resolve(ENGINE, state, [LayOff(1)])) == [
        ("GR-7.1", 0, "difference", 28, 35, 7),
        ("GR-8.2", 0, "line-bonus", 80, 4, 20),
        ("GR-8.2", 0, "game-bonus", 100),
        ("GR-8.2", 0, "shutout", 100),
    ]


@pytest.mark.parametrize(("phase", "moves"), [("hand-over", [Deal()]), ("game-over", [])])
def test_between_hands_only_the_deal_is_left_and_after_the_game_nothing(phase: Any, moves: list[Any]) -> None:
    """GR-8.3."""
    assert legal_moves(ENGINE, State(phase, None, ((), ()))) == (moves, True)
