"""The files for a public forge and for pre-commit: they call our own gate and tools, and fetch nothing else."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
WORKFLOW = ROOT / ".github/workflows/check.yml"
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*[!g].yml"))
HOOKS: list[Any] = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]


def test_the_workflow_runs_targets_of_the_makefile_and_nothing_else() -> None:
    jobs = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]
    runs = {name: [step["run"] for step in job["steps"] if "run" in step] for name, job in jobs.items()}
    assert runs == {
        "check": [".ci/run"],
        "coverage": ["CI=1 make coverage"],
        "image": ["make image-check"],
        "author": ["CI=1 make author-check"],
    }


def test_the_workflow_may_only_read_and_knows_no_secret() -> None:
    text = WORKFLOW.read_text(encoding="utf-8")
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    assert "secrets." not in text


def test_every_hook_of_pre_commit_runs_a_tool_of_this_repository() -> None:
    assert [repo["repo"] for repo in HOOKS] == ["local"]
    entries = [hook["entry"] for hook in HOOKS[0]["hooks"]]
    assert all(entry.startswith((".venv/bin/", ".ci/", "make --silent ")) for entry in entries)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_a_form_for_issues_has_each_field_once_and_with_a_label(form: Path) -> None:
    fields = yaml.safe_load(form.read_text(encoding="utf-8"))["body"]
    ids = [field["id"] for field in fields]
    assert len(set(ids)) == len(ids)
    assert all(field["attributes"]["label"] for field in fields)


def test_the_form_for_a_wrong_ruling_requires_the_clause_and_the_request() -> None:
    form = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE/wrong-ruling.yml").read_text(encoding="utf-8"))
    needed = {field["id"] for field in form["body"] if field.get("validations", {}).get("required")}
    assert needed >= {"clause", "request"}


@pytest.mark.parametrize(
    ("message", "refused"),
    [
        ("A subject\n\nA reason.\n", ""),
        (f"{'é' * 72}\n\nA reason.\n# a comment\n", ""),
        ("Merge branch 'seeds'\n", ""),
        (f"{'x' * 73}\n\nA reason.\n", "more than 72 characters"),
        ("A subject\nA reason.\n", "The line after the subject is not empty"),
        ("A subject\n\n \n# a comment\n", "no body that says why"),
        ("\n\nA reason.\n", "no subject"),
    ],
)
def test_the_commit_hook_refuses_a_message_without_a_short_subject_and_a_body(
    tmp_path: Path, message: str, refused: str
) -> None:
    file = tmp_path / "message"
    file.write_text(message, encoding="utf-8")
    done = subprocess.run([ROOT / ".ci/message", file], capture_output=True, text=True, check=False)
    assert done.returncode == bool(refused)
    assert re.search(refused, done.stderr)
