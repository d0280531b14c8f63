"""The workflows run what the Makefile has, on the Pythons that we promise, and nothing that others can exchange."""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.server import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTION = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
IMAGE = re.compile(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}")
for_each_workflow = pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)


def jobs(file: Path) -> dict[str, Any]:
    """Return the jobs of a workflow by name."""
    result: dict[str, Any] = yaml.safe_load(file.read_text("utf-8"))["jobs"]
    return result


def matrix(job: Any) -> list[dict[str, str]]:
    """Return the values with which a job runs, one entry a run."""
    return list(job.get("strategy", {}).get("matrix", {}).get("include", [{}]))


def image_names(job: Any) -> Iterator[str]:
    """Yield the name of each image that a job uses, once for each entry of its matrix."""
    for service in (job.get("container"), *job.get("services", {}).values()):
        name = service["image"] if isinstance(service, dict) else service
        for values in matrix(job) if name else ():
            yield re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda match: values[match[1]], name)  # noqa: B023 - used at once


def commands(job: Any) -> list[str]:
    """Return the commands that a job runs, in order."""
    return [step["run"] for step in job["steps"] if "run" in step]


@for_each_workflow
def test_every_action_is_named_by_its_commit(file: Path) -> None:
    actions = re.findall(r"^\s*(?:- )?uses: *(\S+)", file.read_text("utf-8"), re.MULTILINE)
    assert actions
    assert [each for each in actions if not ACTION.fullmatch(each)] == []


@for_each_workflow
def test_every_image_is_named_by_its_digest(file: Path) -> None:
    assert [image for job in jobs(file).values() for image in image_names(job) if not IMAGE.fullmatch(image)] == []


@for_each_workflow
def test_every_command_is_a_script_or_a_target_of_ours(file: Path) -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for command in (command for job in jobs(file).values() for command in commands(job)):
        match = re.fullmatch(r"(?:CI=1 )?make ([\w-]+)", command)
        assert match[1] in targets if match else command == ".ci/run"


def test_the_gate_runs_on_every_python_that_we_promise() -> None:
    check = jobs(ROOT / ".github/workflows/check.yml")["check"]
    assert commands(check) == [".ci/run"]
    assert [image.partition("-")[0] for image in image_names(check)] == [f"python:3.{minor}" for minor in range(11, 15)]
    assert [values["python"] for values in matrix(check)] == [f"3.{minor}" for minor in range(11, 15)]
    with (ROOT / "pyproject.toml").open("rb") as file:
        assert tomllib.load(file)["project"]["requires-python"] == ">=3.11"


def test_the_coverage_of_the_service_has_a_bound() -> None:
    command = ["make", "--dry-run", "coverage"]
    planned = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    (least,) = re.findall(r"coverage report --fail-under=(\d+)", planned)
    assert int(least) >= 95


def test_the_audit_is_strict() -> None:
    """Without `--strict`, pip-audit passes a package of which it could learn nothing."""
    command = ["make", "--dry-run", "audit"]
    planned = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.search(r"pip-audit==\S+ --strict .*deploy/constraints\.txt", planned)
    assert re.search(r"npm\S* audit ", planned)
