"""The published contract describes what the service does."""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
import yaml
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

import engines
from service.contract.openapi import as_yaml, document
from service.judging.calls import CALLS, NAMED
from service.problems import KINDS
from service.seeds import ROOT, Vector
from tests.conformance import vectors
from tests.mutation import items_of
from tests.service.closed import closed_contract

OF_EVERY_ANSWER = ("Content-Type", "Content-Length", "Date", "X-Content-Type-Options")
METHODS = {"get", "post", "put", "patch", "delete"}


def published_contract() -> dict[str, Any]:
    """Return the contract. Call it in tests only: test processes that do not need it need not make it."""
    return document(CALLS)


def routes(app: Flask) -> set[tuple[str, str]]:
    """Return path and method of every operation. The pages' files are no part of the contract."""
    return {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        for method in rule.methods or ()
        if method.lower() in METHODS and "<path:" not in rule.rule
    }


def operations(contract: dict[str, Any] | None = None) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield path, method and operation of each operation of a contract."""
    for path, methods in (contract or published_contract())["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


@cache
def validator(schema: str, contract: Callable[[], dict[str, Any]]) -> Draft202012Validator:
    """Return a validator of a schema, whose references lead into a contract."""
    return Draft202012Validator({**json.loads(schema), "components": contract()["components"]})


def departures_from_contract(path: str, method: str, answer: Any) -> list[str]:
    """Return where an answer departs from the contract, or has what this version does not declare.

    As in clients, the discriminator selects a union's schema.
    """
    contract = published_contract()
    response = follow_reference(contract, contract["paths"][path][method]["responses"][str(answer.status_code)])
    schema = response["content"][answer.mimetype]["schema"]
    union = follow_reference(contract, schema)
    if "discriminator" in union:
        mapping = union["discriminator"]["mapping"]
        schema = {"$ref": mapping[answer.json[union["discriminator"]["propertyName"]]]}
    errors = validator(json.dumps(schema), closed_contract).iter_errors(answer.json)
    undeclared = {*answer.headers.keys()} - {*response["headers"], *OF_EVERY_ANSWER}
    return [f"{error.json_path}: {error.message[:200]}" for error in errors] + [f"header {name}" for name in undeclared]


def follow_reference(contract: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """Return the component that a reference leads to."""
    if "$ref" not in part:
        return part
    _, _, kind, name = part["$ref"].split("/")
    return follow_reference(contract, contract["components"][kind][name])


def objects_in(part: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a part of a contract, except examples and mappings."""
    if isinstance(part, dict):
        yield part
    for name, each in items_of(part):
        if name not in ("examples", "mapping", "discriminator", "not"):
            yield from objects_in(each)


def references_from(contract: dict[str, Any], part: Any, seen: set[str] | None = None) -> set[str]:
    """Return the references in a part of a contract and in the components that they lead to."""
    seen = set() if seen is None else seen
    for reference in [each["$ref"] for each in objects_in(part) if isinstance(each.get("$ref"), str)]:
        if reference not in seen and "/examples/" not in reference:
            seen.add(reference)
            references_from(contract, follow_reference(contract, {"$ref": reference}), seen)
    return seen


def test_the_file_matches_the_code_byte_for_byte() -> None:
    assert (ROOT / "openapi.yaml").read_text(encoding="utf-8") == as_yaml(published_contract())


def test_the_file_has_the_contract_in_at_most_130_kilobytes_a_game() -> None:
    text = as_yaml(published_contract())
    assert yaml.load(text, Loader=yaml.CSafeLoader) == published_contract()
    assert len(text.encode()) <= 130_000 * len(engines.registry())


def test_the_contract_is_a_valid_openapi_document() -> None:
    assert list(OpenAPIV31SpecValidator(published_contract()).iter_errors()) == []


NOT_FOR_CLIENTS = {
    "/", "/play", "/settle", "/docs", "/guides/{name}", "/llms.txt", "/elements.js", "/elements.d.ts", "/openapi.yaml",
    "/openapi.json", "/games/{game}/openapi.yaml", "/games/{game}/openapi.json", "/livez", "/readyz", "/metrics",
}  # fmt: skip
"""Pages, documents and probes: a generated client has no method for them."""


def test_the_paths_are_the_routes_of_the_service_but_for_pages_documents_and_probes(app: Flask) -> None:
    others = {(path, "get") for path in NOT_FOR_CLIENTS}
    assert {(path, method) for path, method, _operation in operations()} | others == routes(app)
    assert not NOT_FOR_CLIENTS & published_contract()["paths"].keys()


def test_every_request_is_bounded() -> None:
    bodies = [operation["requestBody"] for _path, _method, operation in operations() if "requestBody" in operation]
    components = [
        follow_reference(published_contract(), {"$ref": reference})
        for reference in references_from(published_contract(), bodies)
    ]
    bounds = {
        "array": {"maxItems"},
        "string": {"maxLength", "pattern", "enum"},
        "integer": {"maximum", "enum"},
    }
    schemas = [each for each in objects_in([bodies, components]) if isinstance(each.get("type"), str)]
    assert [each for each in schemas if each["type"] in bounds and not each.keys() & bounds[each["type"]]] == []


def test_every_union_of_objects_has_a_discriminator() -> None:
    assert [each for each in objects_in(published_contract()) if "oneOf" in each and "discriminator" not in each] == []


def test_every_kind_of_problem_is_among_the_answers() -> None:
    written = json.dumps(published_contract()["components"]["responses"])
    missing = {slug for slug in KINDS if f"(`{slug}`)" not in written}
    assert missing == {"method-not-allowed"}  # the answer to an unknown operation


def test_every_operation_may_find_the_service_overloaded_or_its_store_away() -> None:
    assert {path for path, _method, operation in operations() if "503" not in operation["responses"]} == set()


def test_every_component_is_used() -> None:
    written = json.dumps(published_contract())
    unused = [
        name for name in published_contract()["components"]["schemas"] if f'#/components/schemas/{name}"' not in written
    ]
    assert unused == []


def test_links_lead_to_operations() -> None:
    ids = {operation["operationId"] for _path, _method, operation in operations()}
    links = [
        link["operationId"]
        for _path, _method, operation in operations()
        for answer in operation["responses"].values()
        for link in answer.get("links", {}).values()
    ]
    assert links
    assert set(links) <= ids


ANSWERED = [vector for vector in vectors() if vector.request["path"].rpartition("/")[2] in (*NAMED, "batch")]


@pytest.mark.parametrize("vector", ANSWERED, ids=lambda vector: vector.id)
def test_the_answer_to_every_vector_fits_its_schema(client: FlaskClient, vector: Vector) -> None:
    path, body = vector.request["path"], vector.request.get("body")
    assert (
        departures_from_contract(path, "post", client.post(path, json=body, headers=vector.request.get("headers")))
        == []
    )


def test_every_readable_document_fits_its_schema(client: FlaskClient) -> None:
    read: dict[str, int] = {}
    for path, method, operation in operations():
        if method != "get" or "application/json" not in operation["responses"]["200"]["content"]:
            continue
        for game in engines.registry() if "{game}" in path else [""]:
            for slug in KINDS if "{slug}" in path else [""]:
                if not path.startswith("/sessions"):
                    answer = client.get(path.format(game=game, slug=slug))
                    read[answer.request.path] = answer.status_code
                    assert departures_from_contract(path, "get", answer) == [], answer.request.path
    assert set(read.values()) == {200}
