"""The pages and parts of pages that follow from the games and the settings: `make openapi` writes them.

    python -m tests.docs.generated

- README.md says what a verdict costs: figures of bench/RESULTS.md.
- README.md and seeds/README.md list the games. A game's line is the docstring of its package; what its rules were read
  from is said by its rulebook.
- README.md has a table of the stateless calls, docs/agents.md one of the tools. Their texts are in
  `service/contract/prose.yaml`.
- docs/operations.md has a table of the settings. The `Doc` of a setting in `service/config.py` says what it does,
  and its annotation words a default that is no text.
- docs/rules has the rulebooks.
- `service/playground/table/languages.js` lists the languages of drawn tables, for bundlers: they follow no import whose
  path is put together.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

from babel import Locale

import engines
from engines.core.engine import Engine
from service import seeds
from service.agents import TOOLS
from service.config import Environment, Serving, Settings, variable
from service.contract.prose import PROSE, operation_id
from service.contract.shapes import doc_of
from service.judging.calls import CALLS
from service.judging.games import markdown
from service.judging.sentences import words
from service.words.languages import LANGUAGES, languages_of
from service.words.pages import FILES, FOLDERS

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "docs" / "rules"
INDEX = """# The rules

What the referee goes by, clause by clause, in our own words. `make openapi` writes these pages from the files in
`seeds/<game>/`; a running service gives the same at `/games/{game}/rulebook` to clients that accept `text/html` or
`text/markdown`. [seeds](../../seeds/README.md#rulebooks) says which texts each was read from.

"""
GROUPS: tuple[type[Environment], ...] = (Serving, Settings)


def pages() -> dict[Path, str]:
    """The text that each page should have: pages that are generated as a whole, and those of which parts are."""
    parts: dict[str, dict[str, Iterable[str]]] = {
        "README.md": {"cost": lines_of_cost(), "games": list_of_games(), "calls": table_of_calls()},
        "seeds/README.md": {"games": table_of_rulebooks()},
        "docs/agents.md": {"tools": table_of_tools()},
        "docs/operations.md": {"settings": table_of_settings()},
    }
    return {ROOT / name: with_parts(ROOT / name, of_page) for name, of_page in parts.items()} | {
        FILES / "table" / "languages.js": languages_of_tables(),
        **dict(rulebook_pages()),
    }


def with_parts(file: Path, parts: dict[str, Iterable[str]]) -> str:
    """The text of a file with each part's lines between the marks of its name."""
    text = file.read_text(encoding="utf-8")
    for name, lines in parts.items():
        text = with_part(file, text, name, lines)
    return text


def with_part(file: Path, text: str, name: str, lines: Iterable[str]) -> str:
    """A text with these lines between the marks of a name. `file`: for the message if there are no such marks."""
    begin, end = f"<!-- {name}, generated: make openapi -->", f"<!-- end of {name} -->"
    part = "\n".join([begin, "", *lines, "", end])
    pattern = f"{re.escape(begin)}.*?{re.escape(end)}"
    text, count = re.subn(pattern, lambda match: part, text, flags=re.DOTALL)
    assert count == 1, f"{file} has no place for the {name}"
    return text


def lines_of_cost() -> Iterator[str]:
    """The lines of README.md that say what a verdict costs, with figures of bench/RESULTS.md."""
    over_http = table_of_results("Over HTTP, beside others")
    knock = over_http["**a knock and its lay-off**"]
    constant = over_http["FastAPI and pydantic, a constant, uvicorn"]
    worker = table_of_results("Start and memory")["**the service, one worker**"]
    yield (
        f"- A knock at gin rummy, scored: {knock['µs CPU']} µs of one core over HTTP, or {per_second(knock)} a second. "
        f"With eight clients the median answer takes {knock['p50 ms']} ms, the 99th percentile {knock['p99 ms']} ms."
    )
    yield f"- A FastAPI route that validates the same body and answers a constant: {constant['µs CPU']} µs."
    yield (
        f"- One worker answers {worker['seconds']} s after its start and takes {worker['MiB']} MiB. "
        "[All figures, and how they were measured](bench/RESULTS.md)."
    )


def table_of_results(section: str) -> dict[str, dict[str, str]]:
    """Return a table of bench/RESULTS.md: its rows by name, their values by the title of the column, without ranges."""
    results = (ROOT / "bench/RESULTS.md").read_text(encoding="utf-8")
    text = results.split(f"\n## {section}\n")[1].split("\n## ")[0]
    titles, _, *rows = (re.findall(r"\| *([^|]*?) *(?=\|)", line) for line in text.splitlines() if line.startswith("|"))
    return {row[0]: {title: cell.partition(" ")[0] for title, cell in zip(titles, row, strict=True)} for row in rows}


def per_second(row: dict[str, str]) -> str:
    """How many calls a second one core makes, by a row of results; in hundreds."""
    return f"{round(1e6 / float(row['µs CPU']), -2):,.0f}"


def games_with_folders() -> Iterator[tuple[str, Engine[Any]]]:
    """The games of this repository, with their folders."""
    for engine in engines.registry().values():
        folder = seeds.folder(engine)
        if folder.parent == ROOT / "seeds":
            yield folder.name, engine


def table_of_calls() -> Iterator[str]:
    """The lines of README.md's table of stateless calls."""
    yield from ("| call | what it does |", "|---|---|")
    for call in CALLS:
        first, _, _ = PROSE[operation_id(call.name)]["description"].partition(". ")
        yield f"| `POST /{call.name}` | {first.rstrip('.')} |"


def table_of_tools() -> Iterator[str]:
    """The lines of docs/agents.md's table of tools."""
    yield from ("| tool | what it does |", "|---|---|")
    for name, text in TOOLS.items():
        yield f"| `{name}` | {text} |"


def list_of_games() -> Iterator[str]:
    """A line for each game: the docstring of its package."""
    for folder, _ in sorted(games_with_folders()):
        yield f"- {(import_module(f'engines.{folder}').__doc__ or '').strip()}"


def table_of_rulebooks() -> Iterator[str]:
    """The lines of seeds/README.md's table: what the rules of each game were read from."""
    yield from ("| folder | read from |", "|---|---|")
    for folder, engine in sorted(games_with_folders()):
        yield f"| `{folder}` | {seeds.rulebook(engine).read_from.strip()} |"


def table_of_settings() -> Iterator[str]:
    """The lines of docs/operations.md's table of settings."""
    yield from ("| variable | default | what it does |", "|---|---|---|")
    for group in GROUPS:
        hints = get_type_hints(group, include_extras=True)
        for each in fields(group):
            default = next(
                (word for word in hints[each.name].__metadata__ if isinstance(word, str)),
                f"`{_as_setting(each.default)}`",
            )
            yield f"| `{variable(each.name)}` | {default} | {doc_of(hints[each.name])} |"


def _as_setting(default: Any) -> str:
    """A default as the text that would set it."""
    if isinstance(default, bool):
        return str(int(default))
    if isinstance(default, float):
        return f"{default:g}"
    return ",".join(default) if isinstance(default, tuple) else str(default)


def languages_of_tables() -> str:
    """The module that imports the words of a drawn table, one file a language."""
    files = sorted(FOLDERS["table"].glob("*.js"))
    imports = "\n".join(f'  {file.stem}: () => import("./words/{file.name}"),' for file in files)
    return f"// Generated from the files in words/: make openapi\n\nexport const WORDS = {{\n{imports}\n}};\n"


def rulebook_pages() -> Iterator[tuple[Path, str]]:
    """Each page of docs/rules with its text: one for each game and language, and their index."""
    names = [Locale(each).get_display_name(each) for each in LANGUAGES]
    index = f"{INDEX}| | {' | '.join(map(str, names))} |\n|---|{'---|' * len(names)}\n"
    for _, engine in games_with_folders():
        links = {each: f"[{words(engine, each).title}]({each}/{engine.game}.md)" for each in languages_of(engine)}
        index += f"| `{engine.game}` | {' | '.join(links.get(each, '–') for each in LANGUAGES)} |\n"
        for language in links:
            yield RULES / language / f"{engine.game}.md", markdown(engine, language)
    yield RULES / "README.md", index


if __name__ == "__main__":
    for page, text in pages().items():
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
