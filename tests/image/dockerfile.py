"""Read a Dockerfile as a list of steps, so that a check without a container engine takes the same steps."""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

STEPS = {"FROM", "ENV", "WORKDIR", "RUN", "COPY", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "CMD", "ARG"}


@dataclass(frozen=True)
class Step:
    """One instruction. `text`: the rest of its line."""

    name: str
    text: str

    @property
    def words(self) -> list[str]:
        """Return its arguments without options."""
        return [each for each in shlex.split(self.text) if not each.startswith("--")]

    @property
    def option(self) -> Mapping[str, str]:
        """Return its options `--name=value`."""
        return dict(re.findall(r"--([a-z-]+)=(\S+)", self.text))

    @property
    def command(self) -> list[str]:
        """Return the command of `CMD [...]` or `HEALTHCHECK ... CMD [...]`, otherwise the line for a shell."""
        text = self.text[self.text.find("CMD ") + 4 :] if self.name == "HEALTHCHECK" else self.text
        if text.startswith("["):
            return [str(each) for each in json.loads(text)]
        return ["/bin/sh", "-c", text]


@dataclass
class Stage:
    """The steps from one `FROM` to the next."""

    name: str
    steps: list[Step] = field(default_factory=list)

    def last(self, name: str) -> Step:
        """Return the last step with this name, which overrides the others."""
        return next(step for step in reversed(self.steps) if step.name == name)

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables of all `ENV` steps. References to arguments are replaced by the defaults."""
        defaults = {f"${name}": default for name, default in self._pairs("ARG")}
        return {name: defaults.get(value, value) for name, value in self._pairs("ENV")}

    def _pairs(self, step: str) -> list[tuple[str, str]]:
        """Return the names and values of all steps of this kind."""
        words = [word.partition("=") for each in self.steps if each.name == step for word in each.words]
        return [(name, value) for name, _, value in words]


def stages(file: Path) -> list[Stage]:
    """Return the stages of a Dockerfile. Raises ValueError for an unknown instruction."""
    lines = [line for line in file.read_text("utf-8").splitlines() if not line.startswith("#")]
    result: list[Stage] = []
    for line in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines():
        if not line.strip():
            continue
        name, _, text = line.partition(" ")
        if name not in STEPS:
            raise ValueError(f"{file.name}: {name}")
        if name == "FROM":
            result.append(Stage(text.partition(" AS ")[2] or str(len(result))))
        result[-1].steps.append(Step(name, text.strip()))
    return result
