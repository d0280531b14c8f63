"""Answers as people read them on a terminal."""

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
from service.judging import rulebooks
from service.web import strict_json
from service.web.languages import messages
from service.web.strict_json import Json


def show(command: str, answer: object, asked: object, language: str) -> None:
    """Write the answer to a command. `asked`: the body that was posted, if there was one."""
    console = Console(highlight=False, markup=False, emoji=False)
    for part in parts(command, strict_json.loads(strict_json.dumps(answer), 1 << 40), asked, language):
        console.print(part)


def go_through(steps: Iterator[Json], language: str) -> Json:
    """Show each step and wait for Enter before the next, where somebody can press it; returns the last one shown."""
    console = Console(highlight=False, markup=False, emoji=False)
    shown: Json = next(steps)
    drawing = Drawing(engines.registry()[shown["game"]], language)
    console.print(drawing.table(shown["state"], shown["to_act"]))
    for number, step in enumerate(steps, 1):
        if sys.stdin.isatty() and not _goes_on(console, drawing.said["go-on"]):
            break
        shown = step
        who = drawing.seat(step["move"].get("seat"))
        console.print(Text.assemble((f"{number}  {who} · ", "bold"), drawing.move(step["move"])))
        stops = step["undetermined"]
        console.print(drawing.rulings(step["events"] or step["violations"] or [stops], quoted=not step["events"]))
        console.print(drawing.table(step["state"], step["to_act"]))
    for part in ending(shown, drawing):
        console.print(part)
    return shown


def _goes_on(console: Console, prompt: str) -> bool:
    try:
        return console.input(Text(f"{prompt} ", style="dim")).strip() != "q"
    except EOFError:
        return False


def parts(command: str, answer: Any, asked: Any, language: str) -> Iterator[RenderableType]:
    """What is to be read of an answer, from top to bottom."""
    said = messages(language)["terminal"]
    if command in OF_A_GAME:
        posted = asked if isinstance(asked, dict) else {}
        drawing = Drawing(engines.registry()[answer["game"]], language, posted.get("names"))
        yield from OF_A_GAME[command](answer, drawing)
    else:
        yield from OTHERS[command](answer, asked, said, language)


def verdict(good: bool, said: Json, yes: str, no: str) -> Text:
    """One line: yes or no."""
    return Text(f"✓ {said[yes]}", style="bold green") if good else Text(f"✗ {said[no]}", style="bold red")


def _resolution(answer: Json, drawing: Drawing) -> Iterator[RenderableType]:
    if answer["events"]:
        yield drawing.rulings(answer["events"])
    yield from _judgement(answer, drawing)
    for each in answer["contested"]:
        told = {**each, "value": drawing.value(each["value"]).plain}
        yield Text(drawing.said["contested"].format(**told), style="yellow")
    yield drawing.table(answer["state"], answer["to_act"])
    yield from ending(answer, drawing)
    for each in answer.get("comparison") or ():
        yield Text(f"{drawing.value(each['ruleset']).plain}:", style="bold")
        yield drawing.standings(each["standings"])
    for each in answer.get("views") or ():
        yield Text(drawing.said["seen-by"].format(who=drawing.seat(each["seat"])), style="bold")
        yield drawing.table(each["state"], viewer=each["seat"])


def ending(answer: Json, drawing: Drawing) -> Iterator[RenderableType]:
    """The standings; and by which clause the game is over, where it is."""
    if answer["result"] is not None or any(each["score"] for each in answer["standings"]):
        yield drawing.standings(answer["standings"])
    if answer["result"] is not None:
        rule = answer["result"]["rule"]
        yield Text(drawing.said["over"].format(rule=rule), style="bold")


def _judgement(answer: Json, drawing: Drawing) -> Iterator[RenderableType]:
    yield verdict(answer["legal"], drawing.said, "legal", "illegal")
    if answer["violations"]:
        yield drawing.rulings(answer["violations"], quoted=True)
    if answer["undetermined"] is not None:
        yield drawing.rulings([answer["undetermined"]], quoted=True)
    yield from _unverified(answer, drawing)


def _unverified(answer: Json, drawing: Drawing) -> Iterator[RenderableType]:
    if answer["unverified"]:
        clauses = ", ".join(answer["unverified"])
        yield Text(drawing.said["unverified"].format(clauses=clauses), style="yellow")


def _legal_moves(answer: Json, drawing: Drawing) -> Iterator[RenderableType]:
    yield drawing.legal(answer["moves"]) if answer["moves"] else Text(drawing.said["no-moves"])
    if not answer["complete"]:
        yield Text(drawing.said["incomplete"], style="yellow")


def _audit(answer: Json, drawing: Drawing) -> Iterator[RenderableType]:
    yield verdict(answer["consistent"], drawing.said, "consistent", "inconsistent")
    if answer["faults"]:
        yield drawing.rulings(answer["faults"], quoted=True)
    yield from _unverified(answer, drawing)


def _view(answer: Json, drawing: Drawing) -> Iterator[RenderableType]:
    yield drawing.table(answer["state"], viewer=answer["seat"])


def _opening(answer: Json, drawing: Drawing) -> Iterator[RenderableType]:
    yield drawing.table(answer["state"], answer["to_act"])
    if answer["seed"] is not None:
        yield Text(drawing.said["seed"].format(**answer), style="dim")


OF_A_GAME: Mapping[str, Callable[[Json, Drawing], Iterator[RenderableType]]] = {
    "resolve": _resolution,
    "validate": _judgement,
    "legal-moves": _legal_moves,
    "audit": _audit,
    "view": _view,
    "deal": _opening,
}


def _batch(answer: Json, asked: Any, said: Json, language: str) -> Iterator[RenderableType]:
    for number, (given, sent) in enumerate(zip(answer["responses"], asked["requests"], strict=True)):
        name = given.get("id") or number
        yield Text(f"── {name}: {sent['path']} ({given['status']})", style="bold")
        if given["status"] == 200:
            yield from parts(sent["path"].rpartition("/")[2], given["body"], sent["body"], language)
        else:
            yield Text(given["body"]["detail"], style="red")


def _games(answer: Json, asked: Any, said: Json, language: str) -> Iterator[RenderableType]:
    drawn = Table()
    for name in ("game", "title", "seats", "rulesets"):
        drawn.add_column(said["columns"][name])
    for each in answer["games"]:
        drawn.add_row(each["game"], each["title"], ", ".join(map(str, each["seats"])), ", ".join(each["rulesets"]))
    yield drawn


def _rulebook(answer: Json, asked: Any, said: Json, language: str) -> Iterator[RenderableType]:
    yield Markdown(rulebooks.markdown(engines.registry()[answer["game"]], language), hyperlinks=False)


def _verified(answer: Json, asked: Any, said: Json, language: str) -> Iterator[RenderableType]:
    yield verdict(answer["verified"], said, "proved", "not-proved")
    for each in answer["proved"]:
        yield Text(f"  ✓ {each}")
    for each in answer["wrong"]:
        yield Text(f"  ✗ {each['pointer']}: {each['detail']}")


def _doctor(answer: Json, asked: Any, said: Json, language: str) -> Iterator[RenderableType]:
    for title, value in answer["versions"].items():
        yield Text(f"  {title} {value}", style="dim")
    for name, value in answer["settings"].items():
        yield Text(f"  {name}={value}")
    for check in answer["checks"]:
        yield Text.assemble(("✓ ", "green") if check["good"] else ("✗ ", "red"), check["detail"])


OTHERS: Mapping[str, Callable[[Json, Any, Json, str], Iterator[RenderableType]]] = {
    "batch": _batch,
    "games": _games,
    "rulebook": _rulebook,
    "verify": _verified,
    "doctor": _doctor,
}
