"""The zones of a game. From this declaration follow which cards are seen, which occur twice, and how many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from engines.core.hidden import not_held
from engines.core.places import doubled
from engines.core.rulings import Fault, Forbids, Refutes, Unverified, Violation

R = TypeVar("R")


class Zones(Generic[R]):
    """The fields of a record in which its cards lie. Their types say how deep the lists are nested.

    `None` in a list is an unseen card. `None` in place of a list says that the zone is not known or not there; in place
    of a single card, that there is no card.

    `card_of`: from the name of a side to its card, where each side of a card has a name of its own. `counted`: further
    fields, which repeat cards that lie in a zone. `by`: what the lists of a field belong to, if not to seats. `others`:
    fields with things that are no cards (dice, bids); these may be there twice, and may change.
    """

    lying: Callable[[R], list[Any]]  #: The cards that lie in the zones, unseen ones as `None`.
    count: Callable[[R], int]  #: How many cards all lists have, those of the `counted` fields included.
    pointers: Mapping[str, str]
    """By field, the pattern of its cards' JSON pointers from the record: `/row/{place}`, `/hands/{seat}/{place}`."""

    def __init__(
        self,
        record: type[R],
        *names: str,
        deck: Sequence[Any] = (),
        card_of: Callable[[Any], Any] | None = None,
        counted: Sequence[str] = (),
        by: Mapping[str, str] | None = None,
        others: Sequence[str] = (),
    ) -> None:
        hints = get_type_hints(record, include_extras=True)
        missing = [name for name in (*names, *others) if name not in hints]
        if missing:
            raise ValueError(f"{record.__module__}.{record.__name__} has no field {missing[0]!r} that could be a zone")
        self.names = (*names, *others)
        self.deck = deck
        self.card_of: Callable[[Any], Any] = card_of or (lambda name: name)
        self._of_cards = names
        self._depths = {name: _depth(hints[name]) for name in names}
        every = self._depths | {name: _depth(hints[name]) for name in others}
        self.pointers = {name: _pattern(name, depth, (by or {}).get(name, "seat")) for name, depth in every.items()}
        names_in_zones = _reader(self._depths)
        names_in_lists = _reader({name: _depth(hints[name]) for name in (*names, *counted)})
        self.count = lambda record: len(names_in_lists(record))
        if card_of is None:
            self.lying = names_in_zones
        else:
            self.lying = lambda record: list(map(card_of, names_in_zones(record)))

    def seen(self, record: R) -> set[Any]:
        """Every card that is shown, wherever it lies."""
        cards = set(self.lying(record))
        cards.discard(None)
        return cards

    def have_all(self, record: R) -> bool:
        """Whether the whole deck is listed here, so that a list that is not shown has no cards."""
        return len(self.lying(record)) >= len(self.deck)

    def places(self, record: R) -> Iterator[tuple[str, Any]]:
        """The name of every card that is shown, with its JSON pointer, zone by zone."""
        for name in self._of_cards:
            yield from _places(_pointer(name), getattr(record, name))

    def place_of(self, record: R, card: Any) -> tuple[str, int | None] | None:
        """The zone in which a card is shown, and whose it is there; None where it is not shown."""
        for pointer, name in self.places(record):
            if name == card:
                _, zone, *indexes = pointer.split("/")
                return zone, int(indexes[0]) if len(indexes) > 1 else None
        return None

    def twice(self, record: R) -> dict[Any, list[str]]:
        """The pointers of each card that is shown in more than one place."""
        return doubled((pointer, self.card_of(name)) for pointer, name in self.places(record))

    def each_card_once(self, twice: Refutes, too_many: Refutes) -> Callable[[R], list[Fault] | Unverified | None]:
        """An audit: no card is shown twice, and there are no more cards, unseen ones included, than the deck has.

        `twice` has the parameter `card`, `too_many` has `count`, how many cards there are.
        """
        lying, size = self.lying, len(self.deck)
        zones = {_pointer(name): _reader({name: depth}) for name, depth in self._depths.items()}

        def each_card_is_there_once(record: R) -> list[Fault] | Unverified | None:
            cards = lying(record)
            unseen = cards.count(None)
            faults = []
            different = set(cards)
            different.discard(None)
            if len(different) + unseen != len(cards):
                faults = [twice.found(*places, card=card) for card, places in self.twice(record).items()]
            if len(cards) > size:
                filled = [pointer for pointer, cards_of in zones.items() if cards_of(record)]
                faults.append(too_many.found(*filled, count=len(cards)))
            if faults:
                return faults
            return None if len(cards) == size and not unseen else twice.unverified()

        return each_card_is_there_once

    def card_held(self, missing: Forbids, hands: str = "hands") -> Callable[[R, Any], Violation | Unverified | None]:
        """A check: the `card` of a move is in its seat's hand. `missing` has the parameters `seat` and `card`."""

        def card_is_held(record: R, move: Any) -> Violation | Unverified | None:
            hand = getattr(record, hands)[move.seat]
            if move.card in hand:
                return None
            if not_held((move.card,), hand, self.seen(record)) is None:
                return missing.unverified()
            return missing.violated("/card", seat=move.seat, card=move.card)

        return card_is_held


def _depth(hint: Any) -> int:
    """How deep in lists the cards of a field are: 0 for a single card."""
    if get_origin(hint) is Annotated:
        return _depth(hint.__origin__)
    if get_origin(hint) in (Union, UnionType):
        return max(map(_depth, get_args(hint)))
    return 1 + _depth(get_args(hint)[0]) if get_origin(hint) is tuple else 0


def _pointer(name: str) -> str:
    """The JSON pointer of a field: `/from` of `from_`."""
    return f"/{name.removesuffix('_')}"


def _pattern(name: str, depth: int, by: str) -> str:
    """The pattern of the JSON pointers of a zone's cards, a word in braces for each index: `/hands/{seat}/{place}`."""
    indexes = {0: (), 1: ("place",), 2: (by, "place"), 3: (by, "group", "place")}[depth]
    return "/".join([_pointer(name), *(f"{{{each}}}" for each in indexes)])


def _reader(depths: dict[str, int]) -> Callable[[Any], list[Any]]:
    """A function that lists the cards of these fields. `depths`: how many lists lie around the cards, by field."""

    def lying(record: Any) -> list[Any]:
        cards: list[Any] = []
        for name, depth in depths.items():
            _collect(getattr(record, name), depth, cards)
        return cards

    return lying


def _collect(value: Any, depth: int, cards: list[Any]) -> None:
    """Add the cards of a field to `cards`. `depth`: how many lists lie around them."""
    if depth == 1:
        cards += value or ()
    elif depth:
        for each in value or ():
            _collect(each, depth - 1, cards)
    elif value is not None:
        cards.append(value)


def _places(pointer: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The JSON pointer and the name of every card that is shown in a field. `pointer`: that of the field."""
    if isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _places(f"{pointer}/{index}", item)
    elif value is not None:
        yield pointer, value
