"""One tag of another page is a whole game, and says what that page does wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from service.words.pages import FILES
from tests.browser.conftest import OTHER_HOST, ForeignPage
from tests.clients.compiled import needs_compiler, tsc
from tests.server import ROOT

ELEMENT = "document.querySelector('rules-table')"


def test_an_element_plays_follows_and_sends_its_token_to_the_service_alone(
    foreign_page: ForeignPage,
) -> None:
    session = foreign_page.open_session()
    tokens, path = session["tokens"]["seats"], f"{foreign_page.address}/sessions/{session['id']}/moves"
    markup = f'<rules-table src="{foreign_page.address}" session="{session["id"]}"></rules-table>'
    page = foreign_page.show(markup, f"{ELEMENT}.token = async ({{ session }}) => '{tokens[0]}'")
    expect(page.locator(".own .card:not(.back)")).to_have_count(10)
    page.evaluate(f"heard = []; {ELEMENT}.addEventListener('entry', ({{ detail }}) => heard.push(detail.version))")
    page.get_by_role("button", name="Pass").click()
    expect(page.locator(".told")).to_have_text("Anna passes.")
    bearer = {"Authorization": f"Bearer {tokens[1]}"}
    page.request.post(path, data={"moves": [{"type": "pass", "seat": 1}]}, headers=bearer)
    expect(page.locator(".told")).to_have_text("Bo passes.")
    assert page.evaluate("heard") == [1, 2]
    assert foreign_page.bearers == {(f"Bearer {tokens[0]}", foreign_page.address)}
    assert tokens[0] not in page.locator("rules-table").evaluate("tag => tag.outerHTML")
    page.evaluate(f"{ELEMENT}.addEventListener('move', (event) => event.preventDefault())")
    page.locator(".live[data-key=stock]").click()
    expect(page.locator(".board:not([aria-busy])")).to_be_attached()
    page.evaluate(
        f"parent = {ELEMENT}.parentNode; tag = {ELEMENT}; tag.remove(); parent.append(tag)"
    )  # moved: it follows on
    expect(page.locator(".live[data-key=stock]")).to_be_visible()
    page.evaluate("tag.session = null")
    expect(page.locator(".card")).to_have_count(0)
    assert foreign_page.complaints == []


def test_an_element_that_follows_another_session_shows_its_names(foreign_page: ForeignPage) -> None:
    """One without names is shown with those that the page gives, or by seats."""
    first, second = foreign_page.open_session(public=True), foreign_page.open_session(public=True, names=None)
    page = foreign_page.show(f'<rules-table session="{first["id"]}"></rules-table>')
    expect(page.locator(".seat h2").last).to_contain_text("Anna")
    page.evaluate(f"{ELEMENT}.session = '{second['id']}'")
    expect(page.locator(".seat h2").last).to_contain_text("Seat 0")
    page.evaluate(f"Object.assign({ELEMENT}, {{ names: ['Di', 'Ed'], session: '{first['id']}' }})")
    expect(page.locator(".seat h2").last).to_contain_text("Anna")
    page.evaluate(f"Object.assign({ELEMENT}, {{ session: '{second['id']}', names: ['Di', 'Ed'] }})")
    expect(page.locator(".seat h2").last).to_contain_text("Di")


def test_an_attribute_of_an_element_holds_a_table_or_is_reported_as_no_json(foreign_page: ForeignPage) -> None:
    state = '{"phase": "play", "turn": 0, "row": [23, 34], "hands": [[41, 51], [null, null]]}'
    page = foreign_page.show(f"<rules-table game=\"take-that\" state='{state}'></rules-table>")
    expect(page.locator('.row [data-key="34"]')).to_be_visible()
    expect(page.locator(".seat")).to_have_count(2)
    page.evaluate(f"{ELEMENT}.setAttribute('state', '{state.replace('34', '43')}')")
    expect(page.locator('.row [data-key="43"]')).to_be_visible()
    assert foreign_page.complaints == []
    page.evaluate(f"{ELEMENT}.setAttribute('state', '[object Object]')")
    expect(page.locator(".note")).to_have_text("The attribute `state` is no JSON.")
    page.evaluate(f"{ELEMENT}.setAttribute('state', '{state}')")
    expect(page.locator('.row [data-key="34"]')).to_be_visible()
    page.evaluate(f"{ELEMENT}.setAttribute('session', 'abc')")
    page.evaluate(f"{ELEMENT}.setAttribute('game', 'twins')")
    expect(page.locator(".note")).to_have_text("game comes from the session; set one or the other.")
    assert foreign_page.complaints[0] == "<rules-table>: The attribute `state` is no JSON."


def test_an_element_without_attributes_says_what_it_needs_unless_it_is_quiet(foreign_page: ForeignPage) -> None:
    page = foreign_page.show("<rules-table></rules-table><rules-table quiet></rules-table>")
    notes = page.locator(".note")
    expect(notes).to_have_text([re.compile("needs the attribute `session`, or `game` and `state`")])
    page.evaluate(
        f"Object.assign({ELEMENT}, {{ game: 'take-that', state: {{ phase: 'play', row: [], hands: [[12]] }} }})"
    )
    expect(notes).to_have_count(0)
    expect(page.locator('[data-key="12"]')).to_be_visible()


def test_a_token_is_sent_to_no_other_service(foreign_page: ForeignPage) -> None:
    session = foreign_page.open_session()
    page = foreign_page.show("<rules-table></rules-table>")
    attributes = {"src": foreign_page.address, "session": session["id"], "token": session["tokens"]["seats"][0]}
    page.evaluate(f"(attributes) => Object.assign({ELEMENT}, attributes)", attributes)
    expect(page.locator(".own .card:not(.back)")).to_have_count(10)
    page.evaluate(f"{ELEMENT}.src = '{OTHER_HOST}/'")
    expect(page.get_by_role("alert")).to_contain_text("is sent nowhere else")
    assert {host for _token, host in foreign_page.bearers} == {foreign_page.address}
    page.evaluate(f"{ELEMENT}.token = 'another'")  # for the other service: now it may know it
    expect(page.locator(".status")).not_to_be_empty()
    assert ("Bearer another", OTHER_HOST) in foreign_page.bearers


WRONG_ATTRIBUTES = {
    '<rules-table session="x" token="seat-0.secret"></rules-table>': "The token is a property, never an attribute",
    '<rules-table src="ftp://there" session="x"></rules-table>': 'src="ftp://there" is no address of a service',
    '<rules-table src="http://me:it@there" session="x"></rules-table>': "is no address of a service",
    '<rules-table session="x/../y"></rules-table>': 'session="x/../y" is no id of a session',
    '<rules-table session=""></rules-table>': 'session="" is no id of a session',
    "<rules-table></rules-table><script>TAG.state = {}</script>": "`game` is missing",
    "<rules-table></rules-table><script>Object.assign(TAG, { game: 'whist', state: {} })</script>": 'no game "whist"',
}


@pytest.mark.parametrize("markup", WRONG_ATTRIBUTES)
def test_an_element_shows_and_logs_a_wrong_attribute(foreign_page: ForeignPage, markup: str) -> None:
    page = foreign_page.show(markup.replace("TAG", ELEMENT))
    expect(page.get_by_role("alert")).to_contain_text(WRONG_ATTRIBUTES[markup])
    assert any(WRONG_ATTRIBUTES[markup] in each for each in foreign_page.complaints)
    assert foreign_page.bearers == set()
    assert "secret" not in page.content()


def test_a_token_is_sent_to_no_path_but_that_of_a_session(foreign_page: ForeignPage) -> None:
    """An id that leads out of `/sessions/` is refused; the token is not even requested."""
    page = foreign_page.show(f'<rules-table src="{foreign_page.address}"></rules-table>')
    page.evaluate(
        f"{ELEMENT}.token = () => {{ requested = true; return 'seat-0.secret' }}; {ELEMENT}.session = '../../x'"
    )
    expect(page.get_by_role("alert")).to_contain_text('session="../../x" is no id of a session')
    assert page.evaluate("typeof requested") == "undefined"
    assert foreign_page.bearers == set()


def test_a_value_of_the_wrong_kind_is_refused_where_it_is_set(foreign_page: ForeignPage) -> None:
    page = foreign_page.show(f'<rules-table session="{"0" * 32}"></rules-table>')
    page.wait_for_function("() => customElements.get('rules-table')")
    expect(page.locator(".status")).not_to_be_empty()  # not public, and no token
    wrong = {"seat": "0", "plays": -1, "names": "Anna", "legal": {"moves": 1}, "token": 5, "state": {}, "marks": "x"}
    message = page.evaluate(
        f"(wrong) => Object.entries(wrong).map(([name, value]) => {{ try {{ {ELEMENT}[name] = value; return name; }}"
        " catch (error) { return `${error.name}: ${error.message}`; } })",
        wrong,
    )
    for name, each in zip(wrong, message, strict=True):
        assert re.match(rf"TypeError: <rules-table>: {name} (must be|comes from the session)", each)
    assert any("`token` is missing" in each for each in foreign_page.complaints)


USED = """
import { draw, svg, type Game, type RulesTable } from "./elements.js";
const table: RulesTable = document.createElement("rules-table");
Object.assign(table, { src: "/", session: "x" });
table.token = async ({ src, session }) => src + session;
table.addEventListener("session", ({ detail }) => detail.session.to_act.includes(0));
table.addEventListener("click", ({ clientX }) => clientX);
declare const game: Game;
draw("hearts", async () => ({ default: { ...game, back: svg`<path d="${1}"/>` } }));
// @ts-expect-error a token is no number
table.token = 5;
// @ts-expect-error nobody plays so
table.plays = "none";
"""


@needs_compiler
def test_the_types_compile_and_name_what_the_element_has(foreign_page: ForeignPage, tmp_path: Path) -> None:
    types = (FILES / "elements.d.ts").read_text(encoding="utf-8")
    answer = foreign_page.page.request.get(f"{foreign_page.address}/elements.d.ts")
    assert (answer.text(), answer.headers["content-type"].partition(";")[0]) == (types, "text/typescript")
    (tmp_path / "elements.d.ts").write_text(types, encoding="utf-8")
    (tmp_path / "used.ts").write_text(USED, encoding="utf-8")
    options = ["--noEmit", "--strict", "--target", "ES2022", "--lib", "ES2022,DOM", "--module", "NodeNext"]
    assert tsc(*options, tmp_path / "used.ts") == ""
    parts = re.findall(
        r"^export interface (?:Common|Drawn|Followed|RulesTable) .*?^\}", types, re.DOTALL | re.MULTILINE
    )
    named = set(re.findall(r"^  (?:readonly )?(\w+)\??:", "\n".join(parts), re.MULTILINE))
    page = foreign_page.show("<rules-table></rules-table>")
    page.wait_for_function("() => customElements.get('rules-table')")
    has = page.evaluate("Object.getOwnPropertyNames(customElements.get('rules-table').prototype)")
    assert named - set(has) == set()
    react = (ROOT / "clients/table/src/react.js").read_text(encoding="utf-8")
    assigned = set(re.findall(r'"(\w+)"', re.findall(r"PROPERTIES = \[(.*?)\]", react, re.DOTALL)[0]))
    assert assigned == named - {"seats", "acting"}
