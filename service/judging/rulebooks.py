"""Rulebooks for people: in Markdown or HTML, with links between clauses."""

from __future__ import annotations

import re
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_eval_context, select_autoescape
from jinja2.nodes import EvalContext
from markupsafe import Markup, escape

from service import seeds
from service.contract.answers import EncodedOption, RulesetUsed
from service.contract.of_game import AnyEngine
from service.judging.games import description, rulebook
from service.web import strict_json
from service.web.phrases import grammar, messages

CLAUSE = re.compile(r"\b[A-Z]+-\d+\.\d+\b")
CODE = re.compile("`([^`]+)`")


@cache
def markdown(engine: AnyEngine, language: str) -> str:
    """The rulebook of a game in Markdown."""
    return _written("rulebook.md", engine, language).rstrip() + "\n"


@cache
def html(engine: AnyEngine, language: str) -> str:
    """The rulebook of a game as a page, which loads nothing but its style sheet."""
    return _written("rulebook.html", engine, language)


def _written(template: str, engine: AnyEngine, language: str) -> str:
    game = description(engine, language)
    return (
        _templates()
        .get_template(template)
        .render(
            said=messages(language)["rulebook"],
            language=language,
            game=game,
            titles={each.name: each.title for each in game.names.rulesets},
            sections=seeds.rulebook(engine)["sections"],
            clauses=rulebook(engine, language).clauses,
        )
    )


def _settled(option: EncodedOption, ruleset: RulesetUsed, language: str) -> str:
    """The title of an option's value in a ruleset."""
    titles = {_wire(each.value): each.title for each in option.titles}
    value = ruleset.options[option.name]
    if isinstance(value, tuple | list):
        return grammar(language).joined([titles[_wire(each)] for each in value])
    return titles.get(_wire(value), str(value))


def _wire(value: object) -> str:
    """A value as it is posted; a string without its quotes."""
    return value if isinstance(value, str) else strict_json.dumps(value).decode()


@pass_eval_context
def _linked(context: EvalContext, text: str) -> str:
    """A text of the rulebook, with links to the clauses that it names, and code for text between backticks."""
    if context.autoescape:
        coded = CODE.sub(r"<code>\1</code>", str(escape(text)))
        return Markup(CLAUSE.sub(r'<a href="#\g<0>">\g<0></a>', coded))  # noqa: S704 - escaped above
    return CLAUSE.sub(lambda found: f"[{found[0]}](#{found[0].lower().replace('.', '')})", text)


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("service.judging"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    made.filters |= {"linked": _linked, "settled": _settled, "wire": _wire}
    return made
