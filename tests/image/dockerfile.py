"""A Dockerfile as a list of steps, so that a check without an engine takes exactly the steps of the file."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

STEPS = {"FROM", "ENV", "WORKDIR", "RUN", "COPY", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "CMD"}


@dataclass(frozen=True)
class Step:
    """One instruction. `said`: the rest of its line."""

    name: str
    said: str

    @property
    def words(self) -> list[str]:
        """Its arguments without options."""
        return [each for each in shlex.split(self.said) if not each.startswith("--")]

    @property
    def option(self) -> Mapping[str, str]:
        """Its options `--name=value`."""
        return dict(re.findall(r"--([a-z-]+)=(\S+)", self.said))

    @property
    def command(self) -> list[str]:
        """The command of `CMD [...]` or `HEALTHCHECK ... CMD [...]`, else the line for a shell."""
        said = self.said[self.said.find("CMD ") + 4 :] if self.name == "HEALTHCHECK" else self.said
        if said.startswith("["):
            return [str(each) for each in json.loads(said)]
        return ["/bin/sh", "-c", said]


@dataclass
class Stage:
    """From one `FROM` to the next."""

    name: str
    steps: list[Step] = field(default_factory=list)

    def last(self, name: str) -> Step:
        """The last step of this name, which is the one that holds."""
        return next(step for step in reversed(self.steps) if step.name == name)

    @property
    def environment(self) -> dict[str, str]:
        """The variables of all `ENV` steps, not expanded."""
        pairs = [word.partition("=") for step in self.steps if step.name == "ENV" for word in step.words]
        return {name: value for name, _, value in pairs}


def stages(file: Path) -> list[Stage]:
    """The stages of a Dockerfile. Raises ValueError for an unknown instruction."""
    lines = [line for line in file.read_text("utf-8").splitlines() if not line.startswith("#")]
    found: list[Stage] = []
    for line in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines():
        if not line.strip():
            continue
        name, _, said = line.partition(" ")
        if name not in STEPS:
            raise ValueError(f"{file.name}: {name}")
        if name == "FROM":
            found.append(Stage(said.partition(" AS ")[2] or str(len(found))))
        found[-1].steps.append(Step(name, said.strip()))
    return found
