"""Everything that the service can say to a player has a right sentence in each language, with any number in it."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from engines.core.engine import Engine
from engines.core.rulings import Decides
from service import seeds
from service.http.playground import LESSONS
from service.judging.calls import CALLS
from service.judging.missing import clause_of
from service.judging.sentences import words
from service.problems import KINDS
from service.seeds import ROOT, vectors_in
from service.words.languages import LANGUAGES
from service.words.pages import FOLDERS, written
from service.words.phrases import file_of, grammar, messages, phrase
from service.words.unwritten import missing
from service.words.wording import Players
from tests.baseline.outcomes import OUTCOMES
from tests.conformance.samples import NUMBERS, samples
from tests.conformance.test_traceability import GAMES_IN_LANGUAGES, assert_none, id_of

FRENCH_FILES = [
    ROOT / "service/words/fr.yaml",
    *ROOT.glob("seeds/*/fr.yaml"),
    *ROOT.glob("service/**/words/fr.js"),
]
OTHER_LANGUAGES = [language for language in LANGUAGES if language != seeds.ENGLISH]

NAMED_PLAYERS = Players(("Ada", "Bo", "Cleo", "Dan", "Eve", "Flo"))
TEAMS = Players(None, (0, 1, 0, 1))

ENGLISH = re.compile(
    r"\b(the|a card|cards|seat|seats|team|teams|hand|hands|turn|is|are|has|have|and|not|this|that|of|with|chips?"
    r"|points? of|deck|stock|row|meld|melds|dealt|wins?|pays?|draws?|takes?|nobody|none)\b"
)
"""Words that no sentence of another language has."""

FORMS = re.compile(
    r"# (\w+)[^|{}]*\|[^|{}]*# (\w+)"
)  #: Two forms of a number in a template, each with the word after it.


@cache
def plurals(language: str) -> str:
    """Return a pattern for the words that do not follow a 1: the plurals of the nouns in the templates of games.

    Those are the words after `#` that begin alike and differ, and are seldom the first form: a mistake hides no word.
    """
    texts = [file.read_text("utf-8") for file in ROOT.glob(f"seeds/*/{language}.yaml")]
    pairs = [pair for text in texts for pair in FORMS.findall(text)]
    singular = Counter(one for one, _several in pairs)
    plural = Counter(several for one, several in pairs if one[0] == several[0] and one != several and len(several) > 3)
    several = [word for word, times in plural.items() if times > singular[word]]
    assert len(several) > 8, f"the templates in {language!r} have few plurals"
    return "|".join(sorted(several))


def faults(text: str, language: str) -> Iterator[str]:
    """Yield what is wrong with a sentence as a player reads it."""
    if re.search(r"[{}#|]|=\w", text):
        yield "left from its template"
    if re.search(r"\bNone\b|\bTrue\b|\bFalse\b|\(\)|\[|\]", text):
        yield "in the words of Python"
    if re.search(r"  | [.,]|^ | $", text):
        yield "badly spaced"
    if not re.match(r"[^a-z]", text) or text[-1] not in ".?!…":
        yield "no whole sentence"
    if plural := re.search(rf"(?<![\d,.-])\b1 (?:{plurals(language)})\b", text):
        yield f"a plural after 1: {plural[0]!r}"
    if language != "en" and (english := ENGLISH.search(text)):
        yield f"in English: {english[0]!r}"
    if language == "fr" and re.search(r"\bplaces \d.*\bils\b", text, re.IGNORECASE):
        yield "of places as if they were masculine"


@pytest.mark.parametrize(("engine", "language"), GAMES_IN_LANGUAGES, ids=id_of)
def test_every_ruling_is_a_right_sentence_with_any_parameters_and_says_no_seat_where_players_have_names(
    engine: Engine[Any], language: str
) -> None:
    sentences, file = words(engine, language).sentences, seeds.shown(seeds.words_file(engine, language))
    one, _ = grammar(language).cases[""]["seat"]
    seat = re.compile(rf"{one.split()[-1]} \d", re.IGNORECASE)
    mistakes = []
    for ruling in engine.rulings:
        if isinstance(ruling, Decides):
            continue
        sentence = sentences[ruling.code]
        place = f"{file}: {clause_of(engine)[ruling.code]} / sentences / "
        of_a_player = "seat" in sentence.names
        sampled = list(samples({name: ruling.params[name] for name in sentence.names}))
        for players in (Players(), NAMED_PLAYERS, TEAMS):
            for text in {sentence.filled(params, players) for params in sampled}:
                mistakes += [f"{place}{ruling.code} is {fault}: {text}" for fault in faults(text, language)]
                if players is NAMED_PLAYERS and of_a_player and seat.search(text):
                    mistakes.append(f"{place}{ruling.code} names a seat: {text}")
    assert_none(mistakes)


@pytest.mark.parametrize(
    ("engine", "language"), [each for each in GAMES_IN_LANGUAGES if each[1] != seeds.ENGLISH], ids=id_of
)
def test_no_sentence_of_another_language_is_the_english_one(engine: Engine[Any], language: str) -> None:
    sentences, english = words(engine, language).sentences, words(engine, "en").sentences
    file = seeds.shown(seeds.words_file(engine, language))
    assert_none(
        [
            f"{file}: {clause_of(engine)[code]} / sentences / {code} is the English one: translate it, or leave it out"
            for code, sentence in sentences.items()
            if sentence.template == english[code].template
        ]
    )


@pytest.mark.parametrize(("engine", "language"), GAMES_IN_LANGUAGES, ids=id_of)
def test_every_option_has_a_title_and_a_sentence(engine: Engine[Any], language: str) -> None:
    options, file = words(engine, language).options, seeds.shown(seeds.words_file(engine, language))
    assert_none(
        [
            f"{file}: options / {name} / text is {fault}: {each.text}"
            for name, each in options.items()
            for fault in faults(each.text, language)
        ]
        + [
            f"{file}: options / {name} / title should begin with a capital and end without a full stop: {each.title}"
            for name, each in options.items()
            if not each.title[:1].isupper() or each.title[-1] == "."
        ]
    )


def names_in(template: str) -> set[str]:
    """Return the names of the parameters in a template."""
    return set(re.findall(r"\{(?:\w+ )?(\w+)[:}]", template))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phrase_of_the_service_is_right_with_every_number_and_translated(language: str) -> None:
    phrases, english = messages(language)["phrases"], messages("en")["phrases"]
    for code, template in phrases.items():
        assert names_in(template) <= names_in(english[code]), code
        for number in NUMBERS:
            text = phrase(code, **dict.fromkeys(names_in(english[code]), number)).text_in(language)
            assert not re.search(rf"[{{}}#|]|\bNone\b|  |(?<![\d,.])\b1 (?:{plurals(language)})\b", text), text
        if language != "en" and code not in {"verbatim", "followed"}:
            assert template != english[code], code


def text_on_the_page(template: str, number: int, language: str) -> str:
    """Return a word of the page with a number in it, as `filled` in `table/h.js` fills it."""
    one = grammar(language).plural(number) == "one"
    chosen = re.sub(r"\{\w+: ([^|}]*)\|([^}]*)\}", r"\1" if one else r"\2", template).replace("#", str(number))
    return re.sub(r"\{\w+\}", str(number), chosen)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_of_the_page_is_a_plural_after_1(language: str) -> None:
    page, table = (written(folder, language) for folder in FOLDERS.values())
    texts = [
        text_on_the_page(word, number, language) for word in (*page.values(), *table.values()) for number in NUMBERS
    ]
    assert [text for text in texts if re.search(rf"[{{}}#|]|(?<![\d,.])\b1 (?:{plurals(language)})\b", text)] == []


@pytest.mark.parametrize("language", OTHER_LANGUAGES)
def test_every_text_of_a_language_has_the_straight_apostrophe(language: str) -> None:
    """A page shows sentences of all these files together, and they shall look alike."""
    texts = (
        f"seeds/*/{language}.yaml",
        "service/words/*.yaml",
        "service/**/words/*.js",
    )
    files = [file for pattern in texts for file in ROOT.glob(pattern)]
    assert len(files) > 8
    assert [file.name for file in files if "’" in file.read_text("utf-8")] == []


@pytest.mark.parametrize("file", FRENCH_FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_french_line_can_break_before_its_punctuation(file: Path) -> None:
    """French has a space there. It is U+00A0 everywhere, which Latin-1 has too; the files have it as it is served."""
    text = file.read_text("utf-8")
    assert re.findall("(?:.*[ \u202f]|\n *)[:;?!»]|«[ \n\u202f].*", text) == []
    assert "\u00a0" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_problem_has_a_title_and_a_meaning(language: str) -> None:
    assert set(messages(language)["problems"]) == set(KINDS)
    for kind in KINDS.values():
        assert list(faults(kind.meaning(language), "en")) == []
        assert not re.search(r"[{}]", kind.title(language))
        if language != "en":
            assert (kind.title(language), kind.meaning(language)) != (kind.title("en"), kind.meaning("en"))


def test_a_problem_without_a_title_of_its_own_has_that_of_its_http_status() -> None:
    """The titles are those of RFC 9110; Python's names for two statuses are older."""
    newer = {413: "Content Too Large", 414: "URI Too Long"}
    statuses = messages("en")["statuses"]
    assert statuses == {status: newer.get(status, HTTPStatus(status).phrase) for status in statuses}
    plain = [kind for slug, kind in KINDS.items() if "title" not in messages("en")["problems"][slug]]
    assert {kind.slug: kind.title("en") for kind in plain} == {kind.slug: statuses[kind.status] for kind in plain}
    assert len({kind.status for kind in plain}) == len(plain), "one title for two kinds"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_of_the_service_and_of_its_pages_is_in_the_files_of_each_language(language: str) -> None:
    assert_none(list(missing(language)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_in_those_files_is_needed(language: str) -> None:
    def keys(value: Any) -> Any:
        return {name: keys(each) for name, each in value.items()} if isinstance(value, dict) else None

    ours, english = (seeds.read_table(file_of(each)) for each in (language, "en"))
    for table in (ours, english):
        del table["grammar"]  # each language has prepositions of its own
    assert keys(ours) == keys(english)
    for folder in FOLDERS.values():
        assert list(written(folder, language)) == list(written(folder, "en"))
    lessons = list(messages(language)["lessons"])
    assert lessons == [*LESSONS, *(call.name for call in CALLS if call.name in lessons)]


@pytest.mark.parametrize(("engine", "language"), GAMES_IN_LANGUAGES, ids=id_of)
def test_an_event_that_the_last_release_stored_is_worded_without_the_parameters_it_did_not_know(
    engine: Engine[Any], language: str
) -> None:
    sentences, own = words(engine, language).sentences, {vector.id for vector in vectors_in(seeds.folder(engine))}
    rows = map(json.loads, OUTCOMES.read_text("utf-8").splitlines())
    stored = [event for row in rows if row["id"] in own for event in row["answer"].get("events", [])]
    if not stored:
        pytest.skip("the last release did not have this game")
    texts = {sentences[event["code"]].filled_as_stored(event["params"]) for event in stored}
    assert_none([text for text in texts if re.search(r"[{}#|]|=\w|None", text)])
