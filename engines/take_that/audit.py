"""Every fault that a posted state can have: one function a clause, each fault by itself."""

from __future__ import annotations

from engines.core.engine import Audit
from engines.core.rulings import Fault, Unverified
from engines.core.seats import one_entry_a_seat, seats_at_the_table
from engines.take_that import rulings
from engines.take_that.model import State
from engines.take_that.row import CARDS, PARTNER, TOADS
from engines.take_that.table import EACH, HANDS, ZONES


def pile_is_no_bigger_than_the_rest(state: State) -> Fault | None:
    """TT-1.4: the pile has no more cards than the deal leaves."""
    most = len(CARDS) - EACH[len(state.hands)] * len(state.hands)
    pile = state.pile or ()
    return rulings.PILE_TOO_BIG.found("/pile", count=len(pile), most=most) if len(pile) > most else None


def somebody_is_on_turn_while_playing(state: State) -> Fault | None:
    """TT-2.5."""
    nobody = state.phase == "play" and state.turn is None
    return rulings.NOBODY_ON_TURN.found("/turn", "/phase") if nobody else None


def twisted_cards_lie_in_pairs(state: State) -> list[Fault] | None:
    """TT-4.1, TT-4.2: an unseen card may be the partner of one seen, unless that partner is seen elsewhere."""
    faults: list[Fault] = []
    for seat, cards in enumerate(state.face_up):
        single = [card for card in cards if card is not None and (card in TOADS or PARTNER[card] not in cards)]
        if single or len(cards) % 2:
            faults += _faults_of_pairs(state, seat, single)
    return faults or None


def _faults_of_pairs(state: State, seat: int, single: list[int]) -> list[Fault]:
    """The faults of a seat's cards face up. `single`: those without a partner among them; a toad has none."""
    cards = state.face_up[seat]
    toads = [card for card in single if card in TOADS]
    torn = [card for card in single if card not in TOADS]
    if len(torn) <= cards.count(None):  # the partner of each may be one of the unseen cards
        seen = ZONES.seen(state)
        torn = [card for card in torn if PARTNER[card] in seen]
    where = f"/face_up/{seat}"
    faults = [
        rulings.PAIR_TORN.found(f"{where}/{cards.index(card)}", seat=seat, card=card, partner=PARTNER[card])
        for card in torn
    ]
    faults += [rulings.TOAD_FACE_UP.found(f"{where}/{cards.index(card)}", seat=seat, card=card) for card in toads]
    if not faults and len(cards) % 2:
        faults.append(rulings.ODD_FACE_UP.found(where, seat=seat, count=len(cards)))
    return faults


def extras_lie_face_down(state: State) -> list[Fault] | None:
    """TT-5.5: there are extra cards only in a round of the expert game, each among its seat's cards face down."""
    if state.extras is None or not any(state.extras):
        return None
    faults = []
    for seat, (cards, extras) in enumerate(zip(state.face_down, state.extras, strict=False)):
        for place, index in enumerate(extras):
            if index >= len(cards):
                pointers = f"/extras/{seat}/{place}", f"/face_down/{seat}"
                faults.append(rulings.EXTRA_ASTRAY.found(*pointers, seat=seat, index=index, count=len(cards)))
    if state.ruleset.name != "expert":
        faults.append(rulings.NO_EXTRAS_NOW.found("/extras", "/ruleset"))
    elif state.phase != "play":
        faults.append(rulings.NO_EXTRAS_NOW.found("/extras", "/phase"))
    return faults or None


def round_ends_with_row_and_pile_gone(state: State) -> list[Fault] | None:
    """TT-6.1."""
    if state.phase == "play":
        return None
    faults = []
    if state.row:
        faults.append(rulings.OVER_WITH_ROW.found("/row", "/phase", count=len(state.row)))
    if state.pile:
        faults.append(rulings.OVER_WITH_PILE.found("/pile", "/phase", count=len(state.pile)))
    return faults or None


def game_ends_with_its_last_round(state: State) -> Fault | None:
    """TT-7.3."""
    number, rounds = state.round, state.ruleset.rounds
    if number > rounds:
        return rulings.TOO_MANY_ROUNDS.found("/round", "/ruleset", round=number, rounds=rounds)
    if number < rounds and state.phase == "game-over":
        return rulings.GAME_NOT_OVER.found("/phase", "/round", "/ruleset", round=number, rounds=rounds)
    if number == rounds and state.phase == "round-over":
        return rulings.GAME_SHOULD_BE_OVER.found("/phase", "/round", "/ruleset", round=number, rounds=rounds)
    return None


def scores_are_of_finished_rounds(state: State) -> list[Fault] | Unverified | None:
    """TT-7.3: each seat has as many scores, and no more than rounds are finished. The client may show fewer."""
    scored = max(map(len, state.scores), default=0)
    faults = [
        rulings.SCORES_DISAGREE.found(f"/scores/{seat}", "/scores", seat=seat, scores=scored, found=len(points))
        for seat, points in enumerate(state.scores)
        if len(points) != scored
    ]
    finished = state.round - 1 if state.phase == "play" else state.round
    if scored > finished:
        faults.append(rulings.TOO_MANY_SCORES.found("/scores", "/round", "/phase", scores=scored, most=finished))
    if faults:
        return faults
    return None if scored == finished else rulings.TOO_MANY_SCORES.unverified()


def nobody_is_on_turn_between_rounds(state: State) -> Fault | None:
    """TT-7.4."""
    if state.phase == "play" or state.turn is None:
        return None
    return rulings.TURN_BETWEEN_ROUNDS.found("/turn", "/phase", phase=state.phase)


AUDITS: tuple[Audit, ...] = (
    one_entry_a_seat(rulings.SEATS_DISAGREE, "hands", "face_up", "face_down", "scores", "extras"),
    seats_at_the_table(rulings.NO_SUCH_SEAT, "hands", "turn", "dealer"),
    ZONES.each_card_once(rulings.CARD_TWICE, rulings.TOO_MANY_CARDS),
    HANDS.are_whole(rulings.HAND_TOO_SMALL, rulings.HAND_TOO_BIG),
    pile_is_no_bigger_than_the_rest,
    somebody_is_on_turn_while_playing,
    twisted_cards_lie_in_pairs,
    extras_lie_face_down,
    round_ends_with_row_and_pile_gone,
    game_ends_with_its_last_round,
    scores_are_of_finished_rounds,
    nobody_is_on_turn_between_rounds,
)
