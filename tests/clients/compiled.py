"""`clients/typescript` compiled by TypeScript's own compiler, for tests of what is published."""

import atexit
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest
from playwright._impl._driver import compute_driver_executable

from tests.server import ROOT

PACKAGE = ROOT / "clients/typescript"
COMPILER = PACKAGE / "node_modules/typescript/bin/tsc"
NODE = str(compute_driver_executable()[0])
"""The one that Playwright brings: it is there wherever the tests are, and reads TypeScript as it stands."""

needs_compiler = pytest.mark.skipif(
    not COMPILER.exists(), reason="TypeScript is not installed: npm's registry was not reached"
)


def node(*arguments: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    """Run Node, and return what it prints. It has to end with status 0."""
    result = subprocess.run(
        [NODE, *arguments], cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def tsc(*arguments: str | Path, cwd: Path = ROOT) -> str:
    """Run TypeScript's compiler, which does not check its own declarations. Return its output, empty if all fits."""
    return node(COMPILER, "--skipDefaultLibCheck", *arguments, cwd=cwd)


def compile_package(folder: Path) -> None:
    """Compile the client into a folder, as it is published in `dist`."""
    shutil.copytree(_compiled(), folder, dirs_exist_ok=True)


@cache
def _compiled() -> str:
    """The compiled client, in a folder that goes when the process ends."""
    folder = mkdtemp(prefix="referee-client-")
    atexit.register(shutil.rmtree, folder)
    tsc("--project", PACKAGE, "--outDir", folder)
    return folder
