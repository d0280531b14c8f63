"""The mathematics of gin rummy a second time: slow, plain, on names of cards, sharing no line with the engine.

Everything is tried: each card is left over or goes into any meld that it makes with others of the hand; each card of a
defender that fits somewhere is laid off there or not.
"""

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import combinations

RANKS = "A23456789TJQK"


def points(card: str) -> int:
    """An ace counts 1, a court card 10, any other card its number."""
    return min(RANKS.index(card[0]) + 1, 10)


def total_points(cards: Iterable[str]) -> int:
    """The points of the cards together."""
    return sum(points(card) for card in cards)


def is_meld(cards: Collection[str]) -> bool:
    """Three or four of a rank, or three or more in sequence in one suit."""
    if len(set(cards)) < 3:
        return False
    if len({card[0] for card in cards}) == 1:
        return True
    places = sorted(RANKS.index(card[0]) for card in cards)
    return len({card[1] for card in cards}) == 1 and places == list(range(places[0], places[0] + len(places)))


def melds_with(card: str, others: frozenset[str]) -> Iterator[frozenset[str]]:
    """Every meld of a card and some of the others."""
    same = [other for other in others if other[0] == card[0]]
    for size in (2, 3):
        for rest in combinations(same, size):
            yield frozenset((card, *rest))
    place = RANKS.index(card[0])
    held = {RANKS.index(other[0]) for other in others if other[1] == card[1]} | {place}
    for first in range(place + 1):
        for last in range(place, 13):
            if last - first >= 2 and held.issuperset(range(first, last + 1)):
                yield frozenset(RANKS[each] + card[1] for each in range(first, last + 1))


def arrangements(hand: frozenset[str]) -> Iterator[tuple[frozenset[frozenset[str]], frozenset[str]]]:
    """Every way to part a hand into melds and cards left over."""
    if not hand:
        yield frozenset(), frozenset()
        return
    card = min(hand)
    others = hand - {card}
    for melds, left in arrangements(others):
        yield melds, left | {card}
    for meld in melds_with(card, others):
        for melds, left in arrangements(hand - meld):
            yield melds | {meld}, left


@lru_cache(maxsize=300_000)
def least_deadwood(hand: frozenset[str]) -> int:
    """The fewest points of deadwood that any way to meld this hand leaves."""
    if len(hand) < 3:
        return total_points(hand)
    card = min(hand)
    others = hand - {card}
    ways = [points(card) + least_deadwood(others)]
    ways += [least_deadwood(hand - meld) for meld in melds_with(card, others)]
    return min(ways)


def least_after_discard(hand: frozenset[str]) -> int:
    """The fewest points of deadwood that a hand can have after it discards one card."""
    return min(least_deadwood(hand - {card}) for card in hand)


def best_arrangements(hand: frozenset[str]) -> set[frozenset[frozenset[str]]]:
    """The melds of every arrangement that leaves the fewest points of deadwood."""
    least = least_deadwood(hand)
    return {melds for melds, left in arrangements(hand) if total_points(left) == least}


def hands_after_laying_off(hand: frozenset[str], melds: frozenset[frozenset[str]]) -> set[frozenset[str]]:
    """What the defender may hold after laying off any cards in any order."""
    seen = {(hand, melds)}
    todo = [(hand, melds)]
    while todo:
        held, shown = todo.pop()
        for card in held:
            for meld in shown:
                if card not in meld and is_meld(meld | {card}):
                    after = held - {card}, shown - {meld} | {meld | {card}}
                    if after not in seen:
                        seen.add(after)
                        todo.append(after)
    return {held for held, _ in seen}


def least_after_laying_off(hand: frozenset[str], melds: frozenset[frozenset[str]]) -> int:
    """The fewest points of deadwood that a defender can come to against these melds."""
    return min(least_deadwood(held) for held in hands_after_laying_off(hand, melds))
