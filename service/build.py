"""Which version of the service runs, and of which commit it is, where that is known."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path

from service.config import variable

VERSION = version("rules-referee")
CHECKOUT = Path(__file__).resolve().parent.parent


@cache
def commit() -> str | None:
    """The commit: as the build of an image sets it, or that of the checkout that runs. None where it is not known."""
    return os.environ.get(variable("commit")) or _commit_of(CHECKOUT)


def _commit_of(folder: Path) -> str | None:
    """The commit that is checked out in a folder; None where there is no repository, or no git."""
    if not (folder / ".git").exists():
        return None
    try:
        command = ["git", "-C", str(folder), "rev-parse", "HEAD"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=5)  # noqa: S603 - our own
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def described() -> str:
    """The version, with the commit in brackets."""
    return f"{VERSION} ({commit()})" if commit() else VERSION
