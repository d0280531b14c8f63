"""The mistakes of `mistakes.py` by the contract alone, as a client's author meets them with a validator or a mock.

Each that is 400 is refused by the contract, too, but for those in `NOT_SAID`, each with the reason.
"""

import json
import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from jsonschema_rs import Draft202012Validator

from tests.service.mistakes import MISTAKES, Mistake
from tests.service.test_openapi import follow_reference, published_contract

NO_JSON = "A schema speaks of JSON that was read."
NO_SUCH_PARAMETER = "OpenAPI lists the query parameters that there are, and has no word that forbids others."
ONLY_THE_SESSION_KNOWS = "The session in the path decides; the description of the call says so."

NOT_SAID: dict[str, set[str]] = {
    NO_JSON: {
        "nothing", "half a body", "a last comma", "single quotes", "keys without quotes", "a comment", "Python's True",
        "JavaScript's undefined", "NaN", "a key twice", "two texts", "a byte order mark", "Latin-1", "a comma missing",
    },
    NO_SUCH_PARAMETER: {
        "a language in the address of a call", "a language in the address of a game", "a parameter that no call has",
        "another parameter for it", "a token in the address", "a seat's ticket from the host", "a seat for legal moves",
        "a parameter in camel case",
    },
    ONLY_THE_SESSION_KNOWS: {"two moves of a seat", "a seat beyond the table to renew"},
}  # fmt: skip


def operation_of(mistake: Mistake) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the operation of the contract that a mistake is sent to, and its query."""
    method, address = mistake.send.replace("/sessions/ID", "/sessions/{session_id}").split(" ")
    parts = urlsplit(address.replace("/seats/0", "/seats/{seat}"))
    paths = published_contract()["paths"]
    path = parts.path if parts.path in paths else re.sub("^/games/[^/]+", "/games/{game}", parts.path)
    operation: dict[str, Any] = paths[path][method.lower()]
    return operation, dict(parse_qsl(parts.query, keep_blank_values=True))


def fits(schema: dict[str, Any], value: Any) -> bool:
    """Return whether a value fits a schema of the contract."""
    return Draft202012Validator({**schema, "components": published_contract()["components"]}).is_valid(value)


def fits_the_contract(mistake: Mistake) -> bool:
    """Return whether the contract takes the body and the parameters of a mistake."""
    operation, query = operation_of(mistake)
    if "requestBody" in operation:
        body = json.loads(mistake.body) if isinstance(mistake.body, bytes) else mistake.body
        if not fits(operation["requestBody"]["content"]["application/json"]["schema"], body):
            return False
    sent = {"query": query, "header": mistake.headers}
    for each in operation["parameters"]:
        parameter = follow_reference(published_contract(), each)
        text = sent.get(parameter["in"], {}).get(parameter["name"])
        number = parameter["schema"].get("type") == "integer" and text is not None and text.isdecimal()
        if text is not None and not fits(parameter["schema"], int(text) if number else text):
            return False
    return True


def test_the_contract_refuses_every_mistake_that_is_400_but_for_those_that_it_cannot() -> None:
    passed = {
        each.what
        for each in MISTAKES
        if each.status == 400 and (each.slug == "malformed-json" or fits_the_contract(each))
    }
    assert passed == set().union(*NOT_SAID.values())


def test_mistakes_that_are_no_json_are_marked_so() -> None:
    assert {each.what for each in MISTAKES if each.slug == "malformed-json"} == NOT_SAID[NO_JSON]


@pytest.mark.parametrize("mistake", [each for each in MISTAKES if each.status == 422], ids=lambda each: each.what)
def test_the_contract_takes_what_is_wrong_between_values(mistake: Mistake) -> None:
    assert fits_the_contract(mistake)


@pytest.mark.parametrize("what", sorted(NOT_SAID[NO_SUCH_PARAMETER]))
def test_an_unknown_parameter_is_the_only_thing_wrong(what: str) -> None:
    (mistake,) = [each for each in MISTAKES if each.what == what]
    operation, query = operation_of(mistake)
    known = {follow_reference(published_contract(), each)["name"] for each in operation["parameters"]}
    assert query.keys() - known == query.keys()
