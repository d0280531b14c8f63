"""The sentences that stand under the fields of a dataclass, as the contract quotes them."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping
from functools import cache
from itertools import pairwise


@cache
def sentences(record: type) -> Mapping[str, str]:
    """What is said of each member; one that a base says something of need not say it again."""
    said: dict[str, str] = {}
    for each in reversed(record.__mro__):
        said |= _own(each)
    return {name.removesuffix("_"): sentence for name, sentence in said.items()}


def _own(record: type) -> Mapping[str, str]:
    try:
        source = textwrap.dedent(inspect.getsource(record))
    except (OSError, TypeError):  # made on the spot, or built in
        return {}
    (made,) = ast.parse(source).body
    body = made.body if isinstance(made, ast.ClassDef) else []
    return {
        field.target.id: " ".join(after.value.value.split())
        for field, after in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
        and isinstance(after.value.value, str)
    }
