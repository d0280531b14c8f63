"""Each clause of a rulebook has its rulings, sentences and vectors, and each of these belongs to a clause."""

import inspect
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import engines
from engines.core.engine import Engine, clause_order
from engines.core.rulings import Decides
from service import seeds
from service.judging.missing import Place, missing, required
from service.judging.sentences import words
from service.seeds import Vector, vectors_in
from service.words.languages import LANGUAGES
from tests.conformance.sentences import rulings_in

GAMES = list(engines.registry().values())
GAMES_IN_LANGUAGES = [(engine, language) for engine in GAMES for language in sorted(seeds.languages(engine))]
CLAUSE = re.compile(r"[A-Z]{2}-\d+\.\d+")


def clauses(engine: Engine[Any]) -> Mapping[str, seeds.Clause]:
    """A game's clauses by their id."""
    return seeds.rulebook(engine).clauses


def places(written: Mapping[str, Any]) -> Iterator[Place]:
    """Yield the places of all texts in the file of a language.

    Lists are passed over: notes, and the groups of cards and designs.
    """
    for name, value in written.items():
        if isinstance(value, dict):
            yield from ((name, *rest) for rest in places(value))
        elif not isinstance(value, list):
            yield (name,)


def assert_none(mistakes: list[str]) -> None:
    """Fail with all the mistakes, if there are any, and with nothing else: the first line is the first of them."""
    if mistakes:
        pytest.fail("\n".join(mistakes), pytrace=False)


def rulebook_of(engine: Engine[Any]) -> str:
    """Return the path of a game's rulebook, for a message."""
    return seeds.shown(seeds.folder(engine) / "rulebook.yaml")


def shown_place(engine: Engine[Any], vector: Vector) -> str:
    """Return the file and the id of a vector, for a message."""
    return f"{seeds.shown(seeds.folder(engine).parent / vector.file)}: {vector.id}"


def id_of(value: Any) -> Any:
    """Return what stands for a parameter in the name of a test: a game's name for its engine."""
    return value.game if isinstance(value, Engine) else value


def test_the_rulebook_counts_its_clauses_without_gap(engine: Engine[Any]) -> None:
    ids = [clause_order(id) for id in clauses(engine)]
    lasts = {id[0]: id[1] for id in ids}
    due = [(section, number) for section in sorted(lasts) for number in range(1, lasts[section] + 1)]
    prefix = next(iter(clauses(engine))).partition("-")[0]
    assert_none(
        [
            f"{rulebook_of(engine)}: {prefix}-{section}.{number} is due where {id} stands: count without a gap."
            for id, one, (section, number) in zip(clauses(engine), ids, due, strict=False)
            if one != (section, number)
        ]
    )


@pytest.mark.parametrize(("engine", "language"), GAMES_IN_LANGUAGES, ids=id_of)
def test_every_text_that_a_game_needs_is_in_the_file_of_each_language(engine: Engine[Any], language: str) -> None:
    file = seeds.shown(seeds.words_file(engine, language))
    assert_none([f"{file}: {each}" for each in missing(engine, language)])


@pytest.mark.parametrize(("engine", "language"), GAMES_IN_LANGUAGES, ids=id_of)
def test_every_text_in_the_file_of_a_language_is_needed(engine: Engine[Any], language: str) -> None:
    file, needed = seeds.shown(seeds.words_file(engine, language)), set(required(engine))
    cards = [("cards", card) for card in words(engine, language).cards]
    assert_none(
        [
            f"{file}: {' / '.join(place)} belongs to nothing that the rulebook or the engine has: take it out."
            for place in (*places(seeds.read_words(engine, language)), *cards)
            if place not in needed
        ]
    )


@pytest.mark.parametrize(("engine", "language"), GAMES_IN_LANGUAGES, ids=id_of)
def test_the_service_speaks_every_language_of_a_game(engine: Engine[Any], language: str) -> None:
    file = seeds.shown(seeds.words_file(engine, language))
    assert_none([] if language in LANGUAGES else [f"{file}: the service itself has no words in {language!r}."])


def test_every_option_is_named_by_the_clause_that_it_settles(engine: Engine[Any]) -> None:
    named_in_book = {(option, id) for id, clause in clauses(engine).items() for option in clause.options}
    declared = {(name, option.rule) for name, option in engine.options.items()}
    book, ruleset = rulebook_of(engine), type(next(iter(engine.rulesets.values()))).__name__
    assert_none(
        [
            f"{book}: {clause} lists the option {name!r}, which is no field of {ruleset}."
            for name, clause in sorted(named_in_book)
            if name not in engine.options
        ]
        + [
            f"{book}: {clause} does not list the option {name!r}, which cites it."
            for name, clause in sorted(declared - named_in_book)
        ]
    )


def test_every_contested_option_has_readings_and_is_carried_by_a_ruling(engine: Engine[Any]) -> None:
    carried = {ruling.option for ruling in engine.rulings}
    assert_none(
        [
            f"{engine.game}: the option {name!r} is contested, but no ruling names it: say it in what it decides."
            for name, option in engine.options.items()
            if option.why and name not in carried
        ]
        + [
            f"{engine.game}: the option {name!r} needs both a `why` and two `published` values, or neither."
            for name, option in engine.options.items()
            if bool(option.why) != (len(option.published) > 1)
        ]
    )


def test_no_option_is_called_contested_that_no_two_texts_contest(engine: Engine[Any]) -> None:
    """One value in print, and others that no text prints: a house rule. `no-text` is for what no text prints at all."""
    assert_none(
        [
            f"{engine.game}: no text speaks of the option {name!r}, yet one prints {option.published}."
            for name, option in engine.options.items()
            if option.why == "no-text" and option.published
        ]
    )


def test_every_clause_with_source_p_and_every_published_value_names_the_texts_that_print_it(
    engine: Engine[Any],
) -> None:
    """Source P says that a clause is printed in a published text of the rules."""
    texts, book = seeds.rulebook(engine).texts, rulebook_of(engine)
    if not texts:
        pytest.skip("its rulebook names no texts yet")
    mistakes = []
    printed: dict[str, set[Any]] = {}
    for id, clause in clauses(engine).items():
        if ("P" in clause.source.split("/")) != ("P" in clause.printed):
            mistakes.append(f"{book}: {id} needs both a P in 'source' and the texts of P in 'printed', or neither.")
        for name, each in clause.printed.items():
            values = {"P": each} if name == "P" else each
            printed.setdefault(name, set()).update(values)
            unknown = {text for names in values.values() for text in names} - set(texts)
            mistakes += [
                f"{book}: {id} is printed in {text!r}, which 'texts' does not have." for text in sorted(unknown)
            ]
    published = {name: set(option.published) for name, option in engine.options.items() if option.published}
    for name in (published.keys() | printed.keys()) - {"P"}:
        in_book, in_engine = sorted(printed.get(name, ())), sorted(published.get(name, ()))
        if in_book != in_engine:
            mistakes.append(f"{book}: the values of {name!r} in 'printed' are {in_book}, in the Ruleset {in_engine}.")
    assert_none(mistakes)


def test_every_printed_example_is_a_vector_of_its_clause(engine: Engine[Any]) -> None:
    shown = {vector.id: vector.clauses for vector in vectors_in(seeds.folder(engine))}
    assert_none(
        [
            f"{rulebook_of(engine)}: the example {example!r} of {id} is no vector that names this clause."
            for id, clause in clauses(engine).items()
            for example in clause.examples
            if id not in shown.get(example, ())
        ]
    )


def test_rulings_of_one_code_are_of_one_kind_and_shape(engine: Engine[Any]) -> None:
    shapes = defaultdict(set)
    for ruling in engine.rulings:
        shapes[ruling.code].add((ruling.kind, tuple(ruling.params)))
    assert_none(
        [
            f"{engine.game}: the rulings of {code!r} are of several kinds or shapes: {sorted(shape)}"
            for code, shape in shapes.items()
            if len(shape) > 1
        ]
    )


def test_every_clause_has_a_vector(engine: Engine[Any]) -> None:
    shown = {clause for vector in vectors_in(seeds.folder(engine)) for clause in vector.clauses}
    unseen = [id for id in clauses(engine) if id not in shown]
    if unseen:
        assert_none([f"no vector of {engine.game} shows {', '.join(unseen)}: add a case that names the clause"])


def test_every_check_of_a_game_is_in_a_row_of_its_moves_and_every_audit_in_its_list(engine: Engine[Any]) -> None:
    package = engine.state.__module__.rpartition(".")[0]
    called = {
        ("checks", ("state", "move")): [check for row in engine.moves for tier in row.tiers for check in tier],
        ("audit", ("state",)): engine.audits,
    }
    assert_none(
        [
            f"{package}.{name}: {function.__name__} is not used: it is in no row of a move and in no list of audits; "
            "a helper belongs in table.py."
            for (name, takes), functions in called.items()
            for function in _public_functions(import_module(f"{package}.{name}"))
            if tuple(inspect.signature(function).parameters) == takes and function not in functions
        ]
    )


def _public_functions(module: ModuleType) -> list[Callable[..., Any]]:
    """Return the functions that a module defines itself under a name without underscore."""
    members = inspect.getmembers(module, inspect.isfunction)
    return [each for name, each in members if each.__module__ == module.__name__ and not name.startswith("_")]


def test_vectors_name_only_clauses_of_the_rulebook(engine: Engine[Any]) -> None:
    assert_none(
        [
            f"{shown_place(engine, vector)}: names {clause}, which is no clause of rulebook.yaml."
            for vector in vectors_in(seeds.folder(engine))
            for clause in vector.clauses
            if clause not in clauses(engine)
        ]
    )


def test_every_ruling_occurs_in_a_vector(engine: Engine[Any]) -> None:
    first = {
        pair: vector for vector in reversed([*vectors_in(seeds.folder(engine))]) for pair in rulings_in(vector.worked)
    }
    declared = {(ruling.rule, ruling.code) for ruling in engine.rulings if not isinstance(ruling, Decides)}
    strange = {code: (rule, vector) for (rule, code), vector in first.items() if (rule, code) not in declared}
    lacking = [(rule, code) for rule, code in declared if (rule, code) not in first]
    assert_none(
        [
            f"{shown_place(engine, strange[code][1])}: has {code} of {strange[code][0]}, but rulings.py declares it of "
            f"{rule}: one of them is wrong"
            for rule, code in sorted(lacking)
            if code in strange
        ]
    )
    unheard = [f"{code} ({rule})" for rule, code in sorted(lacking)]
    if unheard:
        assert_none([f"no vector of {engine.game} shows {', '.join(unheard)}: add a case whose answer has it"])


def test_every_clause_that_a_function_cites_exists(engine: Engine[Any]) -> None:
    known = clauses(engine)
    prefix = next(iter(known)).partition("-")[0]
    package = Path(inspect.getfile(engine.state)).parent
    cited = {id for file in package.glob("*.py") for id in CLAUSE.findall(file.read_text(encoding="utf-8"))}
    assert_none(
        [
            f"a function of {engine.game} cites {id}, which is no clause."
            for id in cited - set(known)
            if id.startswith(prefix)
        ]
    )
