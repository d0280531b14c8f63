"""The text at `/llms.txt`, which the tools for agents have as a resource."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import StrictUndefined, Template

from service.contract.prose import PROSE, operation_id
from service.contract.rows import members
from service.judging.calls import CALLS

TEMPLATE = Path(__file__).parent / "templates" / "llms.txt"


@cache
def agents_text(*, sessions: bool) -> str:
    """What an agent should call, in at most 700 words. Calls that the template does not name are listed by summary.

    `sessions`: whether the server has sessions.
    """
    template = TEMPLATE.read_text(encoding="utf-8")
    others = [call for call in CALLS if f"POST /{call.name} " not in template]
    text: str = Template(template, undefined=StrictUndefined, keep_trailing_newline=True).render(
        bodies={call.name: [name for name, required in members(call.takes).items() if required] for call in others},
        summaries={call.name: PROSE[operation_id(call.name)]["summary"] for call in others},
        sessions=sessions,
    )
    return text
