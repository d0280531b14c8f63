"""How gunicorn runs the service. What an operator may want to set is a variable REFEREE_*."""

import os
import shutil
import socket
import sys
import tempfile
from pathlib import Path


def setting(name: str, default: str) -> str:
    return os.environ.get(f"REFEREE_{name}") or default


def number(name: str, default: int, most: int) -> int:
    text = setting(name, str(default))
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= most):
        sys.exit(f"REFEREE_{name}: {text!r} is no whole number from 1 to {most}")
    return int(text)


host = setting("HOST", "127.0.0.1")
port = number("PORT", 8000, 65_535)
cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [*range(os.cpu_count() or 1)]

bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
wsgi_app = "service.app:create_app()"
worker_class = "service.worker.Worker"
workers = number("WORKERS", len(cores), 1_000)
worker_connections = number("CONNECTIONS", 2_000, 1_000_000)  # of each worker

# Each worker listens on a socket of its own: with one for all, one worker may get every kept-alive connection.
reuse_port = True
backlog = 1024
# Every worker opens its own connections and files, after the fork.
preload_app = False

timeout = 60
graceful_timeout = number("STOP_SECONDS", 20, 86_400)
limit_request_line = 4094
limit_request_fields = 64
forwarded_allow_ips = setting("PROXIES", "127.0.0.1,::1")
control_socket_disable = True
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None

logger_class = "service.request_log.RequestLog"
accesslog = None if setting("REQUEST_LOG", "-") == "off" else setting("REQUEST_LOG", "-")
loglevel = setting("LOG_LEVEL", "warning")


counters = Path(os.environ.get("PROMETHEUS_MULTIPROC_DIR") or tempfile.mkdtemp(prefix="rules-referee-"))
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(counters)


def on_starting(server):
    # With a listening socket for each worker the kernel would let a second server share the port unseen.
    try:
        socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError as error:
        sys.exit(f"Port {port} of {host}: {os.strerror(error.errno)}")
    # Counters are kept in files that all workers share; those of an earlier run are not ours to count.
    for earlier in counters.glob("*.db"):
        earlier.unlink()


def on_exit(server):
    shutil.rmtree(counters, ignore_errors=True)


def pre_fork(server, worker):
    taken = {other.place for other in server.WORKERS.values()}
    worker.place = next(place for place in range(len(taken) + 1) if place not in taken)


def post_fork(server, worker):
    # On a core of its own a worker needs a good third less of it.
    if setting("PIN", "1") != "0" and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {cores[worker.place % len(cores)]})


def post_worker_init(worker):
    if worker.age == 1:
        shown = "127.0.0.1" if host in {"0.0.0.0", "::"} else host
        print(f"Rules Referee: http://{shown}:{port}/", flush=True)


def child_exit(server, worker):
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)
