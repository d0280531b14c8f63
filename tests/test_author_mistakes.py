"""Mistakes of a game's author, planted one by one: a sentence names each at once."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, make_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

import engines
from engines.core.bounds import unbounded
from engines.core.rulings import awaits, forbids, happens, refutes
from engines.core.shape import Length, OneOf, Text, Whole
from service import seeds
from service.judging.sentences import sentences, words
from service.seeds import vectors_in
from tests import secrecy
from tests.conformance import test_traceability as traceability

TWINS = engines.registry()["twins"]


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str, str], None]]:
    """Replaces words in a file of a copy of the seeds of Twins; of an empty word the whole file."""
    folder = tmp_path / "twins"
    shutil.copytree(seeds.ROOT / "seeds/twins", folder)
    monkeypatch.setattr(seeds, "folder", lambda engine: folder)
    monkeypatch.setattr(seeds, "ROOT", tmp_path)

    def plant(file: str, words: str, others: str) -> None:
        text = (folder / file).read_text(encoding="utf-8")
        assert words in text
        (folder / file).write_text(text.replace(words, others, 1) if words else others, encoding="utf-8")

    def forget() -> None:
        for kept in (seeds.rulebook, secrecy.secrets, words, seeds.warn_of_english):
            kept.cache_clear()

    forget()
    yield plant
    forget()


READERS: dict[str, Callable[[], Any]] = {
    "rulebook.yaml": lambda: seeds.rulebook(TWINS),
    "secrets.yaml": lambda: secrecy.secrets(TWINS),
    "messages/en.yaml": lambda: sentences(TWINS, "en"),
}


@pytest.mark.parametrize("file", READERS)
def test_a_missing_file(planted: Any, tmp_path: Path, file: str) -> None:
    (tmp_path / "twins" / file).unlink()
    with pytest.raises(seeds.FaultySeeds) as told:
        READERS[file]()
    assert str(told.value) == f"twins/{file} is missing: seeds/README.md says what it holds."


@pytest.mark.parametrize("file", READERS)
def test_an_empty_file_and_one_that_is_not_yaml(planted: Any, file: str) -> None:
    for content, told in (
        ("# nothing yet\n", " should map names to something"),
        ("# a comment\nsound: 1\nbroken: [1, 2\nmore: 3\n", ":4 is not YAML: "),
    ):
        planted(file, "", content)
        with pytest.raises(seeds.FaultySeeds, match=rf"^twins/{file}{told}"):
            READERS[file]()


@pytest.mark.parametrize("file", ["rulebook.yaml", "secrets.yaml"])
def test_a_game_misspelt(planted: Any, file: str) -> None:
    planted(file, "game: twins", "game: twin")
    with pytest.raises(seeds.FaultySeeds) as told:
        READERS[file]()
    assert str(told.value) == f"twins/{file} is of the game 'twin', its engine of 'twins'."


@pytest.mark.parametrize(
    ("words", "others", "told"),
    [
        ("source: S\n", "sauce: S\n", "clause 'TW-1.1' has no 'source'.$"),
        ("    clauses:\n", "    paragraphs:\n", "section 'TW-1' has no 'clauses'.$"),
        ("sections:\n", "parts:\n", "the rulebook has no 'sections'.$"),
        ("`tied-unpaid`", "`tied`", r"TW-5\.2 does not name the published value 'tied-unpaid' of the option "),
        ("- id: TW-5.2", "- id: TW-5.9", r"the option 'second_trick_ties' cites TW-5\.2, which is no clause of it\."),
        ("- id: TW-1.2", "- id: TW-1.9", r"the ruling 'drawn-elsewhere' cites TW-1\.2, which is no clause of it\."),
    ],
)
def test_a_rulebook_with_a_word_misspelt(planted: Any, words: str, others: str, told: str) -> None:
    planted("rulebook.yaml", words, others)
    with pytest.raises(seeds.FaultySeeds, match=rf"^twins/rulebook\.yaml: {told}"):
        seeds.rulebook(TWINS)


@pytest.mark.parametrize(
    ("words", "others", "told"),
    [
        ("  stock: nobody\n", "", "does not say who sees the zone 'stock'."),
        ("  stock: nobody\n", "  stok: nobody\n", "names 'stok' in zones; known there: bankrupt, bought, "),
        ("hands: owner", "hands: owners", "says 'hands' is seen by 'owners'; known: all, owner, nobody."),
        *(
            ("hands: owner", f"hands: {{seen_by: owner, {more}}}", told)
            for more, told in (
                ("open: []", "names 'open' in 'hands'; known there: bottom, only_at, "),
                ("top: owner", "says the top of 'hands' is seen by 'owner'; known: all."),
                ("only_at: extra", "says 'hands' only at 'extra', which the state "),
                ("opens: [{fase: [trick]}]", "opens 'hands' by 'fase', which the "),
                ("opens: {phase: trick}", "should list conditions under 'opens' of "),
                ("opens: [{last_trick.kind: [x]}]", "opens 'hands' by 'last_trick.kind', "),
                ("owner: keeper", "says 'hands' of the seat in 'keeper', which the "),
            )
        ),
        (
            "{state.plays.owner: ",
            "{state.plais.owner: ",
            "opens 'cards' by 'state.plais.owner', which the move 'play' d",
        ),
        ("  buy: ", "  by: ", "names 'by' in moves; known there: buy, deal, play."),
        ("buy: {cards", "buy: {card", "names 'card' in buy; known there: cards, count, seat."),
        ("  bought: ", "  bough: ", "names 'bough' in events; known there: "),
        ("zones:\n", "zone:\n", "names 'zone' in the file; known there: events, game, moves, zones."),
    ],
)
def test_secrets_with_a_word_that_nobody_knows(planted: Any, words: str, others: str, told: str) -> None:
    planted("secrets.yaml", words, others)
    with pytest.raises(seeds.FaultySeeds) as raised:
        secrecy.secrets(TWINS)
    assert str(raised.value).startswith(f"twins/secrets.yaml {told}")


@dataclass(frozen=True)
class Bare:
    """A state or a setup in which everything is forgotten."""


@dataclass(frozen=True)
class Unbounded:
    """A setup for any number of seats."""

    seats: int


@pytest.mark.parametrize(
    ("field", "record", "told"),
    [
        ("state", Bare, "Bare has no field 'phase'; Bare has no field 'ruleset'$"),
        ("setup", Bare, "Bare has no field 'seats'$"),
        ("setup", Unbounded, "seats of the setup say nothing of how many may play"),
    ],
)
def test_a_table_or_a_setup_without_what_every_game_has(field: str, record: type, told: str) -> None:
    with pytest.raises(ValueError, match=f"^twins: {told}"):
        replace(TWINS, **dict[str, Any]({field: record}))


def test_a_sentence_with_a_particular_that_its_ruling_has_not(planted: Any) -> None:
    planted("messages/fr.yaml", "{price: ", "{prize: ")
    with pytest.raises(seeds.FaultySeeds) as raised:
        traceability.test_sentences_use_only_the_particulars_of_their_ruling(TWINS, "fr")
    told = "twins/messages/fr.yaml: the sentence 'cannot-pay' uses {prize}; its ruling has price, chips."
    assert told in str(raised.value)


def test_a_sentence_that_outlived_its_ruling(planted: Any) -> None:
    planted("messages/fr.yaml", "cannot-pay: ", "could-not-pay: ")
    with pytest.raises(seeds.FaultySeeds, match=r"'could-not-pay' uses {.*}; no ruling has this code"):
        traceability.test_sentences_use_only_the_particulars_of_their_ruling(TWINS, "fr")


@pytest.mark.parametrize(
    "say",
    [
        happens("TW-1.1", "drew", seat=int, card=int).happened,
        forbids("TW-1.1", "drew", seat=int, card=int).violated,
        refutes("TW-1.1", "drew", seat=int, card=int).found,
        partial(awaits("TW-1.1", "drew", seat=int, card=int).undetermined, "/hands"),
    ],
)
def test_a_ruling_with_a_wrong_particular(say: Any) -> None:
    with pytest.raises(TypeError) as raised:
        say(seat=1, crad=2)
    assert str(raised.value) == "drew (TW-1.1): wrong particular card, crad: declared seat, card, given seat, crad"


def test_a_language_that_is_not_written_yet_is_english_with_one_warning(
    planted: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    planted("messages/fr.yaml", "\ncannot-pay:", "\n# cannot-pay:")
    (tmp_path / "twins/messages/it.yaml").unlink()
    for language in ("it", "fr", "it"):
        assert sentences(TWINS, language)["cannot-pay"] is sentences(TWINS, "en")["cannot-pay"]
    book = seeds.rulebook(TWINS)
    del book["title"]["fr"]
    assert book["title"]["fr"] == book["title"]["en"]
    assert caplog.messages == [
        f"twins/{file} is not complete in {language!r}: English stands in"
        for file, language in (("messages/it.yaml", "it"), ("messages/fr.yaml", "fr"), ("rulebook.yaml", "fr"))
    ]


def test_a_code_misspelt_among_the_sentences(planted: Any) -> None:
    planted("messages/fr.yaml", "\ncannot-pay:", "\ncanot-pay:")
    with pytest.raises(AssertionError) as raised:
        traceability.test_every_code_has_one_sentence_and_every_sentence_a_code(TWINS, "fr")
    for told in ("the code 'cannot-pay' has no sentence.", "the sentence 'canot-pay' is of no ruling."):
        assert f"twins/messages/fr.yaml: {told}" in str(raised.value)


def test_a_clause_without_a_text_in_one_language(planted: Any) -> None:
    clause = next(each for each in traceability.clauses(TWINS) if each["id"] == "TW-1.1")
    clause["text"]["fr"] = " "
    with pytest.raises(AssertionError, match=r"^twins/rulebook.yaml: TW-1.1 has no text in 'fr'."):
        traceability.test_every_clause_has_a_text_in_every_language(TWINS, "fr")


def test_a_clause_that_no_vector_shows(planted: Any, tmp_path: Path) -> None:
    for file in tmp_path.glob("twins/vectors/*.json"):
        file.write_text(file.read_text("utf-8").replace('"TW-1.3"', '"TW-3.1"'), encoding="utf-8")
    with pytest.raises(AssertionError, match=r"^no vector of twins shows TW-1.3: add a case that names the clause"):
        traceability.test_every_clause_has_a_vector(TWINS)


def test_a_ruling_that_no_vector_shows(planted: Any, tmp_path: Path) -> None:
    for file in tmp_path.glob("twins/vectors/*.json"):
        file.write_text(file.read_text("utf-8").replace('"code": "cannot-pay"', '"code": "?"'), encoding="utf-8")
    with pytest.raises(AssertionError, match=r"^no vector of twins shows cannot-pay \(TW-2.3\): add a case whose "):
        traceability.test_every_ruling_occurs_in_a_vector(TWINS)


def test_a_vector_that_is_not_json(planted: Any) -> None:
    planted("vectors/buying.json", '"TW-2.2"],\n', '"TW-2.2"]\n')
    said = r"^twins/vectors/buying.json:5: not JSON: Expecting ',' delimiter, "
    with pytest.raises(seeds.FaultySeeds, match=said):
        list(vectors_in(seeds.folder(TWINS)))


@dataclass(frozen=True)
class Pile:
    """A dataclass inside another."""

    cards: tuple[Annotated[int, Whole(1, 9)], ...]


NO_LENGTH = "a list without bounds: say Length(least, most)"
NO_WHOLE = "an integer without bounds: say Whole(least, most) or OneOf(name, values)"
NO_TEXT = "a string without bounds: say Text(least, most) or OneOf(name, values)"


@pytest.mark.parametrize(
    ("hint", "told"),
    [
        (int, f"Table.field: {NO_WHOLE}."),
        (str | None, f"Table.field: {NO_TEXT}."),
        (Annotated[tuple[int, ...], Length(0, 3)], f"Table.field: {NO_WHOLE}."),
        (tuple[Annotated[str, Text(1, 9)], ...], f"Table.field: {NO_LENGTH}."),
        (tuple[Pile, Pile], f"Pile.cards: {NO_LENGTH}."),
        (list[int], "Table.field: engines.core.shape has no word for list[int]."),
    ],
)
def test_a_field_without_bounds_is_reported_by_class_and_field(hint: Any, told: str) -> None:
    (found,) = unbounded([make_dataclass("Table", [("field", hint)])])
    assert found.endswith(f".{told}")


def test_a_model_with_bounds_is_in_order() -> None:
    bounded = [bool, Literal["a"], Annotated[int, OneOf("N", (1, 2))] | None, Annotated[tuple[bool, ...], Length(0, 3)]]
    assert unbounded(make_dataclass("Table", [("field", hint)]) for hint in bounded) == []


def test_no_game_with_an_open_model_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "unbounded", lambda records: ["engines.x.State.won: a list without bounds."])
    with pytest.raises(ValueError, match=r"^engines.x.State.won: a list without bounds.$"):
        engines.registry.__wrapped__()
