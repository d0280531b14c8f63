"""Cards that the poster cannot see: `None` in a list is an unseen card, `None` for a list is an unknown zone."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any, TypeVar

from engines.core.records import changed
from engines.core.rulings import Event, Happens

Card = TypeVar("Card", str, int)


def unknown(cards: Sequence[object] | None) -> tuple[None, ...] | None:
    """The same number of cards, none of them seen; an unknown zone stays unknown."""
    return None if cards is None else (None,) * len(cards)


def only_own(hands: Sequence[Sequence[Card | None]], seat: int | None) -> tuple[tuple[Card | None, ...], ...]:
    """The hands as a seat (None: a spectator) sees them: its own cards, and how many cards the others have."""
    return tuple([tuple(hand) if owner == seat else (None,) * len(hand) for owner, hand in enumerate(hands)])


def owners_only(ruling: Happens, name: str) -> Callable[[Any, Event, int | None], Event]:
    """A game's `view_event`: in events of this ruling, only their `seat` sees the card (or list) in parameter `name`.

    For the others the card is None, and of a list they see how many cards it has.
    """

    def view_event(state: Any, event: Event, seat: int | None) -> Event:
        if event.ruling is not ruling or event.params["seat"] == seat:
            return event
        card = event.params[name]
        return event._replace(params={**event.params, name: unknown(card) if isinstance(card, tuple) else None})

    return view_event


def movers_only(name: str, *kinds: Any) -> Callable[[Any, Any, int | None], Any]:
    """A game's `view_move`: in moves of these classes, only their `seat` sees the member `name`, as a card drawn."""

    def view_move(state: Any, move: Any, seat: int | None) -> Any:
        return changed(move, **{name: None}) if isinstance(move, kinds) and move.seat != seat else move

    return view_move


def not_held(cards: Sequence[Card], hand: Sequence[Card | None] | None, elsewhere: Container[Card]) -> list[int] | None:
    """The indices of the `cards` that a hand cannot hold: an empty list if it shows them all.

    None: it can hold them all, but does not show them all. A card that it does not show may be one of its unseen cards,
    unless it is seen `elsewhere`.
    """
    missing = []
    unsure = False
    unseen_left = len(cards) if hand is None else hand.count(None)
    for index, card in enumerate(cards):
        again = card in cards[:index]
        if not again and hand is not None and card in hand:
            continue
        if not again and unseen_left and card not in elsewhere:
            unseen_left -= 1
            unsure = True
        else:
            missing.append(index)
    if missing:
        return missing
    return None if unsure else []


def without(hand: Sequence[Card | None], *cards: Card) -> tuple[Card | None, ...]:
    """The hand after these cards have left it. A card that it does not list leaves as one of the unseen cards."""
    rest = list(hand)
    for card in cards:
        try:
            rest.remove(card)
        except ValueError:
            rest.remove(None)
    return tuple(rest)


def drawn(
    pile: Sequence[Card | None] | None, count: int, named: tuple[Card, ...] | None
) -> tuple[tuple[Card | None, ...], tuple[Card | None, ...] | None]:
    """The top `count` cards of a pile, and the rest. `named`: which cards the top ones are, as the move says."""
    top = tuple(pile[:count]) if pile is not None else ()
    top += (None,) * (count - len(top))
    if named is not None:
        top = named
    return top, None if pile is None else tuple(pile[count:])
