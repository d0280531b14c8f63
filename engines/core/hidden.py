"""Cards that the poster cannot see: `None` in a list is an unseen card, `None` for a list is an unknown zone."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any, TypeVar

from engines.core.rulings import Event, Happens

Card = TypeVar("Card", str, int)


def unseen(cards: Sequence[object] | None) -> tuple[None, ...] | None:
    """The same number of cards, none of them seen; an unknown zone stays unknown."""
    return None if cards is None else (None,) * len(cards)


def only_own(hands: Sequence[Sequence[Card | None]], seat: int | None) -> tuple[tuple[Card | None, ...], ...]:
    """The hands as a seat sees them: its own, and of the others how many cards they have; None: a spectator."""
    return tuple([tuple(hand) if owner == seat else (None,) * len(hand) for owner, hand in enumerate(hands)])


def owners_only(ruling: Happens, name: str) -> Callable[[Any, Event, int | None], Event]:
    """The view of events of which one has a card, or a list of cards, that only its `seat` may see.

    `name` is its particular; of a list others see how many there are.
    """

    def view_event(state: Any, event: Event, seat: int | None) -> Event:
        if event.ruling is not ruling or event.params["seat"] == seat:
            return event
        card = event.params[name]
        return event._replace(params={**event.params, name: unseen(card) if isinstance(card, tuple) else None})

    return view_event


def not_held(cards: Sequence[Card], hand: Sequence[Card | None] | None, elsewhere: Container[Card]) -> list[int] | None:
    """Which of `cards` a hand cannot hold, as indices; None: all can be held, but not all are seen to be.

    A card that is not among the known ones may be one of the unseen ones, unless it is known to lie `elsewhere`.
    """
    missing = []
    unsure = False
    spare = len(cards) if hand is None else hand.count(None)
    for index, card in enumerate(cards):
        if hand is not None and card in hand and card not in cards[:index]:
            continue
        if spare and card not in elsewhere and card not in cards[:index]:
            spare -= 1
            unsure = True
        else:
            missing.append(index)
    return missing if missing or not unsure else None


def without(hand: Sequence[Card | None], *cards: Card) -> tuple[Card | None, ...]:
    """The hand after these cards left it; one that was not seen leaves as one of the unseen."""
    rest = list(hand)
    for card in cards:
        try:
            rest.remove(card)
        except ValueError:
            rest.remove(None)
    return tuple(rest)


def drawn(
    pile: Sequence[Card | None] | None, count: int, named: Sequence[Card] | None
) -> tuple[tuple[Card | None, ...], tuple[Card | None, ...] | None]:
    """The top `count` cards of a pile and the rest; cards that are not seen are those `named`, or unseen."""
    top = tuple(pile[:count]) if pile is not None else ()
    top += (None,) * (count - len(top))
    if named is not None:
        top = tuple(named)
    return top, None if pile is None else tuple(pile[count:])
