"""Firefox by WebDriver BiDi, which it speaks itself: what Playwright drives is a Firefox of its own."""

from __future__ import annotations

import base64
import json
import os
import re
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

LISTENS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
PREFERENCES = """user_pref("ui.prefersReducedMotion", 1);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "http://127.0.0.1:9");
"""


class WebSocket:
    """Text messages over a WebSocket, as much of RFC 6455 as Firefox needs."""

    def __init__(self, url: str) -> None:
        where = urlsplit(url)
        self.socket = socket.create_connection((where.hostname, where.port), timeout=60)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {where.path} HTTP/1.1\r\nHost: {where.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.file = self.socket.makefile("rb")
        assert b" 101 " in self.file.readline()
        while self.file.readline().strip():
            pass

    def close(self) -> None:
        self.file.close()
        self.socket.close()

    def send(self, text: str) -> None:
        """Send a text in one frame."""
        data, mask = text.encode(), os.urandom(4)
        length = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        assert len(data) < 1 << 16
        self.socket.sendall(b"\x81" + length + mask + bytes(each ^ mask[at % 4] for at, each in enumerate(data)))

    def receive(self) -> str:
        """The next message. Firefox sends each in frames that may be several."""
        message = b""
        while True:
            first, second = self.file.read(2)
            length = second & 0x7F
            if length > 125:
                length = int.from_bytes(self.file.read(2 if length == 126 else 8), "big")
            data = self.file.read(length)
            assert first & 0x0F in (0, 1), "Firefox closes the connection"
            message += data
            if first & 0x80:
                return message.decode()


class Firefox:
    """A page of Firefox. `complaints`: what was thrown, and errors in its console."""

    def __init__(self, url: str) -> None:
        self.connection = WebSocket(f"{url}/session")
        self.number = 0
        self.complaints: list[str] = []
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.call("browsingContext.setViewport", context=self.context, viewport={"width": 1000, "height": 900})

    def call(self, method: str, **params: Any) -> Any:
        """Send a command and return its result. Errors that the page logs meanwhile are added to `complaints`."""
        self.number += 1
        self.connection.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            message = json.loads(self.connection.receive())
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.complaints.append(str(message["params"]["text"]))
            if message.get("id") == self.number:
                assert message["type"] == "success", message
                return message["result"]

    def goto(self, url: str) -> None:
        """Open an address, and wait until it is loaded."""
        self.call("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def evaluate(self, script: str) -> Any:
        """The value of an expression, by way of JSON."""
        wrapped = f"Promise.resolve({script}).then((value) => JSON.stringify(value ?? null))"
        target = {"context": self.context}
        answer = self.call("script.evaluate", expression=wrapped, target=target, awaitPromise=True)
        assert answer["type"] == "success", answer
        return json.loads(answer["result"]["value"])

    def press(self, x: int, y: int, kind: str = "mouse") -> None:
        """Moves a pointer there, presses it and lets it go."""
        actions = [{"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0}]
        source = {"type": "pointer", "id": kind, "parameters": {"pointerType": kind}}
        acts = [{**source, "actions": [*actions, {"type": "pointerUp", "button": 0}]}]
        self.call("input.performActions", context=self.context, actions=acts)


@contextmanager
def firefox(program: str) -> Iterator[Firefox]:
    """A Firefox without a window and without a profile of before."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        Path(profile, "user.js").write_text(PREFERENCES, encoding="utf-8")
        command = [program, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            try:
                page = Firefox(_address(process))
                yield page
                page.connection.close()
            finally:
                process.terminate()


def _address(process: subprocess.Popen[str]) -> str:
    """Where a Firefox that starts listens."""
    assert process.stderr is not None
    ends = time.monotonic() + 60
    for line in process.stderr:
        if found := LISTENS.search(line):
            return found[1]
        assert time.monotonic() < ends, "Firefox does not listen"
    raise AssertionError("Firefox has ended")
