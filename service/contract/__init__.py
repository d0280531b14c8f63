"""Requests and answers, derived from dataclasses: the engines' and, for the calls, our own.

    codecs(engine).state.load(json)      -> State, or raises Invalid with every error at once
    codecs(engine).state.dump(state)     -> a dict for json.dumps: the ruleset spelled out, absent members left out
    codecs(engine).move.load / .dump     -> any of the game's moves, by `type`; dump leaves defaults out
    codecs(engine).shapes.record(View)   -> the schema of an answer, placeholders filled in

    rows.body_codec(RESOLVE, None).load(json)     -> the body, which names its game
    rows.body_codec(RESOLVE, "twins").load(json)  -> the body of a call whose path names the game
    rows.batch_entries(CALLS, json)               -> entries with .id, .path, .body; each body is loaded alone
    Invalid.errors                                 -> [{"pointer": "/moves/0/cards/1", "detail": "..."}]

`shapes` turns annotations into marshmallow schemas made of the strict `fields`. `accept` compiles those schemas into a
fast path that may only accept; marshmallow judges and words the rest. `openapi` publishes the same schemas.
"""

from service.contract.codec import Codec, Codecs, codecs
from service.contract.fields import Invalid

__all__ = ["Codec", "Codecs", "Invalid", "codecs"]
