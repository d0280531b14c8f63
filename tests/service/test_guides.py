"""A running server shows the guides of `docs/` as pages."""

import re

import pytest
from flask.testing import FlaskClient

from service.http.documents import GUIDE_FILES, GUIDES, titles


def test_the_contract_and_every_guide_link_to_all_guides(client: FlaskClient) -> None:
    for page in ("/docs", *(f"/guides/{name}" for name in GUIDES)):
        text = client.get(page).text
        assert [name for name in GUIDES if f'<a href="/guides/{name}">{titles()[name]}</a>' not in text] == []


@pytest.mark.parametrize("name", GUIDES)
def test_a_page_contains_its_whole_guide_and_keeps_the_strict_policy(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/guides/{name}")
    text = (GUIDE_FILES / f"{name}.md").read_text("utf-8")
    headings = len(re.findall(r"^##+ ", re.sub(r"(?ms)^```.*?^```", "", text), re.MULTILINE))
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self';")
    assert len(re.findall(r"<h[2-6] id=", answer.text)) == headings
    assert answer.text.count("<pre>") >= len(re.findall(r"^ *```", text, re.MULTILINE)) // 2
    assert re.findall(r"<script|<style|<[^>]* style=|<[^>]* on\w+=|<img|&lt;!--", answer.text) == []


@pytest.mark.parametrize("name", GUIDES)
def test_the_links_of_a_guide_are_valid(client: FlaskClient, name: str) -> None:
    for link in re.findall(r'href="(?!https?:)([^"]*)"', client.get(f"/guides/{name}").text):
        path, _, anchor = link.partition("#")
        answer = client.get(path or f"/guides/{name}")
        assert answer.status_code == 200, link
        assert not anchor or f'id="{anchor}"' in answer.text, link
