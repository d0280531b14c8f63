"""What a language lacks, and what its sentences say: for translators.

    python -m tests.conformance.language nl             lists what is missing, file by file
    python -m tests.conformance.language nl --render    shows every sentence with 0, 1, 2 and 5, and with each word

A sentence is shown as often as the values of its parameters differ, first without and then with players' names.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, get_type_hints

import engines
from engines.core.engine import Engine
from engines.core.rulings import Decides
from service import seeds
from service.judging.missing import missing as missing_of_game
from service.judging.sentences import words
from service.words.languages import LANGUAGES
from service.words.pages import FOLDERS, written
from service.words.phrases import grammar, messages
from service.words.unwritten import missing
from service.words.wording import Players, Sentence
from tests.conformance.samples import NUMBERS, values_of

NAMED_PLAYERS = Players(("Anna", "Uli", "Jonas", "Eva", "Max", "Ida"))


def missing_texts(language: str) -> Iterator[str]:
    """Yield a line for each text that is missing, and for each file that is not there yet."""
    yield from missing(language)
    for engine in engines.registry().values():
        file = seeds.shown(seeds.words_file(engine, language))
        if language in seeds.languages(engine):
            yield from (f"{file}: {each}" for each in missing_of_game(engine, language))
        else:
            yield f"{file} is not there: {engine.game} is answered in English."


def rendered_sentences(language: str) -> Iterator[str]:
    """Yield every sentence that the language has, as players read it."""
    for engine in engines.registry().values():
        if language in seeds.languages(engine):
            yield from ("", f"# {engine.game}")
            yield from _sentences_of_game(engine, language)
    yield from ("", "# The service")
    for code, template in messages(language)["phrases"].items():
        sentence = Sentence(template, grammar(language), None, whole=False)
        yield from _filled(code, sentence, {name: list(NUMBERS) for name in sentence.names})
    for folder in FOLDERS.values():
        yield from ("", f"# {seeds.shown(folder)}")
        yield from (f"{name}: {text}" for name, text in written(folder, language).items())


def _sentences_of_game(engine: Engine[Any], language: str) -> Iterator[str]:
    """Yield the sentences of a game's rulings, then the words of its moves."""
    own = words(engine, language)
    params = {ruling.code: ruling.params for ruling in engine.rulings if not isinstance(ruling, Decides)}
    for code, sentence in own.sentences.items():
        yield from _filled(code, sentence, {name: list(values_of(params[code][name])) for name in sentence.names})
    for move, button in own.buttons.items():
        hints = get_type_hints(engine.kinds[move], include_extras=True)
        members = {each.name.removesuffix("_"): hints[each.name] for each in fields(engine.kinds[move])}
        members |= {**engine.fact_types, **engine.particular_types}
        values = {name: list(values_of(members[name])) for name in button.names}
        numbers = {name: list(NUMBERS) for name, each in values.items() if {} in each}
        yield from _filled(f"the move {move}", button, values | numbers)


def _filled(code: str, sentence: Sentence, values: Mapping[str, list[Any]]) -> Iterator[str]:
    """Yield the template of a sentence under its code, and its texts, in which each value comes once at least."""
    yield f"{code}: {sentence.template.strip()}"
    rounds = max(map(len, values.values()), default=1)
    texts = [
        sentence.filled({name: each[place % len(each)] for name, each in values.items()}, players)
        for players in (Players(), NAMED_PLAYERS)
        for place in range(rounds)
    ]
    yield from (f"    {text}" for text in dict.fromkeys(texts))


def main() -> None:
    """Write what is missing in a language or, with `--render`, what it says."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("language", help=f"a code, as {', '.join(LANGUAGES)}")
    parser.add_argument("--render", action="store_true", help="show every sentence")
    chosen = parser.parse_args()
    for line in (rendered_sentences if chosen.render else missing_texts)(chosen.language):
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
