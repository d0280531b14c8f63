"""The steps that `make image-check` takes without an engine are those of the Dockerfile."""

from pathlib import Path

import pytest

from tests.image.dockerfile import stages
from tests.server import ROOT


def test_stages_steps_and_commands_are_read() -> None:
    build, last = stages(ROOT / "Dockerfile")
    assert build.name == "build"
    assert build.environment["UV_PROJECT_ENVIRONMENT"] == "/opt/referee"
    copied = [step for step in last.steps if step.name == "COPY"]
    assert [(step.option["from"], step.words) for step in copied] == [("build", ["/opt/referee", "/opt/referee"])]
    assert last.last("USER").words == ["10001"]
    assert last.last("CMD").command == ["referee", "serve"]
    check = last.last("HEALTHCHECK").command
    assert check[:2] == ["python", "-c"]
    compile(check[2], "HEALTHCHECK", "exec")


def test_an_unknown_instruction_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "Dockerfile"
    file.write_text("FROM scratch\nONBUILD RUN true\n", "utf-8")
    with pytest.raises(ValueError, match="Dockerfile: ONBUILD"):
        stages(file)
