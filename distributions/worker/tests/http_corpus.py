"""`python -m distributions.worker.tests.http_corpus`: send bytes to our worker, gunicorn's own, and nginx before ours.

Print every case in which they differ, and mark unexpected differences. test_http_corpus.py checks them.
"""

import argparse
import random
import re
import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from tempfile import TemporaryDirectory

from distributions.worker.tests.corpus import CASES, Case
from distributions.worker.tests.servers import Subject, free_port, nginx

STATUS = re.compile(rb"HTTP/1\.\d (\d{3}) [^\r]*\r\n")

MENDS = "nginx mends it: it forwards another request, in its own form, without what we refuse"
MENDED = """
    two empty lines before a request, two spaces before the target, two spaces before the version, HTTP/1.10,
    a space behind the version, lines that end without CR, one line that ends without CR, a name that is no ASCII,
    a name in parentheses, a size before a space, a size that ends without CR, a chunk that ends without CR,
    an extension without a name, an extension without its name, an extension without its value,
    another expectation, another expectation in a list, a host after the chunks, a coding after the chunks,
    a folded field after the chunks, a line after the chunks that ends without CR, a NUL in an extension in quotes,
    a backslash before a control character
"""
DIFFERENT = dict.fromkeys(" ".join(MENDED.split()).split(", "), MENDS) | {
    "64 fields": "nginx adds one",
    "a length with white space around": "nginx is stricter than RFC 9110, 5.5",
    "chunks behind a tab": "nginx is stricter than RFC 9110, 5.5",
    "no version": "nginx answers in HTTP/0.9, which has no status",
    "a line end in an extension in quotes": "nginx ends the line there, and waits for the rest of the body",
}
"""Cases in which only one of nginx and our worker refuses, and why that is acceptable."""

CONFIGURATION = """
daemon off; master_process off; pid {folder}/pid; error_log stderr crit;
events {{ worker_connections 64; }}
http {{
    access_log off; server_tokens off; client_max_body_size 8m; client_body_temp_path {folder};
    proxy_ignore_client_abort on;
    proxy_temp_path {folder}; fastcgi_temp_path {folder}; uwsgi_temp_path {folder}; scgi_temp_path {folder};
    server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://127.0.0.1:{behind}; proxy_http_version 1.1; }} }}
}}
"""


def send(port: int, sent: bytes) -> tuple[int, ...]:
    """Send these bytes on a new connection. Return the statuses of the answers."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(sent)
        with suppress(ConnectionError):  # a server that refuses may cut the connection
            client.shutdown(socket.SHUT_WR)
            while data := client.recv(65_536):
                received += data
    return tuple(int(status) for status in STATUS.findall(received))


@contextmanager
def servers(*, proxy: bool = True) -> Iterator[dict[str, int]]:
    """Run our worker and gunicorn's own, and nginx in front of ours where it is installed; yield their ports."""
    limits = {"body_limit": 8 << 20}
    with Subject(options=limits) as ours, Subject(hooks=False, settings={"worker_class": "gevent"}) as stock:
        ports = {"ours": ours.port, "stock": stock.port}
        if not proxy or not shutil.which("nginx"):
            yield ports
            return
        port = free_port()
        with TemporaryDirectory() as at:
            text = CONFIGURATION.format(folder=at, port=port, behind=ours.port)
            with nginx(at, text, port):
                yield ports | {"nginx": port}


def is_as_expected(server: str, case: Case, statuses: tuple[int, ...]) -> bool:
    """Return whether a server answers a case as the corpus says. nginx only has to refuse what we refuse."""
    if server == "nginx":
        return has_refusal(statuses) == has_refusal(case.ours) or case.name in DIFFERENT
    return statuses == (case.ours if server == "ours" or case.stock is None else case.stock)


def has_refusal(statuses: tuple[int, ...]) -> bool:
    """Whether one of the statuses says that a request was refused."""
    return any(status >= 400 for status in statuses)


BITS = [bytes([each]) for each in b'\r\n\0 \t\x80:,;="_-/?%#01aZ'] + [b"\r\n", b"\r\n\r\n", b"Host: x\r\n"]
BITS += [b"Transfer-Encoding: chunked\r\n", b"Content-Length: 3\r\n"]
"""Bytes with a meaning in HTTP."""


def mutant(dice: random.Random) -> bytes:
    """Change the bytes of a short case one to three times. Cases in which we accept more than gunicorn are left out."""
    cases = [
        each.sent
        for each in CASES
        if len(each.sent) < 400 and (each.stock is None or len(accepted(each.stock)) >= len(accepted(each.ours)))
    ]
    sent = dice.choice(cases)
    for _ in range(dice.randint(1, 3)):
        at, bit, other = dice.randrange(len(sent) + 1), dice.choice(BITS), dice.choice(cases)
        before, after = sent[:at], sent[at:]
        changed = (before + bit + after, before + after[1:], before + bit + after[1:])
        sent = dice.choice((*changed, before + other[dice.randrange(len(other)) :]))
    return sent


def is_accepted_by_us_alone(ports: dict[str, int], sent: bytes) -> bool:
    """Return whether our worker accepts more of these requests than gunicorn's own: it may only be stricter."""
    ours, stock = send(ports["ours"], sent), send(ports["stock"], sent)
    return len(accepted(ours)) > len(accepted(stock))


def accepted(statuses: tuple[int, ...]) -> list[int]:
    """Return the statuses of requests that reached the application."""
    return [each for each in statuses if each in {200, 404, 405}]


def try_mutants(count: int, seed: int) -> int:
    """Send so many mutants. Print those that only our worker accepts; return their number."""
    dice = random.Random(seed)
    with servers(proxy=False) as ports:
        changed = (mutant(dice) for _ in range(count))
        alone = [sent for sent in changed if is_accepted_by_us_alone(ports, sent)]
    for sent in alone:
        print(sent)
    print(f"{count} mutants, {len(alone)} accepted by us alone")
    return len(alone)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m distributions.worker.tests.http_corpus", description=__doc__)
    parser.add_argument("--mutants", type=int, help="send so many cases with something changed instead")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    return try_mutants(options.mutants, options.seed) if options.mutants else try_cases()


def try_cases() -> int:
    """Send all cases. Print those that servers answer differently; return the number of unexpected differences."""
    with servers() as ports:
        wrong = 0
        for case in CASES:
            answers = {name: send(port, case.sent) for name, port in ports.items()}
            bad = [name for name, statuses in answers.items() if not is_as_expected(name, case, statuses)]
            wrong += bool(bad)
            if bad or len(set(answers.values())) > 1:
                why = DIFFERENT.get(case.name) if not case.why else case.why
                print(f"{'! ' if bad else '  '}{case}: {answers} {why or ''}", flush=True)
        print(f"{len(CASES)} cases, {wrong} not as they should be")
        return wrong


if __name__ == "__main__":
    sys.exit(bool(main()))
