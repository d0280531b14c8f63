"""The names of things in the file of a game's words: of cards, moves, options and other words of the contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from service.seeds import NAMES, FaultySeeds

GROUPS = ("cards", "designs")


@dataclass(frozen=True)
class OptionWords:
    """The title of an option, what it settles, and the titles of its values."""

    title: str
    text: str
    values: Mapping[str, str]


def names_in(written: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The members of a file that name things. Raises `FaultySeeds` where one has another shape."""
    names: dict[str, Any] = {name: written.get(name) or {} for name in NAMES}
    for name, value in names.items():
        if value and (what := _unfit(name, value)):
            raise FaultySeeds(path, f": {what}")
    try:
        names |= {name: dict(_combined(names[name])) for name in GROUPS}
    except KeyError as part:
        lacks = f": a group of 'cards' or 'designs' names the part {part}, which it lacks."
        raise FaultySeeds(path, lacks) from None
    names["buttons"] = {
        name: words["text"] for name, words in names["moves"].items() if isinstance(words, dict) and "text" in words
    }
    names["moves"] = {
        name: words["title"] if isinstance(words, dict) else words for name, words in names["moves"].items()
    }
    names["options"] = {name: OptionWords(**{"values": {}, **option}) for name, option in names["options"].items()}
    return names


def _unfit(name: str, value: Any) -> str:
    """What is wrong with the shape of a member; empty: nothing."""
    if name == "title":
        return "" if isinstance(value, str) else "'title' should be a text."
    if name in GROUPS:
        groups = value if isinstance(value, list) else [None]
        wrong = f"{name!r} should be a list of groups, each with an 'id', a 'name' and the parts that they name."
        return "" if all(isinstance(group, dict) and {"id", "name"} <= group.keys() for group in groups) else wrong
    if not isinstance(value, dict):
        return f"{name!r} should map words to texts."
    return next((wrong for each in value.items() if (wrong := _unfit_word(name, *each))), "")


def _unfit_word(member: str, name: str, words: Any) -> str:
    """What is wrong with the words for one name; empty: nothing."""
    if member == "moves" and isinstance(words, dict):
        fits = (
            "title" in words
            and words.keys() <= {"title", "text"}
            and all(isinstance(each, str) for each in words.values())
        )
        return "" if fits else f"the move {name!r} should have a 'title' and a 'text' for its button, no more."
    if member != "options":
        return "" if isinstance(words, str) else f"{member!r} should map words to texts, but {name!r} has none."
    fits = isinstance(words, dict) and {"title", "text"} <= words.keys() <= {"title", "text", "values"}
    return "" if fits else f"the option {name!r} should have a 'title', a 'text' and, for words, 'values', no more."


def _combined(groups: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """The id and the name of each card. A group of cards combines parts, such as colour and number."""
    for group in groups:
        parts = {part: _names_by_id(values) for part, values in group.items() if part not in ("id", "name")}
        for ids in product(*parts.values()):
            id_of = dict(zip(parts, ids, strict=True))
            name_of = {part: parts[part][id] for part, id in id_of.items()}
            yield group["id"].format_map(id_of), group["name"].format_map(name_of)


def _names_by_id(values: Any) -> Mapping[Any, Any]:
    """The names of the values of a part by their ids. In a list, each id is its own name."""
    return values if isinstance(values, dict) else {value: value for value in values}
