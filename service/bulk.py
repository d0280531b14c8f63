"""Millions of requests from a file, one a line, answered in the same order: `referee judge`, and the same on Dask.

Only some chunks of lines are in memory at a time, however long the file is.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

import orjson

from service import strict_json
from service.config import Settings
from service.judging import calls
from service.problems import Problem
from service.words.phrases import phrase

LINES_IN_CHUNK = 100  #: Lines in a chunk: enough that sending it costs little, few enough that all cores end together.
BYTES_IN_CHUNK = 1 << 20  #: A chunk ends where it has so many bytes, too.
CHUNKS_AHEAD = 4  #: Chunks for each process that are read before the oldest is written.
STATUS = re.compile(rb'"status":([0-9]{3}),"body":')  #: In a string of JSON the quotes would be escaped.
LONGEST_LINE = Settings.body_limit  #: Bytes of a line that is judged; a longer one is refused in its place,
MOST_READ_OF_A_LINE = 8 << 20  #: but of a line with more bytes than this nothing more is read.
ANSWER = 64 << 20  #: Bytes of a line of answers that are read to go on after it.
BEGINNINGS_OF_ANSWERS = (b'{"id":', b'{"status":')  #: Of an answer.


class Out(Protocol):
    """Where answers go."""

    def write(self, lines: bytes, /) -> object:
        """Write whole lines."""

    def flush(self) -> object:
        """Let the reader have what was written."""


class Done(NamedTuple):
    """How many bytes of the input were read, and how many answers are refusals."""

    read: int
    refused: int


def answer(line: bytes, language: str) -> bytes:
    """The answer to one line, shaped as an entry of a batch's answer; a refusal in its place if it is no request."""
    try:
        entry = calls.entry_answered(_read(line), language)
    except Problem as problem:
        entry = calls.entry_refused(None, problem, language)
    return strict_json.dumps(entry) + b"\n"


def _read(line: bytes) -> object:
    """The JSON value of a line; raises `Problem`."""
    if len(line.removesuffix(b"\n")) > LONGEST_LINE:
        raise Problem("payload-too-large", phrase("body-too-large", limit=LONGEST_LINE))
    return strict_json.loads(line)


def answers(lines: list[bytes], language: str) -> bytes:
    """The answers to a chunk of lines. This is what runs in other processes, and on other machines."""
    return b"".join([answer(line, language) for line in lines])


def _end_with_the_parent() -> None:
    """End this process when the one that started it is killed. Otherwise it would wait for work forever."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


def lines_of(source: BinaryIO) -> Iterator[bytes]:
    """Every line; of one that is too long a beginning, too long as well. Raises EOFError past `MOST_READ_OF_A_LINE`."""
    number = 0
    while line := source.readline(LONGEST_LINE + 2):
        yield line
        number, size = number + 1, len(line)
        while line and not line.endswith(b"\n"):
            line = source.readline(LONGEST_LINE + 2)
            size += len(line)
            if size > MOST_READ_OF_A_LINE:
                raise EOFError(f"line {number} of the requests has more than {MOST_READ_OF_A_LINE >> 20} MiB")


def chunks(lines: Iterator[bytes]) -> Iterator[list[bytes]]:
    """The lines in chunks."""
    chunk, size = list[bytes](), 0
    for line in lines:
        chunk.append(line)
        size += len(line)
        if len(chunk) == LINES_IN_CHUNK or size >= BYTES_IN_CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def judged(lines: Iterator[bytes], out: Out, executor: Executor, width: int, language: str) -> Iterator[Done]:
    """Answer every line to `out`, in order; yields after each chunk. `width`: of the executor."""
    waiting: deque[tuple[int, Future[bytes]]] = deque()
    unread = chunks(lines)
    while True:
        for chunk in islice(unread, CHUNKS_AHEAD * width - len(waiting)):
            waiting.append((sum(map(len, chunk)), executor.submit(answers, chunk, language)))
        if not waiting:
            return
        size, future = waiting.popleft()
        responses = future.result()
        out.write(responses)
        out.flush()
        yield Done(size, refusals(responses))


def refusals(responses: bytes) -> int:
    """How many of these answers are refusals."""
    return sum(int(match[1]) >= 400 for line in responses.splitlines() if (match := STATUS.search(line)))


def resumed(lines: Iterator[bytes], out: Path) -> Done:
    """Skip the lines that `out` answers, and cut off a broken last line of it.

    Raises EOFError if `out` has more lines than these, or others. Then it stays as it is.
    """
    whole = read = refused = number = 0
    with out.open("r+b") as file:
        while line := file.readline(ANSWER):
            number += 1
            if not line.endswith(b"\n") and len(line) < ANSWER and _begins_an_answer(line):
                break
            request = next(lines, None)
            if request is None:
                raise EOFError(f"{out} has more answers than there are requests")
            if not _is_answered(request, line):
                raise EOFError(f"line {number} of {out} is no answer to that line of the requests")
            whole += len(line)
            read += len(request)
            refused += refusals(line)
        file.truncate(whole)
    return Done(read, refused)


def _begins_an_answer(line: bytes) -> bool:
    """Whether a line without an end may be the beginning of an answer."""
    return any(line.startswith(each[: len(line)]) for each in BEGINNINGS_OF_ANSWERS)


def _is_answered(request: bytes, line: bytes) -> bool:
    """Whether a whole line is an answer, and has the `id` of the request; a refusal may have none."""
    answer, entry = _members(line), _members(request)
    has_members_of_answer = {"status", "body"} <= answer.keys() <= {"id", "status", "body"}
    if not has_members_of_answer or type(answer["status"]) is not int:
        return False
    is_refusal_without_id = "id" not in answer and answer["status"] >= 400
    return is_refusal_without_id or answer.get("id") == entry.get("id")


def _members(line: bytes) -> Mapping[str, object]:
    """The members of an object; none of what is no object, or no JSON."""
    try:
        value = orjson.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def judge(lines: Iterator[bytes], out: Out, cores: int, language: str, dask: str | None = None) -> Iterator[Done]:
    """`judged` on the cores of this machine or, with the address of a scheduler, on the workers of a Dask cluster."""
    if dask is None:
        calls.prepare()  # before the processes are forked
        kind = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
        context = multiprocessing.get_context(kind)
        with ProcessPoolExecutor(cores, context, initializer=_end_with_the_parent) as executor:
            yield from judged(lines, out, executor, cores, language)
        return
    from distributed import Client  # noqa: PLC0415 - an extra

    with Client(dask) as client:
        width = sum(client.nthreads().values())
        yield from judged(lines, out, client.get_executor(pure=False), width, language)
