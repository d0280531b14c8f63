"""406 is declared where it can happen: not where nothing is chosen by `Accept`."""

import pytest

from service.contract.openapi import document
from service.judging.calls import CALLS
from tests.service.sessions.tables import SessionClient


@pytest.mark.parametrize(("path", "method"), [("", "delete"), ("/tickets", "post")])
def test_operations_that_ignore_accept_declare_no_406(path: str, method: str) -> None:
    answers = document(CALLS)["paths"][f"/sessions/{{session_id}}{path}"][method]["responses"]
    assert ("404" in answers, "406" in answers) == (True, False)


def test_a_ticket_is_given_and_a_session_closed_whatever_the_client_accepts(table: SessionClient) -> None:
    assert table.post("host", "/tickets", None, Accept="text/html").status_code == 201
    headers = table.headers("host", {"Accept": "text/html"})
    assert table.client.delete(table.path, headers=headers).status_code == 204
