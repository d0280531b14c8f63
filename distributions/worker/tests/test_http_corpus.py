"""Our worker, gunicorn's own worker and nginx accept and refuse the same bytes."""

import random
from collections.abc import Iterator

import pytest

from distributions.worker.tests import http_corpus
from distributions.worker.tests.corpus import CASES, Case


@pytest.fixture(scope="module")
def ports() -> Iterator[dict[str, int]]:
    """The ports of the servers, by name."""
    with http_corpus.servers() as ports:
        yield ports


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_server_answers_a_case_as_the_corpus_says(ports: dict[str, int], case: Case) -> None:
    statuses = {name: http_corpus.send(port, case.sent) for name, port in ports.items()}
    wrong = [name for name, each in statuses.items() if not http_corpus.is_as_expected(name, case, each)]
    assert wrong == [], statuses


def test_our_worker_accepts_nothing_that_gunicorns_refuses(ports: dict[str, int]) -> None:
    dice = random.Random(0)
    changed = [http_corpus.mutant(dice) for _ in range(300)]
    assert [each for each in changed if http_corpus.is_accepted_by_us_alone(ports, each)] == []
