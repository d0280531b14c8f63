"""`make release`: install each archive of `dist/` alone, as its user would, and try it. Prints each check that passes.

The programs are those of the pages: `README.md` of each client and of the worker, `docs/embedding.md`.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen
from zipfile import ZipFile

from tests.clients.compiled import node
from tests.server import ROOT, free_port, listens, until

DIST = ROOT / "dist"
ADDRESS_IN_PAGES = "http://127.0.0.1:8000"  #: The address that pages name.
PROJECTS = (
    "pyproject.toml",
    "distributions/engines/pyproject.toml",
    "distributions/worker/pyproject.toml",
    "clients/python/pyproject.toml",
)


def run(*command: str | Path, folder: Path = ROOT, **variables: str) -> str:
    """Return the output of a command. Raises CalledProcessError."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables
    return subprocess.run(
        [*map(str, command)], cwd=folder, env=environment, check=True, text=True, stdout=subprocess.PIPE
    ).stdout


def version() -> str:
    """Return the version that every part says. Raises AssertionError where two differ.

    Between releases (`.dev`) the changelog and the image name the last release.
    """
    versions = {each: tomllib.loads((ROOT / each).read_text("utf-8"))["project"]["version"] for each in PROJECTS}
    for name in ("typescript", "table"):
        by_npm = json.loads((ROOT / "clients" / name / "package.json").read_text("utf-8"))["version"]
        versions[name] = by_npm.replace("-dev.", ".dev")
    patterns = {"openapi.yaml": r"^  version: (\S+)$"}
    if ".dev" not in versions["pyproject.toml"]:
        patterns |= {"CHANGELOG.md": r"^## (\S+) — ", "deploy/kubernetes.yaml": r"image: rules-referee:(\S+)"}
    for name, pattern in patterns.items():
        match = re.search(pattern, (ROOT / name).read_text("utf-8"), re.MULTILINE)
        versions[name] = match[1] if match else "none"
    assert len(set(versions.values())) == 1, f"the versions differ: {versions}"
    return str(versions["openapi.yaml"])


def block(page: str, language: str) -> str:
    """Return the first block of code in this language on a page."""
    match = re.search(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert match is not None, f"{page} has no block of {language}"
    return match[1]


def install_wheel(folder: Path, wheel: Path) -> Path:
    """Install a wheel, and what it needs, in an environment of its own; return its folder of commands."""
    uv = Path(sys.executable).with_name("uv")
    run(uv, "--quiet", "venv", folder)
    run(uv, "--quiet", "pip", "install", "--python", folder / "bin/python", wheel)
    return folder / "bin"


@contextmanager
def run_service(commands: Path, folder: Path) -> Iterator[str]:
    """Run the installed service; yield its address."""
    port = free_port()
    settings = {"REFEREE_PORT": str(port), "REFEREE_STORE_URL": f"sqlite:///{folder}/sessions.sqlite3"}
    with run_server([str(commands / "referee"), "serve"], folder, port, settings) as url:
        yield url


@contextmanager
def run_server(command: list[str], folder: Path, port: int, variables: dict[str, str]) -> Iterator[str]:
    """Run a server; yield its address."""
    quiet, environment = subprocess.DEVNULL, os.environ | variables
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=quiet, stderr=quiet) as process:
        try:
            until(lambda: listens(port), 120)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(60)


def archive(pattern: str) -> Path:
    """Return the only archive whose name has this pattern."""
    (file,) = DIST.glob(pattern)
    return file


def names_in(archive: Path) -> list[str]:
    """Return the names of the files in a packed archive."""
    with tarfile.open(archive) as opened:
        return opened.getnames()


def checks(folder: Path) -> Iterator[str]:
    """Try everything in this folder; yield what holds."""
    yield f"every part says that it is version {version()}"
    wheels = [archive(f"rules_referee{end}-{version()}-*.whl") for end in ("", "_engines", "_client")]
    packed = [archive(f"rules-referee{end}-{version()}.tgz") for end in ("", "-table")]
    wheels.append(archive(f"gunicorn_llhttp-{version()}-*.whl"))
    contents = [*(ZipFile(each).namelist() for each in wheels), *map(names_in, packed)]
    assert all(any(name.endswith("LICENSE") for name in names) for names in contents)
    yield "each archive has the licence"

    service, engines, client, worker = (install_wheel(folder / each.name, each) for each in wheels)
    game = block("docs/embedding.md", "py")
    assert run(engines / "python", "-c", game, folder=folder) == block("docs/embedding.md", "text")
    yield "the engines alone play the game of docs/embedding.md"

    (folder / "hello.py").write_text(block("distributions/worker/README.md", "py"), "utf-8")
    (folder / "gunicorn.conf.py").write_text(block("distributions/worker/README.md", "python"), "utf-8")
    port = free_port()
    command = [str(worker / "gunicorn"), "--bind", f"127.0.0.1:{port}", "hello:app"]
    with run_server(command, folder, port, {}) as url:
        assert urlopen(url).read() == b"hello\n"
    yield "the worker alone serves the application of its page"

    assert run(service / "referee", "--version", folder=folder).strip() == version()
    with run_service(service, folder) as url:
        print(run(service / "referee", "test", url, folder=folder), end="")
        yield "the service passes the conformance vectors"

        program = block("clients/python/README.md", "py").replace(ADDRESS_IN_PAGES, url)
        assert "TW-" in run(client / "python", "-c", program, folder=folder)
        yield "the Python client plays the game of its page"

        with tarfile.open(packed[0]) as opened:
            opened.extractall(folder, filter="data")
        (folder / "node_modules").mkdir()
        (folder / "package").rename(folder / "node_modules/rules-referee")
        (folder / "game.mts").write_text(
            block("clients/typescript/README.md", "ts").replace(ADDRESS_IN_PAGES, url), "utf-8"
        )
        assert "TW-" in node("game.mts", cwd=folder)
        yield "the TypeScript client plays the game of its page"


def main() -> None:
    """Print each check that passes."""
    with TemporaryDirectory(prefix="referee-release-") as folder:
        for line in checks(Path(folder)):
            print(f"- {line}", flush=True)


if __name__ == "__main__":
    main()
