"""The wheel holds the whole service and needs no checkout."""

import json
import os
import subprocess
import sys
import tomllib
import venv
from importlib.metadata import distribution
from pathlib import Path
from types import ModuleType
from urllib.request import urlopen
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

import engines
import gunicorn_llhttp
import service
from service.http.documents import GUIDES
from tests.release import version
from tests.server import ROOT, Server


def unpack_wheel(source: Path, folder: Path) -> list[str]:
    """Build a wheel and unpack it into an empty folder, as an installer does. Return the names in it."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with ZipFile(wheel) as archive:
        archive.extractall(folder)
    wheel.unlink()
    return archive.namelist()


@pytest.fixture(scope="module")
def wheel_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the unpacked wheel of the service."""
    folder = tmp_path_factory.mktemp("installed")
    unpack_wheel(ROOT, folder)
    return folder


def test_the_engines_are_a_package_of_their_own_that_needs_no_other(tmp_path: Path) -> None:
    names = unpack_wheel(ROOT / "distributions/engines", tmp_path)
    (about,) = (name for name in names if name.endswith("METADATA"))
    assert "Requires-Dist" not in (tmp_path / about).read_text("utf-8")
    assert not [name for name in names if name.endswith(".pyc")]
    # -S: nothing of site-packages can be imported
    command = [sys.executable, "-P", "-S", "-c", "import engines; print(*engines.registry())"]
    games = subprocess.check_output(command, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, text=True)
    assert {"gin-rummy", "take-that", "twin-it", "twins"} <= {*games.split()}
    assert (tmp_path / "engines/py.typed").exists()


def test_the_worker_is_a_package_of_its_own_that_needs_nothing_of_the_service(tmp_path: Path) -> None:
    names = unpack_wheel(ROOT / "distributions/worker", tmp_path)
    assert {Path(name).parts[0] for name in names if ".dist-info" not in name} == {"gunicorn_llhttp"}
    without_checkout = f"import sys; sys.path = [each for each in sys.path if {str(ROOT)!r} != each]"
    loaded = "print(*{name.partition('.')[0] for name in sys.modules} & {'engines', 'service'})"
    command = [sys.executable, "-P", "-c", f"{without_checkout}; import gunicorn_llhttp.worker; {loaded}"]
    assert subprocess.check_output(command, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, text=True) == "\n"


@pytest.mark.parametrize("package", [engines, gunicorn_llhttp, service], ids=lambda package: package.__name__)
def test_the_checks_import_this_checkout_and_no_copy_of_it(package: ModuleType) -> None:
    (folder,) = package.__path__
    assert Path(folder) in {ROOT / package.__name__, ROOT / "distributions/worker" / package.__name__}


def test_all_files_that_state_the_version_agree_with_the_installed_package() -> None:
    assert version() == distribution("rules-referee").version


def test_the_wheel_has_every_file_of_the_engines_the_worker_the_service_and_the_seeds(wheel_folder: Path) -> None:
    tops = [ROOT / "engines", ROOT / "service", ROOT / "seeds", ROOT / "distributions/worker/gunicorn_llhttp"]
    files = [path.relative_to(top.parent) for top in tops for path in top.rglob("*.*")]
    missing = [path for path in files if path.suffix != ".pyc" and not (wheel_folder / path).exists()]
    assert missing == []


def test_the_wheel_has_only_packages_seeds_contract_gunicorns_configuration_and_guides(wheel_folder: Path) -> None:
    assert {path.name for path in wheel_folder.iterdir() if path.suffix != ".dist-info"} == {
        "deploy",
        "docs",
        "engines",
        "gunicorn_llhttp",
        "openapi.yaml",
        "seeds",
        "service",
    }
    assert (wheel_folder / "openapi.yaml").read_bytes() == (ROOT / "openapi.yaml").read_bytes()
    assert [path.name for path in (wheel_folder / "deploy").iterdir()] == ["gunicorn.conf.py"]
    assert {path.stem for path in (wheel_folder / "docs").iterdir()} == set(GUIDES)


def test_the_installed_command_knows_the_games(wheel_folder: Path) -> None:
    command = [sys.executable, "-P", "-m", "service.cli", "games"]
    environment = os.environ | {"PYTHONPATH": str(wheel_folder)}
    output = subprocess.check_output(command, cwd=wheel_folder.parent, env=environment)
    assert "twins" in [game["game"] for game in json.loads(output)["games"]]


def with_dependencies(requirements: list[str], extras: set[str], names: set[str]) -> set[str]:
    """Return `names` and the names of all distributions that an installer adds for the requirements."""
    for requirement in map(Requirement, requirements):
        if requirement.marker and not any(requirement.marker.evaluate({"extra": extra}) for extra in extras | {""}):
            continue
        if requirement.name not in names:
            names |= with_dependencies(
                distribution(requirement.name).requires or [], requirement.extras, names | {requirement.name}
            )
    return names


def test_the_server_starts_with_the_declared_dependencies_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment of the checks has more packages, which would hide one that is not declared.

    Here a new environment has links to the declared ones alone, and to what they need.
    """
    venv.create(tmp_path)
    (packages,) = tmp_path.glob("lib/python*/site-packages")
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    for name in with_dependencies(declared, set(), {"rules-referee"}):
        own = distribution(name)
        for top in {file.parts[0] for file in own.files or () if file.parts[0] not in ("..", "__pycache__")}:
            if not (packages / top).exists():
                (packages / top).symlink_to(str(own.locate_file(top)))
    (tmp_path / "bin" / "gunicorn").symlink_to(Path(sys.executable).with_name("gunicorn"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    with Server() as server:
        assert server.process.poll() is None, server.err.read_text("utf-8")
        assert urlopen(f"http://127.0.0.1:{server.port}/readyz").status == 200
