"""Entity tags, as clients send them back through proxies that have rewritten them."""

from __future__ import annotations

import re

from werkzeug.http import parse_etags

REWRITTEN = re.compile(r"(?:--?(?:gzip|br|zstd)|;gzip)$")
"""What Apache, Jetty, Cloudflare and others put behind the tag of an answer that they compress."""


def tags_of(header: str) -> frozenset[str]:
    """The tags of `If-Match` or `If-None-Match` as this service wrote them, without quotes; `*` is itself.

    A weak tag is a strong one: nginx makes a tag weak where it compresses the answer.
    """
    sent = parse_etags(header)
    if sent.star_tag:
        return frozenset("*")
    return frozenset(REWRITTEN.sub("", each or "") for each in sent.as_set(include_weak=True))


def as_written(header: str) -> str:
    """The same header with its tags as this service wrote them, without `*` and empty ones, which name no answer."""
    return ", ".join(f'"{each}"' for each in sorted(tags_of(header)) if each not in ("", "*"))


def names(header: str, tag: str) -> bool:
    """Whether `If-None-Match` names this tag, so that the client has the answer already."""
    return tag in tags_of(header)
