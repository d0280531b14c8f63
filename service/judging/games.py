"""Descriptions of the games, and their rulebooks, in one language: as answers, in Markdown, or as pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast, get_args, get_type_hints

from markupsafe import Markup, escape

import engines
from engines.core.engine import clause_order
from engines.core.judge import audit_setup
from engines.core.records import changed
from engines.core.rulings import Decides
from engines.core.shuffle import in_order
from service import seeds, strict_json
from service.contract import answers, codecs, fields
from service.contract.fields import StrictField
from service.contract.of_game import AnyEngine
from service.judging.referee import Referee
from service.judging.sentences import Words, sentences, words
from service.seeds import ENGLISH
from service.words.languages import language_for
from service.words.phrases import grammar, messages

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.nodes import EvalContext

CLAUSE = re.compile(r"\b[A-Z]+-\d+\.\d+\b")
CODE = re.compile("`([^`]+)`")


def listed(preferred: tuple[str, ...]) -> answers.Games:
    """The list of all games. `preferred`: languages, the best first."""
    return answers.Games([summary(engine, language_for(preferred, engine)) for engine in engines.registry().values()])


def summary(engine: AnyEngine, language: str) -> answers.GameSummary:
    """One entry of the list."""
    return answers.GameSummary(engine.game, words(engine, language).title, list(engine.seats), list(engine.rulesets))


def description(engine: AnyEngine, language: str) -> answers.Game:
    """Everything that `GET /games/{game}` says of a game. In English if it does not have the language, as all below."""
    language = language_for((language,), engine)
    own = words(engine, language)
    ruleset = next(iter(engine.rulesets.values()))
    phases = get_args(get_type_hints(engine.state)["phase"])
    domains = {name: _domain(field) for name, field in codecs(engine).shapes.options().declared().items()}
    return answers.Game(
        **{
            **vars(summary(engine, language)),
            "rulesets": [_offered(engine, each) for each in engine.rulesets.values()],
        },
        options=[
            answers.EncodedOption(
                name=name,
                title=own.options[name].title,
                text=own.options[name].text,
                rule=option.rule,
                values=domains[name],
                titles=_titles(domains[name], own.options[name].values, language),
                default=getattr(ruleset, name),
                contested=option.why is not None,
                why=option.why,
                published=option.published,
                texts=list(_texts(engine, name, language)),
            )
            for name, option in engine.options.items()
        ],
        moves=list(engine.kinds),
        phases=phases,
        zones=[answers.Zone(name, pointer) for name, pointer in engine.zones.pointers.items()],
        deck=(engine.deck or engine.cards)(engine.setup(seats=min(engine.seats))),
        cards=list(_cards(engine, own)),
        names=answers.Names(
            rulesets=_named(engine.rulesets, own.rulesets),
            phases=_named(phases, own.phases),
            moves=_named(engine.kinds, own.moves),
            facts=_named(engine.fact_types, own.facts),
            zones=_named(engine.zones.names, own.zones),
            terms=_named(own.terms, own.terms),
        ),
        rulings=_rulings(engine, language),
    )


@cache
def _offered(engine: AnyEngine, ruleset: object) -> answers.OfferedRuleset:
    """A ruleset, with the numbers of seats that a setup by it may have; and whether its tables have teams."""
    setups = [engine.setup(seats=seats, ruleset=ruleset) for seats in engine.seats]
    fitting = [setup for setup in setups if not audit_setup(engine, setup)]
    used = Referee(engine, ENGLISH).ruleset(ruleset)
    teams = bool(fitting) and _has_teams(engine, fitting[0])
    return answers.OfferedRuleset(**vars(used), seats=[setup.seats for setup in fitting], teams=teams)


def _has_teams(engine: AnyEngine, setup: Any) -> bool:
    """Whether a table of this setup has teams. Only a dealt table says so."""
    if engine.teams is None:
        return False
    dealt = changed(setup, deck=in_order(engine.cards(setup), ""))
    return engine.teams(engine.opening(dealt)) is not None


def _named(wire: Iterable[str], titles: Mapping[str, str]) -> list[answers.Named]:
    """Words of the contract, each with its title; one without a title is its own."""
    return [answers.Named(name, titles.get(name, name)) for name in wire]


def _titles(domain: answers.OptionValues, titles: Mapping[str, str], language: str) -> list[answers.NamedValue]:
    """The values with their titles; a boolean is called yes or no."""
    values = domain.one_of or domain.list_of or ()
    yes_and_no = {True: messages(language)["yes"], False: messages(language)["no"]}
    return [
        answers.NamedValue(value, yes_and_no[value] if isinstance(value, bool) else titles.get(str(value), str(value)))
        for value in values
    ]


def _cards(engine: AnyEngine, words: Words) -> Iterator[answers.NamedCard]:
    """The cards of the deck in order. Of a two-sided card each side, with its design."""
    setup = engine.setup(seats=max(engine.seats))
    for number, card in enumerate(engine.cards(setup)):
        if isinstance(card, tuple):
            for side, design in zip(card, setup.designs[number], strict=True):
                yield answers.NamedCard(side, f"{side} ({words.designs.get(design, design)})")
        else:
            yield answers.NamedCard(card, words.cards.get(card, str(card)))


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
    """All rulings in the order of their clauses. A choice has no sentence, and is left out."""
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
    language = language_for((language,), engine)
    book, own = seeds.rulebook(engine), words(engine, language)
    clauses = [
        answers.EncodedClause(
            id=id,
            section=own.sections[seeds.section_of(id)],
            text=own.clauses[id],
            source=cast("answers.Source", clause.source),
            texts=[own.texts[name] for name in clause.printed.get("P", ())],
            options=clause.options,
            examples=[answers.Example(own.examples[id, vector], vector) for vector in clause.examples],
        )
        for id, clause in book.clauses.items()
    ]
    notes = [answers.Note(own.sections[id], note) for id in book.sections for note in own.notes.get(id, ())]
    return answers.Rulebook(engine.game, own.title, language, clauses, notes)


def _texts(engine: AnyEngine, option: str, language: str) -> Iterator[answers.NamedValue]:
    """The texts that print each published value of an option."""
    own = words(engine, language)
    for clause in seeds.rulebook(engine).clauses.values():
        for value, names in clause.printed.get(option, {}).items():
            yield answers.NamedValue(value, grammar(language).joined([own.texts[name] for name in names]))


@cache
def markdown(engine: AnyEngine, language: str) -> str:
    """The rulebook of a game in Markdown."""
    return _filled("rulebook.md", engine, language).rstrip() + "\n"


@cache
def html(engine: AnyEngine, language: str) -> str:
    """The rulebook of a game as a page, which loads nothing but its style sheet."""
    return _filled("rulebook.html", engine, language)


def _filled(template: str, engine: AnyEngine, language: str) -> str:
    """The rulebook of a game, written with this template."""
    language = language_for((language,), engine)
    game, own = description(engine, language), words(engine, language)
    page = _templates().get_template(template)
    return page.render(
        words=messages(language)["rulebook"],
        language=language,
        game=game,
        titles={each.name: each.title for each in game.names.rulesets},
        sections=[(id, own.sections[id], own.notes.get(id, ())) for id in seeds.rulebook(engine).sections],
        clauses=rulebook(engine, language).clauses,
    )


def _value_in(option: answers.EncodedOption, ruleset: answers.RulesetUsed, language: str) -> str:
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
    return CLAUSE.sub(lambda match: f"[{match[0]}](#{match[0].lower().replace('.', '')})", text)


@cache
def _templates() -> Environment:
    """The templates of the rulebook's pages. Jinja is imported with the first of them."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, pass_eval_context, select_autoescape  # noqa: PLC0415 - only here

    environment = Environment(
        loader=PackageLoader("service.judging"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters |= {"linked": pass_eval_context(_linked), "settled": _value_in, "wire": _wire}
    return environment
