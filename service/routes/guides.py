"""The guides of `docs/` as pages of a running server."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from posixpath import normpath

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from service import seeds

TEMPLATE = "guide.html"
FOLDER = seeds.ROOT / "docs"
GUIDES = (
    "ten-minutes",
    "clients",
    "agents",
    "bulk",
    "sessions",
    "elements",
    "testing",
    "vectors",
    "fairness",
    "releases",
)
"""The guides for clients. The other pages of the folder are for those who operate or change the service."""


@cache
def titles() -> dict[str, str]:
    """The title of each guide."""
    return {name: _text(name).partition("\n")[0].removeprefix("# ") for name in GUIDES}


@cache
def page(name: str) -> bytes:
    """A guide as a page that loads nothing but its style sheet."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(re.sub(r"<!--.*?-->\n?", "", _text(name).partition("\n")[2]))
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", anchor(tokens[at + 1].content))
        _lead_here(token.children or ())
    body = Markup(reader.renderer.render(tokens, reader.options, {}))  # noqa: S704 - HTML in the text is escaped
    return laid_out(titles()[name], body)


def laid_out(title: str, body: Markup, language: str = "en") -> bytes:
    """A page in the layout of the guides."""
    return filled(TEMPLATE, title=title, body=body, language=language, guides=titles())


def filled(template: str, **values: object) -> bytes:
    """A page made from a template in `docs_page/`."""
    environment = Environment(
        loader=PackageLoader("service", "docs_page"), autoescape=select_autoescape(["html"]), undefined=StrictUndefined
    )
    environment.filters["marked"] = marked
    return environment.get_template(template).render(**values).encode()


def marked(text: str) -> Markup:
    """The Markdown of the contract as HTML: code and emphasis."""
    coded = re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    return Markup(re.sub(r"\*([^*]+)\*", r"<em>\1</em>", coded))  # noqa: S704 - escaped above


def _lead_here(tokens: Iterable[Token]) -> None:
    """Make the links of a text work on this server.

    A link to a file that is only in the repository becomes plain text, and a picture its description.
    """
    hidden = False
    for token in tokens:
        if token.type == "link_open":
            address = served(str(token.attrGet("href")))
            token.attrSet("href", address or "")
            hidden = address is None
        if token.type.startswith("link_"):
            token.hidden = hidden
        elif token.type == "image":
            token.type, token.tag = "text", ""


def served(link: str) -> str | None:
    """The address on this server for a link in `docs/`; None for a file that is only in the repository."""
    path, mark, fragment = link.partition("#")
    if not path or "://" in path:
        return link
    where = normpath(f"docs/{path}")
    if where == "openapi.yaml":
        return "/openapi.yaml"
    name = where.removeprefix("docs/").removesuffix(".md")
    return f"/guides/{name}{mark}{fragment}" if name in GUIDES else None


def anchor(heading: str) -> str:
    """The id of a heading, as links name it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _text(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")
