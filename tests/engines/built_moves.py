"""Moves built from the annotations of their classes, whatever a listing gives: the law of listings judges them."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, partial
from itertools import combinations, permutations, product
from math import comb, prod
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from engines.core.engine import Engine
from engines.core.records import changed
from engines.core.shape import Length, OneOf, Player, Text, Whole, inside

SMALL_RANGE = 20  #: Of a range of numbers up to this size every one is tried, of a larger one its edges.
LONGEST_LIST = 2
"""The longest lists that are built of everything in sight; of cards that lie together longer ones are."""


class Sight:
    """What can be seen on a table, by which members of moves are filled."""

    def __init__(self, engine: Engine[Any], state: Any, listed: Sequence[Any]) -> None:
        """`listed`: the moves that are listed on the table. What they mention comes first."""
        self.mentioned = list(dict.fromkeys(leaf for move in listed for leaf in _leaves(move)))
        self.acting = [seat for seat in engine.to_act(state) if seat is not None]
        self.seats = range(engine.seats_of(state) + 1)
        places: dict[str, list[Any]] = {}
        for pointer, card in engine.zones.places(state):
            places.setdefault(pointer.rpartition("/")[0], []).append(card)
        likely = [cards for cards in places.values() if not set(cards).isdisjoint(self.mentioned)]
        self.together = likely, [cards for cards in places.values() if cards not in likely]
        """The cards that lie in one list, for each list: of those that the listing mentions, and of the others."""
        self.cards = list(dict.fromkeys(card for cards in places.values() for card in cards))


def built_moves(
    engine: Engine[Any],
    sight: Sight,
    listed: Sequence[Any],
    used: Mapping[type, set[str]],
    rng: random.Random,
    most: int,
) -> Iterator[Any]:
    """Moves of each class: every one that its annotations allow, or, if they are too many, some: `most` of seats to act
    and of what is listed, `most` of all; a tenth of that where none of the class is listed.

    They have the members without a default, and those that listings fill: `used`, by class. Beside them some of
    the `listed` moves of the class, each with one member replaced, or with a list in another order.
    """
    for row in engine.moves:
        kind = row.kind
        names = [each.name for each in fields(kind) if each.default is MISSING or each.name in used.get(kind, ())]
        hints = members_of(kind)
        of_kind = [move for move in listed if type(move) is kind]
        build = Builder(sight, rng, most if of_kind else most // 10)
        values = [build.values(hints[name]) for name in names]
        for members in build.combined(values).every:
            yield kind(**dict(zip(names, members, strict=True)))
        for move in rng.sample(of_kind, min(15, len(of_kind))):
            for name, others in zip(names, values, strict=True):
                for other in rng.sample(others.every, min(5, len(others.every))):
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


class Pool(NamedTuple):
    """Values of an annotation: those of the seats to act and of what the listing mentions, and the others."""

    likely: list[Any]
    others: list[Any]

    @property
    def every(self) -> list[Any]:
        """All of them, the likely ones first."""
        return self.likely + self.others


class Builder:
    """Builds the values of annotations. `most`: the most likely values of one annotation, and the most others."""

    def __init__(self, sight: Sight, rng: random.Random, most: int) -> None:
        self.sight = sight
        self.rng = rng
        self.most = most

    def combined(self, pools: Sequence[Pool]) -> Pool:
        """The combinations of a value from each pool: of the likely ones, and of all."""
        likely = self._some([pool.likely for pool in pools])
        return _pool(likely, self._some([pool.every for pool in pools]))

    def _some(self, pools: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
        """Every combination of a value from each list; if too many, `most` at random."""
        if prod(map(len, pools)) <= self.most:
            return list(product(*pools))
        return [tuple(map(self.rng.choice, pools)) for _ in range(self.most)]

    def values(self, hint: Any) -> Pool:
        """Values that an annotation allows, of a card those in sight, of a number its edges."""
        words = getattr(hint, "__metadata__", ())
        plain = hint.__origin__ if words else hint
        if get_origin(plain) in (Union, UnionType):
            members = [Annotated[(member, *words)] if words else member for member in get_args(plain)]
            pools = [self.values(member) for member in members]
            return _pool(*([value for pool in pools for value in pool[part]] for part in (0, 1)))
        if get_origin(plain) is tuple:
            length = next((word for word in words if isinstance(word, Length)), Length(0, LONGEST_LIST))
            return self._lists(get_args(plain), length)
        if is_dataclass(plain) and isinstance(plain, type):
            hints = [members_of(plain)[each.name] for each in fields(plain) if each.default is MISSING]
            records = self.combined([self.values(each) for each in hints])
            return Pool(*([plain(*members) for members in part] for part in records))
        if plain is NoneType:
            return Pool([None], [])
        for word in words:
            if isinstance(word, OneOf):
                return self._one_of(word)
            if isinstance(word, Whole):
                return self._seats(word) if Player() in words else Pool(self._numbers(word.least, word.most), [])
            if isinstance(word, Text):
                return Pool(self._mentioned(str), ["x" * max(1, word.least)])
        return Pool(self._plain(plain), [])

    def _plain(self, plain: Any) -> list[Any]:
        """The values of a type that no word narrows."""
        if get_origin(plain) is Literal:
            return list(get_args(plain))
        return [False, True] if plain is bool else self._mentioned(plain)

    def _one_of(self, word: OneOf) -> Pool:
        """Every card in sight, and one that is not; of what is no card, or where none is in sight, every value."""
        seen = set(self.sight.cards)
        hidden = [value for value in word.values if value not in seen]
        shown = [card for card in self.sight.cards if card in word.values]
        if not shown:
            return Pool(hidden, [])
        return _pool([card for card in shown if card in self.sight.mentioned], [*shown, *hidden[:1]])

    def _seats(self, word: Whole) -> Pool:
        """The seats to act, and the others of the table and one beyond it."""
        within = range(word.least, word.most + 1)
        return _pool(*([seat for seat in seats if seat in within] for seats in (self.sight.acting, self.sight.seats)))

    def _numbers(self, least: int, most: int) -> list[int]:
        """The integers to try: all of a small range; else its edges, and those in listed moves and beside them."""
        if most - least < SMALL_RANGE:
            return list(range(least, most + 1))
        near = [number + step for number in self._mentioned(int) for step in (-1, 0, 1)]
        edges = [least, least + 1, most - 1, most]
        return list(dict.fromkeys(number for number in (*edges, *near) if least <= number <= most))

    def _mentioned(self, kind: type) -> list[Any]:
        """What the listed moves hold of a type."""
        return [leaf for leaf in self.sight.mentioned if type(leaf) is kind]

    def _lists(self, items: tuple[Any, ...], length: Length) -> Pool:
        """Lists of up to two items, or as many as there have to be; and longer ones of cards that lie together."""
        if items[-1:] != (...,):
            pools = [self.values(item) for item in items]
            together = self._those_together(pools[0], len(items), len(items))
            return _together_first(together, self.combined(pools))
        pool = self.values(items[0])
        longest = min(length.most, max(LONGEST_LIST, length.least))
        pools = [self.combined([pool] * size) for size in range(length.least, longest + 1)]
        lists = _pool(*([each for pool in pools for each in pool[part]] for part in (0, 1)))
        lists = _together_first(self._those_together(pool, length.least, length.most), lists)
        if not length.unique:
            return lists
        return Pool(*([each for each in part if len(set(each)) == len(each)] for part in lists))

    def _those_together(self, pool: Pool, least: int, most: int) -> Pool:
        """Of the cards of each place: pairs in both orders, and larger sets in the order in which they lie."""
        if not pool.every or pool.every[0] not in self.sight.cards:
            return Pool([], [])
        parts: list[list[Any]] = []
        for places in self.sight.together:
            lists: list[tuple[Any, ...]] = []
            for cards in places:
                for size in range(max(2, least), min(most, len(cards)) + 1):
                    if comb(len(cards), size) > self.most // 2:
                        break
                    lists += permutations(cards, 2) if size == 2 else combinations(cards, size)
            parts.append(lists if len(lists) <= self.most else self.rng.sample(lists, self.most))
        return Pool(*parts)


def _pool(likely: Iterable[Any], others: Iterable[Any]) -> Pool:
    """A pool of these values, each once."""
    first = dict.fromkeys(likely)
    return Pool(list(first), [value for value in dict.fromkeys(others) if value not in first])


def _together_first(together: Pool, lists: Pool) -> Pool:
    """Lists of cards that lie together, and other lists."""
    return _pool([*together.likely, *lists.likely], [*together.others, *lists.others])


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
