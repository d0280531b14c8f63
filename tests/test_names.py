"""One name, one thing: of classes in the service, the core of the engines and each game; of the service's modules."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GAMES = sorted(folder.name for folder in (ROOT / "engines").iterdir() if (folder / "model.py").exists())
EVERYWHERE = [*(ROOT / "service").rglob("*.py"), *(ROOT / "engines" / "core").rglob("*.py")]


def classes(files: list[Path]) -> dict[str, list[str]]:
    """The files that define each class, by its name. A class that derives from one of its own name is left out."""
    places = defaultdict(list)
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and node.name not in {
                ast.unparse(base).rpartition(".")[2] for base in node.bases
            }:
                places[node.name].append(str(file.relative_to(ROOT)))
    return places


@pytest.mark.parametrize("game", GAMES)
def test_no_two_classes_share_a_name(game: str) -> None:
    paths = [*EVERYWHERE, *(ROOT / "engines" / game).rglob("*.py")]
    shared = [
        f"{files[-1]}: {name} is also the name of a class of {', '.join(files[:-1])}: give one of them another"
        for name, files in classes(paths).items()
        if len(files) > 1
    ]
    assert not shared, "\n".join(shared)


def test_no_two_modules_of_the_service_share_a_name() -> None:
    places = defaultdict(list)
    for file in (ROOT / "service").rglob("[!_]*.py"):
        places[file.stem].append(str(file.relative_to(ROOT)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
