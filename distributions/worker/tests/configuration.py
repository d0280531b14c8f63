"""gunicorn's configuration in the tests, by the JSON in the variable `SUBJECT` (`servers.Subject`)."""

import json
import os
from typing import Any

from gunicorn_llhttp import hooks
from gunicorn_llhttp.options import Options

subject = json.loads(os.environ["SUBJECT"])
bind = f"127.0.0.1:{subject['port']}"
worker_class = "gunicorn_llhttp.worker.Worker"
accesslog = "-"
access_log_format = "%(m)s %(U)s %(s)s %(B)s"
loglevel = "warning"
graceful_timeout = 16
control_socket_disable = True
limit_request_fields = 64
forwarder_headers = ""  # gunicorn's own worker would take SCRIPT_NAME from a header
globals().update(subject["settings"])

if subject["hooks"]:
    on_starting, on_reload = hooks.on_starting, hooks.on_reload
    pre_fork, post_fork, child_exit = hooks.pre_fork, hooks.post_fork, hooks.child_exit


def post_worker_init(worker: Any) -> None:
    """Give the worker its options, and print the address once it listens: the tests wait for that line."""
    limit = subject["options"].pop("body_limit", 100_000)
    worker.options = Options(body_limit=lambda method, path: limit, probes=("/livez",), **subject["options"])
    worker.listens = lambda: print(f"http://{bind}/", flush=True)


def when_ready(server: Any) -> None:
    """Print the address for other workers of gunicorn, which say nothing themselves."""
    if not worker_class.startswith("gunicorn_llhttp"):
        print(f"http://{bind}/", flush=True)
