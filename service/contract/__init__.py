"""What may be posted, derived from the engines' dataclasses; what wraps every game; what comes back.

    codecs(engine).state.load(json)      -> State, or raises Invalid with every error at once
    codecs(engine).state.dump(state)     -> dict for json.dumps: ruleset spelled out, what is left out is left out
    codecs(engine).move.load / .dump     -> any of the game's moves, told apart by `type`; dump leaves defaults out

    requests.body_of("resolve", None, json)     -> (engine, body): the body names the game
    requests.body_of("resolve", "twins", json)  -> (engine, body): the path names it
    requests.batch_body(json)                   -> entries with .id, .path, .body; each body is judged by `body_of`
    Invalid.errors                              -> [{"pointer": "/moves/0/cards/1", "detail": "..."}]

`shapes` turns annotations into marshmallow schemas made of the strict `fields`; `accept` compiles those schemas into
the quick way of loading, which may only accept; what it doubts, marshmallow judges and words. `openapi` publishes the
same schemas.
"""

from service.contract.codec import Codec, Codecs, codecs
from service.contract.fields import Invalid

__all__ = ["Codec", "Codecs", "Invalid", "codecs"]
