"""Constants with two neighbours exchanged: mutants that mutmut does not make. A wrong rank table is such a one.

Exchanged are the items of tuples, lists and strings of literals, and the values of dicts. Not those of a set, which has
no order, of lists of functions, whose order tests of clauses do not see, and of what is made of types.
"""

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]  #: Where something stands in a text: its first byte and the one after its last.


@dataclass(frozen=True)
class Swap:
    """Two neighbours of a constant, and where the bytes of each stand in their file."""

    file: Path
    line: int
    constant: str
    one: Span
    other: Span

    def applied(self, source: bytes) -> bytes:
        """Return the bytes of the file with the two neighbours exchanged."""
        (start, end), (other_start, other_end) = self.one, self.other
        one, other = source[start:end], source[other_start:other_end]
        return source[:start] + other + source[end:other_start] + one + source[other_end:]

    def described(self, source: bytes) -> str:
        """Say where the swap is and what is exchanged, such as "a.py:3 RANKS: 'ace' and 'three' exchanged"."""
        one, other = (source[slice(*span)].decode() for span in (self.one, self.other))
        return f"{self.file}:{self.line} {self.constant}: {one} and {other} exchanged"


def swaps(file: Path, source: bytes) -> Iterator[Swap]:
    """Every pair of neighbours in the constants of a module."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def span(node: ast.expr) -> Span:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    for statement in ast.parse(source).body:
        name, value = _constant(statement)
        if value is None:
            continue
        for node in _ordered(value):
            if isinstance(node, ast.Constant):
                start, end = span(node)
                text = source[start:end].decode()
                pairs = [((at, at + 1), (at + 1, at + 2)) for at in range(start + 1, end - 2)] if text.isascii() else []
                alike = [source[slice(*one)] == source[slice(*other)] for one, other in pairs]
            else:
                items = _items(node)
                pairs = [(span(one), span(other)) for one, other in itertools.pairwise(items)]
                alike = [ast.dump(one) == ast.dump(other) for one, other in itertools.pairwise(items)]
            for (one, other), same in zip(pairs, alike, strict=True):
                if not same:
                    yield Swap(file, node.lineno, name, one, other)


def _constant(statement: ast.stmt) -> tuple[str, ast.expr | None]:
    """Return name and value of the constant that a statement sets; `None` as value if it sets none."""
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign) and _name(statement.annotation) != "TypeAlias":
        target = statement.target
    else:
        return "", None
    name = target.id if isinstance(target, ast.Name) else ""
    return name, statement.value if name.isupper() else None


UNORDERED_CALLS = ("set", "frozenset", "fromkeys")  #: Calls that make nothing of the order of what they take.


def _ordered(node: ast.expr, *, text: bool = True) -> Iterator[ast.Tuple | ast.List | ast.Dict | ast.Constant]:
    """Yield the literals with an order in an expression. `text`: whether a string counts, as a list of characters."""
    if isinstance(node, ast.Constant):
        if text and isinstance(node.value, str):
            yield node
    elif isinstance(node, ast.Tuple | ast.List | ast.Dict):
        items = _items(node)
        if all(_is_literal(item, names=isinstance(node, ast.Dict)) for item in items):
            yield node
        for item in items:
            yield from _ordered(item, text=False)
    elif isinstance(node, ast.GeneratorExp | ast.ListComp | ast.DictComp):
        for part in node.generators:
            yield from _ordered(part.iter)
    elif isinstance(node, ast.Call) and _name(node.func) not in UNORDERED_CALLS:
        for argument in (*node.args, *(each.value for each in node.keywords)):
            yield from _ordered(argument, text=False)
    elif isinstance(node, ast.BinOp):
        yield from _ordered(node.left, text=text)
        yield from _ordered(node.right, text=text)


def _is_literal(node: ast.expr, *, names: bool) -> bool:
    """Whether an expression is made of literals. `names`: whether names count too, except those of types."""
    if isinstance(node, ast.Name | ast.Attribute):
        return names and (_name(node).isupper() or _name(node).islower())
    if isinstance(node, ast.Tuple | ast.List | ast.Dict):
        return all(_is_literal(item, names=names and isinstance(node, ast.Dict)) for item in _items(node))
    if isinstance(node, ast.Call):
        return all(_is_literal(each, names=False) for each in (*node.args, *(part.value for part in node.keywords)))
    return isinstance(node, ast.Constant | ast.UnaryOp)


def _items(node: ast.Tuple | ast.List | ast.Dict) -> list[ast.expr]:
    """Return the items of a list or tuple, or the values of a dict."""
    return node.values if isinstance(node, ast.Dict) else node.elts


def _name(node: ast.expr) -> str:
    """Return the last part of a dotted name, or "" for an expression that is no name."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
