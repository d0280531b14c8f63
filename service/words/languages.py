"""The languages that the service speaks, those in which a game is written, and the choice among them."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from engines.core.engine import Engine
from service import seeds
from service.seeds import ENGLISH

_FILES = {path.stem for path in Path(__file__).parent.glob("*.yaml")}
LANGUAGES = (ENGLISH, *sorted(_FILES - {ENGLISH}, reverse=True))
"""One for each file of this folder. The second is for clients that take any language but English: Italian, as ever."""


@cache
def languages_of(engine: Engine[Any]) -> frozenset[str]:
    """The languages in which a game is answered: it has words in them, and so has the service."""
    return seeds.languages(engine) & frozenset(LANGUAGES)


@lru_cache(maxsize=1024)
def language_for(preferred: tuple[str, ...], engine: Engine[Any] | None) -> str:
    """The first of these languages that a game is answered in; else English. `engine`: None where no game is named."""
    known = LANGUAGES if engine is None else languages_of(engine)
    return next((language for language in preferred if language in known), ENGLISH)
