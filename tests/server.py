"""Start a real server, gunicorn with deploy/gunicorn.conf.py, for tests and measurements that need sockets."""

import json
import os
from dataclasses import dataclass, field
from typing import Any

from distributions.worker.tests.servers import (
    ROOT,
    TICKS,
    Gunicorn,
    free_port,
    listens,
    meanwhile,
    nginx,
    resident,
    ticks,
    until,
)

__all__ = ["ROOT", "TICKS", "Server", "free_port", "listens", "meanwhile", "nginx", "resident", "ticks", "until"]


@dataclass
class Server(Gunicorn):
    """A server that runs in the `with` block, with one worker unless `settings` say otherwise.

    `settings` go into its environment. Its sessions are stored in a folder of its own.
    """

    app: str = "service.app:create_app()"
    settings: dict[str, str] = field(default_factory=dict)

    configuration = "deploy/gunicorn.conf.py"

    def environment(self) -> dict[str, str]:
        """The settings as variables: those of tests, and over them those of this server."""
        settings = {
            "REFEREE_PORT": str(self.port),
            "REFEREE_WORKERS": "1",
            "REFEREE_STORE_URL": f"sqlite:///{self.folder.name}/sessions.sqlite3",
        }
        if "PYTEST_CURRENT_TEST" in os.environ:  # otherwise all parallel servers would use the first core
            settings["REFEREE_PIN"] = "0"
        return settings | self.settings

    def requests(self) -> list[dict[str, Any]]:
        """Return the request log."""
        return [json.loads(line) for line in self.out.read_text("utf-8").splitlines() if line.startswith("{")]

    def errors(self) -> list[dict[str, Any]]:
        """Return the error log."""
        return [json.loads(line) for line in self.err.read_text("utf-8").splitlines() if line.startswith("{")]
