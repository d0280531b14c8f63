"""`make image-check`, or `python -m tests.image`: build the image, run it, and print every check that it passes."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.request import Request, urlopen

from tests.docs.calls import calls
from tests.image.dockerfile import stages
from tests.image.roots import build_stages, run
from tests.server import ROOT, free_port, until

NAME = "rules-referee:checked"
PORT_INSIDE = 8000


def engine() -> str | None:
    """Return the name of a container engine that runs here, or None."""
    for name in ("docker", "podman"):
        if shutil.which(name) and not status_of([name, "info"]):
            return name
    return None


def check_image(port: int, inside: Callable[[list[str]], int]) -> Iterator[str]:
    """Check a running image. Yield a line for each passed check; raise AssertionError for a failed one.

    `inside`: runs a command in the image, and returns its status.
    """
    until(lambda: answer_of(port, "/livez") == {"status": "alive"}, 60)
    yield "it answers /livez"
    call, answer = calls(ROOT / "README.md")[0]
    assert answer_of(port, "/validate", call.split("'")[1].encode()) == json.loads(answer)
    yield "its verdict is the one that README.md shows first"
    assert inside(["sh", "-c", 'test "$(id -u)" -ne 0']) == 0
    yield "its user is not root"
    assert inside(["sh", "-c", "touch /opt/referee/written"]) != 0
    assert inside(["sh", "-c", "touch /written"]) != 0
    yield "its root cannot be written"
    body = json.dumps({"game": "twins", "seats": 3}).encode()
    assert answer_of(port, "/sessions", body)["version"] == 0
    assert inside(["sh", "-c", "test -s /var/lib/rules-referee/sessions.sqlite3"]) == 0
    yield "a session is opened, and kept in its volume"
    *_, last = stages(ROOT / "Dockerfile")
    assert inside(last.last("HEALTHCHECK").command) == 0
    yield "its health check is content"


def answer_of(port: int, path: str, body: bytes | None = None) -> Any:
    """The JSON that a path answers; an empty object if it is refused or there is no answer."""
    request = Request(f"http://127.0.0.1:{port}{path}", body, {"Content-Type": "application/json"})
    with suppress(OSError), urlopen(request, timeout=5) as answer:
        return json.load(answer)
    return {}


@contextmanager
def check_by_engine(name: str) -> Iterator[Iterator[str]]:
    """Build the image and run it by a container engine; yield the lines of its checks."""
    run(name, "build", "--tag", NAME, ROOT)
    port = free_port()
    options = f"--detach --rm --read-only --tmpfs /tmp --cap-drop ALL --publish {port}:{PORT_INSIDE}"
    container = run(name, "run", *options.split(), NAME).strip()
    try:
        yield check_image(port, lambda command: status_of([name, "exec", container, *command]))
        size = int(run(name, "image", "inspect", "--format", "{{.Size}}", NAME)) / (1 << 20)
        print(f"- it has {size:.0f} MiB, its base included")
    finally:
        run(name, "stop", container)


@contextmanager
def check_by_hand() -> Iterator[Iterator[str]]:
    """Build the image by the Dockerfile's steps, in roots on this machine. Run it; yield the lines of its checks."""
    port = free_port()
    with build_stages(stages(ROOT / "Dockerfile")) as image, image.serving(port):
        user = image.stage.last("USER").words[0]
        yield check_image(
            port, lambda command: status_of(image.command_inside(user, command, {"REFEREE_PORT": str(port)}))
        )
        print(f"- it adds {image.size():.0f} MiB to its base")


def status_of(command: list[str]) -> int:
    """Run a command, and return its status."""
    return subprocess.run(command, capture_output=True, check=False).returncode


def main() -> int:
    """Build the image, run it, and print the passed checks."""
    began = time.monotonic()
    name = engine()
    if name is None and os.geteuid():
        print("No container engine answers here, and only root can take the steps by hand.", file=sys.stderr)
        return 1
    print(f"The image, built {'by ' + name if name else 'by its steps, on this system instead of its base image'}:")
    with check_by_engine(name) if name else check_by_hand() as lines:
        for line in lines:
            print(f"- {line}", flush=True)
    print(f"All of it holds, after {time.monotonic() - began:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
