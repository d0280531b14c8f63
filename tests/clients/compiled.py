"""`clients/typescript` compiled by TypeScript's own compiler, for tests of what is published."""

import os
import subprocess
from pathlib import Path

import pytest
from playwright._impl._driver import compute_driver_executable

from tests.server import ROOT

PACKAGE = ROOT / "clients/typescript"
COMPILER = PACKAGE / "node_modules/typescript/bin/tsc"
NODE = str(compute_driver_executable()[0])
"""The one that Playwright brings: it is there wherever the tests are, and reads TypeScript as it stands."""

needs_compiler = pytest.mark.skipif(
    not COMPILER.exists(), reason="there is no TypeScript: npm's registry was not reached"
)


def node(*arguments: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    """What Node prints; a failure where it fails."""
    run = subprocess.run(
        [NODE, *arguments], cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def compiled(folder: Path) -> None:
    """Puts into a folder what is published as `dist`."""
    node(COMPILER, "--project", PACKAGE, "--outDir", folder)
