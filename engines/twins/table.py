"""What follows from a state: who buys, who plays, which cards are seen."""

from __future__ import annotations

from engines.core.hands import Hands, HandSize
from engines.core.zones import Zones
from engines.twins.combinations import CARDS
from engines.twins.model import Ruleset, State

PRICES = (0, 1, 3)
START = 12  #: TW-1.4: the chips of each player.
EACH = 8  #: TW-1.5: cards dealt to each player.
ZONES = Zones(State, "hands", "plays", "stock", "discards", deck=CARDS)  #: TW-1.2: sixty cards, each once.


def price(count: int) -> int:
    """TW-2.2: one card costs 1, two cost 3 together."""
    return PRICES[count]


def buys_in(ruleset: Ruleset, hand: int) -> bool:
    """TW-2.1: whether cards are bought in the hand of this number."""
    return ruleset.buying == "each-hand" or hand == 1


def dealer(state: State) -> int | None:
    """TW-2.1: the dealer, as stated or as the purchases of this hand show; None: that cannot be known.

    Without a turn, the first seat that has bought sits left of the dealer.
    """
    bought = state.bought
    if state.dealer is not None:
        return state.dealer
    if state.phase != "buying" or bought is None or state.turn is not None:
        return None
    for seat, count in enumerate(bought):
        right = (seat - 1) % len(bought)
        if count is not None and bought[right] is None:
            return right
    return None


def has_bought(state: State, seat: int) -> bool:
    """TW-2.1: whether a seat is seen to have bought in this hand: by the turn, as stated, or by its number of cards.

    Where the dealer is known, a purchase shows that every seat before has bought, too.
    """
    if state.turn is not None and state.dealer is not None:
        return _place(state, seat) < _place(state, state.turn)
    if state.bought is not None:
        return seat < len(state.bought) and state.bought[seat] is not None
    hands = (state.hands or ())[: len(state.chips)]
    have_bought = [other for other, hand in enumerate(hands) if len(hand) > EACH]
    if state.dealer is None or state.dealer >= len(state.chips):
        return seat in have_bought
    return any(_place(state, seat) <= _place(state, other) for other in have_bought)


def _place(state: State, seat: int) -> int:
    """TW-2.1: how many seats buy before this one. The dealer must be known, and buys last."""
    assert state.dealer is not None
    return (seat - state.dealer - 1) % len(state.chips)


UP_TO_TWO, NONE = range(3), range(1)  #: Numbers of cards that a seat can have bought.


def possible_purchases(state: State, seat: int) -> range:
    """TW-2.1: the numbers of cards that a seat can have bought in this hand."""
    stated = state.bought is not None and seat < len(state.bought)
    count = state.bought[seat] if state.bought is not None and stated else None
    if count is not None:
        return range(count, count + 1)
    if state.phase != "buying":
        return UP_TO_TWO if buys_in(state.ruleset, state.hand) else NONE
    if state.turn is None:
        return NONE if stated else UP_TO_TWO
    to_come = seat == state.turn or (state.dealer is not None and _place(state, seat) > _place(state, state.turn))
    return NONE if to_come else UP_TO_TWO


def buyer(state: State) -> int | None:
    """TW-2.1: the seat that buys next; None: all have bought, or it cannot be known."""
    if state.turn is not None:
        return state.turn
    dealing = dealer(state)
    if dealing is None or state.bought is None:
        return None
    seats = len(state.bought)
    in_turn = ((dealing + step) % seats for step in range(1, seats + 1))
    return next((seat for seat in in_turn if state.bought[seat] is None), None)


def tricks_played(state: State, seat: int) -> tuple[int, int]:
    """TW-4.1: the fewest and the most settled tricks of this hand for which a seat has laid cards."""
    if state.phase == "buying":
        settled = 0
    elif state.phase != "trick":
        settled = 4
    elif state.trick is not None:
        settled = state.trick - 1
    else:  # a fault: it may be any of the four
        return 0, 3
    if settled >= 3 and seat in state.out:
        return 3, 3
    if seat in state.bankrupt:  # since trick 1, or since trick 3
        return min(settled, 1), (1 if settled < 3 else 3)
    if settled == 4 and not state.out:  # after the hand `out` may be left out
        return 3, 4
    return settled, settled


def sizes(state: State) -> list[HandSize]:
    """TW-1.5, TW-2.1, TW-4.1: eight cards, what was bought, less two for each trick in which the seat has placed."""
    seats = len(state.chips)
    nobody_has_placed_or_left = not any(state.plays) and not state.out and not state.bankrupt
    if state.bought is None and state.phase != "buying" and nobody_has_placed_or_left:
        return [_size(state, 0)] * seats  # the same for every seat
    return [_size(state, seat) for seat in range(seats)]


def _size(state: State, seat: int) -> HandSize:
    """The least and the most cards of a seat's hand, as in `sizes`."""
    fewest, most = tricks_played(state, seat)
    bought = possible_purchases(state, seat)
    placed = state.phase == "trick" and seat < len(state.plays) and state.plays[seat] is not None
    cards = EACH - 2 if placed else EACH
    return HandSize(cards + bought[0] - 2 * most, cards + bought[-1] - 2 * fewest)


HANDS = Hands(sizes)


def players(state: State, trick: int) -> list[int]:
    """TW-7.6: the seats that play in this trick: all but the bankrupt and, in trick 4, those that miss it."""
    absent = {*state.bankrupt, *state.out} if trick == 4 else state.bankrupt
    seats = range(len(state.chips))
    return [seat for seat in seats if seat not in absent] if absent else list(seats)


def to_act(state: State) -> tuple[int | None, ...]:
    """The seats that may move now: in a trick those that have not placed, while buying those that may be next."""
    if state.phase == "trick":
        assert state.trick is not None
        return tuple([seat for seat in players(state, state.trick) if state.plays[seat] is None])
    if state.phase == "buying":
        next_buyer = buyer(state)
        if next_buyer is not None:
            return (next_buyer,)
        return tuple(seat for seat in range(len(state.chips)) if not has_bought(state, seat))
    return (None,) if state.phase == "hand-over" else ()
