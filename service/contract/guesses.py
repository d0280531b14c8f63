"""What was probably meant by a value that does not fit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache

LONGEST_GUESSED = 40  #: Characters of the longest text that is taken for a misspelled value.
LONGEST_LIST = 400  #: Characters of the longest text, and members of the longest object, that are taken for a list.
SUITS = str.maketrans({**dict(zip("♠♥♦♣♤♡♢♧", "SHDCSHDC", strict=True)), "\ufe0e": None, "\ufe0f": None})
RANKS = (re.compile(r"(?<![0-9])10(?![0-9])"), "T"), (re.compile(r"(?<![0-9])1(?![0-9])"), "A")
"""Ranks as cards have them printed, or as they are counted, and their letters."""
WORDS = {
    "spades": "S", "hearts": "H", "diamonds": "D", "clubs": "C", "king": "K", "queen": "Q", "jack": "J", "ace": "A",
    "ten": "T", "of": "",
}  # fmt: skip
"""Words for suits and ranks, and their letters."""
WORD = re.compile(rf"\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)
TRUTHS = {"yes": True, "y": True, "on": True, "1": True, "no": False, "n": False, "off": False, "0": False}
PART = re.compile(r"0*([1-9][0-9]*|0)|([a-z])")
OTHER_NAMES = {
    "action": "move", "actions": "moves", "kind": "type", "player": "seat", "players": "seats", "preset": "name",
    "rules": "ruleset", "variant": "ruleset",
}  # fmt: skip
"""Members as other services call them, by the name here."""

OF_ANSWERS = frozenset(
    {
        "applied", "commitment", "comparison", "complete", "consistent", "contested", "events", "faults", "legal",
        "more", "result", "standings", "text", "to_act", "undetermined", "unverified", "violations",
    }
)  # fmt: skip
"""Members that only answers have beside a table."""


def meant(text: object, known: Sequence[str]) -> str | None:
    """The known text that was probably meant, or None.

    Case, separators and the order of letters and numbers do not count: `c-k` is KC, `10♠` TS, `blue 10` and `10-blue`
    are blue-10, `layOff` is lay-off, `17` is 17A.
    """
    if not isinstance(text, str) or len(text) > LONGEST_GUESSED:
        return None
    spelled = text.translate(SUITS)
    spelled = WORD.sub(lambda word: WORDS[word[0].lower()], spelled) if len(text) > len("TEN") else spelled
    for spelling in (spelled, *(number.sub(letter, spelled) for number, letter in RANKS)):
        if match := _by_parts(tuple(known)).get(_parts(spelling)):
            return match
    if text.isdecimal():  # the number of a card without its side
        return next((each for each in known if each.startswith(text) and not each[len(text) :][:1].isdecimal()), None)
    folded = {each.casefold(): each for each in known}
    begun = [each for each in folded if len(text) > 2 and each.startswith(text.casefold())]
    close = get_close_matches(text.casefold(), folded, 1) or (begun if len(begun) == 1 else ())
    return folded[close[0]] if close else None


def in_one_text(value: object) -> object:
    """The texts and numbers of a small object as one text: a card may be written as an object of rank and suit."""
    parts = list(value.values()) if isinstance(value, dict) and 1 < len(value) <= len(SUITS) else []
    return " ".join(map(str, parts)) if parts and all(type(each) in (str, int) for each in parts) else value


def member_meant(name: str, known: Sequence[str]) -> str | None:
    """The known member that was probably meant, or None."""
    other = OTHER_NAMES.get(name.casefold())
    return other if other in known else meant(name, known)


def nearest(number: object, known: Sequence[object]) -> tuple[int, int] | None:
    """The known integers next to a number that is missing among them; None if it lies beyond them."""
    integers = [each for each in known if type(each) is int]
    if type(number) is not int:
        return None
    below, above = [each for each in integers if each < number], [each for each in integers if each > number]
    return (max(below), min(above)) if below and above else None


def written_otherwise(value: object) -> Iterator[tuple[str, object]]:
    """Values that this one may stand for, each with the phrase that says how it is to be written."""
    match value:
        case bool():
            pass
        case int() | float():
            if value in (0, 1):
                yield "as-truth", bool(value)
            yield "in-quotes", str(value)
        case str():
            yield from _quoted(value)
        case [only]:
            yield "without-brackets", only
        case dict() if 0 < len(value) <= LONGEST_LIST and all(name.isdecimal() for name in value):  # PHP's lists
            yield "as-list", [*value.values()]
    if not isinstance(value, list):
        yield "as-list", [value]


def _quoted(text: str) -> Iterator[tuple[str, object]]:
    """Values that a text may stand for: a word for yes or no, the JSON in its quotes, or a list of its words."""
    if text.lower() in TRUTHS:
        yield "as-truth", TRUTHS[text.lower()]
    if len(text) <= LONGEST_GUESSED:
        try:
            value = json.loads(text.lower() if text in ("True", "False") else text)
        except ValueError:
            pass
        else:
            yield "without-quotes", value
    if len(text) <= LONGEST_LIST:
        yield "as-list", re.split(r"[,;\s]+", text.strip())


def is_encoded_twice(value: object) -> bool:
    """Whether a text looks like a JSON object or list."""
    return isinstance(value, str) and value.strip()[:1] + value.strip()[-1:] in ("{}", "[]")


@lru_cache(maxsize=128)
def _by_parts(known: tuple[str, ...]) -> Mapping[tuple[str, ...], str]:
    """The known texts by their parts; of several with the same parts the first."""
    return {_parts(each): each for each in reversed(known)}


def _parts(text: str) -> tuple[str, ...]:
    """The numbers and letters of a text, sorted: texts that differ only in their order are equal."""
    return tuple(sorted(number or letter for number, letter in PART.findall(text.casefold())))
