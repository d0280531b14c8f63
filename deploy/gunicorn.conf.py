"""How gunicorn runs the service. What an operator may want to set is a variable REFEREE_*."""

import gc
import importlib
import logging
import mmap
import os
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from math import ceil
from pathlib import Path

from gunicorn_llhttp import hooks
from gunicorn_llhttp.processes import connections_within, raise_descriptor_limit
from service import build
from service.config import CORES, NO_STORE, Serving, Settings, unknown, variable
from service.serving import counters

FEW_DESCRIPTORS = 1024  # with a lower limit one line says how many connections a worker can hold

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
limit = raise_descriptor_limit()
worker_connections = connections_within(limit, serving.connections)  # of each worker
if 0 <= limit < FEW_DESCRIPTORS:
    few = f"{variable('connections')}: a worker holds {worker_connections}, for it may have {limit} descriptors"
    print(f"{few} (ulimit -Hn)", file=sys.stderr)
os.environ[variable("connections")] = str(worker_connections)  # as /metrics shows
os.environ.setdefault(variable("streams"), str(max(worker_connections // 2, 1)))  # half are left for requests
# One client may open a tenth of all sessions, and each worker allows an equal part of that.
os.environ.setdefault(variable("client_openings"), str(max(settings.open_sessions // 10 // serving.workers, 1)))

# Each worker has a listening socket of its own. If they shared one, one worker might get all long-lived connections.
reuse_port = True
backlog = 1024
# Every worker opens its own connections and files, after the fork.
preload_app = False

timeout = 15  # seconds without a run of its loop, after which a worker is replaced; a start may take a minute more
graceful_timeout = serving.stop_seconds
keepalive = ceil(serving.keepalive_seconds)  # of gunicorn's own worker, in whole seconds
limit_request_line = 4094
limit_request_fields = 64
forwarded_allow_ips = ",".join(serving.proxies)
forwarder_headers = ""  # ignore a client's header SCRIPT_NAME
control_socket_disable = True
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

logger_class = "service.serving.request_log.RequestLog"
accesslog = None if serving.request_log == "off" else serving.request_log
loglevel = serving.log_level


def on_starting(server):
    server.log.info("Rules Referee %s", build.described())
    check_format()
    hooks.on_starting(server)
    server.unreadable = memoryview(mmap.mmap(-1, 4)).cast("I")  # all workers share this number,
    server.slow_until = memoryview(mmap.mmap(-1, 8)).cast("d")  # and this one
    folder_set = os.environ.get(counters.FOLDER)
    server.folder_is_ours = not folder_set
    try:
        folder = Path(folder_set or counters.new_folder())
        os.environ[counters.FOLDER] = str(folder)
        folder.mkdir(parents=True, exist_ok=True)
        counters.hold_folder()
        if not server.master_pid:
            counters.remove_all(folder)  # files of an earlier run
    except OSError as error:
        sys.exit(f"{counters.FOLDER}: {error}")


def check_format():
    if settings.store_url == NO_STORE:
        return
    file = Path(settings.store_url.removeprefix("sqlite:///"))
    if settings.store_url.startswith("sqlite:///") and not file.exists():
        return  # nothing is kept yet
    # In a process of its own: what the workers import must not be loaded here, before they fork.
    child = os.fork()
    if not child:
        try:
            reason = importlib.import_module("service.sessions.stores").newer_format(settings.store_url)
            print(reason or "", end="\n" if reason else "", file=sys.stderr, flush=True)
        finally:
            os._exit(bool(reason))
    if os.waitpid(child, 0)[1]:
        sys.exit(1)


on_reload = hooks.on_reload


def on_exit(server):
    if server.folder_is_ours or not server.reexec_pid:  # else the server that replaces this one still uses them
        counters.remove_all(Path(os.environ[counters.FOLDER]))
    with suppress(OSError):  # the folder may hold other files
        Path(os.environ[counters.FOLDER]).rmdir()


def pre_fork(server, worker):
    hooks.pre_fork(server, worker)
    worker.unreadable, worker.slow_until = server.unreadable, server.slow_until


def post_fork(server, worker):
    hooks.post_fork(server, worker)
    # A worker that stays on one core keeps what it has in that core's cache.
    if serving.pin and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {CORES[worker.slot % len(CORES)]})
    try:
        counters.reserve(worker.pid)
    except OSError as error:
        worker.log.warning("no room for the counts of this worker, which /metrics leaves out: %s", error)


def post_worker_init(worker):
    extensions = getattr(worker.wsgi, "extensions", {})
    if extensions:  # it is our application
        importlib.import_module("service.judging.calls").prepare()
        options = importlib.import_module("service.serving.options")
        worker.options = options.options_for(worker)  # gunicorn's own worker ignores them
        options.use_scheduler()
    gc.collect()
    gc.freeze()  # a full collection of all that was loaded would take 30 ms
    sessions = extensions.get("sessions")
    if sessions:
        sessions.unreadable, sessions.slow_until = worker.unreadable, worker.slow_until
        threading.Thread(target=sessions.tidy, daemon=True).start()
    if worker.age == 1:
        # Check what sessions need before the first request; problems are logged once.
        if sessions:
            threading.Thread(target=sessions.check, daemon=True).start()
            threading.Thread(target=sessions.examine, daemon=True).start()
        if hasattr(worker, "listens"):
            worker.listens = say_where
        else:
            say_where()


def say_where():
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(serving.host, serving.host)
    nearby = importlib.import_module("service.http.nearby").urls(serving) if serving.show_addresses else []
    with suppress(OSError):  # a closed output keeps nobody from playing
        print(f"Rules Referee: http://{replace(serving, host=shown).place}/", flush=True)
        for url in nearby:
            print(f"For phones in your network: {url}/play", flush=True)


def worker_exit(server, worker):
    importlib.import_module("service.metrics").write()
    sessions = getattr(worker.wsgi, "extensions", {}).get("sessions")
    if sessions:
        sessions.store.close()  # the last worker to close SQLite's file leaves it complete, without a -wal
    # As the interpreter ends, each handler leaves this list under a lock of gevent's, which may be gone by then.
    logging._handlerList.clear()  # noqa: SLF001


def child_exit(server, worker):
    hooks.child_exit(server, worker)
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)
    if worker.aborted:
        counters.count_frozen(worker.pid)
    counters.release(worker.pid)
