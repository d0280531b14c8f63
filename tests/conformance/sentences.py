"""The sentences of a game, each code once in every language, kept apart from the vectors so that words can be reviewed.

One line each in `recorded/sentences/`: a change of words shows there, and nowhere else.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import engines
from service.seeds import Vector
from service.words.languages import LANGUAGES, languages_of
from tests.conformance import Ask
from tests.conformance.layout import on_one_line
from tests.conformance.recording import FOLDER, GENERATED, Json


def file_of(folder: str) -> Path:
    """Return the file in which the sentences of a game are recorded. `folder`: its folder in `seeds/`."""
    return FOLDER / "sentences" / f"{folder}.jsonl"


def lines(vectors: Sequence[Vector], ask: Ask) -> Iterator[str]:
    """Yield the lines of that file.

    First comes each code in each language, as in the answer to the first vector that has it; then the title and details
    of each vector that is refused.
    """
    yield on_one_line({"generated": GENERATED})
    first = {code: vector for vector in reversed(vectors) for _rule, code in rulings_in(vector.worked)}
    for code, vector in sorted(first.items()):
        known = languages_of(engines.registry()[vector.game])
        for language in [each for each in LANGUAGES if each in known]:
            text = next(_texts(code, in_language(vector, language, ask)))
            yield on_one_line({"code": code, "language": language, "text": text, "case": vector.id})
    for vector in vectors:
        if "type" in vector.worked:
            _, answer = ask(vector)
            errors = {"errors": [each["detail"] for each in answer["errors"]]} if "errors" in answer else {}
            yield on_one_line({"case": vector.id, "title": answer["title"], "detail": answer["detail"], **errors})


def in_language(vector: Vector, language: str, ask: Ask) -> Any:
    """Return the body of the answer to a vector's request, asked in one language."""
    headers = {**vector.request.get("headers", {}), "Accept-Language": language}
    _status, body = ask(replace(vector, request={**vector.request, "headers": headers}))
    return body


def rulings_in(value: Any) -> Iterator[tuple[str, str]]:
    """Yield rule and code of every ruling in an answer or a part of one."""
    for each in rulings_of(value):
        yield each["rule"], each["code"]


def rulings_of(value: Any) -> Iterator[Json]:
    """Yield every ruling in an answer or a part of one: the objects that name a rule and a code."""
    if isinstance(value, dict):
        if "rule" in value and "code" in value:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from rulings_of(each)


def _texts(code: str, answer: Any) -> Iterator[str]:
    """Yield the sentences of the rulings with a code in an answer."""
    return (each["text"] for each in rulings_of(answer) if each["code"] == code)
