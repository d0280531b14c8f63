"""Stories: sessions whose requests are written down, so that they can be repeated with other hidden cards.

A story is a game of random legal moves, together with all requests of its bearers: every read, and refused moves. When
a story is repeated, a bearer that may not see the difference must receive the same bytes.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from itertools import islice
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin, get_type_hints

import orjson
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

import engines
from engines.core import shuffle
from engines.core.engine import Engine
from engines.core.judge import facts, legal_moves, resolve
from engines.core.records import changed
from engines.core.shape import Length, OneOf, Text, Whole, inside
from service.contract import Invalid, codecs
from service.contract.of_game import drawn_members
from service.judging.referee import Referee
from service.sessions import changes
from service.sessions.record import deal_seed
from service.sessions.tokens import may_make, named
from service.strict_json import plain
from service.words.languages import LANGUAGES
from tests.engines.games import random_ruleset
from tests.secrecy import as_sent, card_of, cards_by_spoken_name, secrets
from tests.service.sessions.tables import SessionClient, seat_counts, session_of_opening

Json: TypeAlias = Any
Renaming: TypeAlias = Mapping[Any, Any]  #: The card that replaces each hidden card.

NO_RENAMING: Mapping[int, Renaming] = {}

LENGTHS = (20, 120)  #: The fewest and the most moves of a story.
SINGLE_MOVES = 25
"""The number of last moves that are made one by one. The host makes the earlier moves, many at a time."""
AT_ONCE = 30
STOPS_OF_A_STORY = 5  #: The number of versions at which every bearer sends all its questions.
GUESSED_MOVES = 5  #: The number of moves that every bearer tries at each stop.


def secrets_of(engine: Engine[Any], state: Any, seat: int | None) -> set[Any]:
    """Return the cards that a seat may not see, by `seeds/<game>/secrets.yaml`: the engine's view could be wrong."""
    return set(secrets(engine).kept_from([seat], as_sent(engine, state))[seat].values())


# --- the cases -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """The game of a story. `about`: what is special in its rules; `number`: distinguishes stories of the same rules."""

    engine: Engine[Any]
    ruleset: Any
    seats: int
    about: str
    number: int
    host: Literal["sees-all", "blind"]
    fair: Literal["committed", "joint"]
    invite: bool = False

    def __str__(self) -> str:
        parts = [self.ruleset.name, self.about, f"{self.seats} seats", self.host, self.fair, str(self.number)]
        return f"{self.engine.game}: {', '.join([*parts, 'by invite'] if self.invite else parts)}"

    def body(self) -> Json:
        """Return the body that opens the session."""
        used = Referee(self.engine, "en").ruleset(self.ruleset)
        ruleset = {"name": used.name, "options": used.options}
        own = {"host": self.host, "fair": self.fair, "invite": self.invite, "public": True}
        return {"game": self.engine.game, "seats": self.seats, "ruleset": ruleset, **own}


def cases(each: int) -> list[Case]:
    """Return every preset with the fewest and the most seats, and every option with another value, `each` times."""
    every: list[Case] = []
    for engine in engines.registry().values():
        for number in range(each):
            rulesets = [("as it is", preset) for preset in engine.rulesets.values()]
            rulesets += [
                (name, _with_another(engine, name, random.Random(f"{name} {number}"))) for name in engine.options
            ]
            for about, ruleset in rulesets:
                counts = seat_counts(engine.game, ruleset)
                chosen = {counts[0], counts[-1]}
                if about != "as it is":
                    chosen = {random.Random(f"{about} {number}").choice(counts)}
                for seats in sorted(chosen):
                    place = len(every)
                    host, fair = ("sees-all", "blind")[place % 2], ("committed", "joint")[place // 2 % 2]
                    invite = place % 4 in (1, 2)  # combines invites with both kinds of host and of deal
                    every.append(Case(engine, ruleset, seats, about, number, host, fair, invite))  # type: ignore[arg-type]
    return every


def _with_another(engine: Engine[Any], option: str, dice: random.Random) -> Any:
    """Return random rules in which an option differs from the preset, and which some number of seats may play."""
    while True:
        ruleset = random_ruleset(engine, dice)
        preset = engine.rulesets[ruleset.name]
        if getattr(ruleset, option) != getattr(preset, option) and seat_counts(engine.game, ruleset):
            return ruleset


# --- writing a story -----------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """A change made by a bearer. `dealt`: for each of its moves, the number of deals before it."""

    bearer: str
    call: str
    body: Json
    dealt: Sequence[int] = ()


class Moment(NamedTuple):
    """A table in the course of the game, and the number of deals so far."""

    table: Any
    dealt: int


class Question(NamedTuple):
    """A bearer's request that changes nothing: a read, or a refused move."""

    call: str
    body: Json = None
    if_match: str | None = None
    language: str = "en"


class Observation(NamedTuple):
    """An answer, the version of the session, and the request."""

    version: int
    request: Question | Step
    answer: bytes


@dataclass
class Story:
    """A story. `course`: every table; `reached`: for each version the index of its table, -1 before a joint deal."""

    case: Case
    server: str
    clients: list[str]
    steps: list[Step] = field(default_factory=list)
    course: list[Moment] = field(default_factory=list)
    reached: list[int] = field(default_factory=list)
    questions: dict[int, dict[str, list[Question]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.engine = self.case.engine
        self.setup = self.engine.setup(seats=self.case.seats, ruleset=self.case.ruleset)
        self._hidden: dict[tuple[int, int | None], set[int]] = {}
        self.cards = [card if isinstance(card, tuple) else (card,) for card in self.engine.cards(self.setup)]

    @property
    def watchers(self) -> list[str]:
        """Return the bearers that may not see everything."""
        blind = ["host"] if self.case.host == "blind" else []
        return [*(f"seat-{seat}" for seat in range(self.case.seats)), "spectator", *blind]

    def seed(self, deal: int) -> str:
        """Return the seed of a deal; the first deal is 1."""
        return deal_seed(self.server, self.clients, deal)

    def at(self, version: int) -> Moment:
        """Return the moment of a version. Before a joint deal its table is None."""
        place = self.reached[version]
        return Moment(None, 0) if place < 0 else self.course[place]

    def deals(self) -> range:
        """Return the numbers of all deals."""
        return range(1, self.course[-1].dealt + 1)

    def unseen_until(self, watcher: str, version: int) -> set[int]:
        """Return the cards, by index, that a watcher cannot have seen up to a version."""
        return self._unseen(watcher, range(self.reached[version] + 1))

    def unseen_of(self, watcher: str, deal: int) -> set[int]:
        """Return the cards, by index, that a watcher cannot have seen during a deal."""
        return self._unseen(watcher, [place for place, moment in enumerate(self.course) if moment.dealt == deal])

    def _unseen(self, watcher: str, places: Iterable[int]) -> set[int]:
        """Return the cards, by index, that a watcher sees at none of these places of the course."""
        seat = named(watcher).seat
        unseen = set(range(len(self.cards)))
        for place in places:
            if (place, seat) not in self._hidden:
                secret = secrets_of(self.engine, self.course[place].table, seat)
                hidden = {index for index, faces in enumerate(self.cards) if not secret.isdisjoint(faces)}
                self._hidden[place, seat] = hidden
            unseen &= self._hidden[place, seat]
        return unseen


def write_story(case: Case) -> Story:
    """Write the story of this case. The same case always gives the same story.

    First a whole game is played with the engine. Then its moves become requests: the host makes the early ones, many
    at once; the last are made one by one, each by a bearer that may make it. At last come the questions.
    """
    dice = random.Random(str(case))
    clients = [f"chance {dice.randrange(10**9)}" for _ in range(case.seats)] if case.fair == "joint" else []
    story = Story(case, dice.randbytes(32).hex(), clients)
    story.course, moves = _random_game(story, dice)
    story.steps += [Step(f"seat-{seat}", f"/seats/{seat}", None) for seat in range(case.seats) if case.invite]
    story.reached += [-1 if clients else 0] * len(story.steps)
    commitments = [{"commitment": shuffle.commitment(seed)} for seed in clients]
    story.steps += [Step(f"seat-{seat}", "/commitments", each) for seat, each in enumerate(commitments)]
    story.steps += [Step(f"seat-{seat}", "/seeds", {"seed": seed}) for seat, seed in enumerate(clients)]
    story.reached += [-1] * (2 * len(clients)) + [0]
    while (place := story.reached[-1]) < len(moves):
        blind = case.host == "blind"
        single = blind or len(moves) - place <= SINGLE_MOVES
        count = 1 if single else _moves_at_once(story, place, min(AT_ONCE, len(moves) - place - SINGLE_MOVES), dice)
        posted = moves[place : place + count]
        makers = [*story.watchers, *(() if blind else ["host"])] if single else ["host"]
        own = [bearer for bearer in makers if may_make(named(bearer), posted[0], blind=blind)]
        dealt = [moment.dealt for moment in story.course[place : place + count]]
        story.steps.append(Step(dice.choice(own), "/moves", {"moves": posted}, dealt))
        story.reached.append(place + count)
    for version in _stops(story, dice):
        questions = {watcher: list(_questions(story, watcher, version, dice)) for watcher in story.watchers}
        story.questions[version] = questions
    return story


def _moves_at_once(story: Story, place: int, most: int, dice: random.Random) -> int:
    """Return how many moves the host makes at once: any number up to `most`, but not past a table of a rare phase.

    A phase is rare if fewer than one table in ten has it. A step that ends there lets the bearers ask at that table.
    """
    phases = Counter(map(_phase, story.course))
    count = dice.randint(1, most)
    rare = (step for step in range(1, count) if phases[_phase(story.course[place + step])] * 10 < len(story.course))
    return next(rare, count)


def _phase(moment: Moment) -> Any:
    """Return the phase of a table; None before a joint deal, and in a game without phases."""
    return getattr(moment.table, "phase", None)


def _random_game(story: Story, dice: random.Random) -> tuple[list[Moment], list[Json]]:
    """Play a game by the rarest types of move, and return its tables and its moves as they are posted.

    In most games each move is the one with the lowest facts (deadwood, for example), so that some of them end.
    """
    engine = story.engine
    deck = shuffle.in_order(engine.cards(story.setup), story.seed(1))
    state, dealt = engine.opening(changed(story.setup, deck=deck)), 1
    course = [Moment(state, dealt)]
    moves: list[Json] = []
    counts: Counter[str] = Counter()
    by_facts = dice.random() < 0.6
    for _ in range(dice.randint(*LENGTHS)):
        listed, _complete = legal_moves(engine, state)
        if not listed:
            break
        rarest = min({each.type for each in listed}, key=lambda name: (counts[name], name))
        choice = [each for each in listed if each.type == rarest]
        move = min(choice, key=lambda each: _sum_of_facts(engine, state, each)) if by_facts else dice.choice(choice)
        moves.append(_posted(engine, move))
        counts[move.type] += 1
        dealt += move.type == engine.deal_name
        state = resolve(engine, state, [_with_seed(story, move, dealt)]).state
        course.append(Moment(state, dealt))
    return course, moves


def _sum_of_facts(engine: Engine[Any], state: Any, move: Any) -> int:
    """Return the sum of those facts of a move that are numbers."""
    return sum(fact for fact in facts(engine, state, move).values() if isinstance(fact, int))


def _stops(story: Story, dice: random.Random) -> set[int]:
    """Return the last version and some random ones. Rare phases are as likely as frequent ones."""
    phases: dict[Any, list[int]] = {}
    for version in range(len(story.reached)):
        phases.setdefault(_phase(story.at(version)), []).append(version)
    return {len(story.steps), *(dice.choice(dice.choice(list(phases.values()))) for _ in range(STOPS_OF_A_STORY))}


def _posted(engine: Engine[Any], move: Any) -> Json:
    """Return a move as a session takes it, without the parts that are random."""
    move = changed(move, seed=None) if hasattr(move, "seed") else move
    return plain(codecs(engine).move.dump(move))


def _with_seed(story: Story, move: Any, deal: int) -> Any:
    """Return a move with the seed of this deal, if moves of its type have a seed."""
    return changed(move, seed=story.seed(deal)) if hasattr(move, "seed") else move


def _questions(story: Story, watcher: str, version: int, dice: random.Random) -> Iterator[Question]:
    """Yield the questions of a watcher at a version: its reads, and moves that are refused as stale or as illegal."""
    state = story.at(version).table
    yield from (
        Question(call, language=dice.choice(LANGUAGES)) for call in ("", "?legal_moves=true", "/legal-moves", "/moves")
    )
    if state is None or story.engine.to_act(state):  # otherwise the transcript is public and shows all that was hidden
        yield Question("/transcript", language=dice.choice(LANGUAGES))
    if version == len(story.steps):
        yield Question("/events", language=dice.choice(LANGUAGES))
    if watcher == "spectator" or state is None:
        return
    for _ in range(GUESSED_MOVES):
        moves = _guess(story, watcher, version, dice)
        language = dice.choice(LANGUAGES)
        yield Question("/moves", {"moves": moves}, '"stale"', language)
        if not _is_legal(story, watcher, version, moves):
            yield Question("/moves", {"moves": moves}, language=language)


def _is_legal(story: Story, watcher: str, version: int, moves: list[Json]) -> bool:
    """Return whether the session would accept these moves."""
    if len(moves) != 1 or not may_make(named(watcher), moves[0], blind=True):
        return False
    state, deal = story.at(version)
    read = []
    for each in moves:
        try:
            move = codecs(story.engine).move.load(each)
        except Invalid:
            return False
        deal += move.type == story.engine.deal_name
        read.append(_with_seed(story, move, deal))
    return resolve(story.engine, state, read).legal


def _guess(story: Story, watcher: str, version: int, dice: random.Random) -> list[Json]:
    """Return moves to try: any move, or one of another player as the watcher's own. The host tries several at once."""
    engine, state, seat = story.engine, story.at(version).table, named(watcher).seat
    pool = [card for cards in story.cards for card in cards]
    seen = sorted(set(pool) - secrets_of(engine, state, seat), key=pool.index)
    guesses = []
    for _ in range(dice.randint(1, 3) if watcher == "host" else 1):
        listed, _complete = legal_moves(engine, state)
        if listed and dice.random() < 0.4:
            guess = _posted(engine, dice.choice(listed))
        else:
            name, kind = dice.choice(list(engine.kinds.items()))
            whole = anything(kind, dice, seen if dice.random() < 0.7 and seen else pool)
            drawn = drawn_members(engine)[name]
            guess = {"type": name, **{part: whole[part] for part in whole if part not in drawn}}
        owner = dice.randrange(story.case.seats) if seat is None else seat
        guesses.append(of_seat(guess, owner) if dice.random() < 0.9 else guess)
    return guesses


def of_seat(move: Json, seat: int) -> Json:
    """Return a move in which every member `seat`, at any depth, is this seat."""
    if isinstance(move, dict):
        return {
            name: seat if name == "seat" and part is not None else of_seat(part, seat) for name, part in move.items()
        }
    return [of_seat(part, seat) for part in move] if isinstance(move, list) else move


def anything(hint: Any, dice: random.Random, cards: Sequence[Any], outer: tuple[Any, ...] = ()) -> Json:
    """Return random JSON that a type allows, with cards from `cards`.

    `outer`: the words (`OneOf`, `Whole`, …) that annotate a union in which the type is a member.
    """
    own = getattr(hint, "__metadata__", ())
    kind, words = hint.__origin__ if own else hint, own + outer
    if is_dataclass(kind):
        hints = get_type_hints(kind, include_extras=True)
        chosen = [each for each in fields(kind) if each.default is not None or dice.random() < 0.5]
        return {each.name.rstrip("_"): anything(hints[each.name], dice, cards) for each in chosen}
    for word in words:
        if isinstance(word, OneOf):
            return dice.choice([card for card in cards if card in word.values] or word.values)
        if isinstance(word, Whole):
            return dice.randint(word.least, min(word.most, word.least + 5))
        if isinstance(word, Text):
            return "text"
    if get_origin(kind) is Literal:
        return dice.choice(get_args(kind))
    if get_origin(kind) in (UnionType, Union):
        member = dice.choice([each for each in get_args(kind) if each is not NoneType])
        return anything(member, dice, cards, words)
    if get_origin(kind) is tuple:
        items = get_args(kind)
        if items[-1] is Ellipsis:
            bounds = next(word for word in words if isinstance(word, Length))
            items = items[:1] * dice.randint(bounds.least, min(bounds.most, bounds.least + 4))
        return [anything(item, dice, cards) for item in items]
    return None


# --- playing a story -----------------------------------------------------------------------------------------------


def renamings_of_unseen_cards(story: Story, watcher: str, dice: random.Random) -> dict[int, Renaming]:
    """Return for each deal a renaming: the cards that a watcher never saw during it are shuffled, some turned over."""
    renamings: dict[int, Renaming] = {}
    for deal in story.deals():
        places = sorted(story.unseen_of(watcher, deal))
        renaming: dict[Any, Any] = {}
        for place, other in zip(places, dice.sample(places, len(places)), strict=True):
            faces = story.cards[other]
            turn = dice.randrange(len(faces))
            renaming |= zip(story.cards[place], faces[turn:] + faces[:turn], strict=True)
        renamings[deal] = renaming
    return renamings


def observations_of(
    service: FlaskClient, story: Story, watchers: Sequence[str], renamings: Mapping[int, Renaming] = NO_RENAMING
) -> dict[str, list[Observation]]:
    """Play a story in a session, and return all answers to these watchers.

    It ends early where renamed cards make a move of the story illegal, or a host's guess legal.
    """
    observations: dict[str, list[Observation]] = {watcher: [] for watcher in watchers}
    with _dealing(story, renamings):
        table = _open(service, story, observations)
        try:
            for version, step in enumerate((*story.steps, None)):
                for watcher in watchers:
                    for question in story.questions.get(version, {}).get(watcher, ()):
                        status, answer = _answer(table, watcher, question, version)
                        if status == 201 and watcher == "host":
                            return observations
                        observations[watcher].append(Observation(version, question, answer))
                if step is None:
                    return observations
                if step.call.startswith("/seats/"):
                    _take_seat(table, step)
                    continue
                response = table.post(step.bearer, step.call, _renamed(story, step, renamings))
                if step.bearer in observations and (response.status_code == 201 or step.bearer != "host"):
                    observations[step.bearer].append(
                        Observation(version + 1, step, _comparable(table, response, response.get_data()))
                    )
                if response.status_code != 201:
                    return observations
        finally:
            assert table.delete("host").status_code == 204
    return observations


def _open(service: FlaskClient, story: Story, observations: dict[str, list[Observation]]) -> SessionClient:
    """Open the session of a story. If the host is observed, its answer is added, without tokens and invites."""
    response = service.post("/sessions", json=story.case.body(), headers={"Idempotency-Key": str(story.case)})
    assert response.status_code == 201, response.get_data(as_text=True)
    answer = response.get_json()
    if "host" in observations:
        shown = {name: value for name, value in answer.items() if name not in ("tokens", "invites")}
        observations["host"].append(Observation(0, Question("open"), orjson.dumps(shown)))
    return session_of_opening(service, answer)


def _take_seat(table: SessionClient, step: Step) -> None:
    """Take a seat by its invite. The answer is not compared, because every token is different."""
    seat = int(step.call.rpartition("/")[2])
    response = table.post("nobody", step.call, {"invite": table.invites[seat]})
    assert response.status_code == 201
    table.tokens[step.bearer] = response.get_json()["token"]


def _answer(table: SessionClient, watcher: str, question: Question, version: int) -> tuple[int, bytes]:
    """Return the status and every byte of the answer to a question; 0 and nothing for a seat that is not yet taken."""
    if watcher != "spectator" and watcher not in table.tokens:
        return 0, b""
    speaking = {"Accept-Language": question.language}
    if question.call == "/events":
        response = table.get(watcher, question.call, **speaking)
        body = b"".join(islice(iter(response.response), 1 + version))  # type: ignore[arg-type]
        response.close()
    elif question.body is None:
        response = table.get(watcher, question.call, **speaking)
        body = response.get_data()
    else:
        headers = speaking if question.if_match is None else speaking | {"If_Match": question.if_match}
        response = table.post(watcher, question.call, question.body, **headers)
        body = response.get_data()
    return response.status_code, _comparable(table, response, body)


def _comparable(table: SessionClient, response: TestResponse, body: bytes) -> bytes:
    """Return every byte of an answer except its request id. The generation differs between openings and is blanked."""
    headers = [f"{name}: {value}" for name, value in response.headers if name != "X-Request-ID"]
    generation = table.tokens["host"].split(".")[1].encode()
    answer = "\n".join([response.status, *headers]).encode() + b"\n\n" + body
    foreign = [text for text in (*table.tokens.values(), *table.invites) if text.encode() in answer]
    assert not foreign, "an answer holds a token"
    return answer.replace(generation, b"-" * len(generation))


@contextmanager
def _dealing(story: Story, renamings: Mapping[int, Renaming]) -> Iterator[None]:
    """Make the service draw the story's seed, and rename cards as they are dealt."""
    by_seed = {story.seed(deal): renaming for deal, renaming in renamings.items()}

    def renaming(original: Callable[..., tuple[Any, ...]]) -> Callable[..., tuple[Any, ...]]:
        def shuffled(cards: Sequence[Any], seed: str) -> tuple[Any, ...]:
            names = by_seed.get(seed, {})
            return tuple(names.get(card, card) for card in original(cards, seed))

        return shuffled

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(changes, "server_seed", lambda: story.server)
        patch.setattr(shuffle, "shuffled", renaming(shuffle.shuffled))
        patch.setattr(shuffle, "shuffled_two_sided", renaming(shuffle.shuffled_two_sided))
        yield


def _renamed(story: Story, step: Step, renamings: Mapping[int, Renaming]) -> Json:
    """Return a change with its hidden cards renamed, wherever a move's type allows a card."""
    if not step.dealt or not renamings:
        return step.body
    card = card_of(story.engine)
    moves = [codecs(story.engine).move.load(each) for each in step.body["moves"]]
    others = [
        _with_cards_renamed(type(move), move, card, renamings[deal])
        for move, deal in zip(moves, step.dealt, strict=True)
    ]
    return {"moves": [_posted(story.engine, move) for move in others]}


def _with_cards_renamed(hint: Any, value: Any, card: OneOf, renaming: Renaming) -> Any:
    """Return a part of a move with its cards renamed. `hint`: the part's type; `card`: the word that marks a card."""
    if is_dataclass(value) and not isinstance(value, type):
        hints = get_type_hints(type(value), include_extras=True)
        parts = {each.name: getattr(value, each.name) for each in fields(value)}
        renamed = {name: _with_cards_renamed(hints[name], part, card, renaming) for name, part in parts.items()}
        return changed(value, **renamed)
    if isinstance(value, tuple):
        return tuple(_with_cards_renamed(hint, item, card, renaming) for item in value)
    return renaming.get(value, value) if card in inside(hint) else value


def words_of(answer: bytes) -> set[str]:
    """Return every word of an answer that could be the notation of a card."""
    return set(re.findall(r"[\w-]+", answer.decode()))


def cards_meant(engine: Engine[Any], answer: bytes) -> set[Any]:
    """Return the cards that the sentences of an answer may mean, in any language."""
    pattern, cards = _spoken(engine)
    return {card for name in pattern.findall(answer.decode()) for card in cards[name]}


@cache
def _spoken(engine: Engine[Any]) -> tuple[re.Pattern[str], Mapping[str, frozenset[Any]]]:
    """Return a pattern of all card names, longest first so that none is found inside another, and the cards by name."""
    cards = cards_by_spoken_name(engine)
    names = sorted(cards, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)" if names else r"(?!)"), cards
