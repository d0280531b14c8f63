"""The words of the pages and of drawn tables: JSON in modules that browsers import, a file for each language.

Where a language has no such file, or lacks a word there, English stands in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from service.seeds import ENGLISH

FILES = Path(__file__).parent.parent / "playground"
FOLDERS = {"page": FILES / "words", "table": FILES / "table" / "words"}
"""Where the words of the pages are, and those of the element that draws tables."""
LAST_COMMA = re.compile(r",\s*}\s*$")


def written(folder: Path, language: str) -> dict[str, str]:
    """The words in the file of a language; none where there is no file."""
    path = folder / f"{language}.js"
    if not path.exists():
        return {}
    _, _, text = path.read_text(encoding="utf-8").partition("export default ")
    words: dict[str, str] = json.loads(LAST_COMMA.sub("}", text.rstrip().rstrip(";")))
    return words


@cache
def words_of_page(language: str) -> Mapping[str, str]:
    """The words of the pages. `play-` and `settle-` are prefixes of one page's."""
    return {**written(FOLDERS["page"], ENGLISH), **written(FOLDERS["page"], language)}
