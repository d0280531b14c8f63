"""`python -m service.openapi`: write openapi.yaml; with `--check`, exit 1 if it is not what would be written."""

import sys

from service.openapi import text
from service.seeds import ROOT

FILE = ROOT / "openapi.yaml"


def main(arguments: list[str]) -> int:
    """0: written, or up to date."""
    contract = text()
    if arguments == ["--check"]:
        return int(not FILE.is_file() or FILE.read_text(encoding="utf-8") != contract)
    FILE.write_text(contract, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
