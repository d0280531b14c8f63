"""How gunicorn runs the service. What an operator may want to set is a variable REFEREE_*."""

import gc
import importlib
import os
import signal
import socket
import sys
import tempfile
import threading
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from service.config import CORES, Serving, Settings, unknown, variable
from service.serving import descriptors
from service.serving.ending import ENDS
from service.serving.handover import Handover

for line in unknown():
    print(line, file=sys.stderr)
try:
    serving, settings = Serving.from_environment(), Settings.from_environment()
except ValueError as error:
    sys.exit(str(error))

bind = serving.place
wsgi_app = "service.app:create_app()"
worker_class = serving.worker
workers = serving.workers
limit = descriptors.raise_limit()
worker_connections = descriptors.within(limit, serving.connections)  # of each worker
if 0 <= limit < descriptors.FEW:
    told = f"{variable('connections')}: a worker holds {worker_connections}, for it may have {limit} descriptors"
    print(f"{told} (ulimit -Hn)", file=sys.stderr)
os.environ.setdefault(variable("streams"), str(max(worker_connections // 2, 1)))  # half are left for requests
# A tenth of all sessions is one client's, and of that each worker gives an equal part.
os.environ.setdefault(variable("client_openings"), str(max(settings.open_sessions // 10 // serving.workers, 1)))

# Each worker listens on a socket of its own: with one for all, one worker may get every kept-alive connection.
reuse_port = True
backlog = 1024
# Every worker opens its own connections and files, after the fork.
preload_app = False

timeout = 60
graceful_timeout = serving.stop_seconds
limit_request_line = 4094
limit_request_fields = 64
forwarded_allow_ips = ",".join(serving.proxies)
forwarder_headers = ""  # what a client calls SCRIPT_NAME is a header like any other
control_socket_disable = True
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

logger_class = "service.serving.request_log.RequestLog"
accesslog = None if serving.request_log == "off" else serving.request_log
loglevel = serving.log_level

# Counters are kept in files that all workers share. The client library asks at once whether they are, and later where.
FOLDER = "PROMETHEUS_MULTIPROC_DIR"
os.environ.setdefault(FOLDER, "")
# Before gevent exchanges the locks: nothing waits while the counters' lock is held, and the system's costs a third.
counters = importlib.import_module("service.serving.counters")


def on_starting(server):
    if server.master_pid:  # SIGUSR2: the server before us goes on until it is stopped; to share its port is our right
        os.environ["GUNICORN_FD"] = "0"  # gunicorn wants to read which sockets it left to us, and then uses none
    else:
        check_port()
    server.folder_is_ours = not os.environ[FOLDER]
    try:
        os.environ[FOLDER] = os.environ[FOLDER] or tempfile.mkdtemp(prefix="rules-referee-")
        Path(os.environ[FOLDER]).mkdir(parents=True, exist_ok=True)
        if not server.master_pid:
            counters.forget()  # those of an earlier run are not ours to count
    except OSError as error:
        sys.exit(f"{FOLDER}: {error}")
    server.handover = Handover()
    # Until it has handlers of its own a worker has the master's, which would only take note of what it is told.
    blocked = partial(signal.pthread_sigmask, mask=ENDS)
    os.register_at_fork(before=partial(blocked, signal.SIG_BLOCK), after_in_parent=partial(blocked, signal.SIG_UNBLOCK))


def check_port():
    # With a listening socket for each worker the kernel would let a second server share the port unseen.
    family = socket.AF_INET6 if ":" in serving.host else socket.AF_INET
    try:
        socket.create_server((serving.host, serving.port), family=family).close()
    except OSError as error:
        sys.exit(f"Port {serving.port} of {serving.host}: {str(error.strerror).partition(' (')[0]}")


def on_reload(server):
    server.handover.begins(server.cfg.workers)


def on_exit(server):
    if server.folder_is_ours or not server.reexec_pid:  # else whoever takes our place counts there, too
        counters.forget()
    with suppress(OSError):  # it holds something else, too
        Path(os.environ[FOLDER]).rmdir()


def pre_fork(server, worker):
    taken = {other.place for other in server.WORKERS.values()}
    worker.place = next(place for place in range(len(taken) + 1) if place not in taken)
    if hasattr(worker, "handover"):  # gunicorn's own worker has none
        worker.handover, worker.round = server.handover, server.handover.round
        # Where others serve it listens when it is ready: whoever came to it before would have to wait until then.
        server.cfg.set("reuse_port", not any(map(server.handover.is_served, taken)))
        server.handover.starts(worker.place)


def post_fork(server, worker):
    for each in ENDS:
        signal.signal(each, lambda *_: os._exit(0))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
    # On a core of its own a worker needs a good third less of it.
    if serving.pin and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {CORES[worker.place % len(CORES)]})
    try:
        counters.reserve(worker.pid)
    except OSError as error:
        worker.log.warning("no room for the counts of this worker, which /metrics leaves out: %s", error)


def post_worker_init(worker):
    extensions = getattr(worker.wsgi, "extensions", {})
    if extensions:  # it is our application
        importlib.import_module("service.judging.calls").prepare()
    gc.collect()
    gc.freeze()  # to look through all that was loaded, in search of rubbish, takes 30 ms
    sessions = extensions.get("sessions")
    if sessions:
        threading.Thread(target=sessions.tidy, daemon=True).start()
    if worker.age == 1:
        shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(serving.host, serving.host)
        # What sessions need is looked at before anybody asks; what is amiss is logged once.
        if sessions:
            threading.Thread(target=sessions.look, daemon=True).start()
        print(f"Rules Referee: http://{replace(serving, host=shown).place}/", flush=True)


def worker_exit(server, worker):
    importlib.import_module("service.web.metrics").write()
    gc.unfreeze()  # the interpreter clears away, in order, what it may look through


def child_exit(server, worker):
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)
    counters.give_back(worker.pid)
