"""Where the language-neutral files of a game stand: rulebook, messages, vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import yaml

import engines
from engines.core.engine import Engine

ROOT = Path(engines.__file__).parent.parent
LANGUAGES = ("en", "it", "fr")


@cache
def folder(engine: Engine[Any]) -> Path:
    """`seeds/<folder>` beside `engines/<folder>`; a game from elsewhere carries a folder `seeds` in its own package."""
    package = import_module(engine.state.__module__.rpartition(".")[0])
    home = Path(str(package.__file__)).parent
    own = home / "seeds"
    return own if own.is_dir() else home.parent.parent / "seeds" / home.name


def read(path: Path) -> Any:
    """A YAML file of ours."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(path.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506


@cache
def rulebook(engine: Engine[Any]) -> Any:
    """The rulebook as it stands in its file."""
    return read(folder(engine) / "rulebook.yaml")


def vectors(engine: Engine[Any]) -> Iterator[Any]:
    """The conformance cases of a game, in the order of files and cases."""
    for file in sorted((folder(engine) / "vectors").glob("*.json")):
        yield from json.loads(file.read_text(encoding="utf-8"))
