"""`make lint` holds every script of ours to biome.json."""

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BIOME = sorted(ROOT.glob("clients/typescript/node_modules/@biomejs/cli-*/biome"))[:1]
SCRIPTS = ("*.js", "*.mjs", "*.ts", "*.mts", "*.tsx")
NOT_OURS = {
    "clients/typescript/src/games.ts",
    "clients/typescript/src/models.ts",
    "service/playground/vendor/qrcode.mjs",
}


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command in the repository, whatever its status."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_make_check_runs_biome() -> None:
    assert "biome ci --error-on-warnings" in run("make", "--dry-run", "check", "BIOME=biome").stdout.splitlines()


def test_without_biome_a_message_says_that_javascript_is_not_checked() -> None:
    done = run("env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL", "make", "--silent", "javascript", "BIOME=")
    assert (done.returncode, done.stderr) == (0, "No Biome: JavaScript is not checked.\n")


@pytest.mark.skipif(not BIOME, reason="Biome is not installed: npm's registry was not reached")
def test_biome_checks_every_script_except_generated_ones_and_those_of_others() -> None:
    scripts = run("git", "ls-files", "--cached", "--others", "--exclude-standard", *SCRIPTS).stdout.split()
    assert set(scripts) > NOT_OURS
    (count,) = re.findall(r"^Checked (\d+) files", run(*BIOME, "lint", "--colors=off").stderr, re.MULTILINE)
    assert int(count) == len(scripts) - len(NOT_OURS) + 1  # and its own configuration


def test_the_lock_file_pins_the_version_of_biome() -> None:
    package, lock = (
        json.loads((ROOT / "clients/typescript" / name).read_text("utf-8"))
        for name in ("package.json", "package-lock.json")
    )
    entry = lock["packages"]["node_modules/@biomejs/biome"]
    assert package["devDependencies"]["@biomejs/biome"] == entry["version"]
    assert entry["integrity"].startswith("sha512-")
