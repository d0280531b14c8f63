"""The OpenAPI document, made from the operations: the same bytes every time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from itertools import chain, count

from apispec import APISpec

from service.contract.calls import Calls
from service.contract.fields import StrictField, TextField
from service.contract.openapi import sessions
from service.contract.openapi.converter import Converter, Plugin
from service.contract.openapi.examples import Judge, Refusal, exchanges, refusals
from service.contract.openapi.operations import (
    HEADERS,
    Described,
    Examples,
    Links,
    Operation,
    Parameter,
    Sample,
    operations,
    tags,
)
from service.contract.openapi.told import OpenConverter, Shared
from service.contract.shapes import title
from service.web.strict_json import Json

TITLE = "Rules Referee"
CONTACT = {"name": "Whoever runs this service; its rules and its code are those of Rules Referee."}
LICENSE = {"name": "MIT", "identifier": "MIT"}
DESCRIPTION = """\
A referee for card games. Post a table and moves; back comes the ruling: legal or not, by which clause of the rulebook,
what happened, and the next table. The calls under *Judging* store nothing and give the same answer every time.

Seats are numbered from 0, hands, rounds and tricks from 1; lists of cards run from the top of a pile. `null` in a list
of cards is a card that the poster cannot see. Every ruling cites one clause (`rule`), carries a stable `code` with
`params`, and a `text` in the language of the request.

Requests are read strictly: unknown fields, keys that come twice, and numbers as strings are refused. Answers may gain
fields, codes and values within a major version.
"""


@cache
def document(calls: Calls, judged: Judge) -> Json:
    """The published document. `calls`: the rows of the stateless ones; `judged`: what answers the examples."""
    every = [each for each in _operations(calls, judged) if each.for_clients]
    shown = refusals(calls, judged)
    return _made(every, OpenConverter, lambda spec, plugin: _Published(spec, plugin, shown))


@cache
def exact(calls: Calls, judged: Judge) -> Json:
    """What this version takes and gives, to the last member, probes and pages as well: what tests hold it to."""
    return _made(_operations(calls, judged), Converter, _Pages)


def _operations(calls: Calls, judged: Judge) -> list[Operation]:
    return [*operations(calls, judged), *sessions.operations()]


def _made(every: list[Operation], converter: type[Converter], pages_of: Callable[[APISpec, Plugin], _Pages]) -> Json:
    plugin = Plugin(converter)
    spec = APISpec(
        TITLE,
        version("rules-referee"),
        "3.1.0",
        plugins=[plugin],
        info={"description": DESCRIPTION, "contact": CONTACT, "license": LICENSE},
        servers=[{"url": "/", "description": "Where this document was found."}],
        security=[],
        tags=[tag for tag in tags() if any(tag["name"] == each.tag for each in every)],
    )
    if isinstance(plugin.converter, OpenConverter):
        answers = [answer for each in every for answer in each.answers.values()]
        plugin.converter.shared = Shared(
            [each.body for each in every if each.body is not None],
            [field for answer in answers for field in (answer.schema, *answer.events.values()) if field is not None],
        )
    pages = pages_of(spec, plugin)
    paths: dict[str, Json] = {}
    for operation in every:
        paths.setdefault(operation.path, {})[operation.method] = pages.operation(operation)
    for path, methods in paths.items():
        spec.path(path, operations=methods)
    bearer = {"type": "http", "scheme": "bearer", "description": "A session's token, given out when it was opened."}
    spec.components.security_scheme("bearer", bearer)
    made: Json = spec.to_dict()
    components = made["components"]
    for kind in ("schemas", "responses", "examples"):
        if kind in components:
            components[kind] = dict(sorted(components[kind].items()))
    order = ("openapi", "info", "servers", "security", "tags", "paths", "components")
    return {key: made[key] for key in order}


class _Pages:
    """Operations as they stand in the document; what several share goes to the components."""

    def __init__(self, spec: APISpec, plugin: Plugin) -> None:
        self.spec = spec
        self.plugin = plugin

    def operation(self, operation: Operation) -> Json:
        """One operation."""
        body = {}
        if operation.body is not None:
            content = self._content(operation.body, operation.examples)
            body = {"requestBody": {"required": True, "content": {"application/json": content}}}
        return {
            "operationId": operation.id,
            "tags": [operation.tag],
            **operation.words,
            "parameters": [self._parameter(each) for each in operation.parameters],
            **body,
            **({"security": [{name: []} if name else {} for name in operation.security]} if operation.security else {}),
            "responses": {str(status): self._answer(each) for status, each in sorted(operation.answers.items())},
        }

    def _parameter(self, parameter: Parameter) -> Json | str:
        published: Json = {
            "name": parameter.name,
            "in": parameter.where,
            "description": parameter.description,
            **({"required": True} if parameter.where == "path" else {}),
            "schema": self.plugin.published(self.spec, parameter.schema),
        }
        name = title(parameter.name.replace("_", "-")) + parameter.where.title()
        if name not in self.spec.components.parameters:
            self.spec.components.parameter(name, parameter.where, published)
        return name

    def _answer(self, answer: Described) -> Json:
        content = {}
        if answer.schema is not None:
            content = {"content": {answer.media_type: self._content(answer.schema, answer.examples)}}
        if answer.events:
            events = {name: self.plugin.published(self.spec, data) for name, data in answer.events.items()}
            content["content"][answer.media_type]["x-events"] = events
        for media_type in answer.pages:
            content["content"][media_type] = {"schema": self.plugin.published(self.spec, TextField())}
        return {
            "description": answer.description,
            "headers": {name: self._header(name) for name in ("X-Request-ID", *answer.headers)},
            **content,
            **({"links": dict(answer.links)} if answer.links else {}),
        }

    def _header(self, name: str) -> Json:
        if name not in self.spec.components.headers:
            published = {"description": HEADERS[name], "required": True, "schema": {"type": "string"}}
            self.spec.components.headers[name] = published
        return {"$ref": f"#/components/headers/{name}"}

    def _content(self, schema: StrictField, examples: Examples) -> Json:
        shown = {
            name: {"summary": each.why, "value": each.value, **({"x-game": each.game} if each.game else {})}
            for name, each in examples.items()
        }
        return {"schema": self.plugin.published(self.spec, schema), **({"examples": shown} if shown else {})}


class _Published(_Pages):
    """The same for clients, with more examples: a refusal stands once, however many calls it may come from."""

    def __init__(self, spec: APISpec, plugin: Plugin, shown: Mapping[str, list[Refusal]]) -> None:
        super().__init__(spec, plugin)
        self._shown = shown

    def operation(self, operation: Operation) -> Json:
        """One operation, with what was asked and answered in a session."""
        bodies, answers = dict(operation.examples), dict(operation.answers)
        for exchange in exchanges():
            given = answers.get(exchange.status) if exchange.operation == operation.id else None
            if given is None or given.refuses:
                continue
            names = (
                f"{operation.id}{exchange.game and '-'}{exchange.game}{more}"
                for more in chain([""], (f"-{n}" for n in count(2)))
            )
            name = next(each for each in names if each not in given.examples)
            if exchange.body is not None and operation.body is not None:
                bodies[name] = Sample(exchange.why, exchange.body, exchange.game or None)
            told = {name: Sample(exchange.why, exchange.answer, exchange.game or None)}
            answers[exchange.status] = replace(given, examples={**given.examples, **told})
        return super().operation(replace(operation, examples=bodies, answers=answers))

    def _answer(self, answer: Described) -> Json:
        if not answer.refuses:
            return super()._answer(replace(answer, links=_plain(answer.links), pages=()))
        name = "Or".join(map(title, answer.refuses))
        if name not in self.spec.components.responses:
            refused = {
                f"{slug}-{each.game}" if each.game else slug: Sample(each.why, each.told, each.game)
                for slug in answer.refuses
                for each in self._shown[slug]
            }
            self.spec.components.responses[name] = super()._answer(replace(answer, examples=refused))
        return {"$ref": f"#/components/responses/{name}"}

    def _content(self, schema: StrictField, examples: Examples) -> Json:
        published = super()._content(schema, examples)
        for name, example in published.get("examples", {}).items():
            published["examples"][name] = self._example(name, example)
        return published

    def _example(self, name: str, example: Json) -> Json:
        """A reference to an example, which several calls may show."""
        kept = self.spec.components.examples
        names = chain([name], (f"{name}-{number}" for number in count(2)))
        free = next(each for each in names if kept.setdefault(each, example) == example)
        return {"$ref": f"#/components/examples/{free}"}


def _plain(links: Links) -> Links:
    """Links without bodies, which generators refuse."""
    return {name: link for name, link in links.items() if "requestBody" not in link}
