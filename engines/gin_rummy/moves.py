"""Effect: one function a move, from a state and a legal move to the next state and what happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from engines.core.dealing import counts
from engines.core.engine import Step, best
from engines.core.hidden import drawn, without
from engines.core.records import changed, replaced
from engines.core.rulings import Event, Happens, Undetermined
from engines.gin_rummy import layouts, rulings, scoring
from engines.gin_rummy.deadwood import points_of
from engines.gin_rummy.melds import bits_of
from engines.gin_rummy.model import (
    MOST_HANDS,
    MOST_WON,
    Discard,
    Draw,
    Knock,
    Knocked,
    LastHand,
    LayOff,
    Melds,
    Pass,
    Ruleset,
    State,
    TakeUpcard,
)
from engines.gin_rummy.setup import deal_hand
from engines.gin_rummy.table import (
    HANDS,
    LAST_OF_STOCK,
    as_shown,
    face_up,
    laid_open,
    oklahoma_ace_decides,
    stock_left,
    top_of,
)

FLOOR = {"void-at-two": LAST_OF_STOCK, "void-at-zero": 0, "last-discard": LAST_OF_STOCK - 1}
"""GR-4.3: the cards in the stock at which a hand is dead."""


def take_upcard(state: State, move: TakeUpcard) -> Step | Undetermined:
    """GR-3.1: the upcard goes to the hand of the seat that takes it."""
    card = face_up(state)
    if card is None:
        return rulings.UPCARD_UNSEEN.undetermined("/discards" if state.discards is None else "/discards/0")
    after = changed(
        state,
        phase="discard",
        hands=replaced(state.hands, move.seat, (*state.hands[move.seat], card)),
        discards=None if state.discards is None else (),
        taken=card,
        passes=0,
    )
    return after, [rulings.TOOK_UPCARD.happened(**{"seat": move.seat, "from": "discards", "card": card})]


def pass_by(state: State, move: Pass) -> Step:
    """GR-3.1: after the second pass the first player draws from the stock. GR-4.3: a pass leaves the last discard."""
    if state.phase == "draw":
        return _dead(changed(state, passes=0), LAST_OF_STOCK, [rulings.PASSED_LAST.happened(seat=move.seat)])
    passes = state.passes + 1
    after = changed(state, phase="draw" if passes == 2 else "upcard", turn=1 - move.seat, passes=passes)
    return after, [rulings.PASSED.happened(seat=move.seat)]


def draw(state: State, move: Draw) -> Step | Undetermined:
    """GR-4.1; both see a card that is taken from the discard pile."""
    from_stock = move.from_ == "stock"
    pile = state.stock if from_stock else state.discards
    if not from_stock and top_of(pile) is None and move.drawn is None:
        return rulings.DISCARD_UNSEEN.undetermined("/discards" if pile is None else "/discards/0")
    cards, rest = drawn(pile, 1, None if move.drawn is None else (move.drawn,))
    after = changed(
        state,
        phase="discard",
        hands=replaced(state.hands, move.seat, state.hands[move.seat] + cards),
        stock=rest if from_stock else state.stock,
        discards=state.discards if from_stock else rest,
        taken=None if from_stock else cards[0],
        passes=0,
    )
    return after, [rulings.DREW.happened(**{"seat": move.seat, "from": move.from_, "card": cards[0]})]


def discard(state: State, move: Discard) -> Step | Undetermined:
    """GR-4.1, GR-4.3: the turn passes, or the hand is dead."""
    left = stock_left(state)
    if left is None:
        return rulings.STOCK_UNSEEN.undetermined("/stock")
    events = [rulings.DISCARDED.happened(seat=move.seat, card=move.card)]
    after = changed(
        state,
        phase="draw",
        turn=1 - move.seat,
        hands=replaced(state.hands, move.seat, HANDS.without(state, move.seat, [move.card])),
        discards=_onto(state.discards, move.card),
        taken=None,
        passes=0,
    )
    if left > FLOOR[state.ruleset.stock_end]:
        return after, [*events, rulings.STOCK_GOES_ON.happened()] if left <= LAST_OF_STOCK else events
    return _dead(after, left, events)


def _dead(state: State, left: int, events: list[Event]) -> Step:
    """GR-4.3: no score. `left`: the cards in the stock."""
    params = dict.fromkeys(rulings.DEAD.params) | {"points": 0, "kind": "dead", "stock": left}
    events.append(rulings.DEAD.happened(**params))
    return changed(state, phase="hand-over", turn=None, last_hand=LastHand("dead", None, 0)), events


def knock(state: State, move: Knock) -> Step | Undetermined:
    """GR-5: the hand is laid out; gin and big gin are settled at once, else the defender is to lay off."""
    seat, other = move.seat, 1 - move.seat
    state = as_shown(state, move)
    rest = HANDS.filled(state, seat)
    if move.discard is not None:
        rest = without(rest, move.discard)
    hand = laid_open(rest, (card for meld in move.melds or () for card in meld))
    if hand is None:
        return rulings.KNOCKER_UNSEEN.undetermined(f"/hands/{seat}", seat=seat)
    layout = layouts.of_knocker(hand, move.melds, laid_open(HANDS.filled(state, other)))
    if layout is None:
        return rulings.DEFENDER_UNSEEN.undetermined(f"/hands/{other}", seat=other)
    after = changed(
        state,
        hands=replaced(state.hands, seat, hand),
        discards=state.discards if move.discard is None else _onto(state.discards, move.discard),
        taken=None,
    )
    if layout.unmatched:
        kind, ruling = "knock", rulings.KNOCKED
    elif move.big:
        kind, ruling = "big-gin", rulings.BIG_GIN
    else:
        kind, ruling = "gin", rulings.GIN
    params = {"seat": seat, "kind": kind, "discard": move.discard, "melds": layout.melds, **layout.deadwood_params()}
    events = [ruling.happened(**params)]
    if oklahoma_ace_decides(state.ruleset, state.upcard, layout.deadwood):
        events.append(rulings.ACE_IS_ONE.happened())
    if kind == "knock":
        return changed(after, phase="lay-off", turn=other, knock=Knocked(seat, layout.melds)), events
    return _against_gin(after, seat, layout.melds, scoring.of_big_gin if move.big else scoring.of_gin, events)


def _against_gin(
    state: State,
    seat: int,
    melds: Melds,
    of_hand: Callable[[Ruleset, int, int], scoring.Settled],
    events: list[Event],
) -> Step | Undetermined:
    """GR-6.2: the defender lays nothing off, and the hand is scored."""
    other = 1 - seat
    hand = laid_open(HANDS.filled(state, other))
    if hand is None:
        return rulings.GIN_DEADWOOD_UNSEEN.undetermined(f"/hands/{other}", seat=other)
    layout = layouts.without_lay_offs(hand)
    events.append(_laid_off(rulings.LAID_NOTHING_OFF, other, layout))
    showdown = Showdown(seat, melds, 0, layout)
    return _end_hand(state, of_hand(state.ruleset, seat, layout.deadwood), showdown, events)


def lay_off(state: State, move: LayOff) -> Step | Undetermined:
    """GR-6, GR-7.1 to GR-7.3: both hands are laid out, and the hand is scored."""
    state = as_shown(state, move)
    assert state.knock is not None
    seat, knocker, shown = move.seat, state.knock.seat, state.knock.melds
    matched = [card for meld in shown for card in meld]
    against = laid_open(HANDS.filled(state, knocker), matched)
    if against is None:
        return rulings.KNOCKER_UNSEEN.undetermined(f"/hands/{knocker}", seat=knocker)
    named = [card for meld in move.melds or () for card in meld] + [each.card for each in move.lay_offs or ()]
    hand = laid_open(HANDS.filled(state, seat), named)
    if hand is None:
        return rulings.DEADWOOD_UNSEEN.undetermined(f"/hands/{seat}", seat=seat)
    layout = layouts.of_defender(hand, shown, move.melds, move.lay_offs)
    own = points_of(bits_of(against) & ~bits_of(matched))
    settled = scoring.of_knock(state.ruleset, knocker, own, layout.deadwood)
    hands = replaced(replaced(state.hands, seat, hand), knocker, against)
    events = [_laid_off(rulings.LAID_OFF, seat, layout)]
    return _end_hand(changed(state, hands=hands, knock=None), settled, Showdown(knocker, shown, own, layout), events)


def _laid_off(ruling: Happens, seat: int, layout: layouts.Layout) -> Event:
    """The event of a defender's layout."""
    melds, lay_offs = layout.melds, layout.lay_offs
    cards = tuple([laid.card for laid in lay_offs])
    return ruling.happened(seat=seat, melds=melds, lay_offs=lay_offs, cards=cards, **layout.deadwood_params())


class Showdown(NamedTuple):
    """Both hands at the end of a hand: the knocker's melds and points of deadwood, and the defender's layout."""

    knocker: int
    melds: Melds
    deadwood: int
    defender: layouts.Layout

    @property
    def params(self) -> Mapping[str, int | None]:
        """The parameters for the deadwood of both: the defender's also before laying off; None: nothing laid off."""
        left, laid_off = self.defender.deadwood, points_of(bits_of([laid.card for laid in self.defender.lay_offs]))
        return {
            "knocker": self.deadwood,
            "unmatched": left + laid_off,
            "laid_off": laid_off or None,
            "defender": left,
        }


def _end_hand(state: State, settled: scoring.Settled, showdown: Showdown, events: list[Event]) -> Step | Undetermined:
    """GR-5.3, GR-8.1: the lines of the score; at the target, the end of the game."""
    ruleset, winner = state.ruleset, settled.winner
    spades_double = ruleset.oklahoma and ruleset.oklahoma_spades == "double"
    if spades_double and state.upcard is None and settled.points:
        return rulings.SUIT_UNSEEN.undetermined("/upcard")
    settled = scoring.with_spades(ruleset, state.upcard, settled)
    points = settled.points
    for line in settled.lines:
        events += line.events()
    terms, deadwood = settled.terms, showdown.params
    events.append(settled.over.happened(seat=winner, points=points, kind=settled.kind, stock=None, **terms, **deadwood))
    after = changed(state, phase="hand-over", turn=None, last_hand=_last_hand(settled, showdown))
    if winner is not None:
        after = changed(
            after,
            scores=replaced(state.scores, winner, state.scores[winner] + points),
            hands_won=replaced(state.hands_won, winner, min(state.hands_won[winner] + 1, MOST_WON)),
        )
    if max(after.scores) < ruleset.target:
        return after, events
    bonuses = scoring.of_game(ruleset, after.scores, after.hands_won)
    for line in bonuses:
        events += line.events()
    totals = scoring.totals(after.scores, bonuses)
    events.append(rulings.GAME_OVER.happened(winners=best(after.scores), totals=totals))
    return changed(after, phase="game-over"), events


def _last_hand(settled: scoring.Settled, showdown: Showdown) -> LastHand:
    """The record of how the hand ended; melds and deadwood by seat."""
    knocker, melds, deadwood, defender = showdown
    if knocker == 0:
        melds_of_both, deadwood_of_both = (melds, defender.melds), (deadwood, defender.deadwood)
    else:
        melds_of_both, deadwood_of_both = (defender.melds, melds), (defender.deadwood, deadwood)
    return LastHand(
        settled.kind,
        settled.winner,
        settled.points,
        knocker=knocker,
        melds=melds_of_both,
        lay_offs=defender.lay_offs,
        deadwood=deadwood_of_both,
    )


def deal(state: State, cards: tuple[str | None, ...]) -> Step | Undetermined:
    """GR-1.4: who deals follows from who won; after a hand that nobody won, the same dealer.

    `cards`: the deck in order, None for each card that is not seen.
    """
    last, rule = state.last_hand, state.ruleset.next_dealer
    again = last is not None and last.seat is None
    dealer_is_missing = rule == "alternate" and state.dealer is None
    if last is None and not dealer_is_missing:  # if both are missing, the dealer is named first
        return rulings.WINNER_UNSEEN.undetermined("/last_hand")
    if last is not None and last.seat is not None and rule != "alternate":
        dealer = last.seat if rule == "winner" else 1 - last.seat
    elif state.dealer is None:
        return rulings.DEALER_UNSEEN.undetermined("/dealer")
    else:
        dealer = state.dealer if again else 1 - state.dealer
    last_hand = None if last is None else LastHand(last.kind, last.seat, last.points)
    after = deal_hand(changed(state, hand=min(state.hand + 1, MOST_HANDS), last_hand=last_hand), dealer, cards)
    ruling = rulings.DEALT_AGAIN if again else rulings.DEALT
    dealt = ruling.happened(dealer=dealer, hand=after.hand, upcard=after.upcard, counts=counts(after.hands))
    return after, [dealt]


def _onto(pile: tuple[str | None, ...] | None, card: str) -> tuple[str | None, ...] | None:
    """A pile with the card on top of it; an unknown pile stays unknown."""
    return None if pile is None else (card, *pile)
