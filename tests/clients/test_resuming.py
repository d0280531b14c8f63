"""A program that starts again resumes its table: what both READMEs and the guide show."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rules_referee_client import Referee
from tests.clients.compiled import PACKAGE, compile_package, needs_compiler, node, tsc
from tests.server import ROOT, Server

PYTHON = ROOT / "clients/python"
GUIDE = ROOT / "docs/clients.md"


def program(page: Path, language: str) -> str:
    """The program of a page that stores its seat."""
    blocks = re.findall(rf"```{language}\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    (text,) = [each for each in blocks if "seat.json" in each]
    return str(text)


def assert_resumes(start: Callable[[], str], folder: Path, server: Server) -> None:
    """Start a program twice, with a move in between. The second time it reads the table that it opened at first."""
    assert start() == "0\n"
    place = folder / "seat.json"
    assert place.stat().st_mode & 0o077 == 0
    stored = json.loads(place.read_text("utf-8"))
    seat = Referee(f"http://127.0.0.1:{server.port}").twins.at(stored["id"], stored["token"])
    seat.move({"type": "buy", "seat": 0, "count": 0})
    assert start() == "1\n"


@pytest.mark.parametrize("page", [PYTHON / "README.md", GUIDE], ids=["readme", "guide"])
def test_a_program_in_python_resumes_its_table(server: Server, tmp_path: Path, page: Path) -> None:
    text = program(page, "py").replace("8000", str(server.port))

    def start() -> str:
        return subprocess.run(
            [sys.executable, "-c", text],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(PYTHON)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    assert_resumes(start, tmp_path, server)


@pytest.mark.parametrize("page", [PYTHON / "README.md", GUIDE], ids=["readme", "guide"])
def test_a_program_in_python_that_resumes_is_typed(tmp_path: Path, page: Path) -> None:
    (tmp_path / "resume.py").write_text(program(page, "py"), "utf-8")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "resume.py"],
        cwd=tmp_path,
        env=os.environ | {"MYPYPATH": str(PYTHON)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


@needs_compiler
@pytest.mark.parametrize("page", [PACKAGE / "README.md", GUIDE], ids=["readme", "guide"])
def test_a_program_in_typescript_resumes_its_table(server: Server, tmp_path: Path, page: Path) -> None:
    installed = tmp_path / "node_modules/rules-referee"
    compile_package(installed / "dist")
    shutil.copy(PACKAGE / "package.json", installed)
    (tmp_path / "resume.mts").write_text(program(page, "ts").replace("8000", str(server.port)), "utf-8")
    types = ("--typeRoots", PACKAGE / "node_modules/@types", "--types", "node")
    tsc("--strict", "--target", "es2022", "--module", "nodenext", *types, "resume.mts", cwd=tmp_path)
    assert_resumes(lambda: node("resume.mjs", cwd=tmp_path), tmp_path, server)
