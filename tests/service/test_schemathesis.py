"""schemathesis makes requests from the contract and checks every answer against it."""

import re
import tempfile
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.python._constants.orchestrator import make_constants_value_source

from service.app import create_app
from service.config import Settings
from service.contract.prose import operation_id
from service.judging.calls import CALLS, DEAL, RESOLVE
from tests.by_url import report
from tests.server import Server
from tests.service.test_openapi import operations, published_contract

LIKE_RESOLVE = "|".join(call.name for call in CALLS if call not in (RESOLVE, DEAL))
CONFIG = {
    # A request may fit the schema and still be refused with 422, because its values contradict each other.
    "checks": {"positive_data_acceptance": {"expected-statuses": ["2xx", "3xx", "401", "403", "404", "409", "422"]}},
    # Covered already by `/games/twins/resolve` and `/games/twins/deal`, which are built like those of other games.
    "operations": [
        {"include-path-regex": rf"(^/|/)({LIKE_RESOLVE})$", "phases": {"coverage": {"enabled": False}}},
        {"include-path-regex": r"^/(resolve|deal)$", "phases": {"coverage": {"enabled": False}}},
        {"include-path-regex": r"/games/(?!twins)[\w-]+/", "phases": {"coverage": {"enabled": False}}},
    ],
}
LINKS: dict[str, dict[str, Any]] = {"legal-moves": {}, "audit": {}, "resolve": {"moves": []}, "view": {"seat": None}}
"""Calls to which the table of an answer can be posted, with what they take beside it."""

FOLDER = tempfile.TemporaryDirectory()
APP = create_app(Settings(store_url=f"sqlite:///{Path(FOLDER.name)}/sessions.sqlite3"))


def app_without_gzip(environ: Any, start_response: Any) -> Any:
    """Serve a client that requests gzip but cannot read it: drop the header."""
    environ.pop("HTTP_ACCEPT_ENCODING", None)
    return APP(environ, start_response)


@cache
def schema() -> schemathesis.BaseSchema:
    """Return the contract, with links that carry the table from an answer to the next request.

    It is a copy, because schemathesis changes the links.
    """
    linked = deepcopy(published_contract())
    for call in (RESOLVE, DEAL):
        linked["paths"][f"/{call.name}"]["post"]["responses"]["200"]["links"] = {
            name: {
                "operationId": operation_id(name),
                "requestBody": {"game": "$response.body#/game", "state": "$response.body#/state", **beside},
            }
            for name, beside in LINKS.items()
        }
    contract = schemathesis.openapi.from_dict(linked, config=schemathesis.Config.from_dict(CONFIG))
    contract.app = app_without_gzip
    return contract


searching = settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

load_all_checks()
ACCEPTED = CHECKS.get_one("positive_data_acceptance")


def checks_to_leave_out(answer: Any) -> list[Any]:
    """Allow 400 for a seat that this table lacks, and for a clock that its rules have not, or that lasts otherwise."""
    wrong = {each["pointer"] for each in answer.json().get("errors", [])} if answer.status_code == 400 else set()
    return [ACCEPTED] if wrong and wrong <= {"/seat", "/seconds"} else []


def contract_test(options: settings) -> Any:
    """Return a test of one operation, with these options."""

    @options
    def keeps_the_contract(case: schemathesis.Case[Any]) -> None:
        answer = case.call()
        case.validate_response(answer, excluded_checks=checks_to_leave_out(answer))

    return keeps_the_contract


OPERATIONS = sorted((path, method) for path, method, _operation in operations())
OTHER_GAMES = re.compile(r"/games/(?!twins/|\{)")  #: Their operations are built like those of Twins.


# Does what `SCHEMA.parametrize()` does, but later: that makes the cases of all operations during collection, in every
# test process. The warning: schemathesis's client does not close what it has read.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("path", "method"),
    [
        pytest.param(*each, marks=[pytest.mark.long] if OTHER_GAMES.match(each[0]) else [], id=" ".join(each))
        for each in OPERATIONS
    ],
)
def test_an_operation_keeps_the_contract(path: str, method: str) -> None:
    build_operation_test(
        config=schema().config,
        operation=schema()[path][method],
        test_func=contract_test(searching),
        given_kwargs={},
        feedback=FeedbackSources(constants_value_source=make_constants_value_source(schema())),
    )()


def test_answers_to_which_links_lead_keep_the_contract() -> None:
    class Journey(schema().as_state_machine()):  # type: ignore[misc] # a class made on the spot
        """Follow the links of the contract from answer to request."""

        def validate_response(
            self, response: Any, case: Any, additional_checks: list[Any] | None = None, **kwargs: Any
        ) -> None:
            """Validate as the base class does, without the checks to leave out."""
            case.validate_response(
                response,
                additional_checks=additional_checks,
                excluded_checks=checks_to_leave_out(response),
                transport_kwargs=kwargs or None,
                recorder=self.recorder,
            )

    options = settings(searching, stateful_step_count=6, phases=[Phase.generate])
    run_state_machine_as_test(Journey, settings=options)


def test_the_contract_is_green_by_its_url_and_with_no_flag_but_how_much_is_tried(server: Server) -> None:
    status, text = report(server, "--phases", "examples,fuzzing,stateful", "--max-examples", "1", "--seed", "1")
    assert status == 0, text
