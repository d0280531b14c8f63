"""Gin rummy clause by clause, in the order of the rulebook, worked out by hand; more tests of some stand beside."""

from __future__ import annotations

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
    """What happened, or what happened of one code, as (clause, code, particulars)."""
    events = [event for _, event in resolution.events]
    return [
        (event.ruling.rule, event.ruling.code, *event.params.values())
        for event in events
        if code in ("", event.ruling.code)
    ]


def scored(resolution: Resolution[State]) -> list[tuple[Any, ...]]:
    """The lines of the score: (clause, seat, item, points)."""
    return [(rule, *rest) for rule, _, *rest in happened(resolution, "scored")]


def refused(state: State, move: Any) -> list[tuple[str, str, str]]:
    """What forbids a move, as (clause, code, pointer)."""
    return [(each.ruling.rule, each.ruling.code, each.pointer) for each in judge(ENGINE, state, move).violations]


def faults(state: State) -> list[tuple[Any, ...]]:
    """What a table cannot be, as (clause, code, particulars)."""
    return [(each.ruling.rule, each.ruling.code, *each.params.values()) for each in audit(ENGINE, state)[0]]


def least(text: str) -> int:
    return least_deadwood(bits_of(cards(text)))


def test_two_play() -> None:
    """GR-1.1."""
    assert tuple(ENGINE.seats) == (2,)


def test_the_pack_has_thirteen_ranks_in_four_suits() -> None:
    """GR-1.1: 52 cards."""
    assert sorted(ENGINE.cards(Setup(2))) == sorted(DECK)


def test_a_card_is_not_there_twice() -> None:
    """GR-1.1: each card once."""
    state = State("draw", 0, ((*UNSEEN[1:], "AS"), UNSEEN), discards=("AS",))
    assert faults(state) == [("GR-1.1", "card-twice", "AS")]


@pytest.mark.parametrize(("hand", "deadwood"), [("AS 2S 3S", 0), ("QS KS AS", 21)])
def test_the_ace_is_low(hand: str, deadwood: int) -> None:
    """GR-1.1: A-2-3 is a run, Q-K-A is not."""
    assert least(hand) == deadwood


def test_ten_cards_each_an_upcard_and_a_stock_of_31() -> None:
    """GR-1.2."""
    state = ENGINE.opening(Setup(2, deck=DECK))
    assert ([len(hand) for hand in state.hands], len(state.stock or ())) == ([10, 10], 31)
    assert state.discards == (state.upcard,)


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


@pytest.mark.parametrize("next_dealer", ["alternate", "winner", "loser"])
@pytest.mark.parametrize("kind", ["dead", "equal"])
def test_after_a_hand_that_nobody_won_the_same_dealer_deals(kind: str, next_dealer: Any) -> None:
    """GR-1.4."""
    state = between(kind, None, dealer=0, ruleset=Ruleset(next_dealer=next_dealer))
    assert resolve(ENGINE, state, [Deal(deck=DECK)]).state.dealer == 0


def test_a_card_belongs_to_one_meld_at_most() -> None:
    """GR-2.2: 6S is stated in a run and in a set."""
    state = to_discard((*RUN, *cards("6H 6D AH 2D 3C AD TC KC")))
    move = Knock(0, discard="KC", melds=(RUN, cards("6S 6H 6D")))
    assert refused(state, move) == [("GR-2.2", "in-two-melds", "/melds/1/0")]


def test_deadwood_is_the_points_of_the_cards_in_no_meld() -> None:
    """GR-2.2: AH 2D 3C AD are 7."""
    assert least(" ".join(SEVEN)) == 7


def test_the_arrangement_that_leaves_least_counts() -> None:
    """GR-2.3: the run leaves 13, the set of fives 10."""
    assert least("3S 4S 5S 5H 5D 9C TC JC AH 2D") == 10


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


@pytest.mark.parametrize(("pile", "card"), [("stock", "7H"), ("discards", "8D")])
def test_the_top_of_either_pile_is_drawn(pile: Any, card: str) -> None:
    """GR-4.1."""
    state = State("draw", 0, (UNSEEN, UNSEEN), stock=cards("7H 7C 2C 3C"), discards=cards("8D KC"))
    after = resolve(ENGINE, state, [Draw(0, pile)])
    assert happened(after) == [("GR-4.1", "drew", 0, pile, card)]
    assert after.state.hands == ((*UNSEEN, card), UNSEEN)


def test_a_discard_ends_the_turn() -> None:
    """GR-4.1."""
    after = resolve(ENGINE, to_discard((*SEVEN, "KC"), discards=("KH",)), [Discard(0, "KC")])
    assert happened(after) == [("GR-4.1", "discarded", 0, "KC")]
    assert (after.state.phase, after.state.turn) == ("draw", 1)
    assert (after.state.hands[0], after.state.discards) == (SEVEN, ("KC", "KH"))


@pytest.mark.parametrize(
    ("phase", "move", "code"),
    [("draw", Discard(0, "AH"), "draw-first"), ("discard", Draw(0, "stock"), "has-drawn")],
)
def test_a_turn_is_a_draw_and_then_a_discard(phase: Any, move: Any, code: str) -> None:
    """GR-4.1."""
    assert refused(State(phase, 0, (SEVEN, UNSEEN)), move) == [("GR-4.1", code, "")]


@pytest.mark.parametrize(("move", "pointer"), [(Discard(0, "KC"), "/card"), (Knock(0, discard="KC"), "/discard")])
def test_a_card_just_taken_from_the_discards_is_not_discarded(move: Any, pointer: str) -> None:
    """GR-4.2: nor as the discard of a knock."""
    assert refused(to_discard((*SEVEN, "KC"), taken="KC"), move) == [("GR-4.2", "just-taken", pointer)]


def test_a_card_from_the_discards_may_be_discarded_a_turn_later() -> None:
    """GR-4.2: in that turn only."""
    state = State("draw", 0, (SEVEN, UNSEEN), stock=(None,) * 10, discards=("KC",))
    turns = [Draw(0, "discards"), Discard(0, "AH"), Draw(1, "stock", "8D"), Discard(1, "8D"), Draw(0, "stock", "2S")]
    assert resolve(ENGINE, state, [*turns, Discard(0, "KC")]).applied == 6


def test_a_discard_makes_the_card_taken_one_like_others() -> None:
    """GR-4.2: it is remembered until then, and so are passes on the upcard."""
    after = resolve(ENGINE, to_discard((*SEVEN, "KC"), taken="AH", passes=2), [Discard(0, "KC")])
    assert (after.state.taken, after.state.passes) == (None, 0)


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


def test_a_dead_hand_scores_nothing() -> None:
    """GR-4.3."""
    after = resolve(ENGINE, to_discard((*SEVEN, "KC"), stock=(None, None), scores=(3, 4)), [Discard(0, "KC")])
    assert happened(after, "hand-over") == [("GR-4.3", "hand-over", None, 0, "dead")]
    assert (after.state.scores, after.state.last_hand) == ((3, 4), LastHand("dead", None, 0))


def test_a_knock_with_two_cards_in_the_stock_is_no_dead_hand() -> None:
    """GR-4.3: only a discard that is not a knock."""
    state = to_discard((*SEVEN, "KC"), stock=(None, None))
    assert resolve(ENGINE, state, [Knock(0, discard="KC", melds=(RUN, NINES))]).state.phase == "lay-off"


def test_only_who_is_on_turn_acts() -> None:
    """GR-4.4."""
    state = State("draw", 0, (UNSEEN, UNSEEN))
    assert refused(state, Draw(1, "stock")) == [("GR-4.4", "not-your-turn", "/seat")]


def test_only_own_cards_are_discarded() -> None:
    """GR-4.4."""
    state = to_discard((*SEVEN, "KC"), ("KH", *UNSEEN[1:]))
    assert refused(state, Discard(0, "KH")) == [("GR-4.4", "not-held", "/card")]


def test_a_knock_discards_a_card_and_lays_the_hand_out() -> None:
    """GR-5.1."""
    after = resolve(ENGINE, to_discard((*SEVEN, "KC"), discards=()), [Knock(0, discard="KC", melds=(RUN, NINES))])
    assert happened(after) == [
        ("GR-5.1", "knocked", 0, "knock", "KC", (RUN, NINES), ("AH", "AD", "2D", "3C"), 7),
    ]
    assert (after.state.phase, after.state.turn, after.state.discards) == ("lay-off", 1, ("KC",))


def test_no_knock_without_a_discard() -> None:
    """GR-5.1."""
    assert refused(to_discard((*SEVEN, "KC")), Knock(0)) == [("GR-5.1", "discard-missing", "/discard")]


@pytest.mark.parametrize(
    ("last", "options", "expected"),
    [
        ("4D", {}, []),
        ("5D", {}, [("GR-5.2", {"points": 11, "limit": 10})]),
        ("AD", {"knock_limit": 7}, []),
        ("2C", {"knock_limit": 7}, [("GR-5.2", {"points": 8, "limit": 7})]),
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
    """GR-5.3: a knock with 11 learns the limit."""
    hand = (*RUN, *NINES, *cards("AH 2D 3C 5D KC"))
    state = to_discard(hand, upcard=upcard, ruleset=Ruleset(oklahoma=True, **options))
    (violation,) = judge(ENGINE, state, Knock(0, discard="KC")).violations
    assert violation.params == {"points": 11, "limit": limit}


@pytest.mark.parametrize(("upcard", "expected"), [("7H", []), ("6H", [("GR-5.3", "knock-too-heavy", "/discard")])])
def test_in_oklahoma_a_knock_is_as_light_as_the_upcard(upcard: str, expected: list[Any]) -> None:
    """GR-5.3: a knock with 7."""
    state = to_discard((*SEVEN, "KC"), upcard=upcard, ruleset=Ruleset(oklahoma=True))
    assert refused(state, Knock(0, discard="KC")) == expected


def test_a_spade_for_upcard_doubles_the_hand() -> None:
    """GR-5.3: 7 against 35 are 28, and 28 more."""
    state = to_lay_off(
        cards("QS QH QD 7S 9S KH 5D 2C 8C JD"),
        upcard="KS",
        ruleset=Ruleset(oklahoma=True, oklahoma_spades="double"),
    )
    after = resolve(ENGINE, state, [LayOff(1)])
    assert scored(after) == [("GR-7.1", 0, "difference", 28), ("GR-5.3", 0, "spades", 28)]
    assert after.state.scores == (56, 0)


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


@pytest.mark.parametrize(
    ("hand", "move", "big_gin", "expected"),
    [
        ((*GIN, "2S"), Knock(0, big=True), 31, ("GR-5.5", "not-big-gin", "/big")),
        (BIG_GIN, Knock(0, big=True), 0, ("GR-5.5", "big-gin-not-played", "/big")),
        (BIG_GIN, Knock(0, big=True, discard="8S"), 31, ("GR-5.5", "big-gin-discards-nothing", "/discard")),
    ],
)
def test_what_is_no_big_gin(hand: tuple[str, ...], move: Knock, big_gin: int, expected: Any) -> None:
    """GR-5.5: a card in no meld, a bonus of 0, a discard."""
    assert refused(to_discard(hand, ruleset=Ruleset(big_gin=big_gin)), move) == [expected]


def test_a_gin_hand_shown_with_deadwood_is_a_knock() -> None:
    """GR-5.6: stated melds bind; 7S could have gone on the run."""
    melds = (RUN, cards("KH KD KC"), cards("QH QD QC"))
    after = resolve(ENGINE, to_discard((*GIN, "2S")), [Knock(0, discard="2S", melds=melds)])
    assert happened(after) == [("GR-5.1", "knocked", 0, "knock", "2S", melds, ("7S",), 7)]


def test_stated_melds_may_not_leave_more_than_the_limit() -> None:
    """GR-5.6: three queens beside the melds are 30."""
    state = to_discard((*GIN, "2S"))
    move = Knock(0, discard="2S", melds=(cards("4S 5S 6S 7S"), cards("KH KD KC")))
    assert refused(state, move) == [("GR-5.2", "knock-too-heavy", "/melds")]


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


def test_the_knocker_lays_nothing_off() -> None:
    """GR-6.1."""
    expected = refused(to_lay_off(FORTY_TWO), LayOff(0))
    assert ("GR-6.1", "knocker-lays-nothing-off", "/seat") in expected


def test_nothing_is_laid_off_against_gin() -> None:
    """GR-6.2: though 8S would go on the run and KS on the kings."""
    after = resolve(ENGINE, to_discard((*GIN, "2S"), FORTY_TWO), [Knock(0, discard="2S")])
    left = cards("8S KS 2H 9H 2D AC JC")
    assert happened(after, "laid-off") == [("GR-6.2", "laid-off", 1, (cards("3H 3D 3C"),), (), left, 42)]


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
    assert scored(after) == [("GR-7.1", 0, "difference", 28)]
    assert happened(after, "hand-over") == [("GR-7.1", "hand-over", 0, 28, "knock")]
    assert after.state.scores == (28, 0)


@pytest.mark.parametrize(("options", "bonus"), [({}, 25), ({"undercut_bonus": 10}, 10)])
def test_a_lighter_defender_scores_the_difference_and_a_bonus(options: dict[str, Any], bonus: int) -> None:
    """GR-7.2: 7 against 2."""
    state = to_lay_off(cards("QS QH QD JS JH JD TH TD TC 2C"), ruleset=Ruleset(**options))
    after = resolve(ENGINE, state, [LayOff(1)])
    assert scored(after) == [("GR-7.2", 1, "difference", 5), ("GR-7.2", 1, "undercut-bonus", bonus)]
    assert happened(after, "hand-over") == [("GR-7.2", "hand-over", 1, 5 + bonus, "undercut")]
    assert after.state.scores == (0, 5 + bonus)


@pytest.mark.parametrize(
    ("options", "ended", "scores"),
    [
        ({}, ("GR-7.3", "hand-over", 1, 25, "undercut"), (0, 25)),
        ({"equal_deadwood": "nobody"}, ("GR-7.3", "hand-over", None, 0, "equal"), (0, 0)),
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
    assert happened(after, "hand-over") == [("GR-7.4", "hand-over", 0, 42 + bonus, "gin")]
    assert after.state.scores == (42 + bonus, 0)


def test_gin_is_not_undercut_by_a_defender_without_deadwood() -> None:
    """GR-7.4."""
    state = to_discard((*GIN, "2S"), cards("2H 2D 2C 3C 4C 5C 6C 8H 9H TH"))
    after = resolve(ENGINE, state, [Knock(0, discard="2S")])
    assert happened(after, "hand-over") == [("GR-7.4", "hand-over", 0, 25, "gin")]


def test_big_gin_scores_its_bonus_and_all_that_the_defender_holds() -> None:
    """GR-7.5: against 43, with 9S for 8S."""
    after = resolve(ENGINE, to_discard(BIG_GIN, ("9S", *FORTY_TWO[1:])), [Knock(0, big=True)])
    assert scored(after) == [("GR-7.5", 0, "big-gin-bonus", 31), ("GR-7.5", 0, "difference", 43)]
    assert happened(after, "hand-over") == [("GR-7.5", "hand-over", 0, 74, "big-gin")]
    assert after.state.scores == (74, 0)


@pytest.mark.parametrize(
    ("before", "options", "phase", "ended"),
    [
        (71, {}, "hand-over", []),
        (72, {}, "game-over", [("GR-8.1", "game-over", (0,))]),
        (0, {"target": 28}, "game-over", [("GR-8.1", "game-over", (0,))]),
    ],
)
def test_the_first_to_the_target_wins(before: int, options: Any, phase: str, ended: list[Any]) -> None:
    """GR-8.1: 28 more than before."""
    hand = cards("QS QH QD 7S 9S KH 5D 2C 8C JD")
    after = resolve(ENGINE, to_lay_off(hand, scores=(before, 0), ruleset=Ruleset(**options)), [LayOff(1)])
    assert (after.state.phase, happened(after, "game-over")) == (phase, ended)


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
        ("GR-7.1", 0, "difference", 28),
        ("GR-8.2", 0, "line-bonus", 80),
        ("GR-8.2", 0, "game-bonus", 100),
        ("GR-8.2", 0, "shutout", 100),
    ]


@pytest.mark.parametrize(("phase", "moves"), [("hand-over", [Deal()]), ("game-over", [])])
def test_between_hands_only_the_deal_is_left_and_after_the_game_nothing(phase: Any, moves: list[Any]) -> None:
    """GR-8.3."""
    assert legal_moves(ENGINE, State(phase, None, ((), ()))) == (moves, True)


@pytest.mark.parametrize(
    ("phase", "move", "code"),
    [
        ("hand-over", Draw(0, "stock"), "only-the-deal"),
        ("hand-over", Discard(0, "AS"), "only-the-deal"),
        ("hand-over", Knock(0, discard="AS"), "only-the-deal"),
        ("hand-over", TakeUpcard(0), "only-the-deal"),
        ("hand-over", LayOff(0), "only-the-deal"),
        ("game-over", Draw(0, "stock"), "game-is-over"),
        ("game-over", Deal(), "game-is-over"),
        ("draw", Deal(), "hand-not-over"),
        ("lay-off", Deal(), "hand-not-over"),
    ],
)
def test_the_deal_has_its_time(phase: Any, move: Any, code: str) -> None:
    """GR-8.3: between hands, and only then."""
    assert refused(State(phase, None, ((), ())), move) == [("GR-8.3", code, "")]
