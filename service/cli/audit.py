"""A line for what an operator did to sessions: on standard error, and in the log of the system."""

from __future__ import annotations

import getpass
import json
import os
import syslog
from datetime import UTC, datetime

from service.cli.terminal import write

NAME = "rules-referee"  #: Under which the log of the system has the lines: `journalctl -t rules-referee`.


def record(action: str, **details: object) -> None:
    """Record an action that was carried out, with who did it."""
    entry = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "level": "warning",
        "logger": "referee.audit",
        "message": action,
        "by": _user(),
        **details,
    }
    line = json.dumps(entry)
    write(line, err=True)
    syslog.openlog(NAME)
    syslog.syslog(syslog.LOG_WARNING, line)


def _user() -> str:
    """Who runs the command: with sudo, who called it."""
    try:
        return os.environ.get("SUDO_USER") or getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return f"uid {os.getuid()}"
