"""What a language lacks of the words of the service itself and of its pages, and where it goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from service import seeds
from service.seeds import ENGLISH
from service.words.pages import FOLDERS, written
from service.words.phrases import file_of


def missing(language: str) -> Iterator[str]:
    """Each text that the files of a language lack: its file, and its place there."""
    path = file_of(language)
    own = seeds.read_table(path) if path.exists() else {}
    for place in _places(seeds.read_table(file_of(ENGLISH))):
        if place[0] != "grammar" and not seeds.text_at(own, place):
            yield f"{seeds.shown(path)}: {' / '.join(map(str, place))} is missing in {language!r}."
    if "grammar" not in own:
        yield f"{seeds.shown(path)}: grammar is missing in {language!r}."
    for folder in FOLDERS.values():
        words = written(folder, language)
        for name in written(folder, ENGLISH):
            if not words.get(name):
                yield f"{seeds.shown(folder / f'{language}.js')}: {name} is missing in {language!r}."


def _places(texts: Mapping[Any, Any]) -> Iterator[tuple[Any, ...]]:
    """The keys that lead to each text."""
    for name, value in texts.items():
        if isinstance(value, dict):
            yield from ((name, *rest) for rest in _places(value))
        else:
            yield (name,)
