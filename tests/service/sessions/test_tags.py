"""Tags of sessions that proxies have rewritten, and versions in place of tags."""

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

import engines
from service.words.languages import LANGUAGES, languages_of
from tests.service.sessions.tables import GAMES, SessionClient, open_session, problem

PASS = {"type": "pass", "seat": 0}
REWRITINGS: dict[str, Callable[[str], str]] = {
    "as it was": lambda tag: f'"{tag}"',
    "nginx": lambda tag: f'W/"{tag}"',
    "Apache": lambda tag: f'"{tag}-gzip"',
    "Apache, brotli": lambda tag: f'"{tag}-br"',
    "zstd": lambda tag: f'W/"{tag}-zstd"',
    "Jetty": lambda tag: f'"{tag}--gzip"',
    "old Jetty": lambda tag: f'"{tag};gzip"',
    "two proxies": lambda tag: f'W/"{tag}-gzip"',
    "among others": lambda tag: f'"x", W/"{tag}"',
}


@pytest.fixture
def table(client: FlaskClient) -> SessionClient:
    """A session of gin rummy, just opened."""
    return open_session(client)


def tag_of(table: SessionClient, bearer: str = "seat-0") -> str:
    """Return the tag of what a bearer sees, without its quotes."""
    return table.get(bearer).headers["ETag"].strip('"')


@pytest.mark.parametrize("rewritten", REWRITINGS.values(), ids=REWRITINGS)
def test_a_tag_that_a_proxy_rewrote_matches_until_the_session_changes(
    table: SessionClient, rewritten: Callable[[str], str]
) -> None:
    sent = rewritten(tag_of(table))
    assert table.get("seat-0", **{"If-None-Match": sent}).status_code == 304
    assert table.move("seat-0", PASS, If_Match=sent).status_code == 201
    assert table.get("seat-0", **{"If-None-Match": sent}).status_code == 200
    assert table.move("seat-1", {**PASS, "seat": 1}, If_Match=sent).status_code == 412


@pytest.mark.parametrize("sent", ['"0"', 'W/"0"', '"0-gzip"', "*"])
def test_a_version_alone_matches_in_if_match_and_nowhere_else(table: SessionClient, sent: str) -> None:
    assert table.get("seat-0", **{"If-None-Match": sent}).status_code == 200
    assert table.move("seat-0", PASS, If_Match=sent).status_code == 201


def test_a_tag_that_names_a_language_matches_in_if_match(table: SessionClient) -> None:
    assert table.move("seat-0", PASS, If_Match=f'"{tag_of(table)}-it"').status_code == 201


@pytest.mark.parametrize("sent", ['"1"', '"7"', 'W/"7-gzip"'])
def test_the_refusal_of_another_version_names_the_present_one(table: SessionClient, sent: str) -> None:
    refused = table.move("seat-0", PASS, If_Match=sent)
    assert problem(refused) == (412, "version-mismatch")
    assert refused.get_json()["detail"] == "The table is at version 0. Look at it and decide again."


def test_a_tag_of_another_bearer_or_session_or_no_tag_of_ours_never_matches(
    client: FlaskClient, table: SessionClient
) -> None:
    strange = [tag_of(table, "seat-1"), tag_of(open_session(client)), f"{tag_of(table)}x", "0-", "", "abc"]
    for tag in strange:
        refused = table.move("seat-0", PASS, If_Match=f'"{tag}"')
        assert (problem(refused), refused.get_json()["version"]) == ((412, "version-mismatch"), 0)
        assert refused.get_json()["detail"].startswith("If-Match has no tag of this session.")


def test_a_tag_of_the_list_of_games_matches_though_a_proxy_rewrote_it(client: FlaskClient) -> None:
    tag = client.get("/games").headers["ETag"]
    for sent in (tag, tag.removeprefix("W/"), tag[:-1] + '-gzip"'):
        assert client.get("/games", headers={"If-None-Match": sent}).status_code == 304
    assert client.get("/games", headers={"If-None-Match": '"another"'}).status_code == 200


READ_CALLS = ("", "?legal_moves=true", "/legal-moves", "/moves?after=0", "/transcript")
"""Every answer to a GET that a session has, its streams apart."""


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("call", READ_CALLS)
def test_a_tag_ends_in_the_language_exactly_where_the_answer_has_sentences(
    client: FlaskClient, game: str, call: str
) -> None:
    table = open_session(client, game, public=True)
    for _ in range(3):
        tags = {}
        for language in sorted(languages_of(engines.registry()[game])):
            answer = table.get("host", call, **{"Accept-Language": language})
            has_sentences = '"text":' in answer.get_data(as_text=True)
            if has_sentences:
                assert answer.headers["Content-Language"] == language
            tags[language] = answer.headers.get("ETag", "")
            plain = table.get("host").headers["ETag"].strip('"')
            assert tags[language] in ("", f'"{plain}-{language}"' if has_sentences else f'"{plain}"')
        assert call in ("/moves?after=0", "/transcript") or all(tags.values())
        assert table.move("host", table.legal_moves()[0], If_Match=next(iter(tags.values())) or "*").status_code == 201


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tag_of_a_change_is_that_of_the_table_which_has_no_sentences(table: SessionClient, language: str) -> None:
    moved = table.move("seat-0", PASS, **{"Accept-Language": language})
    assert moved.get_json()["events"][0]["text"]
    assert table.get("seat-0", **{"If-None-Match": moved.headers["ETag"]}).status_code == 304
