"""Hooks for gunicorn's configuration: a listening socket for each worker, and workers that replace others seamlessly.

A configuration imports `on_starting`, `on_reload`, `pre_fork`, `post_fork` and `child_exit`, or calls them in hooks of
its own. `child_exit` logs what a worker was doing that was killed because it did not run for gunicorn's `timeout`.
Without them the workers share gunicorn's sockets, and on SIGHUP clients wait for the start of the new workers.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from functools import partial
from time import monotonic
from typing import Any

from gunicorn_llhttp.processes import END_SIGNALS, Handover, hold_port, not_free

STARTS = 60  #: Seconds that a new worker may take to start, beside gunicorn's `timeout`.


def on_starting(server: Any) -> None:
    """Keep the port until workers listen there. Ends the process if another one has it."""
    # If the workers shared a listening socket, one of them might get all long-lived connections.
    server.cfg.set("reuse_port", True)
    addresses = [each[:2] for each in server.cfg.address]
    if server.master_pid:  # SIGUSR2 has started it beside the old server; they share the port
        os.environ["GUNICORN_FD"] = "0"  # gunicorn reads which sockets it inherits, but uses none
    else:
        # With a listening socket for each worker, the kernel would let a second server share the port unnoticed.
        for host, port in addresses:
            if reason := not_free(host, port):
                sys.exit(f"Port {port} of {host}: {reason}")
    server.held_ports = [hold_port(host, port) for host, port in addresses]
    server.handover = Handover()
    # Until post_fork a new worker has the master's signal handlers. They would lose these signals, so block them.
    blocked = partial(signal.pthread_sigmask, mask=END_SIGNALS)
    os.register_at_fork(before=partial(blocked, signal.SIG_BLOCK), after_in_parent=partial(blocked, signal.SIG_UNBLOCK))


def on_reload(server: Any) -> None:
    """Let the workers that serve go on until the new ones do."""
    server.handover.start_generation(server.cfg.workers)


def pre_fork(server: Any, worker: Any) -> None:
    """Give the worker a slot: the least number, from 0, that no other worker has."""
    slots = {other.slot for other in server.WORKERS.values()}
    worker.slot = next(slot for slot in range(len(slots) + 1) if slot not in slots)
    if hasattr(worker, "handover"):  # gunicorn's own workers have none
        worker.handover, worker.generation = server.handover, server.handover.generation
        server.cfg.set("reuse_port", False)  # the worker listens once it can answer, see `Worker.listen`
        server.handover.serve(worker.slot, 0)  # it does not serve yet
        worker.stacks = tempfile.TemporaryFile(dir=server.cfg.worker_tmp_dir)  # noqa: SIM115 - closed in `child_exit`
        os.utime(worker.tmp.fileno(), (monotonic() + STARTS,) * 2)  # as if it had said then that it runs


def post_fork(_server: Any, _worker: Any) -> None:
    """Let a signal end the worker at once while it starts."""
    for each in END_SIGNALS:
        signal.signal(each, lambda *_: os._exit(0))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, END_SIGNALS)


def child_exit(server: Any, worker: Any) -> None:
    """Log what a worker was doing that was killed because it did not run."""
    if not hasattr(worker, "stacks"):
        return
    worker.stacks.seek(0)
    if stacks := worker.stacks.read().decode(errors="replace"):
        server.log.error("What the worker (pid:%s) was doing:\n%s", worker.pid, stacks)
    elif worker.aborted:
        server.log.error("The worker (pid:%s) could not say what it was doing: it did not run at all", worker.pid)
    worker.stacks.close()
