"""Grammar of sentences: plural forms, lists, players with and without names, and invalid templates."""

from typing import Any

import pytest

from service.web.languages import grammar
from service.web.wording import NAMELESS, FaultyTemplate, Players, Sentence

FOUR = ("Anna", "Bob", "Yves", "Carla")
TEAMS = (0, 0, 1, 1)
KINDS: dict[str, Any] = {
    "n": None,
    "cards": {"7S": "7♠", "8S": "8♠"},
    "kind": {"gin": "gin", "dead": "dead hand"},
    "seat": "seat",
    "seats": "seat",
    "team": "team",
    "side": "side",
}


def said(language: str, template: str, players: Players = NAMELESS, **params: Any) -> str:
    return Sentence(template, grammar(language), KINDS).filled(params, players)


@pytest.mark.parametrize(
    ("language", "number", "text"),
    [
        ("en", 0, "0 points"), ("en", 1, "1 point"), ("en", 2, "2 points"), ("en", 5, "5 points"),
        ("it", 0, "0 points"), ("it", 1, "1 point"), ("it", 2, "2 points"), ("it", 1_000_000, "1000000 points"),
        ("fr", 0, "0 point"), ("fr", 1, "1 point"), ("fr", 2, "2 points"), ("fr", 5, "5 points"),
    ],
)  # fmt: skip
def test_a_number_selects_the_plural_form_of_its_language(language: str, number: int, text: str) -> None:
    assert said(language, "{n: # point|# points}", n=number) == text


def test_three_forms_follow_the_order_of_the_languages_plurals() -> None:
    forms = "{n: # punto|# di punti|# punti}"
    assert [said("it", forms, n=number) for number in (1, 1_000_000, 2)] == ["1 punto", "1000000 di punti", "2 punti"]


def test_a_form_for_one_value_takes_precedence_over_the_plural() -> None:
    assert [said("en", "{n: =0 none|# card|# cards}", n=number) for number in (0, 1)] == ["none", "1 card"]


def test_a_list_selects_the_form_for_its_length() -> None:
    forms = "{cards} {cards: fits|fit}"
    assert [said("en", forms, cards=cards) for cards in (["7S"], ["7S", "8S"])] == ["7♠ fits", "7♠ and 8♠ fit"]


def test_hidden_cards_are_called_hidden() -> None:
    assert said("it", "{cards}", cards=["7S", None]) == "7♠ e una carta coperta"


def test_groups_of_cards_are_separated() -> None:
    assert said("en", "{cards}", cards=[["7S", "8S"], ["8S"]]) == "7♠, 8♠; 8♠"


def test_a_code_selects_a_form() -> None:
    forms = "{kind: =gin It is {kind}.|=dead Nobody scores.}"
    assert [said("en", forms, kind=kind) for kind in ("gin", "dead")] == ["It is gin.", "Nobody scores."]


def test_null_has_its_own_form_or_is_a_dash() -> None:
    assert said("en", "{seat: =none All|{seat}} and {seat}", seat=None) == "All and –"


@pytest.mark.parametrize(
    ("language", "template", "unnamed", "named"),
    [
        (
            "en",
            "{seat} pays; it is {seat}'s turn.",
            "Seat 0 pays; it is seat 0's turn.",
            "Anna pays; it is Anna's turn.",
        ),
        ("it", "{seat} paga. Tocca {a seat}.", "Il posto 0 paga. Tocca al posto 0.", "Anna paga. Tocca ad Anna."),
        ("it", "Le carte {di seat}.", "Le carte del posto 0.", "Le carte di Anna."),
        ("fr", "{seat} paie. C'est {à seat}.", "La place 0 paie. C'est à la place 0.", "Anna paie. C'est à Anna."),
        ("fr", "Le tour {de seat}.", "Le tour de la place 0.", "Le tour d'Anna."),
    ],
)
def test_a_player_is_called_by_seat_or_by_name(language: str, template: str, unnamed: str, named: str) -> None:
    assert said(language, template, seat=0) == unnamed
    assert said(language, template, Players(FOUR), seat=0) == named


@pytest.mark.parametrize(
    ("language", "template", "unnamed", "named"),
    [
        ("en", "{seats} {seats: wins|win}.", "Seats 0, 1 and 2 win.", "Anna, Bob and Yves win."),
        ("it", "Tocca {a seats}.", "Tocca ai posti 0, 1 e 2.", "Tocca ad Anna, a Bob e a Yves."),
        ("fr", "Le tour {de seats}.", "Le tour des places 0, 1 et 2.", "Le tour d'Anna, de Bob et d'Yves."),
    ],
)
def test_several_players_are_joined(language: str, template: str, unnamed: str, named: str) -> None:
    assert said(language, template, seats=[0, 1, 2]) == unnamed
    assert said(language, template, Players(FOUR), seats=[0, 1, 2]) == named


@pytest.mark.parametrize(
    ("language", "unnamed", "named"),
    [
        ("en", "Team 1 wins.", "Team Yves and Carla wins."),
        ("it", "La squadra 1 wins.", "La squadra di Yves e di Carla wins."),
        ("fr", "L'équipe 1 wins.", "L'équipe d'Yves et de Carla wins."),
    ],
)
def test_a_team_joins_the_names_of_its_members(language: str, unnamed: str, named: str) -> None:
    for kind in ("team", "side"):
        template = f"{{{kind}}} wins."
        assert said(language, template, Players(teams=TEAMS), **{kind: 1}) == unnamed
        assert said(language, template, Players(FOUR, TEAMS), **{kind: 1}) == named


def test_a_side_is_a_seat_where_there_are_no_teams() -> None:
    assert said("en", "{side} wins.", Players(FOUR), side=1) == "Bob wins."


def test_a_seat_beyond_the_names_and_a_team_without_members_keep_their_number() -> None:
    assert said("en", "There is no {seat}.", Players(FOUR), seat=7) == "There is no seat 7."
    assert said("en", "{team} is empty.", Players(FOUR, (0, 0, 0, 0)), team=1) == "Team 1 is empty."


def test_a_name_is_left_unchanged_and_is_no_template() -> None:
    assert said("en", "{seat} pays {n}.", Players(("iPhil {n}",)), seat=0, n=2) == "iPhil {n} pays 2."


def test_a_sentence_begins_with_a_capital() -> None:
    assert said("it", "Fine. {seat} vince, non {seat}.", seat=1) == "Fine. Il posto 1 vince, non il posto 1."


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("{m}", "uses {m}"),
        ("{n", "has a brace without its other"),
        ("n}", "has a brace without its other"),
        ("{di n}", "puts 'di' before {n}, which is no player"),
        ("{of seat}", "puts 'of' before {seat}, which is none of , a, di, da, con"),
        ("{n: a|b|c|d}", "has 4 forms of {n}; 2 or 3 are needed"),
    ],
)
def test_an_invalid_template_is_reported(template: str, told: str) -> None:
    with pytest.raises(FaultyTemplate) as raised:
        said("it", template)
    assert str(raised.value) == told


def test_a_sentence_is_listed_with_bare_names() -> None:
    sentence = Sentence("{seat} has {n: =0 none|# card|# cards}: {kind: =gin gin|=dead dead}.", grammar("en"), KINDS)
    assert sentence.outline == "{seat} has {n} cards: gin / dead."
