"""A second, independent referee of one trick of Twins: slow, plain, and written from the rules alone."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

ROWS = {
    3: {1: 1, 2: 1, 3: 1},
    4: {1: 2, 2: 1, 3: 1},
    5: {1: 3, 2: 2, 3: 2},
    6: {1: 3, 2: 2, 3: 2},
}


def worth(cards: tuple[str, str], white: tuple[str, ...]) -> Fraction:
    """A number by which any two cards are ordered: hundreds for the kind of pair, then the value or the sum."""
    colours, numbers = zip(*(card.split("-") for card in cards), strict=True)
    if numbers[0] == numbers[1]:
        same_numerals = (colours[0] in white) == (colours[1] in white)
        return Fraction((300 if same_numerals else 200) + int(numbers[0]))
    return Fraction((100 if colours[0] == colours[1] else 0) + int(numbers[0]) + int(numbers[1]))


class Outcome(NamedTuple):
    """What a trick leaves: chips by seat, the pot, and the seats that it puts out and makes bankrupt."""

    chips: tuple[int, ...]
    pot: int
    out: tuple[int, ...]
    bankrupt: tuple[int, ...]


def trick(
    *,
    number: int,
    players: int,
    shown: dict[int, tuple[str, str]],
    before: Sequence[int],
    pot: int,
    white: tuple[str, ...],
    ties: str,
    short: str,
) -> Outcome:
    """The outcome of a trick.

    `number`: of the trick, 1 to 4; `shown`: {seat: cards}; `before`: the chips before it; `white`, `ties` and `short`:
    the options `white_numerals`, `second_trick_ties` and `short_pot_ties`.
    """
    chips = dict(enumerate(before))
    value = {seat: worth(cards, white) for seat, cards in shown.items()}
    out, bankrupt = [], []
    if number in (1, 3):
        count = min(ROWS[players][number], len(shown))
        last = sorted(value.values())[count - 1]
        due = {1: 2, 3: 1}[number]
        for seat in sorted(shown):
            if value[seat] <= last:
                paid = min(due, chips[seat])
                chips[seat] -= paid
                pot += paid
                if paid < due:
                    bankrupt.append(seat)
                if number == 3:
                    out.append(seat)
    if number == 2:
        places = min(ROWS[players][2], len(shown))
        for level in sorted(set(value.values()), reverse=True):
            group = [seat for seat in shown if value[seat] == level]
            if places == 0:
                break
            if len(group) > places:
                if ties == "paid-if-covered" and 3 * len(group) <= pot:
                    for seat in group:
                        chips[seat] += 3
                        pot -= 3
                break
            places -= len(group)
            if 3 * len(group) <= pot:
                each = 3
            elif len(group) == 1:
                each = pot
            else:
                each = pot // len(group) if short == "split" else 0
            for seat in group:
                chips[seat] += each
                pot -= each
    if number == 4:
        top = max(value.values())
        best = [seat for seat in shown if value[seat] == top]
        if len(best) == 1:
            chips[best[0]] += pot
            pot = 0
    return Outcome(tuple(chips[seat] for seat in range(players)), pot, tuple(out), tuple(bankrupt))
