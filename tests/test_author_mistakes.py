"""Mistakes of a game's author, planted one by one: a sentence names each at once."""

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, make_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import yaml
from flask.testing import FlaskClient

import engines
from engines.core.bounds import unbounded
from engines.core.rulings import decides, forbids, happens, refutes, undetermined
from engines.core.shape import Length, OneOf, Text, Whole
from engines.core.zones import Zones
from service import seeds
from service.judging.sentences import words
from service.seeds import vectors_in
from tests import secrecy
from tests.conformance import recording, test_presets, test_vectors, test_words
from tests.conformance import test_traceability as traceability
from tests.engines import test_secrecy
from tests.engines.games import broken_law

TWINS = engines.registry()["twins"]


@pytest.fixture
def replace_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str, str], None]]:
    """Return a function that replaces words in a file of a copy of Twins' seeds; for empty words the whole file."""
    folder = tmp_path / "twins"
    shutil.copytree(seeds.ROOT / "seeds/twins", folder)
    monkeypatch.setattr(seeds, "folder", lambda engine: folder)
    monkeypatch.setattr(seeds, "ROOT", tmp_path)

    def plant(file: str, words: str, others: str) -> None:
        text = (folder / file).read_text(encoding="utf-8")
        assert words in text
        (folder / file).write_text(text.replace(words, others, 1) if words else others, encoding="utf-8")

    def forget() -> None:
        for cached in (seeds.rulebook, seeds.read_words, secrecy.secrets, words):
            cached.cache_clear()

    forget()
    yield plant
    forget()


READERS: dict[str, Callable[[], Any]] = {
    "rulebook.yaml": lambda: seeds.rulebook(TWINS),
    "secrets.yaml": lambda: secrecy.secrets(TWINS),
    "en.yaml": lambda: words(TWINS, "en"),
}


@pytest.mark.parametrize("file", READERS)
def test_a_missing_file_of_seeds_is_reported(replace_words: Any, tmp_path: Path, file: str) -> None:
    (tmp_path / "twins" / file).unlink()
    with pytest.raises(seeds.FaultySeeds) as refusal:
        READERS[file]()
    assert str(refusal.value) == f"twins/{file} is missing: seeds/README.md says what it holds."


@pytest.mark.parametrize("file", READERS)
def test_a_file_of_seeds_that_is_empty_or_not_yaml_is_reported(replace_words: Any, file: str) -> None:
    for content, message in (
        ("# nothing yet\n", " should map names to something"),
        ("# a comment\nsound: 1\nbroken: [1, 2\nmore: 3\n", ":4 is not YAML: "),
    ):
        replace_words(file, "", content)
        with pytest.raises(seeds.FaultySeeds, match=rf"^twins/{file}{message}"):
            READERS[file]()


@pytest.mark.parametrize("file", ["rulebook.yaml", "secrets.yaml"])
def test_a_misspelt_game_in_a_file_of_seeds_is_reported(replace_words: Any, file: str) -> None:
    replace_words(file, "game: twins", "game: twin")
    with pytest.raises(seeds.FaultySeeds) as refusal:
        READERS[file]()
    assert str(refusal.value) == f"twins/{file} is of the game 'twin', its engine of 'twins'."


@pytest.mark.parametrize(
    ("words", "others", "message"),
    [
        (
            "TW-1.1: {source: S}",
            "TW-1.1: {sauce: S}",
            r": TW-1\.1 should have a 'source', and besides it only what it ",
        ),
        (
            "TW-1.1: {source: S}",
            "TW-1.1: S",
            r": TW-1\.1 should have a 'source', and besides it only what it needs of ",
        ),
        ("clauses:\n", "sections:\n", " should have 'read_from', and 'clauses' that map each id to its marks.$"),
        ("TW-5.2:", "TW-5.9:", r": the option 'second_trick_ties' cites TW-5\.2, which is no clause of it\.$"),
        ("TW-1.2:", "TW-1.9:", r": the ruling 'drawn-elsewhere' cites TW-1\.2, which is no clause of it\.$"),
    ],
)
def test_a_misspelt_word_in_a_rulebook_is_reported(replace_words: Any, words: str, others: str, message: str) -> None:
    replace_words("rulebook.yaml", words, others)
    with pytest.raises(seeds.FaultySeeds, match=rf"^twins/rulebook\.yaml{message}"):
        seeds.rulebook(TWINS)


@pytest.mark.parametrize(
    ("words", "others", "message"),
    [
        ("  stock: nobody\n", "", "does not say who sees the zone 'stock'."),
        ("  stock: nobody\n", "  stok: nobody\n", "names 'stok' in zones; known there: bankrupt, bought, "),
        ("hands: owner", "hands: owners", "says 'hands' is seen by 'owners'; known: all, owner, nobody."),
        *(
            ("hands: owner", f"hands: {{seen_by: owner, {more}}}", message)
            for more, message in (
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
def test_an_unknown_word_in_the_secrets_is_reported(replace_words: Any, words: str, others: str, message: str) -> None:
    replace_words("secrets.yaml", words, others)
    with pytest.raises(seeds.FaultySeeds) as raised:
        secrecy.secrets(TWINS)
    assert str(raised.value).startswith(f"twins/secrets.yaml {message}")


@dataclass(frozen=True)
class Bare:
    """A state or a setup in which everything is forgotten."""


@dataclass(frozen=True)
class Unbounded:
    """A setup for any number of seats."""

    seats: int


@pytest.mark.parametrize(
    ("field", "record", "message"),
    [
        ("state", Bare, "Bare has no field 'phase'; Bare has no field 'ruleset'$"),
        ("setup", Bare, "Bare has no field 'seats'$"),
        ("setup", Unbounded, "seats of the setup say nothing of how many may play"),
    ],
)
def test_a_state_or_setup_without_a_field_that_every_game_has_is_reported(
    field: str, record: type, message: str
) -> None:
    with pytest.raises(ValueError, match=f"^twins: {message}"):
        replace(TWINS, **dict[str, Any]({field: record}))


@pytest.mark.parametrize(
    ("text", "others", "message"),
    [
        ("\nTW-1.2:\n", "\nTW-1.9:\n", "'TW-1.9' is no section or clause of the rulebook, and none of title, "),
        (
            "TW-1.1:\n  text: >-",
            "TW-1.1:\n  texts: >-",
            "TW-1.1: its members are text, sentences, examples, each where",
        ),
        ("TW-1:\n  title: Mise en place\n", "TW-1:\n  title: []\n", "TW-1: 'title' should be a text."),
        (
            "\n    revealed: ",
            "\n    revealed: 3 # ",
            "TW-3.5: 'sentences' should be texts by name, but 'revealed' is no text.",
        ),
        ("coûte {price: ", "coûte {prize: ", "TW-2.3: the sentence 'cannot-pay' uses {prize}; its ruling has price, "),
        (
            "cannot-pay: ",
            "could-not-pay: ",
            "TW-2.3: the sentence 'could-not-pay' uses {price}; no ruling has this code.",
        ),
        ("`tied-unpaid`", "`tied`", "TW-5.2: its text does not name the published value 'tied-unpaid' of the option "),
        ("  buying: achats\n", "  buying: []\n", "'phases' should map words to texts, but 'buying' has none."),
    ],
)
def test_a_mistake_in_the_file_of_a_language_is_reported(
    replace_words: Any, text: str, others: str, message: str
) -> None:
    replace_words("fr.yaml", text, others)
    with pytest.raises(seeds.FaultySeeds) as raised:
        words(TWINS, "fr")
    assert str(raised.value).startswith(f"twins/fr.yaml: {message}")


@pytest.mark.parametrize(
    "say",
    [
        happens("TW-1.1", "drew", seat=int, card=int).happened,
        forbids("TW-1.1", "drew", seat=int, card=int).violated,
        refutes("TW-1.1", "drew", seat=int, card=int).found,
        partial(undetermined("TW-1.1", "drew", seat=int, card=int).undetermined, "/hands"),
    ],
)
def test_a_ruling_that_is_given_a_misspelt_parameter_raises_an_error_that_names_it(say: Any) -> None:
    with pytest.raises(TypeError) as raised:
        say(seat=1, crad=2)
    assert str(raised.value) == "drew (TW-1.1): wrong parameters card, crad: declared seat, card, given seat, crad"


REVEALED = '    revealed: "Toutes les cartes jouées sont retournées."\n'
PRICE = "    cannot-pay: \"Cet achat coûte {price: # jeton|# jetons}, et l'acheteur {chips: =0 n'en a pas|en a #}.\"\n"
MISSING = {
    "title: Twins\n": "title is missing in 'fr'.",
    "TW-2:\n  title: Achat de cartes\n": "TW-2 / title is missing in 'fr'.",
    PRICE: "TW-2.3 / sentences / cannot-pay is missing in 'fr': it may use {price}, {chips}.",
    REVEALED: "TW-3.5 / sentences / revealed is missing in 'fr': it may use {plays}.",
    "  french: les règles françaises mises en ligne par Escale à jeux\n": "texts / french is missing in 'fr'.",
    "  trick: pli\n": "phases / trick is missing in 'fr'.",
    "      first-hand: ": "options / buying / values / first-hand is missing in 'fr' (TW-2.1).",
}


@pytest.mark.parametrize("text", MISSING)
def test_a_text_that_a_language_lacks_is_reported(replace_words: Any, text: str) -> None:
    replace_words("fr.yaml", text, "" if text.endswith("\n") else "      other: ")
    with pytest.raises(pytest.fail.Exception) as raised:
        traceability.test_every_text_that_a_game_needs_is_in_the_file_of_each_language(TWINS, "fr")
    assert str(raised.value).splitlines()[0] == f"twins/fr.yaml: {MISSING[text]}"


def test_all_that_a_language_lacks_is_reported_together(replace_words: Any, tmp_path: Path) -> None:
    file = tmp_path / "twins/fr.yaml"
    french = yaml.safe_load(file.read_text(encoding="utf-8"))
    del french["TW-1.1"], french["TW-1"]["notes"][0], french["TW-5.1"]["examples"]
    french["cards"][0]["value"].remove(10)
    file.write_text(yaml.safe_dump(french), encoding="utf-8")
    with pytest.raises(pytest.fail.Exception) as raised:
        traceability.test_every_text_that_a_game_needs_is_in_the_file_of_each_language(TWINS, "fr")
    lines = [line.strip().removeprefix("twins/fr.yaml: ") for line in str(raised.value).splitlines()]
    assert lines == [
        "TW-1.1 / text is missing in 'fr'.",
        "TW-1.1 / sentences / seats-disagree is missing in 'fr': it may use {seats}, {found}.",
        "TW-1.1 / sentences / no-such-seat is missing in 'fr': it may use {seat}, {seats}.",
        "TW-5.1 / examples / twins-first-trick-of-four is missing in 'fr'.",
        *(
            f"cards / {colour}-10 is missing in 'fr'."
            for colour in ("brown", "green", "pink", "blue", "yellow", "purple")
        ),
        "TW-1 / notes are 1 in 'fr', 2 in 'en'.",
    ]


def test_a_sentence_under_another_clause_than_its_own_is_reported(replace_words: Any) -> None:
    replace_words("fr.yaml", REVEALED, "")
    replace_words("fr.yaml", PRICE, PRICE + REVEALED)
    with pytest.raises(pytest.fail.Exception) as raised:
        traceability.test_every_text_that_a_game_needs_is_in_the_file_of_each_language(TWINS, "fr")
    message = "twins/fr.yaml: TW-3.5 / sentences / revealed is missing in 'fr', but stands under TW-2.3."
    assert str(raised.value).splitlines()[0] == message


def test_a_text_that_belongs_to_nothing_is_reported(replace_words: Any) -> None:
    replace_words("fr.yaml", "  trick: pli\n", "  trick: pli\n  treck: pli\n")
    with pytest.raises(pytest.fail.Exception) as raised:
        traceability.test_every_text_in_the_file_of_a_language_is_needed(TWINS, "fr")
    message = "twins/fr.yaml: phases / treck belongs to nothing that the rulebook or the engine has: take it out."
    assert str(raised.value).splitlines()[0] == message


def test_english_is_used_where_a_language_lacks_texts_and_one_warning_is_logged(
    replace_words: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    replace_words("fr.yaml", PRICE, "")
    replace_words("fr.yaml", "  trick: pli\n", "")
    (tmp_path / "twins/it.yaml").unlink()
    english = words(TWINS, "en")
    assert words(TWINS, "it") is english
    for _ in range(2):
        french = words(TWINS, "fr")
        assert french.sentences["cannot-pay"] is english.sentences["cannot-pay"]
        assert (french.phases["trick"], french.phases["buying"]) == ("trick", "achats")
    assert caplog.messages == [
        f"twins/fr.yaml lacks texts, for which English stands in: 2; {MISSING[PRICE]}",
    ]


def test_a_missing_english_text_is_an_error_because_nothing_could_stand_in_for_it(replace_words: Any) -> None:
    replace_words("en.yaml", "  trick: trick\n", "")
    replace_words("en.yaml", '    revealed: "All plays are turned up."\n', "")
    with pytest.raises(seeds.FaultySeeds) as raised:
        words(TWINS, "en")
    assert str(raised.value).splitlines() == [
        "twins/en.yaml: TW-3.5 / sentences / revealed is missing in 'en': it may use {plays}.",
        "twins/en.yaml: phases / trick is missing in 'en'.",
    ]


def test_a_clause_that_no_vector_names_is_reported(replace_words: Any, tmp_path: Path) -> None:
    for file in tmp_path.glob("twins/vectors/*.json"):
        file.write_text(file.read_text("utf-8").replace('"TW-1.3"', '"TW-3.1"'), encoding="utf-8")
    with pytest.raises(
        pytest.fail.Exception, match=r"^no vector of twins shows TW-1.3: add a case that names the clause"
    ):
        traceability.test_every_clause_has_a_vector(TWINS)


def test_a_ruling_that_no_vector_has_is_reported(replace_words: Any, tmp_path: Path) -> None:
    for file in tmp_path.glob("twins/vectors/*.json"):
        file.write_text(file.read_text("utf-8").replace('"code": "cannot-pay"', '"code": "?"'), encoding="utf-8")
    with pytest.raises(
        pytest.fail.Exception, match=r"^no vector of twins shows cannot-pay \(TW-2.3\): add a case whose "
    ):
        traceability.test_every_ruling_occurs_in_a_vector(TWINS)


def test_a_file_of_vectors_that_is_not_json_is_reported(replace_words: Any) -> None:
    replace_words("vectors/buying.json", '"TW-2.2"],\n', '"TW-2.2"]\n')
    message = r"^twins/vectors/buying.json:5: not JSON: Expecting ',' delimiter, "
    with pytest.raises(seeds.FaultySeeds, match=message):
        list(vectors_in(seeds.folder(TWINS)))


# --- what a check says first ---------------------------------------------------------------------------------------


def first_line(check: Callable[..., Any], *arguments: Any) -> str:
    """Return the first line of a failing check, which is all that pytest shows of it before other lines."""
    with pytest.raises((pytest.fail.Exception, seeds.FaultySeeds)) as raised:
        check(*arguments)
    assert getattr(raised.value, "pytrace", False) is False
    return str(raised.value).splitlines()[0]


VECTORS = "vectors/buying.json"
FIRST_VECTOR = f"twins/{VECTORS}: twins-buy-none"


def test_a_vector_whose_state_is_refused_is_named_with_its_file(replace_words: Any) -> None:
    replace_words(VECTORS, '"chips": [12, 12, 12, 12], ', "")
    line = first_line(lambda: list(test_secrecy.turns_of_vectors(TWINS)))
    assert line.startswith(f'{FIRST_VECTOR}: expects 200, but its request is refused: The field "chips" is missing')


def test_where_nothing_is_recorded_the_missing_file_and_the_command_are_named(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(recording, "FOLDER", tmp_path)
    check = test_vectors.test_every_answer_has_what_its_vector_shows_what_follows_and_what_is_recorded_and_no_more
    assert first_line(check, client, seeds.folder(TWINS)) == (
        f"{tmp_path}/twins.jsonl is missing: nothing is recorded yet. "
        ".venv/bin/python -m tests.conformance.complete --record writes it."
    )


def test_each_value_of_an_option_that_no_vector_notices_has_a_line(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test_presets, "disagreements", lambda vector, status, body: [])
    check = test_presets.test_a_preset_with_another_value_is_noticed_by_its_vectors
    line = first_line(check, replace(TWINS, rulesets=dict([next(iter(TWINS.rulesets.items()))])), client, monkeypatch)
    assert re.fullmatch(r"twins: no vector notices \w+ .+ for .+ under 'standard' \(\d+ vectors\)", line)


def test_a_ruling_moved_to_another_clause_is_named_with_the_vector_that_has_the_old_one() -> None:
    moved = tuple(
        happens("TW-2.1", each.code, **each.params) if each.code == "bought" else each for each in TWINS.rulings
    )
    assert first_line(traceability.test_every_ruling_occurs_in_a_vector, replace(TWINS, rulings=moved)) == (
        f"seeds/{FIRST_VECTOR}: has bought of TW-2.2, but rulings.py declares it of TW-2.1: one of them is wrong"
    )


def test_a_zone_that_is_forgotten_is_named_where_a_card_of_it_moves() -> None:
    names = [name for name in TWINS.zones.names if name != "stock"]
    forgetful = replace(TWINS, zones=Zones(TWINS.state, *names, deck=TWINS.zones.deck))
    assert re.match(
        r"twins: \w+: the card '[a-z]+-\d+' lies in 'stock', which is no zone: name it in `Zones` ",
        str(broken_law(forgetful, 0)),
    )


def test_a_fact_without_a_type_is_named() -> None:
    assert "the fact 'price' has no type: give it one in `fact_types`" in str(
        broken_law(replace(TWINS, fact_types={}), 0)
    )


def test_a_ruling_of_an_option_that_is_none_is_named() -> None:
    rulings = (*TWINS.rulings, happens("TW-2.1", "bid", "priority"))
    message = "twins: the ruling 'bid' (TW-2.1) names the option 'priority': Ruleset has none of this name with a `why`"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        replace(TWINS, rulings=rulings)


def test_a_ruling_of_decides_without_its_option_is_named() -> None:
    rulings = (*TWINS.rulings, decides("TW-2.1", "goes-on"))
    message = "twins: the ruling 'goes-on' (TW-2.1) is made by `decides`: name its option with `.decided_by(…)`"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        replace(TWINS, rulings=rulings)


def test_a_contested_option_that_no_ruling_names_is_named() -> None:
    silent = tuple(each for each in TWINS.rulings if each.option != "buying")
    check = traceability.test_every_contested_option_has_readings_and_is_carried_by_a_ruling
    assert first_line(check, replace(TWINS, rulings=silent)) == (
        "twins: the option 'buying' is contested, but no ruling names it: say it in what it decides."
    )


@pytest.mark.parametrize(
    ("words", "others", "check", "line"),
    [
        (
            "options: [buying]", "options: [priority]",
            traceability.test_every_option_is_named_by_the_clause_that_it_settles,
            "twins/rulebook.yaml: TW-2.1 lists the option 'priority', which is no field of Ruleset.",
        ),
        (
            "examples: [twins-first-trick-of-four]", "examples: [twins-second-trick]",
            traceability.test_every_printed_example_is_a_vector_of_its_clause,
            "twins/rulebook.yaml: the example 'twins-second-trick' of TW-5.1 is no vector that names this clause.",
        ),
    ],
    ids=["option", "example"],
)  # fmt: skip
def test_a_name_in_the_rulebook_that_is_none_is_named(
    replace_words: Any, words: str, others: str, check: Callable[..., Any], line: str
) -> None:
    replace_words("rulebook.yaml", words, others)
    assert first_line(check, TWINS) == line


def test_a_gap_in_the_count_of_clauses_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    gap = {id: clause for id, clause in seeds.rulebook(TWINS).clauses.items() if id != "TW-2.2"}
    monkeypatch.setattr(traceability, "clauses", lambda engine: gap)
    assert first_line(traceability.test_the_rulebook_counts_its_clauses_without_gap, TWINS) == (
        "seeds/twins/rulebook.yaml: TW-2.2 is due where TW-2.3 stands: count without a gap."
    )


def test_rulings_of_one_code_and_two_shapes_are_named() -> None:
    other = replace(TWINS, rulings=(*TWINS.rulings, happens("TW-2.2", "bought", cards=int)))
    line = first_line(traceability.test_rulings_of_one_code_are_of_one_kind_and_shape, other)
    assert line.startswith("twins: the rulings of 'bought' are of several kinds or shapes: [('event', ('cards',)), (")


def test_a_sentence_that_is_wrong_with_some_number_is_named_with_file_and_clause(replace_words: Any) -> None:
    replace_words("en.yaml", "This purchase costs {price: # chip|# chips},", "This purchase costs {price} chips,")
    check = (
        test_words.test_every_ruling_is_a_right_sentence_with_any_parameters_and_says_no_seat_where_players_have_names
    )
    line = first_line(check, TWINS, "en")
    assert line.startswith(
        "twins/en.yaml: TW-2.3 / sentences / cannot-pay is a plural after 1: '1 chips': This purchase "
    )


def test_a_vector_of_a_clause_that_is_none_is_named(replace_words: Any) -> None:
    replace_words(VECTORS, '"TW-2.2"', '"TW-2.7"')
    check = traceability.test_vectors_name_only_clauses_of_the_rulebook
    assert first_line(check, TWINS) == f"{FIRST_VECTOR}: names TW-2.7, which is no clause of rulebook.yaml."


# --- what a model leaves without bounds ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Pile:
    """A dataclass inside another."""

    cards: tuple[Annotated[int, Whole(1, 9)], ...]


NO_LENGTH = "a list without bounds: say Length(least, most)"
NO_WHOLE = "an integer without bounds: say Whole(least, most) or OneOf(name, values)"
NO_TEXT = "a string without bounds: say Text(least, most) or OneOf(name, values)"


@pytest.mark.parametrize(
    ("hint", "message"),
    [
        (int, f"Table.field: {NO_WHOLE}."),
        (str | None, f"Table.field: {NO_TEXT}."),
        (Annotated[tuple[int, ...], Length(0, 3)], f"Table.field: {NO_WHOLE}."),
        (tuple[Annotated[str, Text(1, 9)], ...], f"Table.field: {NO_LENGTH}."),
        (tuple[Pile, Pile], f"Pile.cards: {NO_LENGTH}."),
        (list[int], "Table.field: engines.core.shape has no word for list[int]."),
    ],
)
def test_a_field_without_bounds_is_reported_by_class_and_field(hint: Any, message: str) -> None:
    (line,) = unbounded([make_dataclass("Table", [("field", hint)])])
    assert line.endswith(f".{message}")


def test_a_field_with_bounds_is_not_reported() -> None:
    bounded = [bool, Literal["a"], Annotated[int, OneOf("N", (1, 2))] | None, Annotated[tuple[bool, ...], Length(0, 3)]]
    assert unbounded(make_dataclass("Table", [("field", hint)]) for hint in bounded) == []


def test_a_game_with_an_unbounded_field_is_not_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "unbounded", lambda records: ["engines.x.State.won: a list without bounds."])
    with pytest.raises(ValueError, match=r"^engines.x.State.won: a list without bounds.$"):
        engines.registry.__wrapped__()
