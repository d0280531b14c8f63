"""Descriptions of the games, and their rulebooks, in one language: as answers, in Markdown, or as pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, cast, get_args, get_type_hints

from markupsafe import Markup, escape

import engines
from engines.core.engine import clause_order
from engines.core.rulings import Decides
from service import seeds, strict_json
from service.contract import answers, codecs, fields
from service.contract.fields import StrictField
from service.contract.of_game import AnyEngine
from service.judging.referee import Referee
from service.judging.sentences import Words, sentences, words
from service.words.phrases import grammar, messages

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.nodes import EvalContext

CLAUSE = re.compile(r"\b[A-Z]+-\d+\.\d+\b")
CODE = re.compile("`([^`]+)`")


def listed(language: str) -> answers.Games:
    """The list of all games."""
    return answers.Games([summary(engine, language) for engine in engines.registry().values()])


def summary(engine: AnyEngine, language: str) -> answers.GameSummary:
    """One entry of the list."""
    title = seeds.rulebook(engine)["title"][language]
    return answers.GameSummary(engine.game, title, list(engine.seats), list(engine.rulesets))


def description(engine: AnyEngine, language: str) -> answers.Game:
    """Everything that `GET /games/{game}` says of a game."""
    referee = Referee(engine, language)
    said = words(engine, language)
    ruleset = next(iter(engine.rulesets.values()))
    phases = get_args(get_type_hints(engine.state)["phase"])
    domains = {name: _domain(field) for name, field in codecs(engine).shapes.options().declared().items()}
    return answers.Game(
        **{**vars(summary(engine, language)), "rulesets": list(map(referee.ruleset, engine.rulesets.values()))},
        options=[
            answers.EncodedOption(
                name=name,
                title=said.options[name].title,
                text=said.options[name].text,
                rule=option.rule,
                values=domains[name],
                titles=_titles(domains[name], said.options[name].values, language),
                default=getattr(ruleset, name),
                contested=option.why is not None,
                why=option.why,
                published=option.published,
                texts=_texts(engine, name, language),
            )
            for name, option in engine.options.items()
        ],
        moves=list(engine.kinds),
        phases=phases,
        zones=[answers.Zone(name, pointer) for name, pointer in engine.zones.pointers.items()],
        deck=(engine.deck or engine.cards)(engine.setup(seats=min(engine.seats))),
        cards=list(_cards(engine, said)),
        names=answers.Names(
            rulesets=_named(engine.rulesets, said.rulesets),
            phases=_named(phases, said.phases),
            moves=_named(engine.kinds, said.moves),
            facts=_named(engine.fact_types, said.facts),
            zones=_named(engine.zones.names, said.zones),
            terms=_named(said.terms, said.terms),
        ),
        rulings=_rulings(engine, language),
    )


def _named(wire: Iterable[str], titles: Mapping[str, str]) -> list[answers.Named]:
    return [answers.Named(name, titles.get(name, name)) for name in wire]


def _titles(domain: answers.OptionValues, titles: Mapping[str, str], language: str) -> list[answers.NamedValue]:
    """The values with their titles; a boolean is called yes or no."""
    values = domain.one_of or domain.list_of or ()
    yes_and_no = {True: messages(language)["yes"], False: messages(language)["no"]}
    return [
        answers.NamedValue(value, yes_and_no[value] if isinstance(value, bool) else titles.get(str(value), str(value)))
        for value in values
    ]


def _cards(engine: AnyEngine, said: Words) -> Iterator[answers.NamedCard]:
    """The cards of the deck in order. Of a two-sided card each side, with its design."""
    setup = engine.setup(seats=max(engine.seats))
    for number, card in enumerate(engine.cards(setup)):
        if isinstance(card, tuple):
            for side, design in zip(card, setup.designs[number], strict=True):
                yield answers.NamedCard(side, f"{side} ({said.designs.get(design, design)})")
        else:
            yield answers.NamedCard(card, said.cards.get(card, str(card)))


def _domain(field: StrictField) -> answers.OptionValues:
    """The values of an option: one of a list, an integer of a range, or a list of values."""
    match field:
        case fields.IntegerField(least=least, most=most):
            return answers.OptionValues(least=least, most=most)
        case fields.ListField(item=fields.ValuesField(values=values)):
            return answers.OptionValues(list_of=[str(value) for value in values])
        case fields.ValuesField(values=values):
            return answers.OptionValues(one_of=cast("Sequence[answers.Setting]", values))
    return answers.OptionValues(one_of=(False, True))


def _rulings(engine: AnyEngine, language: str) -> list[answers.EncodedRuling]:
    text = sentences(engine, language)
    return [
        answers.EncodedRuling(
            rule=ruling.rule,
            code=ruling.code,
            kind=cast("answers.RulingKind", ruling.kind),
            params=list(ruling.params),
            option=ruling.option,
            text=text[ruling.code].outline,
        )
        for ruling in sorted(engine.rulings, key=lambda ruling: clause_order(ruling.rule))
        if not isinstance(ruling, Decides)
    ]


def rulebook(engine: AnyEngine, language: str) -> answers.Rulebook:
    """All clauses in one language."""
    book = seeds.rulebook(engine)
    clauses = [
        answers.EncodedClause(
            id=clause["id"],
            section=section["title"][language],
            text=clause["text"][language].strip(),
            source=clause["source"],
            texts=[book["texts"][name][language] for name in clause.get("printed", {}).get("P", ())],
            options=clause["options"],
            examples=[answers.Example(each["text"][language], each["vector"]) for each in clause.get("examples", ())],
        )
        for section in book["sections"]
        for clause in section["clauses"]
    ]
    notes = [
        answers.Note(section["title"][language], note[language])
        for section in book["sections"]
        for note in section.get("notes", ())
    ]
    return answers.Rulebook(engine.game, book["title"][language], language, clauses, notes)


def _texts(engine: AnyEngine, option: str, language: str) -> list[answers.NamedValue]:
    """The texts that print each published value of an option."""
    book = seeds.rulebook(engine)
    return [
        answers.NamedValue(value, grammar(language).joined([book["texts"][name][language] for name in names]))
        for section in book["sections"]
        for clause in section["clauses"]
        for value, names in clause.get("printed", {}).get(option, {}).items()
    ]


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
    page = _templates().get_template(template)
    return page.render(
        said=messages(language)["rulebook"],
        language=language,
        game=game,
        titles={each.name: each.title for each in game.names.rulesets},
        sections=seeds.rulebook(engine)["sections"],
        clauses=rulebook(engine, language).clauses,
    )


def _settled(option: answers.EncodedOption, ruleset: answers.RulesetUsed, language: str) -> str:
    """The title of an option's value in a ruleset."""
    titles = {_wire(each.value): each.title for each in option.titles}
    value = ruleset.options[option.name]
    if isinstance(value, tuple | list):
        return grammar(language).joined([titles[_wire(each)] for each in value])
    return titles.get(_wire(value), str(value))


def _wire(value: object) -> str:
    """A value as it is posted; a string without its quotes."""
    return value if isinstance(value, str) else strict_json.dumps(value).decode()


def _linked(context: EvalContext, text: str) -> str:
    """A text of the rulebook, with links to the clauses that it names, and code for text between backticks."""
    if context.autoescape:
        coded = CODE.sub(r"<code>\1</code>", str(escape(text)))
        return Markup(CLAUSE.sub(r'<a href="#\g<0>">\g<0></a>', coded))  # noqa: S704 - escaped above
    return CLAUSE.sub(lambda found: f"[{found[0]}](#{found[0].lower().replace('.', '')})", text)


@cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined, pass_eval_context, select_autoescape  # noqa: PLC0415 - 11 ms

    made = Environment(
        loader=PackageLoader("service.judging"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    made.filters |= {"linked": pass_eval_context(_linked), "settled": _settled, "wire": _wire}
    return made
