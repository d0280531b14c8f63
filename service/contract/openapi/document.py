"""The OpenAPI document, made from the operations: the same bytes every time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import chain, count
from typing import Any, TypeVar

import yaml

import engines
from service import seeds
from service.build import VERSION
from service.contract.answers import RulesetUsed
from service.contract.codec import of_each_game
from service.contract.fields import PAUSES, StrictField
from service.contract.openapi.converter import Converter
from service.contract.openapi.examples import Examples, Sample, exchanges, refusals
from service.contract.openapi.operations import Described, Operation, Parameter, operations, tags
from service.contract.openapi.samples import samples
from service.contract.prose import PROSE, TEXTS
from service.contract.rows import Calls
from service.contract.shapes import title
from service.strict_json import Json

Collection = TypeVar("Collection", yaml.MappingNode, yaml.SequenceNode)


@cache
def document(calls: Calls, game: str | None = None) -> Json:
    """The contract: `openapi.yaml`. `calls`: the stateless ones.

    `game`: its calls, and sessions of it, without what concerns other games.
    """
    every = [each for each in operations(calls, game) if game is None or _concerns(each.path, game)]
    bodies = [each.body for each in every if each.body is not None]
    posted_again = of_each_game(RulesetUsed).values()  # the ruleset of an answer can be posted
    converter = Converter([*bodies, *posted_again], game)
    pages = _Pages(converter, game)
    paths: dict[str, Json] = {}
    for operation in every:
        paths.setdefault(operation.path, {})[operation.method] = pages.operation(operation)
        PAUSES.pause()
    book = "" if game is None else f": {seeds.read_words(engines.registry()[game], seeds.ENGLISH)['title']}"
    return {
        "openapi": "3.1.0",
        "info": {**TEXTS["info"], "title": TEXTS["info"]["title"] + book, "version": VERSION},
        "servers": [{"url": "/", "description": "Where this document was found."}],
        "security": [],
        "tags": [tag for tag in tags() if any(tag["name"] == each.tag for each in every)],
        "paths": paths,
        "components": pages.components(),
    }


def as_yaml(contract: Json) -> str:
    """A document as YAML."""
    dumped: str = yaml.dump(contract, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=LINE_WIDTH)
    return COMMAS.sub(lambda match: "," if match[0] == ", " else match[0], dumped)


COMMAS = re.compile(
    r"""
    ^(\ *).*\|[-+]?\n (?: \1\ .*\n | \n )+            # a text of several lines
    | ^\ *(?:-\ )? [^\s:{\[]+:\ (?![\[{'"]) .*$           # a member that is a plain text
    | (?<=[\[{]) ' (?: [^'] | '' )* '                # texts in quotes
    | (?<=[,:]\ ) (?: ' (?: [^'] | '' )* ' | " (?: \\. | [^"\\] )* " )
    | ,\ """,
    re.MULTILINE | re.VERBOSE,
)
"""Texts, in which a comma is left as it is, and commas between members and items, whose spaces take 16 kB."""
LONGEST_ON_ONE_LINE = 3_000
"""A part of the document that is no longer stands on one line: a member, a short schema, a short example."""
LINE_WIDTH = 1_000_000  #: No line is broken: each break would cost its indentation.


class _Dumper(yaml.CSafeDumper):
    """Writes what is short on one line, and no anchors, which few readers of contracts know."""

    def ignore_aliases(self, data: object) -> bool:
        """Write every value where it stands, never a reference to an equal one."""
        return True

    def represent_str(self, data: str) -> yaml.ScalarNode:
        """A text of several lines is written line by line."""
        return self.represent_scalar("tag:yaml.org,2002:str", data, style="|" if "\n" in data else None)

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:
        """An object, on one line if it is short."""
        return _on_one_line(super().represent_mapping(tag, mapping, flow_style))

    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> yaml.SequenceNode:
        """A list, on one line if it is short."""
        return _on_one_line(super().represent_sequence(tag, sequence, flow_style))


def _on_one_line(node: Collection) -> Collection:
    """The node, to be written on one line if it is short."""
    node.flow_style = True
    node.flow_style = _length(node) <= LONGEST_ON_ONE_LINE
    return node


def _length(node: yaml.Node) -> int:
    """About how many characters a node takes on one line; too many for a text of several lines."""
    match node:
        case yaml.ScalarNode(style="|"):
            return LINE_WIDTH
        case yaml.ScalarNode(value=text):
            return len(text)
        case yaml.MappingNode(value=members, flow_style=True):
            return 2 + sum(_length(name) + _length(value) + 4 for name, value in members)
        case yaml.SequenceNode(value=items, flow_style=True):
            return 2 + sum(_length(item) + 2 for item in items)
    return LINE_WIDTH  # some part of it is longer than a line


_Dumper.add_representer(str, _Dumper.represent_str)


def _concerns(path: str, game: str) -> bool:
    """Whether a path belongs to the contract of one game: its own calls, sessions and problems."""
    return path.startswith((f"/games/{game}/", "/games/{game}", "/sessions", "/problems"))


class _Pages:
    """Converts operations, and collects the components that several of them share: refusals, examples, headers."""

    def __init__(self, converter: Converter, game: str | None) -> None:
        self._game = game
        self._schema = converter.schema
        self._schemas = converter.described_once
        self._responses: dict[str, Json] = {}
        self._parameters: dict[str, Json] = {}
        self._headers: dict[str, Json] = {}
        self._examples: dict[str, Json] = {}

    def components(self) -> Json:
        """All components of the operations so far."""
        components = {
            "schemas": dict(sorted(self._schemas().items())),
            "responses": dict(sorted(self._responses.items())),
            "parameters": self._parameters,
            "headers": self._headers,
            "examples": dict(sorted(self._examples.items())),
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "description": TEXTS["bearer"]}},
        }
        return {kind: each for kind, each in components.items() if each}

    def operation(self, operation: Operation) -> Json:
        """One operation, with recorded exchanges as examples."""
        operation = _with_exchanges(operation)
        body = {}
        if operation.body is not None:
            content = self._content(operation.body, operation.examples, exact=True)
            body = {"requestBody": {"required": True, "content": {"application/json": content}}}
        security: Json = {}
        if operation.security:
            security = {"security": [{name: []} if name else {} for name in operation.security]}
        return {
            "operationId": operation.id,
            "tags": [operation.tag],
            **self._prose(operation),
            "parameters": [self._parameter(each) for each in operation.parameters],
            **body,
            **security,
            "responses": {str(status): self._answer(each) for status, each in sorted(operation.answers.items())},
            **({"x-codeSamples": written} if (written := samples(operation, self._game)) else {}),
        }

    def _prose(self, operation: Operation) -> Json:
        """What an operation does. That of one game refers to that of all games where the contract has it."""
        prose = PROSE[operation.prose or operation.id]
        if operation.prose is None or self._game is not None:
            return prose
        return {**prose, "description": f"What `{operation.prose}` does, for {operation.tag} alone."}

    def _parameter(self, parameter: Parameter) -> Json:
        """A reference to the component of a parameter, which is made here."""
        component, text = parameter.component, TEXTS["parameters"][parameter.component]
        where = re.split("(?=[A-Z])", component)[-1].lower()
        self._parameters[component] = {
            "name": text["name"],
            "in": where,
            "description": text["description"],
            **({"required": True} if where == "path" else {}),
            "schema": self._schema(parameter.schema, exact=True),
        }
        return {"$ref": f"#/components/parameters/{component}"}

    def _answer(self, answer: Described) -> Json:
        """An answer of an operation; a refusal is a reference to a component."""
        if not answer.refuses:
            return self._written(answer)
        name = "Or".join(map(title, answer.refuses))
        if name not in self._responses:
            shown: dict[str, Sample] = {}
            for slug in answer.refuses:
                for each in refusals()[slug]:
                    first = f"{slug}-{each.game}" if each.game else slug
                    shown[next(name for name in _numbered(first) if name not in shown)] = each
            self._responses[name] = self._written(replace(answer, examples=shown))
        return {"$ref": f"#/components/responses/{name}"}

    def _written(self, answer: Described) -> Json:
        """An answer, written where it belongs."""
        content = {}
        if answer.schema is not None:
            content = {"content": {answer.media_type: self._content(answer.schema, answer.examples, exact=False)}}
        if answer.events:
            events = {name: self._schema(data, exact=False) for name, data in answer.events.items()}
            # Without a type: some tools take it as the schema of the whole text, some as that of each event.
            content["content"][answer.media_type] |= {"schema": {"description": TEXTS["stream"]}, "x-events": events}
        return {
            "description": answer.description,
            "headers": {
                **{name: self._header(name) for name in ("X-Request-ID", "Referee-Version", *answer.headers)},
                **{name: self._header(name, f"Optional-{name}") for name in answer.optional},
            },
            **content,
            **({"links": dict(answer.links)} if answer.links else {}),
        }

    def _header(self, name: str, optional: str = "") -> Json:
        """A reference to the component of a header of answers, which is made here.

        `optional`: the name of the component, where not every answer has the header.
        """
        required = {} if optional else {"required": True}
        component = optional or name
        self._headers[component] = {"description": TEXTS["headers"][name], **required, "schema": {"type": "string"}}
        return {"$ref": f"#/components/headers/{component}"}

    def _content(self, schema: StrictField, examples: Examples, *, exact: bool) -> Json:
        """A schema with its examples, which are references to components."""
        content = {"schema": self._schema(schema, exact=exact)}
        for name, each in examples.items():
            if self._game and each.game not in (None, self._game):
                continue
            example = {"summary": each.why, "value": each.value, **({"x-game": each.game} if each.game else {})}
            free = next(each for each in _numbered(name) if self._examples.setdefault(each, example) == example)
            content.setdefault("examples", {})[name] = {"$ref": f"#/components/examples/{free}"}
        return content


def _with_exchanges(operation: Operation) -> Operation:
    """An operation with its recorded exchanges among its examples."""
    bodies, answers = dict(operation.examples), dict(operation.answers)
    for exchange in exchanges():
        body = exchange.request if exchange.operation == operation.path else exchange.body
        places = (operation.id, operation.path, operation.path.removeprefix(f"/games/{exchange.game}"))
        answer = answers.get(exchange.status) if exchange.operation in places else None
        if answer is None or answer.refuses:
            continue
        first = exchange.name or "-".join(filter(None, (operation.id, exchange.game)))
        name = next(each for each in _numbered(first) if each not in answer.examples)
        if body is not None and operation.body is not None:
            bodies[name] = Sample(exchange.why, body, exchange.game or None)
        shown = {name: Sample(exchange.why, exchange.answer, exchange.game or None)}
        answers[exchange.status] = replace(answer, examples={**answer.examples, **shown})
    return replace(operation, examples=bodies, answers=answers)


def _numbered(name: str) -> Iterator[str]:
    """The name, the name with -2, with -3, and so on."""
    return chain([name], (f"{name}-{number}" for number in count(2)))
