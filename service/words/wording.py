"""Sentences that agree with their parameters: numbers, lists, players and their names, in one language.

A template is a sentence with its parameters in braces (all forms: docs/add-a-game.md):

    {seat} pays {amount: # chip|# chips} to the pot.      a form by number, in the order of the language's plurals
    {count: =0 buys nothing|=1 buys a card|buys # cards}  a form for one number, for one word, or for `=none`
    {winners: wins|win}                                   a form by the length of a list
    {a seat}, {di seat}                                   a preposition from the language's grammar
    {il card}                                             an article, where the word decides its form
    Knock[: {deadwood: # point|# points}]                 words of a move, left out where their parameter is null

Templates are compiled when they are read. Nothing but a template and its parameters decides what a sentence says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from string import Formatter
from typing import Any, Literal, NamedTuple, TypeAlias

from babel import Locale

from engines.core.shape import MISLEADING

Params: TypeAlias = Mapping[str, Any]
Sitter: TypeAlias = Literal["seat", "team", "side"]
"""What a number may stand for: a seat, a team, or a side, which is a team where the table has teams."""
Kind: TypeAlias = Sitter | Mapping[Any, str] | None
"""How a parameter is worded: as a player; as a word of the contract, by this map; or, for None, as it is."""
Kinds: TypeAlias = Mapping[str, Kind] | None
"""The kinds of a sentence's parameters; None: it may have any, and each is written as it is."""

PLURALS = ("zero", "one", "two", "few", "many", "other")
"""The order of the forms in a template; each language has some of them."""

MEMO = 2_000  #: Texts of one sentence that are remembered. This saves a quarter of judging a trick of six players.
LONGEST_REMEMBERED = 200  #: Characters of the longest text that is remembered.
STEERING = re.compile(f"[{MISLEADING}]")  #: What could change the sentence around it.
NOTHING = "–"  #: The word for a parameter that is null, where the sentence has no other.


def cleaned(text: str) -> str:
    """The text without control characters, line ends, and marks that turn the direction of writing."""
    return text if text.isprintable() else STEERING.sub("", text)


def escaped(line: str) -> str:
    """A line of JSON in which these characters are written as `\\u` escapes."""
    return line if line.isprintable() else STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", line)


class Players(NamedTuple):
    """The players at a table: the name and the team of each seat; None where there are none."""

    names: Sequence[str] | None = None
    teams: tuple[int, ...] | None = None


NAMELESS = Players()


class FaultyTemplate(ValueError):
    """A template with a mistake, which the message names."""


class Worded(NamedTuple):
    """Words for players. `own`: it is a player's own name, whose first letter must not change."""

    text: str
    own: bool = False


Part: TypeAlias = Callable[[Params, Players], str]


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
        self.cases: Mapping[str, Mapping[str, Any]] = words["cases"]
        """Prepositions with a `seat` or a `team` (one, several), and with a `name` (by the first pattern that fits)."""

    def joined(self, items: Sequence[str]) -> str:
        """`a, b and c`."""
        *rest, last = items or ("",)
        return self.between.join(rest) + _put_before(last, self.last) if rest else last

    def shown(self, value: Any, words: Mapping[Any, str] | None) -> str:
        """A value, or a list of them, by the map `words`; None: as it is."""
        if isinstance(value, tuple | list):
            if any(isinstance(item, tuple | list) for item in value):
                groups = [[self.unseen if each is None else self.shown(each, words) for each in item] for item in value]
                return "; ".join([", ".join(group) or NOTHING for group in groups])
            return self.joined([self.unseen if item is None else self.shown(item, words) for item in value]) or NOTHING
        if value is None:
            return NOTHING
        return _figures(value) if words is None else words.get(value, _figures(value))

    def form(self, number: int, forms: Sequence[Any]) -> Any:
        """The form for a number. Of two forms, the first is the singular, the second for all other numbers."""
        tag = self.plural(number)
        if len(forms) == len(self.plurals):
            return forms[self.plurals.index(tag)]
        return forms[0 if tag == self.plurals[0] else -1]

    def players(self, kind: Sitter, case: str, value: Any, players: Players) -> Worded:
        """A seat, a team, or a list of them. `case`: the preposition, or an empty string."""
        numbers = list(value) if isinstance(value, list | tuple) else [value]
        names, teams = players
        if kind == "team" or (kind == "side" and teams is not None):
            if names is not None and teams is not None and numbers:
                return self._named_teams(case, numbers, names, teams)
            return self._numbered("team", case, numbers)
        if names is None or not numbers or max(numbers) >= len(names):
            return self._numbered("seat", case, numbers)
        words = [_put_before(names[each], self.cases[case]["name"]) for each in numbers]
        return Worded(self.joined(words), own=not case)

    def _numbered(self, kind: Literal["seat", "team"], case: str, numbers: Sequence[int]) -> Worded:
        """Seats or teams by their numbers: `seats 0 and 2`."""
        one, several = self.cases[case][kind]
        return Worded(f"{one if len(numbers) == 1 else several} {self.joined([str(each) for each in numbers])}")

    def _named_teams(self, case: str, numbers: Sequence[int], names: Sequence[str], teams: Sequence[int]) -> Worded:
        """Teams by the names of their players: `the team of Ann and Bob`; by their numbers if one has no player."""
        words = []
        for number in numbers:
            members = [name for name, team in zip(names, teams, strict=False) if team == number]
            if not members:
                return self._numbered("team", case, numbers)
            of_members = self.joined([_put_before(name, self.cases[self.of]["name"]) for name in members])
            words.append(f"{self.cases[case]['team'][0]} {of_members}")
        return Worded(self.joined(words))


class Sentence:
    """A compiled template. `whole`: it begins with a capital letter. `brackets`: they mean what is left out."""

    def __init__(
        self, template: str, grammar: Grammar, kinds: Kinds, *, whole: bool = True, brackets: bool = False
    ) -> None:
        compiler = _Compiler(grammar, kinds, brackets)
        pieces = compiler.pieces(template, "", starts=whole)
        self.template, self.names = template, tuple(compiler.names)
        self.outline = _outline(pieces)
        """The sentence as lists of rulings show it, with the names of parameters in braces.

        Of forms in the order of the plurals it has the last. Where each form is for one value (`=`), it has them all.
        """
        self._parts = [piece.filled for piece in pieces]
        self._of_players = kinds is not None and any(isinstance(kinds[name], str) for name in self.names)
        self._particulars: Callable[[Params], object] = itemgetter(*self.names) if self.names else lambda params: ()
        self._filled: dict[object, str] = {}

    def filled(self, params: Params, players: Players = NAMELESS) -> str:
        """The text with these parameters, without characters of theirs that would change the sentence around them."""
        particulars = self._particulars(params)
        if self._of_players:
            names, teams = players
            if names is not None:
                return self._joined(params, players)
            if teams is not None:
                particulars = particulars, teams
        try:
            return self._filled[particulars]
        except (KeyError, TypeError):  # these parameters are new, or cannot be hashed
            pass
        text = self._joined(params, players)
        if len(self._filled) < MEMO and len(text) <= LONGEST_REMEMBERED:
            with suppress(TypeError):  # a list among the particulars, as a session's log keeps them
                self._filled[particulars] = text
        return text

    def filled_as_stored(self, params: Params, players: Players = NAMELESS) -> str:
        """The text with parameters that an earlier release may have stored: those that it did not know are null."""
        return self.filled({**dict.fromkeys(self.names), **params}, players)

    def _joined(self, params: Params, players: Players) -> str:
        """The text, put together anew."""
        return cleaned("".join([part(params, players) for part in self._parts]))


class _Piece(NamedTuple):
    """A part of a sentence: in its outline, and filled."""

    outline: str
    filled: Part
    name: str | None = None  #: The parameter that it words, if it is one.


class _Compiler:
    """Compiles one template, and collects the names of its parameters."""

    def __init__(self, grammar: Grammar, kinds: Kinds, brackets: bool) -> None:
        self.grammar, self.kinds, self.brackets = grammar, kinds, brackets
        self.names: dict[str, None] = {}  #: In the order of the template, each once.

    def pieces(self, template: str, number: str, *, starts: bool) -> list[_Piece]:
        """The pieces of a text. `number`: the parameter that `#` stands for, if any. `starts`: it begins a sentence."""
        pieces: list[_Piece] = []
        passages = _passages(template) if self.brackets else [(template, False)]
        for passage, optional in passages:
            inner: list[_Piece] = []
            for text, head, forms in _parsed(passage):
                if text:
                    inner += _plain(text, number)
                    starts = text.endswith((". ", "? ", "! "))
                if head is not None:
                    inner.append(self._placeholder(head, forms, starts=starts))
                    starts = False
            if optional:
                pieces.append(_optional(inner))
            else:
                pieces += inner
        return pieces

    def _placeholder(self, head: str, forms: Sequence[str], *, starts: bool) -> _Piece:
        """The piece for what is in braces. `head`: a preposition or an article, if any, and the parameter's name."""
        *before, name = head.split()
        self.names[name] = None
        if self.kinds is not None and name not in self.kinds:
            raise FaultyTemplate(f"uses {{{name}}}")
        if forms:
            return self._choice(name, forms, starts=starts)
        worded = self._worded(name, " ".join(before))

        def filled(params: Params, players: Players) -> str:
            value = params[name]
            if value is None or value in ((), []):
                return NOTHING
            words = worded(value, players)
            return words.text[:1].upper() + words.text[1:] if starts and not words.own else words.text

        return _Piece(f"{{{name}}}", filled, name)

    def _worded(self, name: str, before: str) -> Callable[[Any, Players], Worded]:
        """A function that words a value of this parameter. `before`: the preposition or article before it."""
        kind, grammar = None if self.kinds is None else self.kinds[name], self.grammar
        if isinstance(kind, str):
            if before not in grammar.cases:
                raise FaultyTemplate(f"puts {before!r} before {{{name}}}, which is none of {', '.join(grammar.cases)}")
            return lambda value, players: grammar.players(kind, before, value, players)
        if not before:
            return lambda value, players: Worded(grammar.shown(value, kind))
        if before not in grammar.articles:
            raise FaultyTemplate(f"puts {before!r} before {{{name}}}, which is no player")
        article = grammar.articles[before]
        return lambda value, players: Worded(_put_before(grammar.shown(value, kind), article))

    def _choice(self, name: str, forms: Sequence[str], *, starts: bool) -> _Piece:
        """The piece that takes one of several forms, by the value of a parameter."""
        exact: dict[str, list[_Piece]] = {}
        plural: list[list[_Piece]] = []
        for form in forms:
            if form.startswith("="):
                value, _, text = form[1:].partition(" ")
                exact[value] = self.pieces(text.strip(), name, starts=starts)
            else:
                plural.append(self.pieces(form.strip(), name, starts=starts))
        grammar = self.grammar
        if len(plural) not in (0, 1, 2, len(grammar.plurals)):
            raise FaultyTemplate(f"has {len(plural)} forms of {{{name}}}; 2 or {len(grammar.plurals)} are needed")

        def filled(params: Params, players: Players) -> str:
            value = params[name]
            chosen = exact.get("none" if value is None else str(_count(value)))
            if chosen is None and (value is None or len(plural) == 1):
                chosen = plural[-1] if plural else []
            elif chosen is None:
                chosen = grammar.form(int(_count(value)), plural)
            return "".join([piece.filled(params, players) for piece in chosen])

        return _Piece(" / ".join(map(_outline, plural[-1:] or exact.values())), filled, name)


def _optional(pieces: Sequence[_Piece]) -> _Piece:
    """The pieces of a passage in brackets: nothing, where a parameter that it words is null."""
    names = [piece.name for piece in pieces if piece.name is not None]
    if not names:
        raise FaultyTemplate("has brackets without a parameter")

    def filled(params: Params, players: Players) -> str:
        if any(params[name] is None for name in names):
            return ""
        return "".join([piece.filled(params, players) for piece in pieces])

    return _Piece(_outline(pieces), filled)


def _outline(pieces: Iterable[_Piece]) -> str:
    """The outline of a text: see `Sentence.outline`."""
    return "".join([piece.outline for piece in pieces])


def _plain(text: str, number: str) -> Iterator[_Piece]:
    """The pieces of a text without braces."""
    for place, piece in enumerate(text.split("#") if number else [text]):
        if place:
            yield _Piece(f"{{{number}}}", lambda params, players: _numeral(params[number]))
        if piece:
            yield _fixed(piece)


def _numeral(value: Any) -> str:
    """The number that `#` stands for."""
    return NOTHING if value is None else _figures(_count(value))


def _figures(value: Any) -> str:
    """A value as text, a number below zero with a minus sign, as the sentences have it."""
    return f"\N{MINUS SIGN}{-value}" if isinstance(value, int) and value < 0 else str(value)


def _fixed(text: str) -> _Piece:
    """A piece that is the same whatever the parameters are."""
    return _Piece(text, lambda params, players: text)


def _put_before(word: str, forms: Mapping[str, str]) -> str:
    """A word in the first form whose pattern fits it: `d'Anna`, `de Bob`."""
    return next(form for pattern, form in forms.items() if re.match(pattern, word, re.IGNORECASE)).format(word)


def _count(value: Any) -> Any:
    """The number that selects a form: the length of a list, or the value itself."""
    return len(value) if isinstance(value, tuple | list) else value


def _passages(template: str) -> Iterator[tuple[str, bool]]:
    """The passages of a template, and whether each is in brackets. Brackets within braces belong to a form there."""
    depth, start, opened = 0, 0, False
    for place, character in enumerate(template):
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
        if depth == 0 and character == ("]" if opened else "["):
            yield template[start:place], opened
            start, opened = place + 1, not opened
    if opened:
        raise FaultyTemplate("has a bracket without its other")
    yield template[start:], False


def _parsed(template: str) -> Iterator[tuple[str, str | None, Sequence[str]]]:
    """Each text, with what is before the colon in the braces that follow (None after the last text), and the forms."""
    try:
        for text, head, forms, _ in Formatter().parse(template):
            yield text, head, _split(forms) if forms else ()
    except ValueError:
        raise FaultyTemplate("has a brace without its other") from None


def _split(forms: str) -> list[str]:
    """The forms between bars, but not between bars in inner braces."""
    depth, parts = 0, [""]
    for character in forms:
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
        if character == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]
