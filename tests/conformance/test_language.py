"""A language is what its files say: nothing in code names one but English, and each file may be written bit by bit."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from service import seeds
from service.words import phrases, unwritten
from service.words.languages import LANGUAGES
from service.words.pages import FILES, FOLDERS
from service.words.wording import Sentence
from tests.conformance.language import missing_texts, rendered_sentences

OTHER_LANGUAGES = set(LANGUAGES) - {seeds.ENGLISH}


def test_no_code_names_a_language_but_english() -> None:
    folders = [seeds.ROOT / name for name in ("service", "engines", "clients/python")]
    modules = [file for folder in folders for file in folder.rglob("*.py") if "tests" not in file.parts]
    constants = {
        (str(file.relative_to(seeds.ROOT)), node.value)
        for file in modules
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and node.value in OTHER_LANGUAGES
    }
    assert len(modules) > 100
    assert constants == set()


def test_no_module_or_page_names_a_language_but_english() -> None:
    words = {file for folder in FOLDERS.values() for file in folder.iterdir()} | {FILES / "table" / "languages.js"}
    files = [file for each in ("*.js", "*.html") for file in FILES.rglob(each) if file not in words]
    quoted = re.compile(rf"""["'`]({"|".join(OTHER_LANGUAGES)})["'`]""")
    assert len(files) > 25
    assert [file.name for file in files if "vendor" not in file.parts and quoted.search(file.read_text("utf-8"))] == []


def test_what_is_missing_of_a_new_language_is_listed_file_by_file() -> None:
    lines = list(missing_texts("nl"))
    assert "service/words/nl.yaml: phrases / gone is missing in 'nl'." in lines
    assert "service/playground/words/nl.js: settle-yes is missing in 'nl'." in lines
    assert "service/playground/table/words/nl.js: dealer is missing in 'nl'." in lines
    assert "seeds/twins/nl.yaml is not there: twins is answered in English." in lines


def test_a_sentence_is_shown_with_every_number() -> None:
    shown = list(rendered_sentences("de"))
    one, two = "    Platz 1 kauft eine Karte für 1 Chip.", "    Platz 0 kauft zwei Karten für 2 Chips."
    assert {one, two, "    Anna kauft keine Karte."} <= set(shown)


@pytest.fixture
def half_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of a language with one phrase of its own, and no grammar."""
    file_of, path = phrases.file_of, tmp_path / "nl.yaml"
    path.write_text("phrases: {gone: Deze sessie is verwijderd of verlopen.}", "utf-8")
    for module in (phrases, unwritten):
        monkeypatch.setattr(module, "file_of", lambda language: path if language == "nl" else file_of(language))
    yield path
    for cached in (phrases.messages, phrases.grammar, phrases._phrases):
        cached.cache_clear()


@pytest.mark.usefixtures("half_a_file")
def test_english_stands_in_for_what_a_file_lacks() -> None:
    texts = [phrases.phrase(code).text_in("nl") for code in ("gone", "seed-given")]
    assert texts == ["Deze sessie is verwijderd of verlopen.", "This seat has given its seed."]
    lines = list(unwritten.missing("nl"))
    assert [line.partition(": ")[2] for line in lines if "/ gone" in line or "seed-given" in line] == [
        "phrases / seed-given is missing in 'nl'."
    ]


def test_the_page_for_translators_shows_the_grammar_of_german_as_it_is() -> None:
    page = (seeds.ROOT / "docs/add-a-language.md").read_text("utf-8")
    (shown,) = re.findall(r"```yaml\n(grammar:.*?)```", page, re.DOTALL)
    assert yaml.safe_load(shown) == {"grammar": phrases.messages("de")["grammar"]}


COUNTS_IN_GERMAN = [
    ("{count: # Karte|# Karten}", "count", ["0 Karten", "1 Karte", "2 Karten"]),
    ("{count: liegt # Karte|liegen # Karten}", "count", ["liegen 0 Karten", "liegt 1 Karte", "liegen 2 Karten"]),
    ("{chips: =0 keinen|#}", "chips", ["keinen", "1", "2"]),
]


@pytest.mark.parametrize(("template", "name", "texts"), COUNTS_IN_GERMAN)
def test_the_forms_on_the_page_for_translators_make_its_sentences(template: str, name: str, texts: list[str]) -> None:
    page = (seeds.ROOT / "docs/add-a-language.md").read_text("utf-8")
    assert f"`{template}`".replace("|", "\\|") in page
    sentence = Sentence(template, phrases.grammar("de"), None, whole=False)
    assert [sentence.filled({name: number}) for number in (0, 1, 2)] == texts
