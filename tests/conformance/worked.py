"""What an author writes by hand, `seeds/<game>/worked/*.yaml`, and what is published of it, `vectors/*.json`.

A case has its `id`, a `why`, its call with the body of the request, and under `answer` what was worked out:

    - id: twins-buy-one
      why: One card costs 1.
      resolve: {state: {phase: buying, …}, moves: [{type: buy, seat: 0, count: 1}]}
      answer: {events: [{code: bought, params: {seat: 0, count: 1, price: 1}}]}

Left out are the game, a `status` of 200, the `rule` of a code that has one clause, and of `clauses` those that the
answer names. A case may also have `request` and `response`, as published. `...dealt` in an answer stands for what a
seed deals: no clause says what that is.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

import engines
from engines.core.engine import Engine, clause_order
from service import seeds
from service.judging.calls import NAMED
from service.seeds import CASE, FaultySeeds, cases_in

FOLDER = "worked"
DEALT = "...dealt"


def vectors_file_of(file: Path) -> Path:
    """Return the file of vectors that is made of a worked one; a file of vectors is its own."""
    return file.parents[1] / "vectors" / f"{file.stem}.json" if file.parent.name == FOLDER else file


def sources(game: Path) -> list[Path]:
    """Return the worked files in the seeds of a game, and its files of vectors that are made of none."""
    worked = sorted(game.glob(f"{FOLDER}/*.yaml"))
    made_of_worked = {vectors_file_of(file) for file in worked}
    return [*worked, *(file for file in sorted(game.glob("vectors/*.json")) if file not in made_of_worked)]


def cases_of(file: Path) -> list[dict[str, Any]]:
    """Return the cases of a worked file as they are published, but for shorthands; those of a file of vectors."""
    if file.parent.name != FOLDER:
        if (worked := file.parents[1] / FOLDER / f"{file.stem}.yaml").exists():
            raise FaultySeeds(file, f" is written from {seeds.shown(worked)}: complete that.")
        return cases_in(file)
    try:
        cases = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise FaultySeeds(file, f": {error.strerror}") from None
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f":{error.problem_mark.line + 1}"
        raise FaultySeeds(file, f"{line} is not YAML: {error.problem}.") from None
    if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
        raise FaultySeeds(file, ": a file of cases is a list of them: `- id: …`.")
    engine = _engine_of(file)
    return [_complete_case(engine, case, file) for case in cases]


def _engine_of(file: Path) -> Engine[Any]:
    """Return the game whose seeds have this file."""
    game = file.parents[1]
    for engine in engines.registry().values():
        if game in (seeds.folder(engine), seeds.folder(engine).parent / engine.game.replace("-", "_")):
            return engine
        if game.name.replace("_", "-") == engine.game:
            return engine
    raise FaultySeeds(file, f": no game has the folder {game.name!r}.")


def _complete_case(engine: Engine[Any], case: dict[str, Any], file: Path) -> dict[str, Any]:
    """Return a case as it is published. Raises `FaultySeeds` where something is missing or unknown."""
    id = case.get("id", "a case without id")
    calls = [name for name in case if name in NAMED]
    if len(calls) == 1 and "answer" in case:
        body = {"game": engine.game, **(case[calls[0]] or {})}
        request = {"method": "POST", "path": f"/{calls[0]}", "body": body}
        case = {
            **{name: value for name, value in case.items() if name not in (calls[0], "answer", "status")},
            "request": request,
            "response": {"status": case.get("status", 200), "body": case["answer"]},
        }
    if missing := [name for name in CASE if name not in case and name != "clauses"]:
        known = f"one of {', '.join(NAMED)} with its body, and `answer`"
        raise FaultySeeds(file, f": {id}: {' and '.join(missing)} missing; a case has {known}.")
    if unknown := [name for name in case if name not in CASE]:
        raise FaultySeeds(file, f": {id}: {unknown[0]!r} is no member of a case.")
    response = {**case["response"], "body": _with_rules(engine, case["response"]["body"], f": {id}", file)}
    clauses = {*case.get("clauses", ()), *_clauses_in(engine, response["body"])}
    ordered = sorted(clauses, key=clause_order)
    return {"id": id, "clauses": ordered, "why": case["why"], "request": case["request"], "response": response}


def _with_rules(engine: Engine[Any], value: Any, where: str, file: Path) -> Any:
    """Return an answer in which each ruling has its clause."""
    if isinstance(value, list):
        return [_with_rules(engine, each, where, file) for each in value]
    if not isinstance(value, dict):
        return value
    if "code" in value and "rule" not in value:
        code = value["code"]
        rules = sorted({ruling.rule for ruling in engine.rulings if ruling.code == code}, key=clause_order)
        if len(rules) != 1:
            what = f"is of {' and of '.join(rules)}: say which, as `rule`" if rules else "is no code of rulings.py"
            raise FaultySeeds(file, f"{where}: {code!r} {what}.")
        value = {"rule": rules[0], **value}
    here = ("params", "state")  # what a game calls `code` is none of ours
    return {name: each if name in here else _with_rules(engine, each, where, file) for name, each in value.items()}


def _clauses_in(engine: Engine[Any], value: Any) -> Iterator[str]:
    """Yield the clauses that an answer names: of its rulings, of options that decided, and those left open."""
    if isinstance(value, dict):
        if isinstance(rule := value.get("rule"), str):
            yield rule
        if value.get("option") in engine.options:
            yield engine.options[value["option"]].rule
        yield from value.get("unverified") or ()
        for name, each in value.items():
            if name not in ("params", "state"):
                yield from _clauses_in(engine, each)
    elif isinstance(value, list):
        for each in value:
            yield from _clauses_in(engine, each)


def with_cards_dealt(shown: Any, got: Any) -> Any:
    """Return an answer that is shown with what was dealt in place of `...dealt`."""
    if shown == DEALT:
        return got
    if isinstance(shown, dict) and isinstance(got, dict):
        return {name: with_cards_dealt(each, got.get(name)) for name, each in shown.items()}
    if isinstance(shown, list) and isinstance(got, list) and len(shown) == len(got):
        return [with_cards_dealt(*pair) for pair in zip(shown, got, strict=True)]
    return shown
