"""Build the stages without a container engine: each in a root of its own, on top of this machine's system.

The system replaces the base image; everything else is checked. Only root can mount and chroot.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.image.dockerfile import Stage
from tests.server import ROOT


def run(*command: str | Path, **more: object) -> str:
    """Return the output of a command. Raises CalledProcessError."""
    return subprocess.run([*map(str, command)], check=True, text=True, stdout=subprocess.PIPE, **more).stdout  # type: ignore[call-overload,no-any-return]


class StageInRoot:
    """A stage of the image in a root folder of its own.

    `written`: the folder that gets everything the stage writes; `root`: that folder over this machine's system;
    `folder`: the path in the image at which the stage works, by its last WORKDIR.
    """

    def __init__(self, stage: Stage, folder: Path) -> None:
        self.stage = stage
        self.written, self.root = folder / "written", folder / "root"
        self.folder = "/"

    @contextmanager
    def mount(self) -> Iterator[StageInRoot]:
        """Mount the root while the block runs."""
        work = self.written.with_name("work")
        for each in (self.written, work, self.root):
            each.mkdir(parents=True)
        layers = f"lowerdir=/,upperdir={self.written},workdir={work}"
        with ExitStack() as stack:
            run("mount", "-t", "overlay", "overlay", "-o", layers, self.root)
            stack.callback(run, "umount", "--lazy", self.root)
            for name, kind in (("proc", "proc"), ("dev", "devtmpfs"), ("tmp", "tmpfs")):
                run("mount", "-t", kind, kind, self.root / name)
                stack.callback(run, "umount", "--lazy", self.root / name)
            yield self

    def build(self, roots: dict[str, StageInRoot]) -> None:
        """Run every step that changes the root."""
        self._show_python()
        for step in self.stage.steps:
            if step.name == "WORKDIR":
                self.folder = step.words[0]
                self.path_on_host(self.folder).mkdir(parents=True, exist_ok=True)
            elif step.name == "COPY":
                source = roots[step.option["from"]].root if "from" in step.option else ROOT
                *names, target = step.words
                for name in names:
                    copy_as_step(source / name.lstrip("/"), self.path_on_host(target), is_folder=target.endswith("/"))
            elif step.name == "RUN":
                variables = [f"{name}={value}" for name, value in self.environment().items()]
                run("chroot", self.root, "env", *variables, "sh", "-ec", f"cd {self.folder}; {step.text}")

    def path_on_host(self, path: str) -> Path:
        """Return the path on this machine of a path in the image."""
        return self.root / os.path.join(self.folder, path).lstrip("/")  # noqa: PTH118 - an absolute path stays one

    def environment(self) -> dict[str, str]:
        """Return the environment of a process in the image."""
        path = f"{Path(sys.base_prefix, 'bin')}:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        set_here = {name: value.replace("$PATH", path) for name, value in self.stage.environment.items()}
        proxies = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
        return {"PATH": path, "HOME": "/root", **proxies, **set_here}

    def _show_python(self) -> None:
        """Let every user read this machine's Python, which may be in a home folder."""
        for each in Path(sys.base_prefix).parents:
            if each != Path("/"):
                inner = self.root / str(each).lstrip("/")
                inner.chmod(inner.stat().st_mode | 0o011)

    @contextmanager
    def serving(self, port: int) -> Iterator[subprocess.Popen[str]]:
        """Run `CMD` as the image's user, on a read-only root with a writable volume and /tmp. Yield the process."""
        user = self.stage.last("USER").words[0]
        volume = self.path_on_host(self.stage.last("VOLUME").words[0])
        with ExitStack() as stack:
            owner = volume.stat()
            run("mount", "-t", "tmpfs", "-o", f"mode=0700,uid={owner.st_uid},gid={owner.st_gid}", "tmpfs", volume)
            stack.callback(run, "umount", "--lazy", volume)
            run("mount", "-o", "remount,ro", self.root)
            command = self.command_inside(user, self.stage.last("CMD").command, {"REFEREE_PORT": str(port)})
            process = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            try:
                yield process
            finally:
                process.terminate()
                process.wait(30)

    def command_inside(self, user: str, command: list[str], settings: dict[str, str]) -> list[str]:
        """Return the command line that runs a command in the image as this user, without a way to gain rights."""
        environment = [f"{name}={value}" for name, value in (self.environment() | settings).items()]
        rights = f"setpriv --reuid={user} --regid={user} --clear-groups --no-new-privs --bounding-set=-all".split()
        inside = ["env", "-i", *environment, "sh", "-c", f'cd {self.folder}; exec "$@"', "sh", *command]
        return ["chroot", str(self.root), *rights, *inside]

    def size(self) -> float:
        """Return the MiB that the stage has written."""
        return int(run("du", "-sk", self.written).split()[0]) / 1024


def copy_as_step(source: Path, target: Path, *, is_folder: bool) -> None:
    """Copy as COPY does: a folder's content, or a file. `is_folder`: the target ends with a slash."""
    if source.is_dir():
        ignored = shutil.ignore_patterns("__pycache__", ".mypy_cache")
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True, ignore=ignored)
    else:
        folder = target if is_folder or target.is_dir() else target.parent
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, folder if is_folder or target.is_dir() else target)


@contextmanager
def build_stages(stages: list[Stage]) -> Iterator[StageInRoot]:
    """Build all stages; yield the last."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="referee-image-")))
        roots: dict[str, StageInRoot] = {}
        for stage in stages:
            root = stack.enter_context(StageInRoot(stage, folder / stage.name).mount())
            root.build(roots)
            roots[stage.name] = root
        yield roots[stages[-1].name]
