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
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_gate_has_it_checked() -> None:
    assert "biome ci --error-on-warnings" in run("make", "--dry-run", "check", "BIOME=biome").stdout.splitlines()


def test_without_it_a_message_says_what_is_not_checked() -> None:
    done = run("env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL", "make", "--silent", "javascript", "BIOME=")
    assert (done.returncode, done.stderr) == (0, "No Biome: JavaScript is not checked.\n")


@pytest.mark.skipif(not BIOME, reason="there is no Biome: npm's registry was not reached")
def test_it_reads_every_script_but_what_is_generated_or_from_others() -> None:
    scripts = run("git", "ls-files", "--cached", "--others", "--exclude-standard", *SCRIPTS).stdout.split()
    assert set(scripts) > NOT_OURS
    (count,) = re.findall(r"^Checked (\d+) files", run(*BIOME, "lint", "--colors=off").stderr, re.MULTILINE)
    assert int(count) == len(scripts) - len(NOT_OURS) + 1  # and its own configuration


def test_the_lock_pins_it() -> None:
    package, lock = (
        json.loads((ROOT / "clients/typescript" / name).read_text("utf-8"))
        for name in ("package.json", "package-lock.json")
    )
    entry = lock["packages"]["node_modules/@biomejs/biome"]
    assert package["devDependencies"]["@biomejs/biome"] == entry["version"]
    assert entry["integrity"].startswith("sha512-")
