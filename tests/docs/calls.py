"""The calls that README and docs show, and their answers."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CALL = re.compile(r"```sh\n(?P<call>[^`]*curl[^`]*)```\n+```json\n(?P<answer>[^`]+)```")


def calls(page: Path) -> list[tuple[str, str]]:
    """Return each call of a page, as a command for a shell, with its answer."""
    return [(match["call"], match["answer"]) for match in CALL.finditer(page.read_text(encoding="utf-8"))]
