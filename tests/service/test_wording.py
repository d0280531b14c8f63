"""Grammar of sentences: plural forms, lists, players with and without names, and invalid templates."""

from typing import Any

import pytest

from service.words.phrases import grammar
from service.words.wording import NAMELESS, FaultyTemplate, Players, Sentence

FOUR_NAMES = ("Anna", "Bob", "Yves", "Carla")
TEAMS = (0, 0, 1, 1)
TYPES_OF_PARAMETERS: dict[str, Any] = {
    "n": None,
    "cards": {"7S": "7♠", "8S": "8♠"},
    "kind": {"gin": "gin", "dead": "dead hand"},
    "seat": "seat",
    "seats": "seat",
    "team": "team",
    "side": "side",
}


def sentence_of(language: str, template: str, players: Players = NAMELESS, **params: Any) -> str:
    """The sentence that a template makes with these parameters."""
    return Sentence(template, grammar(language), TYPES_OF_PARAMETERS).filled(params, players)


POINTS, PUNTI, CARDS = "{n: # point|# points}", "{n: # punto|# di punti|# punti}", "{n: =0 none|# card|# cards}"
SENTENCES: dict[str, list[tuple[str, str, Any, str]]] = {
    "a number selects the plural form of its language": [
        *(("en", POINTS, number, text) for number, text in ((0, "0 points"), (1, "1 point"), (5, "5 points"))),
        *(
            ("it", POINTS, number, text)
            for number, text in ((0, "0 points"), (1, "1 point"), (10**6, "1000000 points"))
        ),
        *(("fr", POINTS, number, text) for number, text in ((0, "0 point"), (1, "1 point"), (2, "2 points"))),
    ],
    "three forms follow the order of the language's plurals": [
        ("it", PUNTI, number, text) for number, text in ((1, "1 punto"), (10**6, "1000000 di punti"), (2, "2 punti"))
    ],
    "a form for one value takes precedence": [("en", CARDS, 0, "none"), ("en", CARDS, 1, "1 card")],
    "a list selects the form for its length": [
        ("en", "{cards} {cards: fits|fit}", ["7S"], "7♠ fits"),
        ("en", "{cards} {cards: fits|fit}", ["7S", "8S"], "7♠ and 8♠ fit"),
    ],
    "hidden cards are called hidden": [("it", "{cards}", ["7S", None], "7♠ e una carta coperta")],
    "groups of cards are separated": [("en", "{cards}", [["7S", "8S"], ["8S"]], "7♠, 8♠; 8♠")],
    "hidden cards of groups are called hidden": [
        ("it", "{cards}", [["7S", None], ["8S"]], "7♠, una carta coperta; 8♠")
    ],
    "a code selects a form": [
        ("en", "{kind: =gin It is {kind}.|=dead Nobody scores.}", "gin", "It is gin."),
        ("en", "{kind: =gin It is {kind}.|=dead Nobody scores.}", "dead", "Nobody scores."),
    ],
    "null has its own form or is a dash": [("en", "{seat: =none All|{seat}} and {seat}", None, "All and –")],
    "an article agrees with how a number is spoken": [
        ("it", "{il n}", number, text)
        for number, text in ((1, "L'1"), (8, "L'8"), (11, "L'11"), (81, "L'81"), (3, "Il 3"), (18, "Il 18"))
    ],
    "a sentence begins with a capital": [
        ("it", "Fine. {seat} vince, non {seat}.", 1, "Fine. Il posto 1 vince, non il posto 1.")
    ],
}


@pytest.mark.parametrize("cases", SENTENCES.values(), ids=SENTENCES)
def test_a_parameter_is_worded_by_the_grammar_of_its_language(cases: list[tuple[str, str, Any, str]]) -> None:
    for language, template, value, text in cases:
        assert sentence_of(language, template, **dict.fromkeys(TYPES_OF_PARAMETERS, value)) == text


NAMED = [
    ("en", "{seat} pays; it is {seat}'s turn.", "Seat 0 pays; it is seat 0's turn.", "Anna pays; it is Anna's turn."),
    ("it", "{seat} paga. Tocca {a seat}.", "Il posto 0 paga. Tocca al posto 0.", "Anna paga. Tocca ad Anna."),
    ("it", "Le carte {di seat}.", "Le carte del posto 0.", "Le carte di Anna."),
    ("fr", "{seat} paie. C'est {à seat}.", "La place 0 paie. C'est à la place 0.", "Anna paie. C'est à Anna."),
    ("fr", "Le tour {de seat}.", "Le tour de la place 0.", "Le tour d'Anna."),
    ("en", "{seats} {seats: wins|win}.", "Seats 0, 1 and 2 win.", "Anna, Bob and Yves win."),
    ("it", "Tocca {a seats}.", "Tocca ai posti 0, 1 e 2.", "Tocca ad Anna, a Bob e a Yves."),
    ("fr", "Le tour {de seats}.", "Le tour des places 0, 1 et 2.", "Le tour d'Anna, de Bob et d'Yves."),
    ("de", "{seat} zahlt {dem seat}.", "Platz 0 zahlt Platz 0.", "Anna zahlt Anna."),
    (
        "de",
        "{seats} und {dem seats}.",
        "Die Plätze 0, 1 und 2 und den Plätzen 0, 1 und 2.",
        "Anna, Bob und Yves und Anna, Bob und Yves.",
    ),
    *(("de", f"{{dem {kind}}}.", "Team 1.", "Team Yves und Carla.") for kind in ("team", "side")),
    *(("en", f"{{{kind}}} wins.", "Team 1 wins.", "Team Yves and Carla wins.") for kind in ("team", "side")),
    *(("it", f"{{{kind}}}.", "La squadra 1.", "La squadra di Yves e di Carla.") for kind in ("team", "side")),
    *(("fr", f"{{{kind}}}.", "L'équipe 1.", "L'équipe d'Yves et de Carla.") for kind in ("team", "side")),
]
"""Sentences without names and with them. Seats 0, 1 and 2, or team 1, of a table of two teams."""


@pytest.mark.parametrize(("language", "template", "unnamed", "named"), NAMED)
def test_a_player_is_called_by_number_or_by_name(language: str, template: str, unnamed: str, named: str) -> None:
    params = {"seat": 0, "seats": [0, 1, 2], "team": 1, "side": 1}
    assert sentence_of(language, template, Players(teams=TEAMS), **params) == unnamed
    assert sentence_of(language, template, Players(FOUR_NAMES, TEAMS), **params) == named


def test_a_side_is_called_by_its_seat_in_a_game_without_teams() -> None:
    assert sentence_of("en", "{side} wins.", Players(FOUR_NAMES), side=1) == "Bob wins."


def test_a_seat_beyond_the_names_and_a_team_without_members_keep_their_number() -> None:
    assert sentence_of("en", "There is no {seat}.", Players(FOUR_NAMES), seat=7) == "There is no seat 7."
    assert sentence_of("en", "{team} is empty.", Players(FOUR_NAMES, (0, 0, 0, 0)), team=1) == "Team 1 is empty."


def test_a_name_is_left_unchanged_and_is_no_template() -> None:
    assert sentence_of("en", "{seat} pays {n}.", Players(("iPhil {n}",)), seat=0, n=2) == "iPhil {n} pays 2."


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{m}", "uses {m}"),
        ("{n", "has a brace without its other"),
        ("n}", "has a brace without its other"),
        ("{di n}", "puts 'di' before {n}, which is no player"),
        ("{of seat}", "puts 'of' before {seat}, which is none of , a, di, da, con"),
        ("{n: a|b|c|d}", "has 4 forms of {n}; 2 or 3 are needed"),
    ],
)
def test_an_invalid_template_is_reported(template: str, message: str) -> None:
    with pytest.raises(FaultyTemplate) as raised:
        sentence_of("it", template)
    assert str(raised.value) == message


def test_the_outline_of_a_sentence_has_its_parameters_in_braces_and_its_forms_side_by_side() -> None:
    sentence = Sentence(
        "{seat} has {n: =0 none|# card|# cards}: {kind: =gin gin|=dead dead}.", grammar("en"), TYPES_OF_PARAMETERS
    )
    assert sentence.outline == "{seat} has {n} cards: gin / dead."


KNOCK = "Knock[, throwing {cards}][: {n: # point|# points}]"


def words_of_move(template: str, **params: Any) -> str:
    """Return the words of a move's button that a template makes with these parameters."""
    return Sentence(template, grammar("en"), TYPES_OF_PARAMETERS, brackets=True).filled(params)


@pytest.mark.parametrize(
    ("cards", "number", "text"),
    [
        (["7S"], 1, "Knock, throwing 7♠: 1 point"),
        (["7S"], None, "Knock, throwing 7♠"),
        (None, 0, "Knock: 0 points"),
        (None, None, "Knock"),
    ],
)
def test_a_passage_in_brackets_is_left_out_where_its_parameter_is_null(cards: Any, number: Any, text: str) -> None:
    assert words_of_move(KNOCK, cards=cards, n=number) == text


def test_a_passage_in_brackets_stands_in_a_form_too() -> None:
    template = "{kind: =gin Gin[: {n}]|=dead Nothing}"
    assert [words_of_move(template, kind="gin", n=number) for number in (3, None)] == ["Gin: 3", "Gin"]


def test_brackets_in_a_sentence_of_a_ruling_are_brackets() -> None:
    assert sentence_of("en", "[{n}]", n=None) == "[–]"


@pytest.mark.parametrize(
    ("template", "message"),
    [("Knock[: {n}", "has a bracket without its other"), ("Knock[ so]", "has brackets without a parameter")],
)
def test_invalid_brackets_are_reported(template: str, message: str) -> None:
    with pytest.raises(FaultyTemplate, match=message):
        words_of_move(template, n=1)
