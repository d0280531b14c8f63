"""Moves built from the annotations of their classes, whatever a listing gives: the law of listings judges them."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, partial
from itertools import combinations, permutations, product
from math import comb, prod
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from engines.core.engine import Engine
from engines.core.records import changed
from engines.core.shape import Length, OneOf, Player, Text, Whole, inside

SMALL = 20  #: Of a range of numbers up to this size every one is tried, of a larger one its edges.
LONGEST = 2  #: The longest lists that are built of everything in sight; of cards that lie together longer ones are.


class Sight:
    """What can be seen on a table, by which members of moves are filled."""

    def __init__(self, engine: Engine[Any], state: Any, listed: Sequence[Any]) -> None:
        """`listed`: the moves that are listed on the table. What they mention comes first."""
        self.mentioned = list(dict.fromkeys(leaf for move in listed for leaf in _leaves(move)))
        acting = [seat for seat in engine.to_act(state) if seat is not None]
        self.seats = list(dict.fromkeys((*acting, *range(engine.seats_of(state) + 1))))
        places: dict[str, list[Any]] = {}
        for pointer, card in engine.zones.places(state):
            places.setdefault(pointer.rpartition("/")[0], []).append(card)
        mentioned = set(self.mentioned)
        self.together = sorted(places.values(), key=lambda cards: (mentioned.isdisjoint(cards), len(cards)))
        """The cards that lie in one list, for each list."""
        cards = list(dict.fromkeys(card for place in self.together for card in place))
        self.cards = sorted(cards, key=lambda card: card not in mentioned)


def built_moves(
    engine: Engine[Any],
    sight: Sight,
    listed: Sequence[Any],
    used: Mapping[type, set[str]],
    rng: random.Random,
    most: int,
) -> Iterator[Any]:
    """Moves of each class: every one that its annotations allow, or, if they are too many, `most` at random; a tenth of
    that where none of the class is listed.

    They have the members without a default, and those that listings fill: `used`, by class. Beside them the `listed`
    moves of the class, each with one member replaced, or with a list in another order.
    """
    for row in engine.moves:
        kind = row.kind
        names = [each.name for each in fields(kind) if each.default is MISSING or each.name in used.get(kind, ())]
        hints = members_of(kind)
        of_kind = [move for move in listed if type(move) is kind]
        build = Builder(sight, rng, most if of_kind else most // 10)
        values = [build.values(hints[name]) for name in names]
        for members in build.some(values):
            yield kind(**dict(zip(names, members, strict=True)))
        for move in of_kind[:50]:
            for name, others in zip(names, values, strict=True):
                for other in rng.sample(others, min(5, len(others))):
                    yield changed(move, **{name: other})
                for other in _rearranged(getattr(move, name), hints[name], rng):
                    yield changed(move, **{name: other})


def used_members(listed: Iterable[Any]) -> dict[type, set[str]]:
    """By class of moves, the members with a default that some of these moves fill otherwise."""
    used: dict[type, set[str]] = {}
    for move in listed:
        filled = {each.name for each in fields(move) if getattr(move, each.name) != each.default}
        used.setdefault(type(move), set()).update(filled)
    return used


members_of: Callable[[type], dict[str, Any]] = cache(partial(get_type_hints, include_extras=True))
"""The annotations of a dataclass, by name."""


class Builder:
    """Builds the values of annotations. `most`: the most values of one annotation."""

    def __init__(self, sight: Sight, rng: random.Random, most: int) -> None:
        self.sight = sight
        self.rng = rng
        self.most = most

    def some(self, pools: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
        """Every combination of values of the pools; if too many, `most` of them at random, more of the first values."""
        if prod(map(len, pools)) <= self.most:
            return list(product(*pools))
        return [tuple(pool[int(len(pool) * self.rng.random() ** 3)] for pool in pools) for _ in range(self.most)]

    def values(self, hint: Any) -> list[Any]:
        """Values that an annotation allows, of a card those in sight, of a number its edges."""
        words = getattr(hint, "__metadata__", ())
        plain = hint.__origin__ if words else hint
        if get_origin(plain) in (Union, UnionType):
            members = [Annotated[(member, *words)] if words else member for member in get_args(plain)]
            return list(dict.fromkeys(value for member in members for value in self.values(member)))
        if get_origin(plain) is tuple:
            length = next((word for word in words if isinstance(word, Length)), Length(0, LONGEST))
            return self._lists(get_args(plain), length)
        for word in words:
            if isinstance(word, OneOf) and plain is not NoneType:
                return self._one_of(word)
            if isinstance(word, Whole) and plain is not NoneType:
                return self._numbers(word, of_seats=Player() in words)
            if isinstance(word, Text) and plain is not NoneType:
                return [*self._mentioned(str), "x" * max(1, word.least)]
        return self._plain(plain)

    def _plain(self, plain: Any) -> list[Any]:
        """The values of a type that no word narrows."""
        if get_origin(plain) is Literal:
            return list(get_args(plain))
        if plain in (bool, NoneType):
            return [False, True] if plain is bool else [None]
        if is_dataclass(plain) and isinstance(plain, type):
            hints = [members_of(plain)[each.name] for each in fields(plain) if each.default is MISSING]
            return [plain(*members) for members in self.some([self.values(each) for each in hints])]
        return self._mentioned(plain)

    def _one_of(self, word: OneOf) -> list[Any]:
        """Every card in sight, and one that is not; of what is no card, or where none is in sight, every value."""
        seen = set(self.sight.cards)
        hidden = [value for value in word.values if value not in seen]
        shown = [card for card in self.sight.cards if card in word.values]
        return [*shown, *hidden[:1]] if shown else hidden

    def _numbers(self, word: Whole, *, of_seats: bool) -> list[int]:
        """Every number of a small range; of a larger one its edges, and those that are listed, with their neighbours.

        Of seats those of the table, and one beyond it.
        """
        if of_seats:
            return [seat for seat in self.sight.seats if word.least <= seat <= word.most]
        if word.most - word.least < SMALL:
            return list(range(word.least, word.most + 1))
        near = [number + step for number in self._mentioned(int) for step in (-1, 0, 1)]
        edges = [word.least, word.least + 1, word.most - 1, word.most]
        return list(dict.fromkeys(number for number in (*edges, *near) if word.least <= number <= word.most))

    def _mentioned(self, kind: type) -> list[Any]:
        """What the listed moves hold of a type."""
        return [leaf for leaf in self.sight.mentioned if type(leaf) is kind]

    def _lists(self, items: tuple[Any, ...], length: Length) -> list[tuple[Any, ...]]:
        """Lists of cards that lie together, up to any length; then lists of anything, up to two items, or the least."""
        if items[-1:] != (...,):
            pools = [self.values(item) for item in items]
            return self._those_together(pools[0], len(items), len(items)) + self.some(pools)
        pool = self.values(items[0])
        longest = min(length.most, max(LONGEST, length.least))
        lists = self._those_together(pool, length.least, length.most)
        for size in range(length.least, longest + 1):
            lists += self.some([pool] * size)
        return [each for each in dict.fromkeys(lists) if not length.unique or len(set(each)) == len(each)]

    def _those_together(self, pool: Sequence[Any], least: int, most: int) -> list[tuple[Any, ...]]:
        """Of the cards of each place: pairs in both orders, and larger sets in the order in which they lie."""
        if not pool or pool[0] not in self.sight.cards:
            return []
        lists: list[tuple[Any, ...]] = []
        for cards in self.sight.together:
            for size in range(max(2, least), min(most, len(cards)) + 1):
                if comb(len(cards), size) > self.most // 4:
                    break
                lists += permutations(cards, 2) if size == 2 else combinations(cards, size)
        return lists[: self.most]


def _rearranged(value: Any, hint: Any, rng: random.Random) -> Iterator[Any]:
    """Of a list: itself backwards, and, where it may be shorter, without an item."""
    if isinstance(value, tuple) and len(value) > 1:
        yield value[::-1]
        parts = list(inside(hint))
        least = max((word.least for word in parts if isinstance(word, Length)), default=0)
        if ... in parts and len(value) > least:
            place = rng.randrange(len(value))
            yield (*value[:place], *value[place + 1 :])


def _leaves(value: Any) -> Iterator[Any]:
    """The numbers and texts in a record."""
    if is_dataclass(value):
        for each in fields(value):
            yield from _leaves(getattr(value, each.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from _leaves(item)
    elif type(value) in (int, str):
        yield value
