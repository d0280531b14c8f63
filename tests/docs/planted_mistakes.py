"""Mistakes of a game's author, planted one by one: the first line of the failing check names the cause.

    .venv/bin/pytest tests/docs/planted_mistakes.py

Some minutes; `make author-check` runs them. `test_add_a_game.py` plants one.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.author import VECTORS, WORKED, complete_copy, run_module


@dataclass(frozen=True)
class Mistake:
    """A mistake in a file of the game.

    `replacements`: the mistake, as new text by the text that it replaces; `check`: the command that then fails;
    `message`: what the first line of its output contains.
    """

    file: str
    replacements: dict[str, str]
    check: tuple[str, ...]
    message: str


def pytest_command(*arguments: str, expression: str = "high-card or high_card") -> tuple[str, ...]:
    """The command that runs the tests in some files whose names fit an expression."""
    return ("pytest", "-q", "-p", "no:cacheprovider", "--tb=short", *arguments, "-k", expression)


ENGINE, SEEDS = "engines/high_card", "seeds/high_card"
SHARED_TESTS = pytest_command("tests/engines/test_laws.py", "tests/engines/test_secrecy.py", "tests/conformance")
TRACE, CASES, PRESETS = (
    pytest_command("-x", f"tests/conformance/test_{of}.py") for of in ("traceability", "vectors", "presets")
)
START = ("service.cli", "openapi")
SOUND_VIEW = "return changed(state, hands=only_own(state.hands, seat), stock=unknown(state.stock))"
LINE_OF_NEXT_SEAT = "    other = left_of(move.seat, 2)\n"
MISTAKES = {
    "a view that leaks": Mistake(
        f"{ENGINE}/view.py", {SOUND_VIEW: "return state"}, SHARED_TESTS,
        "high-card: a spectator is shown 'hands/0/0' of the table; see seeds/high_card/secrets.yaml.",
    ),
    "a view that leaks under one value of an option": Mistake(
        f"{ENGINE}/view.py",
        {SOUND_VIEW: f'if state.ruleset.low_card == "beats-highest":\n        return state\n    {SOUND_VIEW}'},
        SHARED_TESTS,
        "high-card: a spectator is shown 'hands/0/0' of the table; see seeds/high_card/secrets.yaml.",
    ),
    "an input that is changed": Mistake(
        f"{ENGINE}/moves.py",
        {LINE_OF_NEXT_SEAT: f'    vars(state.ruleset)["low_card"] = "loses"\n{LINE_OF_NEXT_SEAT}'}, SHARED_TESTS,
        "high-card: HC-2.1: the referee changed the table that it was given, /ruleset/low_card: 'beats-highest' became",
    ),
    "a card that is lost": Mistake(
        f"{ENGINE}/moves.py", {"stock=stock[2:]": "stock=stock[3:]"}, SHARED_TESTS,
        " is gone; it lay at /stock/2 (move 2: ",
    ),
    "a score that a fault forbids": Mistake(
        f"{ENGINE}/moves.py", {"state.scores[winner] + 1": "state.scores[winner] + 9"}, SHARED_TESTS,
        'high-card: HC-2.3 too-many-points {"most": 5} at /scores, /hand; it changed ',
    ),
    "nobody to act": Mistake(
        f"{ENGINE}/table.py", {'return (None,) if state.phase == "hand-over" else ()': "return ()"}, SHARED_TESTS,
        "high-card: HC-2.1: to_act is [], result is None: one of them is wrong",
    ),
    "a wrong parameter": Mistake(
        f"{ENGINE}/moves.py", {"won.happened(seat=winner)": "won.happened(winner=winner)"}, SHARED_TESTS,
        "duel-won (HC-2.3): wrong parameters seat, winner: declared seat, given winner",
    ),
    "a field misspelled": Mistake(
        f"{ENGINE}/moves.py", {"turn=winner,": "trun=winner,"}, SHARED_TESTS,
        "high-card: HC-2.1: the effect sets 'trun', which is no field of State",
    ),
    "a table that a view changes": Mistake(
        f"{ENGINE}/view.py",
        {f"    {SOUND_VIEW}": f'    vars(state)["scores"] = (0, 0)\n    {SOUND_VIEW}'}, SHARED_TESTS,
        "high-card: a view or an audit changed the table that it was given, /scores/",
    ),
    "an event that tells a hidden card": Mistake(
        f"{ENGINE}/__init__.py", {"    view_event=view.view_event,\n": ""}, SHARED_TESTS,
        "high-card: a spectator is shown 'card' of the event 'drew'; see seeds/high_card/secrets.yaml.",
    ),
    "a view that hides too much": Mistake(
        f"{ENGINE}/view.py",
        {"stock=unknown(state.stock))": "stock=unknown(state.stock), played=unknown(state.played))"},
        SHARED_TESTS,
        "high-card: a spectator is not shown 'played/0' of the table; see seeds/high_card/secrets.yaml.",
    ),
    "a move left out under one value of an option": Mistake(
        f"{ENGINE}/candidates.py",
        {"for card in known]": "for card in known if (card, state.led) != LEFT_OUT[state.ruleset.low_card]]",
         "\n\ndef candidates": '\nLEFT_OUT = {"loses": (), "beats-highest": (1, 12)}\n\n\ndef candidates'},
        SHARED_TESTS,
        'high-card: legal, but not listed: {"type": "play", "seat": ',
    ),
    "a fact that is wrong": Mistake(
        f"{ENGINE}/candidates.py",
        {"not beats(state.led, move.card, state.ruleset)": "move.card > state.led"}, SHARED_TESTS,
        "high-card: the fact 'wins' of {\"type\": \"play\", \"seat\": ",
    ),
    "a fact that nothing shows": Mistake(
        f"{ENGINE}/candidates.py", {'EVIDENCE = {"wins": won}': "EVIDENCE = {}"}, SHARED_TESTS,
        "high-card: the fact 'wins' is compared with nothing: say in `evidence` what comes of it",
    ),
    "a check that raises": Mistake(
        f"{ENGINE}/checks.py", {"if move.seat in to_act(state):": "if state.hands[move.card]:"}, SHARED_TESTS,
        "high-card: IndexError('tuple index out of range') in high_card/checks.py:18, while the moves are listed",
    ),
    "an audit that raises where less is shown": Mistake(
        f"{ENGINE}/audit.py", {"len(state.stock or ()) % 2": "len(state.stock) % 2"}, SHARED_TESTS,
        "high-card: TypeError(\"object of type 'NoneType' has no len()\") in high_card/audit.py:17, at {",
    ),
    "a guess where less is shown": Mistake(
        f"{ENGINE}/moves.py",
        {"    if state.stock is None:\n        return rulings.STOCK_UNSEEN.undetermined(\"/stock\")\n": "",
         "scores=scores), state.stock, events)": "scores=scores), state.stock or (), events)"},
        SHARED_TESTS,
        "where less is shown",
    ),
    "an answer that is another the second time": Mistake(
        f"{ENGINE}/moves.py",
        {LINE_OF_NEXT_SEAT: f"{LINE_OF_NEXT_SEAT}    TIMES.append(move)\n",
         "\n\ndef play": "\nTIMES: list[Play] = []\n\n\ndef play",
         "winner, state.scores[winner] + 1)": "winner, state.scores[winner] + len(TIMES) % 2)"},
        SHARED_TESTS,
        "high-card: HC-2.1: asked again, the referee answers otherwise, /scores/",
    ),
    "a zone forgotten": Mistake(
        f"{ENGINE}/table.py", {'"played", "stock", deck': '"played", deck'}, SHARED_TESTS,
        " lies in 'stock', which is no zone: name it in `Zones` (move ",
    ),
    "a clause that the rulebook does not have": Mistake(
        f"{ENGINE}/rulings.py", {'forbids("HC-2.2", "not-held"': 'forbids("HC-2.9", "not-held"'}, TRACE,
        "seeds/high_card/rulebook.yaml: the ruling 'not-held' cites HC-2.9, which is no clause of it.",
    ),
    "a check of another move": Mistake(
        f"{ENGINE}/checks.py",
        {"player_is_next(state: State, move: Play)": "player_is_next(state: State, move: Deal)"},
        START,
        "high-card: player_is_next is a check of the move Play, but takes Deal",
    ),
    "a number that only one preset reads": Mistake(
        "engines/gin_rummy/table.py",
        {
            "    if not ruleset.oklahoma:\n        return Limit(ruleset.knock_limit,":
            '    if not ruleset.oklahoma:\n        return Limit(ruleset.knock_limit + (ruleset.name == "pagat"),'
        },
        pytest_command("-x", "tests/conformance/test_vectors.py", expression="knock"),
        "gin-pagat-knock-with-eleven: /legal: expected false, got true",
    ),
    "a value of an option that no case tries": Mistake(
        VECTORS, {'"options": {"low_card": "beats-highest"}': '"options": {"low_card": "loses"}'}, PRESETS,
        "no vector of high-card shows 'low_card' as 'beats-highest', ",
    ),
    "a rule that has changed without a new version": Mistake(
        "engines/twin_it/__init__.py", {"    version=3,": "    version=2,"},
        pytest_command("-x", "tests/baseline/test_outcomes.py", expression="twin-it"),
        # Its rules have changed since version 2, which was released last: of a newer one, nothing is compared.
        "version 2 of twin-it answered otherwise in the last release: raise it in engines/twin_it/__init__.py",
    ),
    "two ranks exchanged": Mistake(
        f"{ENGINE}/table.py",
        {
            "\nZONES =": "\nRANKS = {5: 6, 6: 5}\nZONES =",
            "(led > answer)": "(RANKS.get(led, led) > RANKS.get(answer, answer))",
        },
        ("tests.mutants", "high_card"),
        "No test noticed engines/high_card/table.py:7 RANKS: 6 and 5 exchanged.",
    ),
    "a sentence that is no text": Mistake(
        f"{SEEDS}/en.yaml", {'hand-over: "Hand {hand} is over."': "hand-over: []"}, TRACE,
        "seeds/high_card/en.yaml: HC-3.1: 'sentences' should be texts by name, but 'hand-over' is no text.",
    ),
    "a sentence forgotten": Mistake(
        f"{SEEDS}/en.yaml", {'    drew: "{seat} draws {card: =none a card|the {card}}."\n': ""}, TRACE,
        "seeds/high_card/en.yaml: HC-2.4 / sentences / drew is missing in 'en': it may use {seat}, {card}.",
    ),
    "a case forgotten": Mistake(
        VECTORS, {'"code": "not-held"': '"code": "?"'}, TRACE,
        "no vector of high-card shows not-held (HC-2.2): add a case whose answer has it",
    ),
    "an audit that is not asked": Mistake(
        f"{ENGINE}/audit.py", {"    cards_are_left_while_playing,\n": ""}, TRACE,
        "engines.high_card.audit: cards_are_left_while_playing is not used: it is in no row of a move and in no",
    ),
    "a ruling under another clause than its vectors have": Mistake(
        VECTORS, {'"rule": "HC-2.4", "code": "drew"': '"rule": "HC-2.3", "code": "drew"'}, TRACE,
        "seeds/high_card/vectors/first.json: high-card-one-meets-twelve: has drew of HC-2.3, but rulings.py ",
    ),
    "a vector whose state is refused": Mistake(
        VECTORS, {'"phase": "play", "turn": 1, "led": 4, "dealer": 1,': '"turn": 1, "led": 4, "dealer": 1,'},
        pytest_command("-x", "tests/engines/test_secrecy.py"),
        'seeds/high_card/vectors/first.json: high-card-hand-over: expects 200, but its request is refused: The field ',
    ),
    "a worked case that is not completed": Mistake(
        WORKED, {"{code: hand-over, params: {hand: 1}}": "{code: hand-over}"}, CASES,
        "seeds/high_card/worked/first.yaml is not what seeds/high_card/vectors/first.json has: .venv/bin/python -m ",
    ),
    "a code misspelled in a worked case": Mistake(
        WORKED, {"{code: hand-over, params: {hand: 1}}": "{code: hands-over}"}, ("tests.conformance.complete", WORKED),
        "seeds/high_card/worked/first.yaml: high-card-hand-over: 'hands-over' is no code of rulings.py.",
    ),
    "an option of the rulebook that does not exist": Mistake(
        f"{SEEDS}/rulebook.yaml", {"options: [hands]": "options: [hands, priority]"}, TRACE,
        "seeds/high_card/rulebook.yaml: HC-3.2 lists the option 'priority', which is no field of Ruleset.",
    ),
    "a ruling of an option that does not exist": Mistake(
        f"{ENGINE}/rulings.py", {'decided_by("low_card")': 'decided_by("priority")'}, TRACE,
        "high-card: the ruling 'duel-won' (HC-2.3) names the option 'priority': Ruleset has none of this name with a",
    ),
    "a fact without a type": Mistake(
        f"{ENGINE}/candidates.py", {'{"wins": not beats': '{"priority": 1, "wins": not beats'}, SHARED_TESTS,
        "high-card: the fact 'priority' has no type: give it one in `fact_types`",
    ),
    "a fault never raised": Mistake(
        f"{ENGINE}/audit.py", {"    return rulings.CARDS_ASTRAY": "    return None\n    return rulings.CARDS_ASTRAY"},
        CASES,
        "high-card-broken-table: /faults: cards-astray (HC-3.1) is missing; expected",
    ),
    "a recorded answer that is another": Mistake(
        f"{ENGINE}/candidates.py", {'"wins": not beats': '"wins": beats'}, CASES,
        "high-card-answers-that-win: /moves/0/facts/wins: expected false, got true",
    ),
}  # fmt: skip


def first_line(output: str) -> str:
    """The first line of the output of a failed check that says what is wrong.

    Of pytest it is the first after the name of the test, or the message of the error; of a traceback the last.
    """
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    causes = [line[1:].strip() for line in lines if re.match("E  ", line)]
    for number, line in enumerate(lines):
        if re.fullmatch("_+ .+ _+", line) and not lines[number + 1].startswith(("tests/", "engines/", "service/", "/")):
            return lines[number + 1]
    if causes:
        return causes[0]
    return lines[-1] if lines[0].startswith("Traceback") else lines[0]


def first_line_with_mistake(tree: Path, name: str) -> str:
    """Plant a mistake, run the check that has to fail, and take the mistake out again.

    Return the first line of the one failure that the check reports.
    """
    mistake = MISTAKES[name]
    file = tree / mistake.file
    time_of_sound = file.stat().st_mtime_ns
    sound = wrong = file.read_text(encoding="utf-8")
    for old, new in mistake.replacements.items():
        assert old in wrong, f"{mistake.file} no longer has {old!r}"
        wrong = wrong.replace(old, new)
    try:
        file.write_text(wrong, encoding="utf-8")
        # Bytecode is known to be of a file by its second and its length, which both may be those of the sound one.
        os.utime(file, ns=(time_of_sound, time_of_sound + (1 + list(MISTAKES).index(name)) * 10**9))
        result = run_module(tree, *mistake.check)
    finally:
        file.write_text(sound, encoding="utf-8")
        os.utime(file, ns=(time_of_sound, time_of_sound))
    assert result.returncode != 0, f"nobody noticed {name}: {result.stdout}"
    assert len(re.findall(r"^(?:FAILED|ERROR) ", result.stdout, re.MULTILINE)) <= 1, f"{name}: {result.stdout}"
    return first_line(result.stdout + result.stderr)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound tree to plant mistakes in."""
    return complete_copy(tmp_path_factory.mktemp("planted"))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", MISTAKES)
def test_the_first_line_of_a_failed_check_names_the_planted_mistake(tree: Path, name: str) -> None:
    line = first_line_with_mistake(tree, name)
    assert MISTAKES[name].message in line, line
