"""The least deadwood of a hand (GR-2.3), fast enough to try every discard of every hand.

A hand is a 52-bit integer: suits S H D C from the low end, thirteen bits each, ace lowest. Four facts carry it all.

- Within a suit, runs leave least when every stretch of three or more is taken whole; one table knows, for each of the
  8,192 holdings of a suit, what that leaves.
- A rank held three or four times is a set unless a run wants one of its cards. Where no stretch touches the rank, the
  set costs nothing.
- Eleven cards hold at most three sets: where ranks are in doubt, every choice among them is tried.
- A set needs three of the four cards of a rank: any one of the four may stay with its suit.

Two habits are for speed: halves of 26 bits, because Python is quickest with integers below 2**30, and tables bound as
default arguments, because a local name is found sooner than a global one.
"""

from itertools import combinations
from typing import Final

RANKS: Final = 13
SUIT: Final = (1 << RANKS) - 1
POINTS: Final = tuple(min(rank + 1, 10) for rank in range(RANKS))  #: Points of a card by rank, ace first (GR-1.3).


def _stretches(suit: int) -> int:
    """The cards of a suit that lie in a stretch of three or more."""
    starts = suit & suit >> 1 & suit >> 2
    return starts | starts << 1 | starts << 2


def _sums(weights: tuple[int, ...]) -> list[int]:
    """For each of the 8,192 holdings of a suit, the sum of its cards' weights."""
    sums = [0]
    for weight in weights:
        sums += [weight + below for below in sums]
    return sums


_STRETCH: Final = [_stretches(suit) for suit in range(SUIT + 1)]
_POINTS: Final = _sums(POINTS)
_LEFT: Final = [_POINTS[suit & ~run] for suit, run in enumerate(_STRETCH)]  #: What runs leave of a suit, in points.

# The same, with the number of cards of each value above nine bits of points: two bits for each value from two to nine,
# the rest for ten. At most three cards of a value below ten are ever left, so two bits hold the sum over four suits.
_WEIGHTS: Final = tuple(points | (1 << 5 + 2 * points if points > 1 else 0) for points in POINTS)
_VALUES: Final = _sums(_WEIGHTS)
_LEFT_BY_VALUE: Final = [_VALUES[suit & ~run] for suit, run in enumerate(_STRETCH)]
_DEAREST: Final = [0, *[1] * 9, *(2 + place // 2 for place in range(16)), *[10] * 4]
"""The points of the dearest card left, by the bit length of such a sum."""

ALL_OF_THREE: Final = 7  #: How many choices of one or more there are among three ranks.
_CHOICES: Final[dict[int, tuple[int, ...]]] = {}
"""By up to three ranks: what of a suit is kept when they are taken as sets, for every choice of one or more of them."""
for _size in range(1, 4):
    for _ranks in combinations([1 << rank for rank in range(RANKS)], _size):
        _CHOICES[sum(_ranks)] = tuple(
            SUIT - sum(chosen) for size in range(_size, 0, -1) for chosen in combinations(_ranks, size)
        )


def points_of(cards: int, points: list[int] = _POINTS) -> int:
    """The points of all the cards together (GR-1.3)."""
    low = cards & 0x3FFFFFF
    high = cards >> 26
    return points[low & 8191] + points[low >> 13] + points[high & 8191] + points[high >> 13]


def least_deadwood(
    hand: int,
    left: list[int] = _LEFT,
    stretch: list[int] = _STRETCH,
    choices: dict[int, tuple[int, ...]] = _CHOICES,
) -> int:
    """The least points that any arrangement of at most eleven cards leaves in no meld (GR-2.3).

    Pass the hand alone. The other parameters are this module's tables: as defaults they are read faster.
    """
    low = hand & 0x3FFFFFF
    high = hand >> 26
    pairs = low & high
    if not pairs:
        return left[low & 8191] + left[low >> 13] + left[high & 8191] + left[high >> 13]
    either = low | high
    sets = pairs & either >> 13 | pairs >> 13 & either
    if not sets:
        return left[low & 8191] + left[low >> 13] + left[high & 8191] + left[high >> 13]
    a = low & 8191
    b = low >> 13
    c = high & 8191
    d = high >> 13
    touched = (stretch[a] | stretch[b] | stretch[c] | stretch[d]) & sets
    if not touched:
        keep = ~sets
        return left[a & keep] + left[b & keep] + left[c & keep] + left[d & keep]
    if touched != sets:
        keep = ~sets | touched
        a &= keep
        b &= keep
        c &= keep
        d &= keep
    least = left[a] + left[b] + left[c] + left[d]
    fours = a & b & c & d & touched
    if fours:
        return min(least, *_sums_with_fours(left, (a, b, c, d), touched, fours))
    for keep in choices[touched]:
        points = left[a & keep] + left[b & keep] + left[c & keep] + left[d & keep]
        if points < least:  # noqa: PLR1730 - min() is a call
            least = points
    return least


def _sums_with_fours(left: list[int], suits: tuple[int, int, int, int], touched: int, fours: int) -> list[int]:
    """What each choice of sets leaves, where a run touches a rank held four times: its set can spare one card."""
    choices = _CHOICES[touched]
    first = fours & -fours
    spares: tuple[int, ...] = (fours,)
    all_taken = 0
    if first != fours:
        # Two ranks held four times. Both are sets: in runs, their eight cards would need more than three others. Both
        # sets spare a card of the same suit: runs in two suits would need four other cards.
        choices, spares = choices[:1], (first, fours - first, fours)
    elif len(choices) == ALL_OF_THREE:
        # Three sets take ten cards: the eleventh makes no run with the one card that a set can spare.
        all_taken = choices[0]
    wanting = [suit for suit in suits if _STRETCH[suit] & fours]
    a, b, c, d = suits
    sums = []
    for keep in choices:
        total = left[a & keep] + left[b & keep] + left[c & keep] + left[d & keep]
        sums.append(total)
        if not keep & fours and keep != all_taken:
            for spare in spares:
                keep_more = keep | spare
                sums += [total - left[suit & keep] + left[suit & keep_more] for suit in wanting]
    return sums


def least_deadwood_after_discard(
    hand: int,
    left: list[int] = _LEFT_BY_VALUE,
    stretch: list[int] = _STRETCH,
    choices: dict[int, tuple[int, ...]] = _CHOICES,
    dearest: list[int] = _DEAREST,
) -> int:
    """The least points that any one discard leaves of at most eleven cards.

    The discard is in no meld, but it is not always one that the best arrangement leaves over. So each card is tried.
    """
    low = hand & 0x3FFFFFF
    high = hand >> 26
    b = low >> 13
    d = high >> 13
    sets = (low & b | high & d) & (low | b) & (high | d)
    if not sets:
        total = left[low & 8191] + left[b] + left[high & 8191] + left[d]
        return (total & 511) - dearest[total.bit_length()]
    a = low & 8191
    c = high & 8191
    touched = (stretch[a] | stretch[b] | stretch[c] | stretch[d]) & sets
    if touched != sets:
        keep = ~sets | touched
        a &= keep
        b &= keep
        c &= keep
        d &= keep
    total = left[a] + left[b] + left[c] + left[d]
    least = (total & 511) - dearest[total.bit_length()]
    if not touched:
        return least
    fours = a & b & c & d & touched
    if fours:
        if not least:
            return 0
        for total in _sums_with_fours(left, (a, b, c, d), touched, fours):
            points = (total & 511) - dearest[total.bit_length()]
            if points < least:  # noqa: PLR1730 - min() is a call
                least = points
        return least
    for keep in choices[touched]:
        total = left[a & keep] + left[b & keep] + left[c & keep] + left[d & keep]
        points = (total & 511) - dearest[total.bit_length()]
        if points < least:  # noqa: PLR1730 - min() is a call
            least = points
    return least
