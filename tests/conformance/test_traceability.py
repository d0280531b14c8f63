"""A clause travels: rulebook, ruling, sentence, vector. Walked from what must exist, both ways."""

import inspect
import re
from collections import defaultdict
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

import engines
from engines.core.engine import Engine, clause_order
from engines.core.rulings import Decides
from engines.core.shape import OneOf, inside
from service import seeds
from service.judging.sentences import NAMES, words
from service.seeds import vectors_in
from tests.conformance.sentences import rulings_in

GAMES = list(engines.registry().values())
SPOKEN = [(engine, language) for engine in GAMES for language in seeds.LANGUAGES]
CLAUSE = re.compile(r"[A-Z]{2}-\d+\.\d+")


def clauses(engine: Engine[Any]) -> list[dict[str, Any]]:
    return [clause for section in seeds.rulebook(engine)["sections"] for clause in section["clauses"]]


def messages(engine: Engine[Any], language: str) -> dict[str, str]:
    written = seeds.read_table(seeds.messages_file(engine, language))
    return {code: sentence for code, sentence in written.items() if code not in NAMES}


def no(mistakes: list[str]) -> None:
    """Fails with all the sentences."""
    assert not mistakes, "\n".join(mistakes)


def named(value: Any) -> Any:
    return value.game if isinstance(value, Engine) else value


def test_the_rulebook_counts_its_clauses_without_gap(engine: Engine[Any]) -> None:
    ids = [clause_order(clause["id"]) for clause in clauses(engine)]
    lasts = {id[0]: id[1] for id in ids}
    assert ids == [(section, number) for section in sorted(lasts) for number in range(1, lasts[section] + 1)]


@pytest.mark.parametrize(("engine", "language"), SPOKEN, ids=named)
def test_every_clause_has_a_text_in_every_language(engine: Engine[Any], language: str) -> None:
    file = seeds.shown(seeds.folder(engine) / "rulebook.yaml")
    wordless = [clause["id"] for clause in clauses(engine) if not clause["text"].get(language, "").strip()]
    no([f"{file}: {clause} has no text in {language!r}." for clause in wordless])


def test_every_option_is_named_by_the_clause_that_it_settles(engine: Engine[Any]) -> None:
    named_in_book = {(option, clause["id"]) for clause in clauses(engine) for option in clause["options"]}
    declared = {(name, option.rule) for name, option in engine.options.items()}
    no([f"{clause} does not list the option {name!r}, which cites it." for name, clause in declared - named_in_book])
    no([f"{clause} lists an unknown option {name!r}." for name, clause in named_in_book if name not in engine.options])


def test_every_contested_option_has_readings_and_is_carried_by_a_ruling(engine: Engine[Any]) -> None:
    contested = {name for name, option in engine.options.items() if option.why}
    assert {ruling.option for ruling in engine.rulings if ruling.option} == contested
    assert {name for name, option in engine.options.items() if len(option.published + option.houses) > 1} == contested


def test_every_published_value_and_every_p_names_its_text(engine: Engine[Any]) -> None:
    texts = seeds.rulebook(engine).get("texts", {})
    if not texts:
        pytest.skip("its rulebook names no texts yet")
    printed: dict[str, set[Any]] = {}
    for clause in clauses(engine):
        assert ("P" in clause["source"].split("/")) == ("P" in clause.get("printed", {})), clause["id"]
        for name, each in clause.get("printed", {}).items():
            values = {"P": each} if name == "P" else each
            printed.setdefault(name, set()).update(values)
            unknown = {text for names in values.values() for text in names} - set(texts)
            assert not unknown, f"{clause['id']} is printed in {unknown}, which the rulebook's texts do not have"
    assert all(set(text) == set(seeds.LANGUAGES) for text in texts.values())
    published = {name: set(option.published) for name, option in engine.options.items() if option.published}
    assert {name: values for name, values in printed.items() if name != "P"} == published


def test_every_printed_example_is_a_vector_of_its_clause(engine: Engine[Any]) -> None:
    shown = {vector.id: vector.clauses for vector in vectors_in(seeds.folder(engine))}
    for clause in clauses(engine):
        for example in clause.get("examples", ()):
            assert clause["id"] in shown[example["vector"]], example
            assert set(example["text"]) == set(seeds.LANGUAGES), example


def test_every_note_has_a_text_in_every_language(engine: Engine[Any]) -> None:
    for section in seeds.rulebook(engine)["sections"]:
        assert all(set(note) == set(seeds.LANGUAGES) for note in section.get("notes", ()))


@pytest.mark.parametrize(("engine", "language"), SPOKEN, ids=named)
def test_every_code_has_one_sentence_and_every_sentence_a_code(engine: Engine[Any], language: str) -> None:
    file = seeds.shown(seeds.messages_file(engine, language))
    codes = {ruling.code for ruling in engine.rulings if not isinstance(ruling, Decides)}
    written = set(messages(engine, language))
    no(
        [f"{file}: the code {code!r} has no sentence." for code in sorted(codes - written)]
        + [f"{file}: the sentence {code!r} is of no ruling." for code in sorted(written - codes)]
    )


@pytest.mark.parametrize(("engine", "language"), SPOKEN, ids=named)
def test_sentences_use_only_the_particulars_of_their_ruling(engine: Engine[Any], language: str) -> None:
    assert set(words(engine, language).sentences) == set(messages(engine, language))


@pytest.mark.parametrize(("engine", "language"), SPOKEN, ids=named)
def test_everything_that_has_a_name_on_the_wire_has_one_in_every_language(engine: Engine[Any], language: str) -> None:
    said = words(engine, language)
    wire = {
        "cards": {card for card in engine.zones.deck if isinstance(card, str)},
        "phases": set(get_args(get_type_hints(engine.state)["phase"])),
        "rulesets": set(engine.rulesets),
        "moves": set(engine.kinds),
        "facts": set(engine.fact_types),
        "zones": set(engine.zones.names),
        "options": set(engine.options),
    }
    wire["terms"] = {
        word
        for hints in (*(ruling.params for ruling in engine.rulings), engine.fact_types)
        for hint in hints.values()
        for word in _words(hint)
    } - (wire["phases"] | wire["rulesets"])
    file = seeds.shown(seeds.messages_file(engine, language))
    no(
        [f"{file}: {section} has no {name!r}." for section in wire for name in wire[section] - set(vars(said)[section])]
        + [
            f"{file}: nothing is called {name!r} ({section})."
            for section in wire
            for name in set(vars(said)[section]) - wire[section]
        ]
    )


@pytest.mark.parametrize(("engine", "language"), SPOKEN, ids=named)
def test_every_value_of_an_option_has_a_name_in_every_language(engine: Engine[Any], language: str) -> None:
    said = words(engine, language)
    hints = get_type_hints(type(next(iter(engine.rulesets.values()))), include_extras=True)
    for name in engine.options:
        assert set(said.options[name].values) == _words(hints[name]), name


def _words(hint: Any) -> set[str]:
    """The strings of a closed list, at any depth of an annotation, but for cards."""
    closed = [each.values for each in inside(hint) if isinstance(each, OneOf) and not each.name.endswith("Card")]
    closed += [get_args(each) for each in inside(hint) if get_origin(each) is Literal]
    return {value for values in closed for value in values if isinstance(value, str)}


def test_rulings_of_one_code_are_of_one_kind_and_shape(engine: Engine[Any]) -> None:
    shapes = defaultdict(set)
    for ruling in engine.rulings:
        shapes[ruling.code].add((ruling.kind, tuple(ruling.params)))
    assert {code: shape for code, shape in shapes.items() if len(shape) > 1} == {}


def test_every_clause_has_a_vector(engine: Engine[Any]) -> None:
    shown = {clause for vector in vectors_in(seeds.folder(engine)) for clause in vector.clauses}
    missing = [clause["id"] for clause in clauses(engine) if clause["id"] not in shown]
    assert not missing, f"no vector of {engine.game} shows {', '.join(missing)}: add a case that names the clause"


def test_every_check_is_in_a_row_and_every_audit_is_run(engine: Engine[Any]) -> None:
    package = engine.state.__module__.rpartition(".")[0]
    asked = {
        ("checks", ("state", "move")): [check for row in engine.moves for tier in row.tiers for check in tier],
        ("audit", ("state",)): engine.audits,
    }
    no(
        [
            f"{package}.{name}: nobody asks {function.__name__}: it is in no row of a move and in no list of audits."
            for (name, takes), functions in asked.items()
            for function in _public_functions(import_module(f"{package}.{name}"))
            if tuple(inspect.signature(function).parameters) == takes and function not in functions
        ]
    )


def _public_functions(module: ModuleType) -> list[Callable[..., Any]]:
    members = inspect.getmembers(module, inspect.isfunction)
    return [each for name, each in members if each.__module__ == module.__name__ and not name.startswith("_")]


def test_vectors_name_only_clauses_of_the_rulebook(engine: Engine[Any]) -> None:
    known = {clause["id"] for clause in clauses(engine)}
    assert {clause for vector in vectors_in(seeds.folder(engine)) for clause in vector.clauses} - known == set()


def test_every_ruling_occurs_in_a_vector(engine: Engine[Any]) -> None:
    heard = {pair for vector in vectors_in(seeds.folder(engine)) for pair in rulings_in(vector.worked)}
    missing = [
        f"{ruling.code} ({ruling.rule})"
        for ruling in engine.rulings
        if not isinstance(ruling, Decides) and (ruling.rule, ruling.code) not in heard
    ]
    assert not missing, f"no vector of {engine.game} shows {', '.join(missing)}: add a case whose answer has it"


def test_every_clause_that_a_function_cites_exists(engine: Engine[Any]) -> None:
    known = {clause["id"] for clause in clauses(engine)}
    prefix = next(iter(known)).partition("-")[0]
    package = Path(inspect.getfile(engine.state)).parent
    cited = {id for file in package.glob("*.py") for id in CLAUSE.findall(file.read_text(encoding="utf-8"))}
    no(
        [
            f"a function of {engine.game} cites {id}, which is no clause."
            for id in cited - known
            if id.startswith(prefix)
        ]
    )
