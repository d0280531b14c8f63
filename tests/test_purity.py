"""What an engine may reach for, read from its source: import-linter can forbid modules, but not say "only these"."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ENGINES = Path(__file__).parent.parent / "engines"
REGISTRY = ENGINES / "__init__.py"

# Clock, chance, files, processes, network, prose: what would give the same input another answer, or leave a trace.
IMPURE = {
    "asyncio", "builtins", "concurrent", "ctypes", "datetime", "gettext", "glob", "importlib", "io", "locale",
    "logging", "multiprocessing", "os", "pathlib", "pickle", "platform", "random", "secrets", "shutil", "signal",
    "socket", "sqlite3", "subprocess", "tempfile", "threading", "time", "urllib", "uuid", "warnings",
}  # fmt: skip
IMPURE_CALLS = {"open", "print", "input", "eval", "exec", "compile", "__import__", "breakpoint", "id", "hash"}
ALLOWED = (sys.stdlib_module_names - IMPURE) | {"engines"}

MODULES = sorted(path for path in ENGINES.rglob("*.py") if path != REGISTRY)


def imported(tree: ast.Module) -> Iterator[str]:
    """The packages that a module imports from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "engines" if node.level else (node.module or "").partition(".")[0]


def called(tree: ast.Module) -> Iterator[str]:
    """The functions that a module calls by a bare name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ENGINES).as_posix())
def test_an_engine_imports_only_the_pure_part_of_the_standard_library(path: Path) -> None:
    assert set(imported(ast.parse(path.read_text("utf-8")))) - ALLOWED == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ENGINES).as_posix())
def test_an_engine_calls_nothing_that_reads_writes_or_depends_on_the_run(path: Path) -> None:
    assert set(called(ast.parse(path.read_text("utf-8")))) & IMPURE_CALLS == set()
