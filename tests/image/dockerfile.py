"""A Dockerfile as a list of steps: what is tried without an engine is what stands in the file, and nothing else."""

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
    """One instruction. `said`: what follows it, on one line."""

    name: str
    said: str

    @property
    def words(self) -> list[str]:
        """What it names, apart from its options."""
        return [each for each in shlex.split(self.said) if not each.startswith("--")]

    @property
    def option(self) -> Mapping[str, str]:
        """What it says by `--name=value`."""
        return dict(re.findall(r"--([a-z-]+)=(\S+)", self.said))

    @property
    def command(self) -> list[str]:
        """What is run: of `CMD [...]` and `HEALTHCHECK ... CMD [...]` the list, else a line for the shell."""
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
        """The step of this name that counts."""
        return next(step for step in reversed(self.steps) if step.name == name)

    @property
    def environment(self) -> dict[str, str]:
        """What all `ENV` set, as it stands there."""
        pairs = [word.partition("=") for step in self.steps if step.name == "ENV" for word in step.words]
        return {name: value for name, _, value in pairs}


def stages(file: Path) -> list[Stage]:
    """The stages of a Dockerfile. Raises ValueError for an instruction that nobody here knows."""
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
