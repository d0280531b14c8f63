"""Answers, drawn for people on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rich.console import Console, RenderableType
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

import engines
from service.cli.drawing import Drawing
from service.judging import games
from service.web.phrases import messages
from service.web.strict_json import Json


def console() -> Console:
    """The terminal. Text is written as it is: rich interprets no brackets, numbers or emoji names in it."""
    return Console(highlight=False, markup=False, emoji=False)


def parts(command: str, answer: Json, body: Any, language: str) -> Iterator[RenderableType]:
    """The parts of an answer, from top to bottom. `body`: the request body, where there was one."""
    if command == "batch":
        yield from _batch(answer, body, language)
    elif command in OTHERS:
        yield from OTHERS[command](answer, language)
    else:
        names = body.get("names") if isinstance(body, dict) else None
        drawing = Drawing(engines.registry()[answer["game"]], language, names)
        yield from _rulings(answer, drawing)
        yield from _tables(answer, drawing)


def _rulings(answer: Json, drawing: Drawing) -> Iterator[RenderableType]:
    """The events, the verdict and the reasons, as far as the answer has them."""
    said = drawing.said
    if answer.get("events"):
        yield drawing.rulings(answer["events"])
    if "legal" in answer:
        yield _verdict(answer["legal"], said, "legal", "illegal")
    if "consistent" in answer:
        yield _verdict(answer["consistent"], said, "consistent", "inconsistent")
    for name in ("violations", "faults"):
        if answer.get(name):
            yield drawing.rulings(answer[name], quoted=True)
    if answer.get("undetermined"):
        yield drawing.rulings([answer["undetermined"]], quoted=True)
    if answer.get("unverified"):
        yield Text(said["unverified"].format(clauses=", ".join(answer["unverified"])), style="yellow")
    for each in answer.get("contested", ()):
        value = drawing.value(each["value"]).plain
        yield Text(said["contested"].format(**{**each, "value": value}), style="yellow")


def _tables(answer: Json, drawing: Drawing) -> Iterator[RenderableType]:
    """The legal moves, the tables and the standings: as far as the answer has them."""
    said = drawing.said
    if "moves" in answer:
        yield drawing.legal(answer["moves"]) if answer["moves"] else Text(said["no-moves"])
        if not answer["complete"]:
            yield Text(said["incomplete"], style="yellow")
    if "state" in answer:
        yield drawing.table(answer["state"], answer.get("to_act", ()), answer.get("seat"))
    if "standings" in answer:
        yield from ending(answer, drawing)
    for each in answer.get("comparison") or ():
        yield Text(f"{drawing.value(each['ruleset']).plain}:", style="bold")
        if "faults" in each:
            yield drawing.rulings(each["faults"], quoted=True)
        else:
            yield drawing.standings(each["standings"])
    for each in answer.get("views") or ():
        yield Text(said["seen-by"].format(who=drawing.seat(each["seat"])), style="bold")
        yield drawing.table(each["state"], viewer=each["seat"])
    if answer.get("seed") is not None:
        yield Text(said["seed"].format(**answer), style="dim")


def ending(answer: Json, drawing: Drawing) -> Iterator[RenderableType]:
    """The standings; where the game is over, also the clause that ended it."""
    if answer["result"] is not None or any(each["score"] for each in answer["standings"]):
        yield drawing.standings(answer["standings"])
    if answer["result"] is not None:
        yield Text(drawing.said["over"].format(rule=answer["result"]["rule"]), style="bold")


def _verdict(good: bool, said: Json, yes: str, no: str) -> Text:
    return Text(f"✓ {said[yes]}", style="bold green") if good else Text(f"✗ {said[no]}", style="bold red")


def _batch(answer: Json, body: Any, language: str) -> Iterator[RenderableType]:
    for number, (response, request) in enumerate(zip(answer["responses"], body["requests"], strict=True)):
        name = response.get("id") or number
        yield Text(f"── {name}: {request['path']} ({response['status']})", style="bold")
        if response["status"] == 200:
            yield from parts(request["path"].rpartition("/")[2], response["body"], request["body"], language)
        else:
            yield Text(response["body"]["detail"], style="red")


def _games(answer: Json, language: str) -> Iterator[RenderableType]:
    columns = messages(language)["terminal"]["columns"]
    drawn = Table(*(columns[name] for name in ("game", "title", "seats", "rulesets")))
    for each in answer["games"]:
        drawn.add_row(each["game"], each["title"], ", ".join(map(str, each["seats"])), ", ".join(each["rulesets"]))
    yield drawn


def _rulebook(answer: Json, language: str) -> Iterator[RenderableType]:
    yield Markdown(games.markdown(engines.registry()[answer["game"]], language), hyperlinks=False)


def _replay(answer: Json, language: str) -> Iterator[RenderableType]:
    """Each step; on a terminal, after Enter."""
    drawing = Drawing(engines.registry()[answer["game"]], language)
    shown, *others = answer["steps"]
    yield drawing.table(shown["state"], shown["to_act"])
    for number, step in enumerate(others, 1):
        if sys.stdin.isatty() and not _goes_on(drawing.said["go-on"]):
            break
        shown = step
        who = drawing.seat(step["move"].get("seat"))
        yield Text.assemble((f"{number}  {who} · ", "bold"), drawing.move(step["move"]))
        rulings = step["events"] or step["violations"] or [step["undetermined"]]
        yield drawing.rulings(rulings, quoted=not step["events"])
        yield drawing.table(step["state"], step["to_act"])
    yield from ending(shown, drawing)


def _goes_on(prompt: str) -> bool:
    """Whether a person does not type q, or end the input."""
    sys.stdout.write(f"{prompt} ")
    sys.stdout.flush()
    return sys.stdin.readline().strip(" ") not in ("", "q\n")


def _verified(answer: Json, language: str) -> Iterator[RenderableType]:
    yield _verdict(answer["verified"], messages(language)["terminal"], "proved", "not-proved")
    for each in answer["proved"]:
        yield Text(f"  ✓ {each}")
    for each in answer["wrong"]:
        yield Text(f"  ✗ {each['pointer']}: {each['detail']}")


def _doctor(answer: Json, language: str) -> Iterator[RenderableType]:
    for title, value in answer["versions"].items():
        yield Text(f"  {title} {value}", style="dim")
    for name, value in answer["settings"].items():
        yield Text(f"  {name}={value}")
    for check in answer["checks"]:
        yield Text.assemble(("✓ ", "green") if check["good"] else ("✗ ", "red"), check["detail"])


OTHERS: Mapping[str, Callable[[Json, str], Iterator[RenderableType]]] = {
    "games": _games,
    "rulebook": _rulebook,
    "replay": _replay,
    "verify": _verified,
    "doctor": _doctor,
}
