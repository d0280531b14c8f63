"""docs/add-a-game.md followed to the letter: its game in a copy of this repository.

    python -m tests.docs.author build/author

Then `make -C build/author openapi check` runs everything with one game more; `make author-check` does both.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/add-a-game.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+) (\S+/\S+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
"""The kind of each block, its file, and the content of the file; of a `diff`, what changes in it."""
WORKED, VECTORS = "seeds/high_card/worked/first.yaml", "seeds/high_card/vectors/first.json"
"""What the page writes, and what completing makes of it."""


def run_module(
    folder: Path, *command: str, path: Path | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a Python module as a command in a folder. `path`: packages that it may import, too.

    Coverage is not measured: this is another tree.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    environment |= {} if path is None else {"PYTHONPATH": str(path)}
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, env=environment, input=stdin, capture_output=True, text=True,
        timeout=600, check=False,
    )  # fmt: skip


def copy_with_new_game(tree: Path) -> None:
    """Copy what git tracks, or would add, into an empty folder; make a new game there, and High Card of it.

    The blocks of the page replace files of the new game, or are diffs of them.
    """
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    result = run_module(tree, "service.cli", "new-game", "high-card")
    assert result.returncode == 0, result.stderr
    for kind, name, text in BLOCKS:
        file = tree / name
        content = apply_diff(file.read_text(encoding="utf-8"), text, name) if kind == "diff" else text
        file.write_text(content, encoding="utf-8")


def apply_diff(text: str, diff: str, name: str) -> str:
    """Return a text with a diff applied. Its parts are separated by `@@`; each must fit one place of the text.

    `name`: the file, for the message of a failure.
    """
    for part in diff.split("@@\n"):
        lines = [line or " " for line in part.splitlines()]
        old, new = ("".join(f"{line[1:]}\n" for line in lines if line[0] in marks) for marks in (" -", " +"))
        assert f"\n{text}".count(f"\n{old}") == 1, f"{name} does not have once:\n{old}"
        text = f"\n{text}".replace(f"\n{old}", f"\n{new}")[1:]
    return text


def complete_copy(tree: Path) -> Path:
    """Copy this repository into an empty folder, with the game of the page and its vectors completed. Return it."""
    copy_with_new_game(tree)
    result = run_module(tree, "tests.conformance.complete", WORKED)
    assert result.returncode == 0, result.stdout + result.stderr
    return tree


def install_game(tree: Path, folder: Path, game: str, package: str) -> Path:
    """Install a game of a repository in a folder, as a package of its own, as the page says. Return the package."""
    place = folder / package
    shutil.copytree(tree / "engines" / game, place, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(tree / "seeds" / game, place / "seeds")
    for module in place.glob("*.py"):
        text = module.read_text(encoding="utf-8").replace(f"engines.{game}", package)
        module.write_text(text, encoding="utf-8")
    metadata = folder / f"{package}-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(entry_points_of_page(package), encoding="utf-8")
    return place


def entry_points_of_page(package: str) -> str:
    """The table of entry points that the page has for pyproject.toml, as an installer writes it, for this package."""
    (table,) = re.findall(r"^    (\[project\.entry-points\..*\]\n    .*)$", PAGE, re.MULTILINE)
    ((group, entries),) = tomllib.loads(table)["project"]["entry-points"].items()
    ((name, target),) = entries.items()
    return f"[{group}]\n{name} = {target.replace('high_card', package)}\n"


def main() -> int:
    """Build the copy as a repository of its own."""
    tree = Path(sys.argv[1])
    shutil.rmtree(tree, ignore_errors=True)
    complete_copy(tree)
    return subprocess.run(["git", "init", "-q"], cwd=tree, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
