"""Mistakes that the author of a client makes in the first hour: a table of what is sent and what the refusal says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import engines
from service.judging.calls import answered


@dataclass(frozen=True)
class Mistake:
    """A request with a mistake, and its refusal.

    `send`: method and path, where `ID` is the session of `SESSION`. `body`: as JSON, or bytes as they are. `bearer`:
    whose token goes with it. `where`: a pointer, or the name of a header or query parameter; None where the whole
    request is refused. `says`: parts of the sentence there, in English.
    """

    what: str
    send: str
    body: Any
    status: int
    slug: str
    where: str | None
    says: tuple[str, ...]
    headers: Mapping[str, str] = field(default_factory=dict)
    bearer: str | None = None


SESSION = {"game": "gin-rummy", "seats": 2}
SEATS = {"twins": 3, "take-that": 2, "twin-it": 3, "gin-rummy": 2}
TABLES: dict[str, Any] = {
    game: answered("deal", game, {"seats": seats, "seed": "s"}, "en")["state"] for game, seats in SEATS.items()
}
DECK = engines.registry()["twins"].cards(engines.registry()["twins"].setup(seats=3))
GIN, TWINS = TABLES["gin-rummy"], TABLES["twins"]
MOVE = {"type": "buy", "seat": 0, "count": 1}


def at(game: str, *moves: Any, **changed: Any) -> Any:
    """The body of `/resolve`: a dealt table, its members changed, and moves."""
    return {"game": game, "state": {**TABLES[game], **changed}, "moves": list(moves)}


def gin(**move: Any) -> Any:
    """The body of `/resolve`: a dealt table of gin rummy and one move of seat 0."""
    return at("gin-rummy", {"seat": 0, **move})


def without(body: Any, member: str) -> Any:
    """An object without one member."""
    return {name: each for name, each in body.items() if name != member}


RESOLVE, DEAL, OPEN, MOVES = "POST /resolve", "POST /deal", "POST /sessions", "POST /sessions/ID/moves"
BODY = at("twins")
INVALID, MALFORMED = (400, "invalid-request"), (400, "malformed-json")
NOT_FOUND, NOT_ALLOWED, UNSUPPORTED = (404, "not-found"), (405, "method-not-allowed"), (415, "unsupported-media-type")
UNAUTHORIZED, IMPOSSIBLE = (401, "unauthorized"), (422, "invalid-state")
CARD, HAND = "/moves/0/card", "/state/hands/1"
UNSEEN_ADVICE = "Cards that are not seen are written as null, one for each: [null, null]."


def of_paths() -> Iterator[Mistake]:
    """Wrong paths and methods, and parameters in the address."""
    yield Mistake("GET for a call", "GET /resolve", None, *NOT_ALLOWED, None, ("takes OPTIONS, POST, not GET",))
    yield Mistake("PUT for a call", "PUT /resolve", BODY, *NOT_ALLOWED, None, ("POST, not PUT",))
    yield Mistake("POST to a document", "POST /games", BODY, *NOT_ALLOWED, None, ("/games takes GET", "not POST"))
    yield Mistake("underscores in a path", "POST /legal_moves", BODY, *NOT_FOUND, None, ("nearest is /legal-moves.",))
    yield Mistake("camel case in a path", "POST /legalMoves", BODY, *NOT_FOUND, None, ("nearest is /legal-moves.",))
    yield Mistake("a prefix before the path", "GET /api/v1/games", None, *NOT_FOUND, None, ("nearest is /games.",))
    yield Mistake(
        "half of a game's name",
        "POST /games/gin/resolve",
        {},
        *NOT_FOUND,
        None,
        ('no game "gin"', f"there are {', '.join(sorted(engines.registry()))}", "/games/gin-rummy/resolve"),
    )
    yield Mistake(
        "a misspelled game",
        "GET /games/gin-rumy/rulebook",
        None,
        *NOT_FOUND,
        None,
        (f"there are {', '.join(engines.registry())}. ", "/games/gin-rummy/rulebook"),
    )
    yield Mistake("an unknown game", "POST /games/bridge", {}, *NOT_FOUND, None, ('no game "bridge"', "twins"))
    yield Mistake("a slash behind", "POST /resolve/", BODY, *NOT_FOUND, None, ("without a slash, as /resolve",))
    yield Mistake("a game without /games", "POST /twins/deal", {}, *NOT_FOUND, None, ("nearest is /games/twins/deal.",))
    yield Mistake(
        "a rulebook before its game",
        "GET /rulebook/twins",
        None,
        *NOT_FOUND,
        None,
        ("nearest is /games/twins/rulebook.",),
    )
    yield Mistake("another service's probe", "GET /healthz", None, *NOT_FOUND, None, ("/livez and /readyz",))
    yield Mistake(
        "another service's documentation", "GET /swagger", None, *NOT_FOUND, None, ("/docs and /openapi.json",)
    )
    yield Mistake(
        "a language in the address of a call",
        "POST /resolve?lang=it",
        BODY,
        *INVALID,
        "lang",
        ("header Accept-Language", 'leave "lang" out'),
    )
    yield Mistake(
        "a language in the address of a game",
        "GET /games/twins?language=fr",
        None,
        *INVALID,
        "language",
        ("header Accept-Language",),
    )
    yield Mistake(
        "a parameter that no call has",
        "POST /resolve?pretty=true",
        BODY,
        *INVALID,
        "pretty",
        ("takes no query parameter", 'leave "pretty" out'),
    )
    yield Mistake("an unknown problem", "GET /problems/illegal", None, *NOT_FOUND, None, ("illegal-move",))


def of_headers() -> Iterator[Mistake]:
    """Headers that say what the body is not, or ask for what there is not."""
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    latin = {"Content-Type": "application/json; charset=latin-1"}
    send = "send JSON in UTF-8, with the header Content-Type: application/json"
    yield Mistake("no Content-Type", RESOLVE, BODY, *UNSUPPORTED, None, ("no Content-Type", send), {"Content-Type": ""})
    yield Mistake(
        "a form", RESOLVE, b"game=twins", *UNSUPPORTED, None, ('as "application/x-www-form-urlencoded"', send), form
    )
    yield Mistake(
        "plain text", RESOLVE, BODY, *UNSUPPORTED, None, ('as "text/plain"', send), {"Content-Type": "text/plain"}
    )
    yield Mistake("another charset", RESOLVE, BODY, *UNSUPPORTED, None, ("charset=latin-1", send), latin)
    yield Mistake(
        "a compressed body",
        RESOLVE,
        BODY,
        *UNSUPPORTED,
        None,
        ("without Content-Encoding",),
        {"Content-Encoding": "gzip"},
    )
    yield Mistake(
        "a browser's Accept for a call",
        RESOLVE,
        BODY,
        406,
        "not-acceptable",
        None,
        ("application/json", "text/html"),
        {"Accept": "text/html"},
    )
    yield Mistake(
        "XML of the games",
        "GET /games",
        None,
        406,
        "not-acceptable",
        None,
        ("application/json", "application/xml"),
        {"Accept": "application/xml"},
    )


def of_json() -> Iterator[Mistake]:
    """Texts that are no JSON, or more than one value of it."""
    for what, text, says in (
        ("nothing", b"", ("ends where a value or a key is expected", "line 1, column 1")),
        ("half a body", b'{"game": "twins", ', ("ends where", "column 19")),
        ("a last comma", b'{"game": "twins",}', ("leave the last comma out", "line 1")),
        ("single quotes", b"{'game': 'twins'}", ("double quotes, not in single ones", "line 1, column 2")),
        ("keys without quotes", b'{game: "twins"}', ("expecting a key in double quotes", "column 2")),
        ("a comment", b'{\n// the game\n"game": "twins"}', ("JSON has no comments", "line 2")),
        ("Python's True", b'{"compare": True}', ("true, false and null", "lower case", "column 13")),
        ("JavaScript's undefined", b'{"game": undefined}', ("true, false and null", "column 10")),
        ("NaN", b'{"pot": NaN}', ("NaN is not a JSON number", "write null, or a number")),
        ("a key twice", b'{"game": "twins", "game": "twins"}', ("'game' twice", "leave one of them out", "column 19")),
        ("two texts", b"{}\n{}", ("something follows the value", "line 2")),
        ("a byte order mark", b"\xef\xbb\xbf{}", ("byte order mark", "send UTF-8 without one")),
        ("Latin-1", '{"seed": "è"}'.encode("latin-1"), ("not UTF-8", "column 11")),
        ("a comma missing", b'{"game": "twins" "seats": 3}', ("expecting a comma", "column 18")),
    ):  # fmt: skip
        yield Mistake(what, RESOLVE, text, *MALFORMED, None, says)


def of_envelopes() -> Iterator[Mistake]:
    """The members of a body, with their values."""
    yield Mistake(
        "JSON encoded twice",
        RESOLVE,
        '{"game": "twins"}',
        *INVALID,
        "",
        ("JSON inside a string", "send the JSON itself"),
    )
    yield Mistake(
        "a state encoded for itself",
        RESOLVE,
        {**BODY, "state": '{"phase": "trick"}'},
        *INVALID,
        "/state",
        ("JSON inside a string",),
    )
    yield Mistake(
        "a list for a body", RESOLVE, [BODY], *INVALID, "", ("a list of 1 item", "without the list around it")
    )
    yield Mistake("null for a body", RESOLVE, b"null", *INVALID, "", ('an object whose "game"', "got null"))
    yield Mistake(
        "no game", RESOLVE, without(BODY, "game"), *INVALID, "/game", ('"game" is missing', '"twin-it", "twins"')
    )
    yield Mistake(
        "half of a game's name in the body",
        RESOLVE,
        {**BODY, "game": "gin"},
        *INVALID,
        "/game",
        ('"take-that"', 'Did you mean "gin-rummy"?'),
    )
    yield Mistake(
        "a game's title", RESOLVE, {**BODY, "game": "Twin it!"}, *INVALID, "/game", ('Did you mean "twin-it"?',)
    )
    yield Mistake(
        "the game in path and body",
        "POST /games/twins/resolve",
        BODY,
        *INVALID,
        "/game",
        ("The path names the game, twins", 'leave "game" out of the body'),
    )
    yield Mistake(
        "move for moves",
        RESOLVE,
        {**without(BODY, "moves"), "move": MOVE},
        *INVALID,
        "/move",
        ('no field "move"', 'Did you mean "moves"?'),
    )
    yield Mistake(
        "another service's name",
        RESOLVE,
        {**without(BODY, "moves"), "actions": [MOVE]},
        *INVALID,
        "/actions",
        ('Did you mean "moves"?',),
    )
    yield Mistake(
        "one move for a list", RESOLVE, {**BODY, "moves": MOVE}, *INVALID, "/moves", ("got an object", "as a list")
    )
    yield Mistake(
        "moves encoded for themselves",
        RESOLVE,
        {**BODY, "moves": '[{"type": "buy"}]'},
        *INVALID,
        "/moves",
        ("JSON inside a string",),
    )
    yield Mistake(
        "no moves", RESOLVE, without(BODY, "moves"), *INVALID, "/moves", ('"moves" is missing', "expected a list")
    )
    yield Mistake(
        "a list of moves to validate",
        "POST /validate",
        {**without(BODY, "moves"), "move": [MOVE]},
        *INVALID,
        "/move",
        ("without the list around it",),
    )
    yield Mistake(
        "a listed move with its facts",
        RESOLVE,
        at("twins", {"move": MOVE, "facts": {}}),
        *INVALID,
        "/moves/0",
        ('send only what is in "move"',),
    )
    yield Mistake(
        "the whole answer for its table",
        RESOLVE,
        {**BODY, "state": {"game": "twins", "state": TWINS, "to_act": [0]}},
        *INVALID,
        "/state",
        ('send only what is in "state"',),
    )
    yield Mistake(
        "the answer posted with its other members",
        RESOLVE,
        {**BODY, "to_act": [0]},
        *INVALID,
        "/to_act",
        ("Answers have it, requests do not", "leave it out"),
    )
    yield Mistake(
        "the ruleset beside the table",
        RESOLVE,
        {**BODY, "ruleset": {"name": "french"}},
        *INVALID,
        "/ruleset",
        ('"ruleset" belongs into "state"',),
    )
    yield Mistake(
        "a table's member beside the table",
        RESOLVE,
        {**BODY, "pot": 0},
        *INVALID,
        "/pot",
        ('"pot" belongs into "state"',),
    )
    yield Mistake(
        "a later version's member",
        RESOLVE,
        at("twins", jokers=2),
        *INVALID,
        "/state/jokers",
        ('no field "jokers"', "misspelled, or from a newer referee"),
    )
    yield Mistake(
        "a view for nobody", "POST /view", without(BODY, "moves"), *INVALID, "/seat", ('"seat" is missing', "or null")
    )
    yield Mistake(
        "compare with one ruleset",
        RESOLVE,
        {**BODY, "compare": "french"},
        *INVALID,
        "/compare",
        ('Did you mean ["french"]?', "as a list"),
    )
    yield Mistake(
        "compare as a text",
        RESOLVE,
        {**BODY, "compare": "true"},
        *INVALID,
        "/compare",
        ("Did you mean true?", "without quotes"),
    )
    yield Mistake(
        "one view for a list", RESOLVE, {**BODY, "views": 0}, *INVALID, "/views", ("Did you mean [0]?", "as a list")
    )
    yield Mistake(
        "too few names",
        RESOLVE,
        {**BODY, "names": ["Anna", "Bob"]},
        *IMPOSSIBLE,
        "/names",
        ("has 3 seats", "a name for each"),
    )
    yield Mistake(
        "numbers for names",
        RESOLVE,
        {**BODY, "names": [1, 2, 3]},
        *INVALID,
        "/names/0",
        ('Did you mean "1"?', "in quotes"),
    )


def of_moves() -> Iterator[Mistake]:
    """Moves and the cards in them."""
    yield Mistake(
        "kind for type",
        RESOLVE,
        gin(kind="pass"),
        *INVALID,
        "/moves/0/type",
        ('"type" is missing', 'What stands in "kind" belongs into "type"'),
    )
    yield Mistake(
        "a move as a text",
        RESOLVE,
        at("gin-rummy", "pass"),
        *INVALID,
        "/moves/0",
        ('an object whose "type"', 'Did you mean {"type": "pass"}?'),
    )
    for spelled in ("layOff", "lay_off", "LAY-OFF", "Lay off"):
        yield Mistake(
            f"the type {spelled}", RESOLVE, gin(type=spelled), *INVALID, "/moves/0/type", ('Did you mean "lay-off"?',)
        )
    yield Mistake(
        "no seat",
        RESOLVE,
        at("gin-rummy", {"type": "pass"}),
        *INVALID,
        "/moves/0/seat",
        ('"seat" is missing', "an integer from 0 to 1"),
    )
    yield Mistake(
        "player for seat",
        RESOLVE,
        at("gin-rummy", {"type": "pass", "player": 0}),
        *INVALID,
        "/moves/0/player",
        ('Did you mean "seat"?',),
    )
    yield Mistake(
        "a seat in quotes",
        RESOLVE,
        gin(type="pass", seat="0"),
        *INVALID,
        "/moves/0/seat",
        ("Did you mean 0?", "without quotes"),
    )
    yield Mistake(
        "a player's name for a seat",
        RESOLVE,
        gin(type="pass", seat="Anna"),
        *INVALID,
        "/moves/0/seat",
        ("Seats are numbers, and the first is 0.",),
    )
    yield Mistake(
        "seats from 1",
        RESOLVE,
        gin(type="pass", seat=2),
        *INVALID,
        "/moves/0/seat",
        ("from 0 to 1, got 2", "the first is 0"),
    )
    yield Mistake(
        "null for a part that may be missing",
        RESOLVE,
        gin(type="draw", **{"from": "stock", "drawn": None}),
        *INVALID,
        "/moves/0/drawn",
        ("Leave it out instead.",),
    )
    yield Mistake(
        "no pile", RESOLVE, gin(type="draw"), *INVALID, "/moves/0/from", ('"from" is missing', '"stock", "discards"')
    )
    yield Mistake(
        "a pile by another name",
        RESOLVE,
        gin(type="draw", **{"from": "discard"}),
        *INVALID,
        "/moves/0/from",
        ('Did you mean "discards"?',),
    )
    yield Mistake(
        "a knock with a card",
        RESOLVE,
        gin(type="knock", card="KC"),
        *INVALID,
        "/moves/0/card",
        ('Did you mean "discard"?',),
    )
    yield Mistake("1 for true", RESOLVE, gin(type="knock", big=1), *INVALID, "/moves/0/big", ("Did you mean true?",))
    yield Mistake(
        "members in camel case",
        RESOLVE,
        gin(type="lay-off", layOffs=[]),
        *INVALID,
        "/moves/0/layOffs",
        ('Did you mean "lay_offs"?',),
    )
    yield Mistake(
        "one meld for a list of melds",
        RESOLVE,
        gin(type="knock", discard="KC", melds=["AS", "2S", "3S"]),
        *INVALID,
        "/moves/0/melds/0",
        ("Expected a list", 'got "AS"'),
    )
    for spelled, card in {"kc": "KC", "CK": "KC", "K♣": "KC", "10S": "TS", "K-C": "KC"}.items():
        yield Mistake(
            f"the card {spelled}",
            RESOLVE,
            gin(type="discard", card=spelled),
            *INVALID,
            CARD,
            (f'Did you mean "{card}"?',),
        )
    yield Mistake(
        "a card in a list",
        RESOLVE,
        gin(type="discard", card=["KC"]),
        *INVALID,
        CARD,
        ('Did you mean "KC"?', "without the list"),
    )
    for spelled in ("Blue-10", "blue 10", "10-blue", "blue_10"):
        play = {"type": "play", "seat": 0, "cards": [spelled, "pink-1"]}
        yield Mistake(
            f"the card {spelled}",
            RESOLVE,
            at("twins", play),
            *INVALID,
            "/moves/0/cards/0",
            ('Did you mean "blue-10"?',),
        )
    yield Mistake(
        "cards as a text",
        RESOLVE,
        at("twins", {"type": "play", "seat": 0, "cards": "blue-1, pink-1"}),
        *INVALID,
        "/moves/0/cards",
        ('Did you mean ["blue-1", "pink-1"]?',),
    )
    yield Mistake(
        "one card for two",
        RESOLVE,
        at("twins", {"type": "play", "seat": 0, "cards": ["blue-1"]}),
        *INVALID,
        "/moves/0/cards",
        ("a list of 2 items, got a list of 1 item",),
    )
    yield Mistake(
        "a count in quotes",
        RESOLVE,
        at("twins", {**MOVE, "count": "1"}),
        *INVALID,
        "/moves/0/count",
        ("Did you mean 1?",),
    )
    for number, says in {
        20: "The nearest are 19 and 21.",
        "31": "Did you mean 31? It is written without quotes.",
        99: "from 12 to 98, got 99",
    }.items():
        yield Mistake(
            f"the card {number!r}",
            RESOLVE,
            at("take-that", {"type": "lay", "seat": 0, "card": number}),
            *INVALID,
            CARD,
            (says,),
        )
    for side, says in {"17a": 'Did you mean "17A"?', 17: 'Did you mean "17A"? A text stands in quotes.'}.items():
        claim = {"type": "claim", "hands": [{"seat": 0, "card": side}]}
        yield Mistake(
            f"the card {side!r} of Twin it!", RESOLVE, at("twin-it", claim), *INVALID, "/moves/0/hands/0/card", (says,)
        )
    yield Mistake(
        "cards for hands",
        RESOLVE,
        at("twin-it", {"type": "claim", "hands": ["17A"]}),
        *INVALID,
        "/moves/0/hands/0",
        ("Expected an object", 'at least "seat" and "card"'),
    )
    cards: tuple[tuple[Any, str], ...] = (
        ({"rank": "K", "suit": "clubs"}, "KC"),
        ({"suit": "♠", "rank": 10}, "TS"),
        ("king of clubs", "KC"),
    )
    for written, name in cards:
        yield Mistake(
            f"the card {written}",
            RESOLVE,
            gin(type="discard", card=written),
            *INVALID,
            CARD,
            (f'Did you mean "{name}"?',),
        )
    yield Mistake(
        "a card of Twins as an object",
        RESOLVE,
        at("twins", {"type": "play", "seat": 0, "cards": [{"colour": "blue", "value": 10}, "pink-1"]}),
        *INVALID,
        "/moves/0/cards/0",
        ('Did you mean "blue-10"?', "as one text"),
    )


def of_tables() -> Iterator[Mistake]:
    """Tables: unseen cards, phases, members."""
    mine = GIN["hands"][0]
    yield Mistake(
        "an unseen hand as an empty list",
        RESOLVE,
        at("gin-rummy", hands=[mine, []]),
        *IMPOSSIBLE,
        HAND,
        ("has 0 cards", "A card that is not seen is written null."),
    )
    yield Mistake(
        "unseen hands of Twins as empty lists",
        RESOLVE,
        at("twins", hands=[TWINS["hands"][0], [], []]),
        *IMPOSSIBLE,
        HAND,
        ("A card that is not seen is written null.",),
    )
    yield Mistake(
        "an unseen hand of Take That as an empty list",
        RESOLVE,
        at("take-that", hands=[TABLES["take-that"]["hands"][0], []]),
        *IMPOSSIBLE,
        HAND,
        ("is written null",),
    )
    yield Mistake(
        "an unseen hand as null",
        RESOLVE,
        at("gin-rummy", hands=[mine, None]),
        *INVALID,
        HAND,
        ("got null", UNSEEN_ADVICE),
    )
    yield Mistake(
        "an unseen hand as its size",
        RESOLVE,
        at("gin-rummy", hands=[mine, 10]),
        *INVALID,
        HAND,
        ("got 10", UNSEEN_ADVICE),
    )
    yield Mistake(
        "unseen cards as question marks",
        RESOLVE,
        at("gin-rummy", hands=[mine, ["?"] * 10]),
        *INVALID,
        f"{HAND}/0",
        ('got "?"', "A card that is not seen is null."),
    )
    yield Mistake("all hands as null", RESOLVE, at("gin-rummy", hands=None), *INVALID, "/state/hands", (UNSEEN_ADVICE,))
    yield Mistake(
        "no hands",
        RESOLVE,
        {**BODY, "game": "gin-rummy", "state": without(GIN, "hands")},
        *INVALID,
        "/state/hands",
        ('"hands" is missing', UNSEEN_ADVICE),
    )
    yield Mistake(
        "an unseen stock as null",
        RESOLVE,
        at("gin-rummy", stock=None),
        *INVALID,
        "/state/stock",
        ("Leave it out instead.", UNSEEN_ADVICE),
    )
    yield Mistake(
        "an unknown dealer as null",
        RESOLVE,
        at("gin-rummy", dealer=None),
        *INVALID,
        "/state/dealer",
        ("Leave it out instead.",),
    )
    yield Mistake(
        "a phase in capitals",
        RESOLVE,
        at("gin-rummy", phase="DRAW"),
        *INVALID,
        "/state/phase",
        ('Did you mean "draw"?',),
    )
    yield Mistake(
        "no phase",
        RESOLVE,
        {**BODY, "state": without(TWINS, "phase")},
        *INVALID,
        "/state/phase",
        ('"phase" is missing', '"buying"'),
    )
    yield Mistake(
        "a table's member in camel case",
        RESOLVE,
        at("take-that", faceUp=[]),
        *INVALID,
        "/state/faceUp",
        ('Did you mean "face_up"?',),
    )
    yield Mistake(
        "chips by seat in an object",
        RESOLVE,
        at("twins", chips={"0": 12, "1": 12, "2": 12}),
        *INVALID,
        "/state/chips",
        ("Did you mean [12, 12, 12]?",),
    )
    yield Mistake("a number in quotes", RESOLVE, at("twins", pot="0"), *INVALID, "/state/pot", ("Did you mean 0?",))
    yield Mistake(
        "a card twice",
        RESOLVE,
        at("gin-rummy", hands=[mine, mine]),
        *IMPOSSIBLE,
        "/state/hands/0/0",
        ("is shown more than once",),
    )
    yield Mistake(
        "a ruleset by its name alone",
        RESOLVE,
        at("twins", ruleset="french"),
        *INVALID,
        "/state/ruleset",
        ('Did you mean {"name": "french"}?',),
    )


def of_deals() -> Iterator[Mistake]:
    """First deals."""
    deal = {"game": "twins", "seats": 3}
    yield Mistake(
        "seats in quotes", DEAL, {**deal, "seats": "3"}, *INVALID, "/seats", ("Did you mean 3?", "without quotes")
    )
    yield Mistake("too many seats", DEAL, {**deal, "seats": 7}, *INVALID, "/seats", ("an integer from 3 to 6, got 7",))
    yield Mistake(
        "names for seats",
        DEAL,
        {**deal, "seats": ["Anna", "Bob", "Eva"]},
        *INVALID,
        "/seats",
        ("Did you mean 3?", "Only how many"),
    )
    yield Mistake(
        "players for seats", DEAL, {"game": "twins", "players": 3}, *INVALID, "/players", ('Did you mean "seats"?',)
    )
    yield Mistake(
        "a ruleset by its name",
        DEAL,
        {**deal, "ruleset": "French"},
        *INVALID,
        "/ruleset",
        ('Did you mean {"name": "french"}?',),
    )
    yield Mistake(
        "an unknown ruleset",
        DEAL,
        {**deal, "ruleset": "house"},
        *INVALID,
        "/ruleset",
        ('an object whose "name" is one of standard, italian, french',),
    )
    yield Mistake(
        "an option beside the name",
        DEAL,
        {**deal, "ruleset": {"buying": "first-hand"}},
        *INVALID,
        "/ruleset/buying",
        ('"buying" belongs into "options"',),
    )
    yield Mistake(
        "an option in camel case",
        DEAL,
        {"game": "gin-rummy", "seats": 2, "ruleset": {"options": {"knockLimit": 7}}},
        *INVALID,
        "/ruleset/options/knockLimit",
        ('Did you mean "knock_limit"?',),
    )
    yield Mistake(
        "an option's number in quotes",
        DEAL,
        {"game": "gin-rummy", "seats": 2, "ruleset": {"options": {"knock_limit": "7"}}},
        *INVALID,
        "/ruleset/options/knock_limit",
        ("Did you mean 7?",),
    )
    yield Mistake(
        "another version of the rules",
        DEAL,
        {**deal, "ruleset": {"version": 99}},
        *INVALID,
        "/ruleset/version",
        ("not by version 99", "leave it out"),
    )
    yield Mistake(
        "a number for a seed", DEAL, {**deal, "seed": 42}, *INVALID, "/seed", ('Did you mean "42"?', "in quotes")
    )
    yield Mistake(
        "a seed and a deck",
        DEAL,
        {**deal, "seed": "s", "deck": list(DECK)},
        *INVALID,
        "/deck",
        ("exclude each other", "leave one of them out"),
    )
    yield Mistake(
        "a deck of 51",
        DEAL,
        {"game": "gin-rummy", "seats": 2, "deck": ["AS"] * 51},
        *INVALID,
        "/deck",
        ("52 items", "51 items"),
    )
    yield Mistake(
        "a deck with a card twice",
        DEAL,
        {"game": "gin-rummy", "seats": 2, "deck": ["AS"] * 52},
        *IMPOSSIBLE,
        "/deck/0",
        ("A♠ is shown more than once",),
    )
    yield Mistake("too few names", DEAL, {**deal, "names": ["Anna"]}, *IMPOSSIBLE, "/names", ("has 3 seats",))
    yield Mistake(
        "a ruleset in a list",
        DEAL,
        {**deal, "ruleset": ["french"]},
        *INVALID,
        "/ruleset",
        ('Did you mean {"name": "french"}?',),
    )
    yield Mistake(
        "preset for name",
        DEAL,
        {**deal, "ruleset": {"preset": "french"}},
        *INVALID,
        "/ruleset/preset",
        ('mean "name"?',),
    )


def of_other_calls() -> Iterator[Mistake]:
    """The calls that have no mistakes of their own above."""
    lay = {"type": "lay", "seat": 0, "card": "31"}
    yield Mistake(
        "everybody for a seat",
        "POST /legal-moves",
        {"game": "twins", "state": TWINS, "seat": "all"},
        *INVALID,
        "/seat",
        ("an integer from 0 to 5,", "Seats are numbers"),
    )
    yield Mistake(
        "seats for a seat",
        "POST /games/twins/legal-moves",
        {"state": TWINS, "seats": [0]},
        *INVALID,
        "/seats",
        ('Did you mean "seat"?',),
    )
    yield Mistake(
        "the table for the body", "POST /audit", TWINS, *INVALID, "/game", ('Write it as "state" of an object.',)
    )
    yield Mistake(
        "the table for the body of one game",
        "POST /games/twins/audit",
        TWINS,
        *INVALID,
        "",
        ('Write it as "state" of an object.',),
    )
    yield Mistake(
        "a number in quotes to validate",
        "POST /games/take-that/validate",
        {"state": TABLES["take-that"], "move": lay},
        *INVALID,
        "/move/card",
        ("Did you mean 31?",),
    )
    yield Mistake(
        "a spectator by name",
        "POST /games/twins/view",
        {"state": TWINS, "seat": "spectator"},
        *INVALID,
        "/seat",
        ("or null",),
    )
    yield Mistake(
        "the type as the key of a move",
        "POST /games/gin-rummy/resolve",
        {"state": GIN, "moves": [{"pass": {"seat": 0}}]},
        *INVALID,
        "/moves/0/type",
        ('Did you mean {"type": "pass"}?',),
    )
    yield Mistake(
        "teams by their colours",
        "POST /games/twin-it/deal",
        {"seats": 4, "ruleset": {"name": "team"}, "teams": ["red", "red", "blue", "blue"]},
        *INVALID,
        "/teams/0",
        ("Teams are numbers, and the first is 0.",),
    )


def of_batches() -> Iterator[Mistake]:
    """Batches."""
    send, entry = "POST /batch", {"path": "/resolve", "body": BODY}
    yield Mistake("a list for a batch", send, [entry], *INVALID, "", ('Write it as "requests" of an object.',))
    yield Mistake("one entry for a batch", send, entry, *INVALID, "", ('Write it as "requests" of an object.',))
    yield Mistake(
        "an empty batch", send, {"requests": []}, *INVALID, "/requests", ("a list of 1 to 1000 items", "0 items")
    )
    yield Mistake(
        "a path without its slash",
        send,
        {"requests": [{**entry, "path": "resolve"}]},
        *INVALID,
        "/requests/0/path",
        ('Did you mean "/resolve"?',),
    )
    yield Mistake(
        "an unknown game in a batch",
        send,
        {"requests": [{**entry, "path": "/games/gin/resolve"}]},
        *INVALID,
        "/requests/0/path",
        (f"there are {', '.join(sorted(engines.registry()))}", 'Did you mean "gin-rummy"?'),
    )
    yield Mistake(
        "a method in a batch",
        send,
        {"requests": [{**entry, "method": "POST"}]},
        *INVALID,
        "/requests/0/method",
        ('no field "method"', "There are path, body, id."),
    )
    yield Mistake(
        "a batch in a batch",
        send,
        {"requests": [{**entry, "path": "/batch"}]},
        *INVALID,
        "/requests/0/path",
        ("/resolve",),
    )


def of_sessions() -> Iterator[Mistake]:
    """Sessions: how they are opened, who asks, how they are changed and read."""
    bearer = "Send the token of a seat or of the host of this session, as Authorization: Bearer …"
    passed = {"type": "pass", "seat": 0}
    yield Mistake("no seats", OPEN, {"game": "twins"}, *INVALID, "/seats", ('"seats" is missing', "from 3 to 6"))
    yield Mistake(
        "a seed of one's own",
        OPEN,
        {**SESSION, "seed": "s"},
        *INVALID,
        "/seed",
        ("draws its own cards", "leave this out"),
    )
    yield Mistake("another case", OPEN, {**SESSION, "fair": "Joint"}, *INVALID, "/fair", ('Did you mean "joint"?',))
    yield Mistake(
        "a host in camel case", OPEN, {**SESSION, "host": "seesAll"}, *INVALID, "/host", ('Did you mean "sees-all"?',)
    )
    yield Mistake(
        "a truth in quotes", OPEN, {**SESSION, "public": "true"}, *INVALID, "/public", ("Did you mean true?",)
    )
    yield Mistake("a truth as a number", OPEN, {**SESSION, "invite": 1}, *INVALID, "/invite", ("Did you mean true?",))
    yield Mistake("a short key", OPEN, SESSION, *INVALID, "Idempotency-Key", ("has 16 to",), {"Idempotency-Key": "1"})
    yield Mistake("no token", MOVES, {"moves": [passed]}, *UNAUTHORIZED, None, (bearer,))
    for wrong in ("Token x", "Bearer: x", "Bearer", "Basic eDp5", "x"):
        yield Mistake(
            f"Authorization: {wrong}",
            MOVES,
            {"moves": [passed]},
            *UNAUTHORIZED,
            None,
            (bearer,),
            {"Authorization": wrong},
        )
    yield Mistake("an unknown session", "GET /sessions/1", None, *UNAUTHORIZED, None, (bearer,))
    yield Mistake(
        "a move for the body", MOVES, passed, *INVALID, "", ('Write it as "moves" of an object.',), bearer="seat-0"
    )
    yield Mistake(
        "a list of moves for the body",
        MOVES,
        [passed],
        *INVALID,
        "",
        ('Write it as "moves" of an object.',),
        bearer="seat-0",
    )
    yield Mistake(
        "move for moves in a session",
        MOVES,
        {"move": passed},
        *INVALID,
        "/move",
        ('Did you mean "moves"?',),
        bearer="seat-0",
    )
    yield Mistake(
        "no move in a session", MOVES, {"moves": []}, *INVALID, "/moves", ("a list of 1 to 500 items",), bearer="host"
    )
    yield Mistake(
        "two moves of a seat",
        MOVES,
        {"moves": [passed, passed]},
        *INVALID,
        "/moves",
        ("one move a request",),
        bearer="seat-0",
    )
    yield Mistake(
        "another seat's move", MOVES, {"moves": [passed]}, 403, "forbidden", None, ("another seat's",), bearer="seat-1"
    )
    yield Mistake(
        "the table beside the moves",
        MOVES,
        {"state": GIN, "moves": [passed]},
        *INVALID,
        "/state",
        ('no field "state"', "There are moves."),
        bearer="host",
    )
    yield Mistake(
        "the game beside the moves",
        MOVES,
        {"game": "gin-rummy", "moves": [passed]},
        *INVALID,
        "/game",
        ('no field "game"', "There are moves."),
        bearer="host",
    )
    yield Mistake(
        "a card that the table draws",
        MOVES,
        {"moves": [{"type": "draw", "seat": 0, "from": "stock", "drawn": "KC"}]},
        *INVALID,
        "/moves/0/drawn",
        ("the table draws", "leave this out"),
        bearer="host",
    )
    yield Mistake(
        "an illegal move",
        MOVES,
        {"moves": [{"type": "draw", "seat": 0, "from": "stock"}]},
        422,
        "illegal-move",
        None,
        ("forbids this move",),
        bearer="host",
    )
    yield Mistake(
        "a stale version",
        MOVES,
        {"moves": [passed]},
        412,
        "version-mismatch",
        None,
        ("at version 0",),
        {"If-Match": '"7"'},
        "host",
    )
    yield Mistake(
        "a tag of something else",
        MOVES,
        {"moves": [passed]},
        412,
        "version-mismatch",
        None,
        ("no tag of this session", "Send the ETag"),
        {"If-Match": '"abc"'},
        "host",
    )
    yield Mistake(
        "an empty key",
        MOVES,
        {"moves": [passed]},
        *INVALID,
        "Idempotency-Key",
        ("has 1 to",),
        {"Idempotency-Key": ""},
        "host",
    )
    yield Mistake("PUT for moves", "PUT /sessions/ID/moves", {}, *NOT_ALLOWED, None, ("POST, not PUT",), bearer="host")
    yield Mistake(
        "move in the path", "POST /sessions/ID/move", {}, *NOT_FOUND, None, ("/sessions/ID/moves",), bearer="host"
    )
    yield Mistake(
        "no version",
        "GET /sessions/ID/moves?after=last",
        None,
        *INVALID,
        "after",
        ("a whole number from 0",),
        bearer="host",
    )
    yield Mistake(
        "another parameter for it",
        "GET /sessions/ID/moves?since=1",
        None,
        *INVALID,
        "since",
        ("there are after",),
        bearer="host",
    )
    yield Mistake(
        "a token in the address",
        "GET /sessions/ID?token=x",
        None,
        *INVALID,
        "token",
        ("the header Authorization", "renew"),
        bearer="host",
    )
    yield Mistake(
        "a seat's DELETE", "DELETE /sessions/ID", None, 403, "forbidden", None, ("Only the host",), bearer="seat-0"
    )
    yield Mistake(
        "the transcript of a running game",
        "GET /sessions/ID/transcript",
        None,
        403,
        "forbidden",
        None,
        ("when the game is over",),
        bearer="seat-0",
    )
    yield Mistake("no invite", "POST /sessions/ID/seats/0", {}, *INVALID, "/invite", ('"invite" is missing',))
    yield Mistake(
        "a wrong invite",
        "POST /sessions/ID/seats/0",
        {"invite": "x"},
        *UNAUTHORIZED,
        None,
        ("Send the invite to this very seat",),
    )
    yield Mistake(
        "a seat of its name to renew",
        "POST /sessions/ID/tokens",
        {"seat": "0"},
        *INVALID,
        "/seat",
        ("Did you mean 0?",),
        bearer="host",
    )
    yield Mistake(
        "a seat beyond the table to renew",
        "POST /sessions/ID/tokens",
        {"seat": 2},
        *INVALID,
        "/seat",
        ("2 seats",),
        bearer="host",
    )
    yield Mistake(
        "a seed for a commitment",
        "POST /sessions/ID/commitments",
        {"commitment": "rain"},
        *INVALID,
        "/commitment",
        ("64",),
        bearer="seat-0",
    )
    yield Mistake(
        "JSON of a stream",
        "GET /sessions/ID/events",
        None,
        406,
        "not-acceptable",
        None,
        ("text/event-stream",),
        {"Accept": "application/json"},
        "host",
    )
    yield Mistake("a list of sessions", "GET /sessions", None, *NOT_ALLOWED, None, ("POST, not GET",))
    yield Mistake(
        "seconds in quotes",
        "POST /sessions/ID/clock",
        {"seconds": "60"},
        *INVALID,
        "/seconds",
        ("Did you mean 60?",),
        bearer="host",
    )
    yield Mistake(
        "a clock where none is",
        "POST /sessions/ID/clock",
        {"seconds": 60},
        403,
        "forbidden",
        None,
        ("Nothing here ends with a clock",),
        bearer="host",
    )
    yield Mistake(
        "a seed in a session that commits alone",
        "POST /sessions/ID/seeds",
        {"seed": "rain"},
        403,
        "forbidden",
        None,
        ("a session whose deal is joint",),
        bearer="seat-0",
    )
    yield Mistake(
        "a rematch too early",
        "POST /sessions/ID/rematch",
        None,
        409,
        "not-over",
        None,
        ("once it is over",),
        bearer="host",
    )
    yield Mistake(
        "a seat's ticket from the host",
        "POST /sessions/ID/tickets?seat=0",
        None,
        *INVALID,
        "seat",
        ("takes no query parameter",),
        bearer="host",
    )
    yield Mistake(
        "a seat for legal moves",
        "GET /sessions/ID/legal-moves?seat=0",
        None,
        *INVALID,
        "seat",
        ('leave "seat" out',),
        bearer="host",
    )
    yield Mistake(
        "a ticket that was used", "GET /sessions/ID/events?ticket=x", None, *UNAUTHORIZED, None, ("Take another one.",)
    )
    yield Mistake(
        "yes for true", OPEN, {**SESSION, "public": "yes"}, *INVALID, "/public", ("Did you mean true?", "true or false")
    )
    yield Mistake(
        "a parameter in camel case",
        "GET /sessions/ID?legalMoves=true",
        None,
        *INVALID,
        "legalMoves",
        ('Did you mean "legal_moves"?',),
        bearer="host",
    )


MISTAKES = [
    *of_paths(), *of_headers(), *of_json(), *of_envelopes(), *of_moves(), *of_tables(), *of_deals(), *of_other_calls(),
    *of_batches(), *of_sessions(),
]  # fmt: skip
