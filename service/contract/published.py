"""The published document as YAML, and the part of it that clients of one game need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from service.contract.shapes import title
from service.web.strict_json import Json

SCHEMA = "#/components/schemas/"


def as_yaml(made: Json) -> str:
    """A document as YAML."""
    dumped: str = yaml.dump(
        made, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120, default_flow_style=None
    )
    return dumped


def games_of(document: Json) -> list[str]:
    """The games of a document."""
    mapping: dict[str, str] = document["components"]["schemas"]["Resolution"]["discriminator"]["mapping"]
    return list(mapping)


def of_one_game(document: Json, game: str, book: str) -> Json:
    """The part of a document for one game: its calls, sessions, and their components. `book`: the game's title.

    A union of all games is replaced by its member of this game.
    """
    schemas: dict[str, Json] = document["components"]["schemas"]
    alone = {SCHEMA + name: member for name, schema in schemas.items() if (member := _member(name, schema, game))}
    components = _Components(document, game, alone)
    paths = {path: components.of_game(methods) for path, methods in document["paths"].items() if _concerns(path, game)}
    components.keep(paths)
    used = {tag for methods in paths.values() for operation in methods.values() for tag in operation["tags"]}
    return {
        **document,
        "info": {**document["info"], "title": f"{document['info']['title']}: {book}"},
        "tags": [tag for tag in document["tags"] if tag["name"] in used],
        "paths": paths,
        "components": {**components.kept, "securitySchemes": document["components"]["securitySchemes"]},
    }


def _concerns(path: str, game: str) -> bool:
    return path.startswith((f"/games/{game}/", "/games/{game}", "/sessions", "/problems"))


def _member(name: str, schema: Json, game: str) -> str | None:
    """The reference to this game's member of a union of all games; None: it is no such union."""
    if schema.get("discriminator", {}).get("propertyName") == "game":
        return str(schema["discriminator"]["mapping"][game])
    own = {"$ref": f"{SCHEMA}{title(game)}{name}"}
    return own["$ref"] if own in schema.get("anyOf", ()) else None


class _Components:
    """The components of a document that one game needs. `alone`: replaces references to unions of all games."""

    def __init__(self, document: Json, game: str, alone: dict[str, str]) -> None:
        self._all: dict[str, dict[str, Json]] = document["components"]
        self._game, self._alone = game, alone
        self._others = tuple(SCHEMA + title(other) for other in games_of(document) if other != game)
        self.kept: dict[str, dict[str, Json]] = {}

    def of_game(self, part: Any) -> Any:
        """A part of the document for this game: without unions of all games and without examples of other games."""
        if isinstance(part, list):
            return [self.of_game(each) for each in part]
        if not isinstance(part, dict):
            return part
        if "anyOf" in part:
            part = {**part, "anyOf": [each for each in part["anyOf"] if not self._is_of_another_game(each)]}
        made = {
            name: each if name == "value" else self.of_game(each)
            for name, each in part.items()
            if not self._shows_another_game(each)
        }
        if made.get("$ref") in self._alone:
            made["$ref"] = self._alone[made["$ref"]]
        if self._game in made.get("enum", ()):
            made["enum"] = [self._game]
        return made

    def keep(self, part: Any) -> None:
        """Keep all components that a part of the document refers to."""
        for reference in _references(part):
            _, _, kind, name = reference.split("/")
            if name not in self.kept.setdefault(kind, {}):
                self.kept[kind][name] = self.of_game(self._all[kind][name])
                self.keep(self.kept[kind][name])
        self.kept = {kind: dict(sorted(parts.items())) for kind, parts in self.kept.items()}

    def _is_of_another_game(self, part: Json) -> bool:
        return bool(part.get("items", part).get("$ref", "").startswith(self._others))

    def _shows_another_game(self, part: Any) -> bool:
        reference = part.get("$ref", "") if isinstance(part, dict) else ""
        if not reference.startswith("#/components/examples/"):
            return False
        shown = self._all["examples"][reference.rpartition("/")[2]]
        return bool(shown.get("x-game", self._game) != self._game)


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        for name, each in part.items():
            if name == "$ref":
                yield each
            elif name != "value":
                yield from _references(each)
    elif isinstance(part, list):
        for each in part:
            yield from _references(each)


class _Dumper(yaml.CSafeDumper):
    """Writes no anchors, which few readers of contracts know, and texts of several lines as blocks."""

    def ignore_aliases(self, data: object) -> bool:
        return True

    def represent_str(self, data: str) -> yaml.ScalarNode:
        return self.represent_scalar("tag:yaml.org,2002:str", data, style="|" if "\n" in data else None)


_Dumper.add_representer(str, _Dumper.represent_str)
