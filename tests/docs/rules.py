"""The rulebooks in docs/rules, from the seeds: `make openapi` writes them.

python -m tests.docs.rules
"""

from collections.abc import Iterator
from pathlib import Path

from service import seeds
from service.judging import rulebooks
from service.seeds import LANGUAGES
from tests.docs.games import ROOT, games

FOLDER = ROOT / "docs" / "rules"
INDEX = """# The rules

What the referee goes by, clause by clause, in our own words. `make openapi` writes these pages from
`seeds/<game>/rulebook.yaml`; a running service gives the same at `/games/{game}/rulebook` to clients that accept
`text/html` or `text/markdown`. [seeds](../../seeds/README.md#rulebooks) says which texts each was read from.

| | English | italiano | français |
|---|---|---|---|
"""


def pages() -> Iterator[tuple[Path, str]]:
    """Every page with what should stand in it."""
    index = INDEX
    for _, engine in games():
        links = [f"[{seeds.rulebook(engine)['title'][each]}]({each}/{engine.game}.md)" for each in LANGUAGES]
        index += f"| `{engine.game}` | {' | '.join(links)} |\n"
        for language in LANGUAGES:
            yield FOLDER / language / f"{engine.game}.md", rulebooks.markdown(engine, language)
    yield FOLDER / "README.md", index


if __name__ == "__main__":
    for page, text in pages():
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
