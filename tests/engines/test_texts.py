"""A law over all games: no text that a client posts, and a ruling may say, can change the sentence around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Annotated, Any, get_type_hints

import pytest

import engines
from engines.core.shape import VISIBLE, Drawn, Length, Text, inside

STEERING_CHARACTERS = "\x00\t\n\r\x1b\x7f\x85\x9b\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069"


def unsafe_texts(hint: Any) -> Iterator[Text]:
    """The texts of an annotation, at any depth, that may hold steering characters; not texts that are drawn."""
    parts = list(inside(hint))
    if any(isinstance(part, Drawn) for part in parts):
        return
    for part in parts:
        if isinstance(part, Text) and any(
            part.pattern is None or re.fullmatch(part.pattern, text)
            for each in STEERING_CHARACTERS
            for text in (each, f"a{each}", f"{each}a")
        ):
            yield part
        elif is_dataclass(part) and isinstance(part, type):
            for inner in get_type_hints(part, include_extras=True).values():
                yield from unsafe_texts(inner)


@pytest.mark.parametrize("game", engines.registry())
def test_no_posted_text_can_change_the_sentence_around_it(game: str) -> None:
    engine = engines.registry()[game]
    posted = (engine.state, engine.setup, *engine.kinds.values())
    assert [(record.__name__, text) for record in posted for text in unsafe_texts(record)] == []


@pytest.mark.parametrize("game", engines.registry())
def test_no_text_of_a_ruling_can_change_the_sentence_around_it(game: str) -> None:
    """A text that is drawn, such as a seed, may hold any character. Therefore no ruling has it as a parameter."""
    engine = engines.registry()[game]
    params = [(ruling.code, hint) for ruling in engine.rulings for hint in ruling.params.values()]
    assert [code for code, hint in params if any(isinstance(part, Drawn) for part in inside(hint))] == []
    assert [(code, text) for code, hint in params for text in unsafe_texts(hint)] == []


def test_a_text_counts_as_unsafe_without_a_pattern_and_under_one_that_allows_anything() -> None:
    assert list(unsafe_texts(Annotated[tuple[Annotated[str, Text(1, 9, None)], ...], Length(0, 3)])) == [
        Text(1, 9, None)
    ]
    assert list(unsafe_texts(Annotated[str, Text(1, 9, ".*")])) == [Text(1, 9, ".*")]
    assert list(unsafe_texts(Annotated[str, Text(1, 9)])) == []


@pytest.mark.parametrize("text", ["a", "two words", "أنّا", "👩\u200d👧", " a ", "é"])
def test_the_pattern_of_visible_texts_matches_words_of_any_script(text: str) -> None:
    assert re.fullmatch(VISIBLE, text)
