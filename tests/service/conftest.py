"""What tests of the command line share."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def write_body(tmp_path: Path) -> Callable[[Any], str]:
    """Return a function that writes a body into a file and returns its path."""

    def write(body: Any) -> str:
        path = tmp_path / "body.json"
        path.write_text(json.dumps(body), encoding="utf-8")
        return str(path)

    return write
