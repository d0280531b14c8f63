"""The contract allows what later versions add to answers, and every client generator understands it."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import yaml
from flask.testing import FlaskClient
from openapi_spec_validator import OpenAPIV31SpecValidator

import engines
from service.contract.openapi.examples import EXCHANGES
from service.contract.shapes import title
from tests.conformance import vectors
from tests.conformance.exchanges import recorded_file
from tests.games import OURS
from tests.later_version import UNKNOWN, is_closed, of_later_version
from tests.service.test_openapi import (
    follow_reference,
    objects_in,
    operations,
    published_contract,
    references_from,
    validator,
)


def schemas_by_name() -> dict[str, Any]:
    """Return the schemas of the contract by name."""
    schemas: dict[str, Any] = published_contract()["components"]["schemas"]
    return schemas


def schemas_in(part: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema in a part of the document, without following references."""
    words = {"type", "anyOf", "oneOf", "enum", "items"}
    return (each for each in objects_in(part) if each.keys() & words and isinstance(each.get("type", ""), str | list))


def component_names(part: Any) -> set[str]:
    """Return the names of the schemas that a part of the document refers to, directly or not."""
    return {
        name
        for each in references_from(published_contract(), part)
        if (name := each.rpartition("/")[2]) in schemas_by_name()
    }


@cache
def names_of_answers() -> set[str]:
    """The names of the schemas in answers."""
    return component_names([operation["responses"] for _path, _method, operation in operations(published_contract())])


@cache
def names_of_requests() -> set[str]:
    """The names of the schemas in requests."""
    return component_names(
        [operation.get("requestBody", {}) for _path, _method, operation in operations(published_contract())]
    )


def test_what_is_posted_is_closed_and_everything_else_in_answers_may_gain_members() -> None:
    open_to = {name: each["additionalProperties"] for name, each in schemas_by_name().items() if "properties" in each}
    both = {f"{title(game)}RulesetUsed" for game in engines.registry()} | names_of_requests()
    assert {name for name, more in open_to.items() if not more} == both & open_to.keys()


def test_the_state_and_the_moves_of_an_answer_have_the_schemas_of_requests() -> None:
    for game in map(title, OURS):
        state, opening = f"#/components/schemas/{game}State", schemas_by_name()[f"{game}Opening"]["properties"]["state"]
        assert opening["$ref"] == schemas_by_name()[f"{game}ResolveBody"]["properties"]["state"]["$ref"] == state
        listed = schemas_by_name()[f"{game}LegalMove"]["properties"]["move"]["$ref"]
        assert listed == schemas_by_name()[f"{game}ValidateBody"]["properties"]["move"]["$ref"]


def test_no_member_of_a_request_is_without_a_type() -> None:
    untyped = [
        f"{name}.{member}"
        for name in names_of_requests()
        for member, each in schemas_by_name()[name].get("properties", {}).items()
        if not has_type(each)
    ]
    assert untyped == []


def has_type(schema: dict[str, Any]) -> bool:
    """Return whether a schema says the type of every value that it takes."""
    schema = follow_reference(published_contract(), schema)
    either = schema.get("anyOf", schema.get("oneOf"))
    return all(map(has_type, either)) if either else "type" in schema


def test_no_schema_has_what_some_generator_misreads() -> None:
    every = [*schemas_in(schemas_by_name())]
    within = [each for schema in schemas_by_name().values() for each in schemas_in(schema) if each is not schema]
    assert [each for each in every if each.keys() & {"default", "format"} or each.get("const") is not None] == []
    assert [each for each in within if "oneOf" in each or len(each.get("anyOf", [])) > 2] == [], "without a name"


def lists_without_a_name(game: str) -> set[str]:
    """Return the optional lists of a table. For these, Java's generated client sends an empty list."""
    state = schemas_by_name()[f"{title(game)}State"]
    return {name for name, each in state["properties"].items() if each.get("type") == "array"} - {*state["required"]}


@pytest.mark.parametrize("game", OURS)
def test_an_optional_list_without_a_schema_name_may_be_sent_empty(client: FlaskClient, game: str) -> None:
    added = lists_without_a_name(game)
    bodies: list[Any] = [each.request["body"] for each in vectors() if each.request["path"] == "/resolve"]
    of_game = [body for body in bodies if body.get("game") == game and isinstance(body.get("state"), dict)]
    lacking = [body for body in of_game if added - body["state"].keys()]
    assert bool(lacking) == bool(added)
    for body in lacking[:8]:
        filled = body | {"state": {name: [] for name in added} | body["state"]}
        assert client.post("/resolve", json=filled).data == client.post("/resolve", json=body).data


def test_outside_a_table_only_forbidden_is_an_unnamed_optional_list() -> None:
    shapes = {
        name for name in names_of_requests() if "properties" in schemas_by_name()[name] and not name.endswith("State")
    }
    inline = {
        f"{name}.{member}"
        for name in shapes
        for member, each in schemas_by_name()[name]["properties"].items()
        if each.get("type") == "array" and member not in schemas_by_name()[name].get("required", [])
    }
    assert {member.split(".")[1] for member in inline} == {"forbidden"}  # an empty list of these means none


def test_words_stand_beside_the_name_of_a_list() -> None:
    """Without them Java's client sends an empty list for one that is left out."""
    lists = {f"#/components/schemas/{name}" for name, each in schemas_by_name().items() if each.get("type") == "array"}
    bare = [
        f"{name}.{member}"
        for name, schema in schemas_by_name().items()
        for member, each in schema.get("properties", {}).items()
        if each.get("$ref", each.get("anyOf", [{}])[0].get("$ref")) in lists and "description" not in each
    ]
    assert lists
    assert bare == []


GENERIC_DESCRIPTION = re.compile(r"(An integer|A string|A list|Any JSON|True or false|Such as|Known so far|Null)\b")


TITLES_OF_OTHER_GAMES = tuple(title(game) for game in engines.registry() if game not in OURS)
"""How the schemas begin of games without client entries: their descriptions and examples are advice."""


def description_of(member: dict[str, Any]) -> str:
    """Return the description of a member, or that of its type where every member of that type has the same."""
    kind = member["anyOf"][0] if "anyOf" in member else member
    return str(member.get("description") or follow_reference(published_contract(), kind).get("description", ""))


def test_every_member_has_a_description_of_its_own_or_of_its_type() -> None:
    members = [
        (f"{name}.{member}", description_of(each))
        for name, schema in schemas_by_name().items()
        for member, each in schema.get("properties", {}).items()
    ]
    bare = [name for name, description in members if not description or GENERIC_DESCRIPTION.match(description)]
    assert [name for name in bare if not name.startswith(TITLES_OF_OTHER_GAMES)] == []


@pytest.mark.parametrize("game", OURS)
def test_a_game_has_a_contract_of_its_own(client: FlaskClient, game: str) -> None:
    alone: Any = client.get(f"/games/{game}/openapi.json")
    others = {*map(title, OURS)} - {title(game)}
    assert list(OpenAPIV31SpecValidator(alone.json).iter_errors()) == []
    assert [other for other in others if f"/{other}" in alone.text] == []
    assert {f"/games/{game}/resolve", "/sessions/{session_id}/moves"} <= alone.json["paths"].keys()
    assert len(alone.data) < 250_000
    assert yaml.safe_load(client.get(f"/games/{game}/openapi.yaml").text) == alone.json


@pytest.mark.parametrize("game", OURS)
def test_the_contract_of_a_game_has_its_schemas_alone(client: FlaskClient, game: str) -> None:
    alone: Any = client.get(f"/games/{game}/openapi.json").json
    others = {*map(title, OURS)} - {title(game)}
    schemas = alone["components"]["schemas"]
    assert [name for name in schemas if name.startswith(tuple(others)) and not name.startswith(title(game))] == []
    own = {name: schema for name, schema in schemas_by_name().items() if name.startswith(title(game))}
    assert {name: schemas.get(name, schema) for name, schema in own.items()} == own
    assert (
        schemas[f"{title(game)}State"]["properties"]["phase"]["enum"]
        == client.get(f"/games/{game}").get_json()["phases"]
    )
    assert {"enum", "pattern"} & schemas[f"{title(game)}Card"].keys()
    assert client.get("/games/chess/openapi.json").status_code == 404


def examples_of(contract: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], str, dict[str, Any]]]:
    """Yield every example of the contract: its place, its schema, its name and its value."""
    for path, method, operation in operations(contract):
        answers = [(status, follow_reference(contract, each)) for status, each in operation["responses"].items()]
        for where, part in [("body", operation.get("requestBody", {})), *answers]:
            for content in part.get("content", {}).values():
                for name, example in content.get("examples", {}).items():
                    yield f"{method} {path} {where}", content["schema"], name, follow_reference(contract, example)


OPEN_MEMBERS = {"because", "code", "fair", "from", "item", "kind", "option", "rating", "reason", "rule", "why"}
"""Members of answers whose values a later minor version may add to."""


def with_unknown_values(answer: Any) -> Any:
    """Return an answer with values that no version of the contract has, as a later one may."""
    if isinstance(answer, list):
        return [with_unknown_values(each) for each in answer]
    if not isinstance(answer, dict) or is_closed(answer):
        return answer
    values = {name: isinstance(each, str) and not each.startswith("/problems/") for name, each in answer.items()}
    return {
        name: UNKNOWN
        if name in OPEN_MEMBERS and values[name]
        else each
        if name == "params"
        else with_unknown_values(each)
        for name, each in answer.items()
    }


def test_every_example_fits_its_schema_and_every_answer_of_the_next_minor_version_does() -> None:
    unfit = []
    checked: set[tuple[str, str]] = set()
    for where, schema, name, example in examples_of(published_contract()):
        if (name, json.dumps(schema)) not in checked:
            checked.add((name, json.dumps(schema)))
            value = example["value"]
            union = follow_reference(published_contract(), schema).get("discriminator")
            member = {"$ref": union["mapping"][value[union["propertyName"]]]} if union else schema
            for each in [value] if where.endswith("body") else [value, of_later_version(with_unknown_values(value))]:
                errors = validator(json.dumps(member), published_contract).iter_errors(each)
                unfit += [f"{where} {name}: {error.message[:200]}" for error in errors]
    assert unfit == []


def test_every_call_has_an_example_of_each_game() -> None:
    games = set(engines.registry())
    games_of: dict[str, set[str]] = {}
    for where, _schema, _name, example in examples_of(published_contract()):
        games_of.setdefault(where, set()).add(example.get("x-game", ""))
    lacking = []
    for path, method, operation in operations(published_contract()):
        concerns = {game for game in games if path.startswith(f"/games/{game}/")} or games
        gathers = {game for game in games if any(row.gathers for row in engines.registry()[game].moves)}
        parts = ["body"] if "requestBody" in operation else []
        parts += [status for status, answer in operation["responses"].items() if "content" in answer]
        for part in parts:
            of = games_of.get(f"{method} {path} {part}", set())
            needed = gathers if path.endswith("/clock") or part == "202" else concerns
            needed = set() if path.endswith("/rematch") and of else needed  # it has the same answer in every game
            lacking += [] if "" in of or of >= needed & {*OURS} else [f"{method} {path} {part}: {sorted(of)}"]
    assert lacking == []


def test_every_problem_of_a_call_has_an_example() -> None:
    for name, answer in published_contract()["components"]["responses"].items():
        (content,) = answer["content"].values()
        examples = [
            follow_reference(published_contract(), each)["value"]["type"] for each in content["examples"].values()
        ]
        assert {title(each.rpartition("/")[2]) for each in examples} == set(name.split("Or")), name


def test_the_recorded_examples_are_what_the_service_answers() -> None:
    assert EXCHANGES.read_text(encoding="utf-8") == recorded_file()
