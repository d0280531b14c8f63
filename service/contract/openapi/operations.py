"""What can be asked of the service, operation by operation, with its prose. The document is made from this list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import engines
from service import seeds
from service.contract import problems
from service.contract.answers import Alive, Game, Games, ProblemKind, Ready, Rulebook
from service.contract.calls import AnyCall, Calls, answer, batch_answer, batch_codec, body_codec, path_of
from service.contract.codec import general
from service.contract.fields import AnyField, StrictField, TextField, ValuesField
from service.contract.openapi.examples import Examples, Judge, Sample, examples
from service.contract.prose import PROSE, operation_id
from service.web.problems import KINDS, MEDIA_TYPE
from service.web.request_id import LONGEST

JSON = "application/json"
Links: TypeAlias = Mapping[str, Mapping[str, object]]


@dataclass(frozen=True)
class Parameter:
    """A part of the path, or a header of the request."""

    name: str
    where: str
    description: str
    schema: StrictField


@dataclass(frozen=True)
class Described:
    """One way in which an operation answers. `headers`: names from `HEADERS`; `refuses`: the problems that it is.

    `events`: of a stream, what the `data` of each event is, as JSON. `pages`: media types in which people may read it;
    clients are not told of them, whose generators would make a union of the answer and a text.
    """

    description: str
    schema: StrictField | None = None
    media_type: str = JSON
    headers: tuple[str, ...] = ()
    links: Links = field(default_factory=dict)
    examples: Examples = field(default_factory=dict)
    refuses: tuple[str, ...] = ()
    events: Mapping[str, StrictField] = field(default_factory=dict)
    pages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Operation:
    """A method on a path. `prose`: its key in `PROSE`, if that is not its id; `examples`: bodies."""

    method: str
    path: str
    id: str
    tag: str
    answers: Mapping[int, Described]
    body: StrictField | None = None
    parameters: tuple[Parameter, ...] = ()
    examples: Examples = field(default_factory=dict)
    prose: str | None = None
    security: tuple[str, ...] = ()
    """Schemes of which one must be met; an empty name: none need be."""
    for_clients: bool = True
    """A probe, a page or a document is nothing that a generated client has a method for."""

    @property
    def words(self) -> Mapping[str, str]:
        """`summary` and `description`."""
        return PROSE[self.prose or self.id]


HEADERS = {
    "X-Request-ID": "The name of this request in the logs: the one that was sent, or a new one.",
    "Content-Language": "The language of the sentences: en, it or fr.",
    "Vary": "The request headers on which the answer depends.",
    "ETag": "What to send as If-None-Match to learn whether the answer has changed.",
    "Location": "Where the session is.",
    "Retry-After": "In how many seconds to ask again.",
    "WWW-Authenticate": "How to say who asks.",
    "Cache-Control": "Who may keep the answer, and for how long.",
}
SPOKEN = ("Content-Language", "Vary")
OWN_HEADERS = {
    "unauthorized": ("WWW-Authenticate",),
    "store-unavailable": ("Retry-After",),
    "too-many-requests": ("Retry-After",),
    "version-mismatch": ("ETag",),
}
"""The headers of a problem beside those that all have."""
KEPT = ("ETag", "Cache-Control")

LANGUAGE = Parameter(
    "Accept-Language",
    "header",
    "The languages to speak, best first. Sentences come in English, Italian or French; English where none fits.",
    TextField(),
)
REQUEST_ID = Parameter(
    "X-Request-ID",
    "header",
    f"A name for this request, of up to {LONGEST} letters, digits and `_ . : + / = @ -`; it comes back in the answer.",
    TextField(),
)
IF_NONE_MATCH = Parameter(
    "If-None-Match",
    "header",
    "The ETag of the answer that the client has; if it still stands, the answer is 304 without a body.",
    TextField(),
)


def operations(calls: Calls, judged: Judge) -> Iterator[Operation]:
    """Everything that can be asked, in the order of the document."""
    for call in calls:
        yield _call(calls, judged, call, None)
    yield _batch(calls, judged)
    yield from _games()
    for game in engines.registry():
        for call in calls:
            yield _call(calls, judged, call, game)
    yield from _documents()
    yield from _health()


def tags() -> list[dict[str, str]]:
    """The chapters of the document."""
    books = {game: seeds.rulebook(engine)["title"]["en"] for game, engine in engines.registry().items()}
    return [
        {"name": "Judging", "description": "The table comes in, the ruling goes out. Nothing is stored."},
        {"name": "Games", "description": "What games there are, and their rulebooks."},
        *({"name": book, "description": f"The same calls for {book} alone."} for book in books.values()),
        {"name": "Sessions", "description": "A table that remembers, each seat seeing only what it may see."},
        {"name": "Documents", "description": "The contract itself, and what problems mean."},
        {"name": "Health", "description": "For probes and operators."},
    ]


def problem(*slugs: str, game: str | None = None) -> Described:
    """A refusal: one of these problems, of one status. `game`: whose faults it lists; without, any game's."""
    headers = [header for slug in slugs for header in OWN_HEADERS.get(slug, ())]
    return Described(
        " ".join(f"{KINDS[slug].title('en')} (`{slug}`)." for slug in slugs),
        problems.any_of(slugs, game),
        MEDIA_TYPE,
        (*SPOKEN, *headers),
        refuses=slugs,
    )


def refusals(game: str | None = None, *, faults: bool = True) -> dict[int, Described]:
    """How a call with a JSON body may be refused."""
    many = ("invalid-state", "too-much-asked") if faults else ("too-much-asked",)
    return {
        400: problem("malformed-json", "invalid-request"),
        406: problem("not-acceptable"),
        413: problem("payload-too-large"),
        415: problem("unsupported-media-type"),
        422: problem(*many, game=game),
        500: problem("internal-error"),
    }


def _call(calls: Calls, judged: Judge, call: AnyCall, game: str | None) -> Operation:
    of_games = [game] if game else engines.registry()
    shown = [each for name in of_games for each in examples(calls, judged, name) if each.call == call.name]
    given = Described(
        "The answer.",
        answer(call, game),
        headers=SPOKEN,
        links=_links(calls, call, game),
        examples={each.name: Sample(each.why, each.answer, each.game) for each in shown},
    )
    return Operation(
        "post",
        path_of(call, game),
        operation_id(call.name, game),
        "Judging" if game is None else seeds.rulebook(engines.registry()[game])["title"]["en"],
        {200: given, **refusals(game, faults=call.refuses_faults)},
        body_codec(call, game).field,
        (LANGUAGE, REQUEST_ID),
        {each.name: Sample(each.why, each.body if game else each.request, each.game) for each in shown},
        prose=operation_id(call.name),
    )


def _links(calls: Calls, call: AnyCall, game: str | None) -> Links:
    """Where to go with a table that came back."""
    table = {"state": "$response.body#/state", **({} if game else {"game": "$response.body#/game"})}
    named = {each.name: each.link for each in calls if each.link is not None}
    return {
        operation_id(name): {
            "operationId": operation_id(name, game),
            "description": named[name].description,
            "requestBody": {**table, **named[name].body},
        }
        for name in call.leads_to
    }


def _batch(calls: Calls, judged: Judge) -> Operation:
    shown = [each for game in engines.registry() for each in examples(calls, judged, game)[:2]]
    entries = [{"id": each.name, "path": f"/{each.call}", "body": each.request} for each in shown]
    shown_given = [{"id": each.name, "status": 200, "body": each.answer} for each in shown]
    given = Described(
        "The answers, in the order of the calls.",
        batch_answer(calls),
        headers=SPOKEN,
        examples={"calls": Sample("What each call alone would have answered.", {"responses": shown_given})},
    )
    return Operation(
        "post",
        "/batch",
        "batch",
        "Judging",
        {200: given, **refusals(faults=False)},
        batch_codec(calls).field,
        (LANGUAGE, REQUEST_ID),
        {"calls": Sample("Calls of every game.", {"requests": entries})},
    )


def _games() -> Iterator[Operation]:
    one = Parameter("game", "path", "A game that is refereed here.", ValuesField(tuple(engines.registry())))
    more = {"game": "More of the first game.", "rulebook": "The rulebook of the first game."}
    links = {
        name: {"operationId": name, "parameters": {"game": "$response.body#/games/0/game"}, "description": why}
        for name, why in more.items()
    }
    for path, name, schema, parameters in (
        ("/games", "games", general().field(Games), ()),
        ("/games/{game}", "game", general().field(Game), (one,)),
        ("/games/{game}/rulebook", "rulebook", general().field(Rulebook), (one,)),
    ):
        yield Operation(
            "get",
            path,
            name,
            "Games",
            {
                200: Described(
                    "The answer.",
                    schema,
                    headers=(*SPOKEN, *KEPT),
                    links=links if name == "games" else {},
                    pages=("text/html", "text/markdown") if name == "rulebook" else (),
                ),
                304: Described("The answer that the client has still stands.", headers=("Vary", *KEPT)),
                **({404: problem("not-found")} if parameters else {}),
                406: problem("not-acceptable"),
                500: problem("internal-error"),
            },
            parameters=(*parameters, LANGUAGE, REQUEST_ID, IF_NONE_MATCH),
        )


def _documents() -> Iterator[Operation]:
    game = Parameter("game", "path", "A game that is refereed here.", ValuesField(tuple(engines.registry())))
    slug = Parameter("slug", "path", "The name of the problem.", ValuesField(tuple(KINDS)))
    guide = Parameter("name", "path", "The name of the guide.", TextField(1, 40))
    kind = Described(
        "What it means, in the language asked for.", general().field(ProblemKind), headers=(*SPOKEN, *KEPT)
    )
    of_a_game = Described("The contract of one game.", AnyField(), "application/yaml", KEPT)
    for path, name, response, parameters in (
        ("/", "playground", Described("The page.", TextField(), "text/html", (*SPOKEN, *KEPT)), (LANGUAGE,)),
        ("/play", "play", Described("The page.", TextField(), "text/html", (*SPOKEN, *KEPT)), (LANGUAGE,)),
        ("/elements.js", "elements", Described("The element.", TextField(), "text/javascript", KEPT), ()),
        ("/openapi.yaml", "openapiYaml", Described("The contract.", AnyField(), "application/yaml", KEPT), ()),
        ("/openapi.json", "openapiJson", Described("The contract.", AnyField(), headers=KEPT), ()),
        ("/games/{game}/openapi.yaml", "openapiYamlOfAGame", of_a_game, (game,)),
        (
            "/games/{game}/openapi.json",
            "openapiJsonOfAGame",
            Described(of_a_game.description, AnyField(), headers=KEPT),
            (game,),
        ),
        ("/docs", "docs", Described("The page.", TextField(), "text/html"), ()),
        ("/guides/{name}", "guide", Described("The guide.", TextField(), "text/html"), (guide,)),
        ("/problems/{slug}", "problem", kind, (slug, LANGUAGE)),
    ):
        yield Operation(
            "get",
            path,
            name,
            "Documents",
            {
                200: response,
                304: Described(
                    "The answer that the client has still stands.",
                    headers=tuple(name for name in response.headers if name != "Content-Language"),
                ),
                **({404: problem("not-found")} if "{" in path else {}),
                500: problem("internal-error"),
            },
            parameters=(*parameters, REQUEST_ID, IF_NONE_MATCH),
            for_clients=name == "problem",
        )


def _health() -> Iterator[Operation]:
    fresh = ("Cache-Control",)
    for name, given in (
        ("livez", {200: Described("It is.", general().field(Alive), headers=fresh)}),
        (
            "readyz",
            {
                200: Described("All is there.", general().field(Ready), headers=fresh),
                503: Described("Something is away; `checks` says what.", general().field(Ready), headers=fresh),
            },
        ),
        ("metrics", {200: Described("The figures.", TextField(), "text/plain")}),
    ):
        yield Operation(
            "get",
            f"/{name}",
            name,
            "Health",
            {**given, 500: problem("internal-error")},
            parameters=(REQUEST_ID,),
            for_clients=False,
        )
