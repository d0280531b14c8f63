"""Sentences that agree with their parameters: numbers, lists, players and their names, in one language.

A template is a sentence with its parameters in braces (all forms: docs/add-a-game.md):

    {seat} pays {amount: # chip|# chips} to the pot.      a form by number, in the order of the language's plurals
    {count: =0 buys nothing|=1 buys a card|buys # cards}  a form for one number, for one word, or for `=none`
    {winners: wins|win}                                   a form by the length of a list
    {a seat}, {di seat}                                   a preposition from the language's grammar
    {il card}                                             an article, where the word decides its form

Templates are compiled when they are read. Nothing but a template and its parameters decides what a sentence says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Literal, NamedTuple, TypeAlias

from babel import Locale

Params: TypeAlias = Mapping[str, Any]
Sitter: TypeAlias = Literal["seat", "team", "side"]
"""What a number may stand for: a seat, a team, or a side, which is a team where the table has teams."""
Kind: TypeAlias = Sitter | Mapping[Any, str] | None
"""How a parameter is worded: as a player; as a word of the contract, by this map; or, for None, as it is."""

PLURALS = ("zero", "one", "two", "few", "many", "other")
"""The order of the forms in a template; each language has some of them."""

REMEMBERED = 2_000
"""Texts of one sentence that are kept. This saves a quarter of judging a trick of six players."""
SHORT = 200
"""Characters of the longest text that is kept."""
NOTHING = "–"
"""The word for a parameter that is null, where the sentence has no other."""


class Players(NamedTuple):
    """The players at a table: the name and the team of each seat; None where there are none."""

    names: Sequence[str] | None = None
    teams: tuple[int, ...] | None = None


NAMELESS = Players()


class FaultyTemplate(ValueError):
    """A template with a mistake, which the message names."""


class Said(NamedTuple):
    """Words for players. `own`: it is a player's own name, whose first letter must not change."""

    text: str
    own: bool = False


Part: TypeAlias = Callable[[Params, Players], str]


@dataclass(frozen=True)
class Case:
    """A preposition with seats and teams (one, several), and with names (by the first pattern that fits)."""

    seat: Sequence[str]
    team: Sequence[str]
    name: Mapping[str, str]

    def of(self, name: str) -> str:
        """The preposition with a name: `d'Anna`, `de Bob`."""
        return _put_before(name, self.name)


class Grammar:
    """The grammar of a language. Its plurals are those of CLDR."""

    def __init__(self, language: str, words: Mapping[str, Any]) -> None:
        rule = Locale(language).plural_form
        self.plural: Callable[[int], str] = rule
        self.plurals = [tag for tag in PLURALS if tag in rule.tags or tag == "other"]
        self.between: str = words["between"]
        self.last: Mapping[str, str] = words["last"]
        self.of: str = words["of"]
        self.unseen: str = words["unseen"]
        self.articles: Mapping[str, Mapping[str, str]] = words["articles"]
        self.cases = {name: Case(**case) for name, case in words["cases"].items()}

    def joined(self, items: Sequence[str]) -> str:
        """`a, b and c`."""
        *rest, last = items or ("",)
        return self.between.join(rest) + _put_before(last, self.last) if rest else last

    def form(self, number: int, forms: Sequence[Any]) -> Any:
        """The form for a number. Of two forms, the first is the singular, the second for all other numbers."""
        tag = self.plural(number)
        if len(forms) == len(self.plurals):
            return forms[self.plurals.index(tag)]
        return forms[0 if tag == self.plurals[0] else -1]

    def players(self, kind: Sitter, case: str, value: Any, players: Players) -> Said:
        """A seat, a team, or a list of them. `case`: the preposition, or an empty string."""
        many = list(value) if isinstance(value, list | tuple) else [value]
        names, teams = players
        by_team = kind == "team" or (kind == "side" and teams is not None)
        if names is not None and many and (teams is not None or not by_team):
            if by_team:
                said = [
                    self._team(case, [name for name, team in zip(names, teams or (), strict=False) if team == each])
                    for each in many
                ]
                return Said(self.joined(said)) if all(said) else self._numbered("team", case, many)
            if all(each < len(names) for each in many):
                return Said(self.joined([self.cases[case].of(names[each]) for each in many]), own=not case)
        return self._numbered("team" if by_team else "seat", case, many)

    def _numbered(self, kind: Literal["seat", "team"], case: str, many: Sequence[int]) -> Said:
        one, several = getattr(self.cases[case], kind)
        return Said(f"{one if len(many) == 1 else several} {self.joined([str(each) for each in many])}")

    def _team(self, case: str, names: Sequence[str]) -> str:
        members = self.joined([self.cases[self.of].of(name) for name in names])
        return f"{self.cases[case].team[0]} {members}" if members else ""


class Sentence:
    """A compiled template. `kinds`: how each parameter is worded. `whole`: it begins with a capital letter."""

    def __init__(self, template: str, grammar: Grammar, kinds: Mapping[str, Kind], *, whole: bool = True) -> None:
        self.template = template
        self.outline, self.names, self._parts = _Template(template, grammar, kinds).read(whole=whole)
        self._particulars: Callable[[Params], object] = itemgetter(*self.names) if self.names else lambda params: ()
        self._filled: dict[object, str] = {}

    def filled(self, params: Params, players: Players = NAMELESS) -> str:
        """The text with these parameters."""
        names, teams = players
        if names is not None:
            return "".join([part(params, players) for part in self._parts])
        particulars = self._particulars(params)
        if teams is not None:
            particulars = particulars, teams
        try:
            return self._filled[particulars]
        except (KeyError, TypeError):  # not filled so before, or not hashable
            pass
        text = "".join([part(params, players) for part in self._parts])
        if len(self._filled) < REMEMBERED and len(text) <= SHORT:
            with suppress(TypeError):  # a list among the particulars, as a session's log keeps them
                self._filled[particulars] = text
        return text


class _Template:
    """A template under compilation."""

    def __init__(self, template: str, grammar: Grammar, kinds: Mapping[str, Kind]) -> None:
        self.template, self.grammar, self.kinds = template, grammar, kinds
        self.names: dict[str, None] = {}

    def read(self, *, whole: bool) -> tuple[str, tuple[str, ...], list[Part]]:
        """The outline of the sentence, the names of its parameters, and the parts of its text."""
        parts = self._parts(self.template, None, starts=whole)
        return _outline(self.template), tuple(self.names), parts

    def _parts(self, template: str, number: str | None, *, starts: bool) -> list[Part]:
        """The parts of a text. `number`: the parameter that `#` stands for. `starts`: the text begins a sentence."""
        parts: list[Part] = []
        for text, expression in _pieces(template):
            if text:
                parts += self._text(text, number)
                starts = text.endswith((". ", "? ", "! "))
            if expression is not None:
                parts.append(self._placeholder(expression, starts=starts))
                starts = False
        return parts

    def _text(self, text: str, number: str | None) -> Iterator[Part]:
        for place, piece in enumerate(text.split("#") if number else [text]):
            if place:
                yield self._number(str(number))
            if piece:
                yield lambda params, players, piece=piece: piece  # type: ignore[misc]

    def _number(self, name: str) -> Part:
        return lambda params, players: str(_count(params[name]))

    def _placeholder(self, expression: str, *, starts: bool) -> Part:
        head, colon, forms = expression.partition(":")
        *case, name = head.split()
        self.names[name] = None
        if name not in self.kinds:
            raise FaultyTemplate(f"uses {{{name}}}")
        if colon:
            return self._choice(name, _split(forms), starts=starts)
        kind, grammar = self.kinds[name], self.grammar
        if isinstance(kind, str):
            return self._players(name, kind, " ".join(case), starts=starts)
        shown = self._shown(kind)
        if case:
            if case[0] not in grammar.articles:
                raise FaultyTemplate(f"puts {case[0]!r} before {{{name}}}, which is no player")
            shown = _with_article(shown, grammar.articles[case[0]])
        return (
            (lambda params, players: _capital(shown(params[name])))
            if starts
            else (lambda params, players: shown(params[name]))
        )

    def _players(self, name: str, kind: Sitter, case: str, *, starts: bool) -> Part:
        grammar = self.grammar
        if case not in grammar.cases:
            raise FaultyTemplate(f"puts {case!r} before {{{name}}}, which is none of {', '.join(grammar.cases)}")

        def part(params: Params, players: Players) -> str:
            value = params[name]
            if value is None or value in ((), []):
                return NOTHING
            said = grammar.players(kind, case, value, players)
            return _capital(said.text) if starts and not said.own else said.text

        return part

    def _shown(self, words: Mapping[Any, str] | None) -> Callable[[Any], str]:
        grammar = self.grammar

        def shown(value: Any) -> str:
            if isinstance(value, tuple | list):
                if any(isinstance(item, tuple | list) for item in value):
                    return "; ".join([", ".join(map(shown, item)) for item in value])
                return grammar.joined([grammar.unseen if item is None else shown(item) for item in value]) or NOTHING
            if value is None:
                return NOTHING
            return str(value) if words is None else words.get(value, str(value))

        return shown

    def _choice(self, name: str, forms: Sequence[str], *, starts: bool) -> Part:
        exact: dict[str, list[Part]] = {}
        plural: list[list[Part]] = []
        for form in forms:
            marked, _, rest = form[1:].partition(" ") if form.startswith("=") else ("", "", form)
            compiled = self._parts(rest.strip(), name, starts=starts)
            if marked:
                exact[marked] = compiled
            else:
                plural.append(compiled)
        if len(plural) not in (0, 1, 2, len(self.grammar.plurals)):
            raise FaultyTemplate(f"has {len(plural)} forms of {{{name}}}; 2 or {len(self.grammar.plurals)} are needed")
        grammar = self.grammar

        def part(params: Params, players: Players) -> str:
            value = params[name]
            chosen = exact.get("none" if value is None else str(_count(value)))
            if chosen is None:
                chosen = plural[0] if len(plural) == 1 else grammar.form(int(_count(value)), plural)
            return "".join([each(params, players) for each in chosen])

        return part


def _put_before(word: str, forms: Mapping[str, str]) -> str:
    """A word in the first form whose pattern fits it: `d'Anna`, `de Bob`."""
    return next(said for pattern, said in forms.items() if re.match(pattern, word, re.IGNORECASE)).format(word)


def _with_article(shown: Callable[[Any], str], article: Mapping[str, str]) -> Callable[[Any], str]:
    return lambda value: shown(value) if value is None else _put_before(shown(value), article)


def _count(value: Any) -> Any:
    """The number that selects a form: the length of a list, or the value itself."""
    return len(value) if isinstance(value, tuple | list) else value


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _pieces(template: str) -> Iterator[tuple[str, str | None]]:
    """Each text, with the expression in braces that follows; None after the last text."""
    depth, begin = 0, 0
    text = ""
    for place, character in enumerate(template):
        if character == "{":
            if depth == 0:
                text, begin = template[begin:place], place + 1
            depth += 1
        elif character == "}":
            depth -= 1
            if depth < 0:
                break
            if depth == 0:
                yield text, template[begin:place]
                begin = place + 1
    if depth:
        raise FaultyTemplate("has a brace without its other")
    yield template[begin:], None


def _split(forms: str) -> list[str]:
    """The forms between bars, but not between bars in inner braces."""
    depth, parts = 0, [""]
    for character in forms:
        depth += (character == "{") - (character == "}")
        if character == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]


def _outline(template: str) -> str:
    """The sentence as lists of rulings show it: names in braces; of forms by number the last, of other forms all."""
    said = ""
    for text, expression in _pieces(template):
        said += text
        if expression is None:
            continue
        head, colon, forms = expression.partition(":")
        name = head.split()[-1]
        if not colon:
            said += f"{{{name}}}"
            continue
        exact = [form for form in _split(forms) if form.startswith("=")]
        plural = [form for form in _split(forms) if not form.startswith("=")]
        shown = plural[-1:] or [form.partition(" ")[2] for form in exact]
        said += " / ".join(_outline(form).replace("#", f"{{{name}}}") for form in shown)
    return said
