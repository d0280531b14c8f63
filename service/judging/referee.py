"""The stateless calls, from a body to its answer. The engines decide; the referee translates."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from typing import Any, Generic, get_type_hints

from engines.core import judge as core
from engines.core import shuffle
from engines.core.engine import Engine, Happening, Resolution
from engines.core.engine import Standing as EngineStanding
from engines.core.records import changed
from engines.core.rulings import Fault, Ruling, Undetermined, Violation
from engines.core.shape import Unknown, inside
from service import bounds
from service.bounds import LISTED
from service.contract import answers, codecs
from service.contract.placeholders import M, S, WithSetup
from service.contract.problem_bodies import more, too_much
from service.contract.requests import AuditBody, DealBody, LegalMovesBody, ResolveBody, ValidateBody, ViewBody
from service.judging.sentences import button_text, words
from service.problems import Problem
from service.scheduling import yielding
from service.words.phrases import phrase
from service.words.wording import NAMELESS, Players


def ruleset_of(state: Any) -> Any:
    """The ruleset of a state of any game."""
    return state.ruleset


@dataclass(frozen=True)
class Referee(Generic[S]):
    """One game, refereed in one language, for players with names or without."""

    engine: Engine[S]
    language: str
    names: Sequence[str] | None = None  #: The players' names, one a seat, for the sentences.

    def resolve(self, body: ResolveBody[S, M]) -> answers.EncodedResolution:
        """`POST /resolve`: apply the moves up to the first that is illegal or undetermined."""
        moves, state = yielding(body.moves), self.table(body.state)
        compared = () if body.compare is None or isinstance(body.compare, bool) else body.compare
        views = body.views or ()
        outcomes = bounds.outcomes(len(compared), len(views), listed=body.legal_moves)
        _check_work(len(body.moves), outcomes)
        resolution = core.resolve(self.engine, state, moves)
        answer = self.resolution(ruleset_of(state), body.moves, resolution)
        if body.compare is True:
            outcomes += sum([len(each.alternatives) for each in answer.contested])
            _check_work(len(body.moves), outcomes)
            for entry in answer.contested:
                entry.outcomes = [
                    self._outcome(state, body.moves, resolution, entry.option, value) for value in entry.alternatives
                ]
        elif compared:
            answer.comparison = [self._comparison(state, body.moves, name) for name in compared]
        if body.views is not None:
            for place, seat in enumerate(views):
                self._check_seat(state, seat, f"/views/{place}")
            answer.views = [self._player_view(state, body, resolution, seat) for seat in views]
        if body.legal_moves:
            answer.legal_moves = self.listing(resolution.state, None, every=True)
        return answer

    def validate(self, body: ValidateBody[S, M]) -> answers.EncodedJudgement:
        """`POST /validate`: whether this move may be made, and whether its effect is known."""
        state = self.table(body.state)
        violations, unverified = core.judge(self.engine, state, body.move)
        step = None if violations else core.apply(self.engine, state, body.move)
        players = self.players(state)
        known = {} if violations else self._known(state, body.move, core.facts(self.engine, state, body.move))
        return answers.EncodedJudgement(
            game=self.engine.game,
            ruleset=self.ruleset(ruleset_of(state)),
            legal=not violations,
            text=button_text(words(self.engine, self.language), body.move, known, players),
            violations=self.violations(violations, "/move", players),
            unverified=self.engine.in_order(unverified),
            undetermined=self._undetermined(step, None, players) if isinstance(step, Undetermined) else None,
            **_more(violations),
        )

    def legal_moves(self, body: LegalMovesBody[S]) -> answers.LegalMoves:
        """`POST /legal-moves`: of one seat, or of everyone to act."""
        state = self.table(body.state)
        self._check_seat(state, body.seat, "/seat")
        listing = self.listing(state, body.seat, every=body.seat is None)
        return answers.LegalMoves(
            game=self.engine.game,
            ruleset=self.ruleset(ruleset_of(state)),
            to_act=self.engine.to_act(state),
            moves=listing.moves,
            complete=listing.complete,
        )

    def listing(self, state: S, seat: int | None, *, every: bool, counts: bool = True) -> answers.Listing:
        """The legal moves of a table without faults: of all to act (`every`), or of `seat`; None: the table.

        `counts`: whether a count lists what lies there to be counted.
        """
        moves, complete = core.legal_moves(self.engine, state, seat, every=every)
        if not counts:
            moves = [self._empty(move) for move in moves]
        return answers.Listing(self._listed(state, moves), complete)

    def listing_of(self, seen: S, seat: int | None, *, counts: bool = True) -> answers.Listing:
        """What a seat may post in a session, judged on what it sees: its own moves, and the table's that name no other.

        A spectator may post nothing.
        """
        if seat is None:
            return answers.Listing([], complete=True)
        own, of_the_table = (self.listing(seen, each, every=False, counts=counts) for each in (seat, None))
        moves = [each for each in (*own.moves, *of_the_table.moves) if {seat}.issuperset(seats_in(each.move))]
        return answers.Listing(moves, own.complete and of_the_table.complete)

    def _listed(self, state: S, moves: Sequence[Any]) -> list[answers.LegalMove]:
        """Legal moves, each with what its button says and with its facts."""
        engine, dump, own = self.engine, codecs(self.engine).move.dump, words(self.engine, self.language)
        players, listed = self.players(state), list[answers.LegalMove]()
        for move in yielding(moves):
            facts = core.facts(engine, state, move)
            text = button_text(own, move, self._known(state, move, facts), players)
            listed.append(answers.LegalMove(dump(move), text, facts))
        return listed

    def _known(self, state: S, move: Any, facts: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the words of a legal move may say beside its members: its facts, and what only words need."""
        return {**facts, **core.particulars(self.engine, state, move)} if self.engine.particular_types else facts

    def _empty(self, move: Any) -> Any:
        """The same move; if it is a count, of nothing."""
        field = self.engine.row[type(move)].counts
        return changed(move, **{field: ()}) if field else move

    def audit(self, body: AuditBody[S]) -> answers.EncodedAudit:
        """`POST /audit`: every fault of a table at once."""
        state = self._complete(body.state)
        faults, unverified = core.audit(self.engine, state)
        listed = self.faults(faults, "/state", self.players(state))
        return answers.EncodedAudit(self.engine.game, not faults, listed, unverified, **_more(faults))

    def view(self, body: ViewBody[S]) -> answers.View:
        """`POST /view`: the table as a seat, or a spectator, may see it."""
        state = self.table(body.state)
        self._check_seat(state, body.seat, "/seat")
        return answers.View(self.engine.game, body.seat, self.state(self.engine.view(state, body.seat)))

    def deal(self, body: DealBody) -> answers.EncodedOpening:
        """`POST /deal`: the first state of a game, from a seed, from a deck, or from a seed drawn here."""
        seed = body.seed
        if seed is None and getattr(self._setup(body), "deck", None) is None:
            seed = secrets.token_hex(16)
        state = self.opening(body, seed)
        return answers.EncodedOpening(
            game=self.engine.game,
            state=self.state(state),
            to_act=self.engine.to_act(state),
            seed=seed,
            commitment=None if seed is None else shuffle.commitment(seed),
        )

    def opening(self, body: WithSetup, seed: str | None) -> S:
        """The first state of a game with this setup. `seed`: shuffles its deck; None: the setup brings a deck."""
        engine, setup = self.engine, self._setup(body)
        if self.names is not None:
            self._check_names(self.names, setup.seats)
        if faults := core.audit_setup(engine, setup):
            raise self._invalid_state(faults, "", Players(self.names))
        if seed is not None:
            setup = changed(setup, deck=shuffle.in_order(engine.cards(setup), seed))
        return engine.opening(setup)

    def table(self, posted: S) -> S:
        """A posted state, completed. Raises `Problem`, which lists the faults, if it has any."""
        state = self._complete(posted)
        faults, _unverified = core.audit(self.engine, state)
        if faults:
            raise self._invalid_state(faults, "/state", self.players(state))
        return state

    def known_table(self, posted: S, seats: int) -> S:
        """As `table`, of a state in which every card is seen and nothing is left unverified, for this many seats."""
        state = self.table(posted)
        if (at_table := self.engine.seats_of(state)) != seats:
            raise _misfit("/seats", "seats-of-state", seats=at_table)
        _faults, unverified = core.audit(self.engine, state)
        is_left_out = any(getattr(state, name) is None for name in _may_be_unknown(self.engine))
        if unverified or is_left_out or None in self.engine.zones.lying(state):
            raise _misfit("/state", "state-not-known")
        return state

    def _complete(self, posted: S) -> S:
        """A posted state with the defaults of its game filled in, its faults not searched."""
        cards = self.engine.zones.count(posted)
        if cards > self.engine.most_cards:
            raise too_much("too-many-cards", cards, self.engine.most_cards)
        state = self.engine.complete(posted)
        if self.names is not None:
            self._check_names(self.names, self.engine.seats_of(state))
        return state

    def _check_names(self, names: Sequence[str], seats: int) -> None:
        """Refuse names that are not one a seat."""
        if len(names) != seats:
            raise _misfit("/names", "names-of-all", seats=seats)

    def players(self, state: S) -> Players:
        """The players at a table, for the sentences."""
        teams = self._teams(state)
        return NAMELESS if self.names is None and teams is None else Players(self.names, teams)

    # --- what the engines return, encoded -------------------------------------------------------------

    def resolution(
        self, ruleset: object, moves: Sequence[object], resolution: Resolution[S]
    ) -> answers.EncodedResolution:
        """The resolution of these moves as an answer. `ruleset`: the one by which it was judged."""
        engine, state, awaited = self.engine, resolution.state, resolution.undetermined
        players = self.players(state)
        events = self.events(moves, resolution.events, players)
        standings, result = self.ranking(state)
        to_act = engine.to_act(state)
        answer = answers.EncodedResolution(
            game=engine.game,
            legal=not resolution.violations,
            applied=resolution.applied,
            violations=self.violations(resolution.violations, f"/moves/{resolution.applied}", players),
            unverified=resolution.unverified,
            undetermined=None if awaited is None else self._undetermined(awaited, resolution.applied, players),
            contested=[answers.EncodedContested(*each) for each in resolution.contested],
            state=self.state(state),
            to_act=to_act,
            standings=standings,
            result=result,
            events=events,
            ruleset=self.ruleset(ruleset),
        )
        if len(resolution.violations) > LISTED:
            answer.more = True
        return answer

    def ruleset(self, ruleset: object) -> answers.RulesetUsed:
        """A ruleset with all its options."""
        options = vars(ruleset).copy()
        return answers.RulesetUsed(options.pop("name"), self.engine.version, options)

    def state(self, state: S) -> dict[str, object]:
        """A state as JSON."""
        return codecs(self.engine).state.dump(state)

    def events(
        self, moves: Sequence[object], happenings: Sequence[Happening], players: Players
    ) -> list[answers.EncodedEvent]:
        """What these moves have caused, each event with the index of its move."""
        text = words(self.engine, self.language).sentences
        unseen = self._bare_deals(moves)
        events: list[answers.EncodedEvent] = []
        for move, (ruling, params) in yielding(happenings):
            sentence = text[ruling.code].filled(params, players)
            if move in unseen:
                unseen.remove(move)
                sentence += f" {phrase('cards-unseen').text_in(self.language)}"
            events.append({"rule": ruling.rule, "code": ruling.code, "move": move, "params": params, "text": sentence})
        return events

    def _bare_deals(self, moves: Sequence[object]) -> set[int]:
        """The indexes of the deals that have neither a seed nor a deck."""
        deal = self.engine.deal
        if deal is None:
            return set()
        return {at for at, move in enumerate(moves) if type(move) is deal.kind and move == deal.kind()}

    def violations(
        self, violations: Sequence[Violation], where: str, players: Players
    ) -> list[answers.EncodedViolation]:
        """The first `LISTED` violations. `where`: the pointer to the move in the request."""
        return [
            answers.EncodedViolation(**self._common(ruling, params, players), pointer=where + pointer)
            for ruling, params, pointer in violations[:LISTED]
        ]

    def faults(self, faults: Sequence[Fault], where: str, players: Players) -> list[answers.EncodedFault]:
        """The first `LISTED` faults. `where`: the pointer to the state in the request."""
        return [
            answers.EncodedFault(**self._common(ruling, params, players), pointers=[where + each for each in pointers])
            for ruling, params, pointers in faults[:LISTED]
        ]

    def ranking(self, state: S) -> tuple[Sequence[answers.Standing], answers.EncodedResult | None]:
        """The standings, of seats or of teams, and the result of a game that is over."""
        kind = answers.EncodedStanding if self._teams(state) is None else answers.TeamStanding
        standings, result = self.engine.standings(state), self.engine.result(state)
        return _encoded(standings, kind), None if result is None else answers.EncodedResult(**vars(result))

    def _teams(self, state: S) -> tuple[int, ...] | None:
        """The team of each seat; None where standings and winners list seats."""
        return None if self.engine.teams is None else self.engine.teams(state)

    def _undetermined(self, awaited: Undetermined, move: int | None, players: Players) -> answers.EncodedUndetermined:
        """What has to be seen before a move can be applied. `move`: its index; None where there is only one."""
        ruling, params, pointer = awaited
        common = self._common(ruling, params, players)
        return answers.EncodedUndetermined(**common, move=move, pointer=f"/state{pointer}")

    def _common(self, ruling: Ruling, params: Mapping[str, object], players: Players) -> dict[str, Any]:
        """The members that all encoded rulings have."""
        text = words(self.engine, self.language).sentences[ruling.code].filled(params, players)
        return {"rule": ruling.rule, "code": ruling.code, "params": params, "text": text}

    def _outcome(
        self, state: S, moves: Sequence[M], actual: Resolution[S], option: str, value: answers.Setting
    ) -> answers.OtherOutcome:
        """The outcome of the moves if an option had another value. `actual`: the one under the value that it has."""
        ruleset = changed(ruleset_of(state), **{option: value})
        other = core.resolve(self.engine, changed(state, ruleset=ruleset), yielding(moves))
        standings, result = self.ranking(other.state)
        return answers.OtherOutcome(
            value=value,
            legal=other.legal,
            applied=other.applied,
            standings=standings,
            result=result,
            changed=self._compared_parts(other) != self._compared_parts(actual),
        )

    def _compared_parts(self, resolution: Resolution[S]) -> tuple[object, ...]:
        """The parts of a resolution that are compared to see whether another ruleset changes it."""
        state = resolution.state
        table = changed(state, ruleset=None)
        return resolution.legal, resolution.applied, table, self.ranking(state)

    def _comparison(self, state: S, moves: Sequence[M], name: str) -> answers.Comparison:
        """The outcome of the moves under the ruleset of this name; the faults, if it does not admit the table."""
        under = changed(state, ruleset=self.engine.rulesets[name])
        faults, _unverified = core.audit(self.engine, under)
        answer = answers.Comparison(name)
        if faults:
            answer.faults = self.faults(faults, "/state", self.players(state))
            return answer
        other = core.resolve(self.engine, under, yielding(moves))
        answer.legal = other.legal
        answer.standings, answer.result = self.ranking(other.state)
        answer.events = self.events(moves, other.events, self.players(other.state))
        return answer

    def _player_view(
        self, state: S, body: ResolveBody[S, M], resolution: Resolution[S], seat: int | None
    ) -> answers.PlayerView:
        """A resolution of moves as a seat may see it; None: a spectator. `state`: the table before it."""
        seen = core.seen(self.engine, resolution, seat)
        events = self.events(body.moves, seen.events, self.players(state))
        view = answers.PlayerView(seat, self.state(seen.state), events)
        if body.legal_moves:
            view.legal_moves = self.listing_of(seen.state, seat)
        return view

    def _setup(self, body: WithSetup) -> Any:
        """The game's own setup, made from the fields of the body that belong to it."""
        setup = self.engine.setup
        return setup(**{each.name: getattr(body, each.name) for each in fields(setup)})

    def _check_seat(self, state: S, seat: int | None, pointer: str) -> None:
        """Refuse a seat that the table does not have. None is no seat, and never refused."""
        if seat is not None and seat >= (seats := self.engine.seats_of(state)):
            assert self.engine.no_such_seat is not None, "the schema takes no seat beyond tables that are all alike"
            fault = self.engine.no_such_seat.found(pointer, "/state", seat=seat, seats=seats)
            raise self._invalid_state([fault], "", self.players(state), "the-seat")

    def _invalid_state(self, faults: Sequence[Fault], where: str, players: Players, what: str = "the-table") -> Problem:
        """The problem that lists these faults. `where`: see `faults`; `what`: the phrase for what is faulty."""
        count = len({fault.ruling.rule for fault in faults})
        detail = phrase("contradicts", what=phrase(what), count=count)
        listed = self.faults(faults, where, players)
        return Problem("invalid-state", detail, faults=listed, **_more(faults))


@cache
def _may_be_unknown(engine: Engine[Any]) -> tuple[str, ...]:
    """The zones, and the dealer, that a state may leave out because they are not known. A deal goes on from these."""
    hints = get_type_hints(engine.state, include_extras=True)
    names = [name for name in (*engine.zones.names, "dealer") if name in hints]
    return tuple(name for name in names if any(isinstance(word, Unknown) for word in inside(hints[name])))


def _misfit(pointer: str, what: str, **params: object) -> Problem:
    """The problem of one place that does not fit the table. `what`: the phrase that says so."""
    detail = phrase(what, **params)
    return Problem("invalid-state", detail, faults=[], errors=[{"pointer": pointer, "detail": detail}])


@lru_cache(1024)
def _encoded(standings: tuple[EngineStanding, ...], kind: type[answers.Standing]) -> tuple[answers.Standing, ...]:
    """Standings, encoded. The cache saves 4 % of judging a trick of six players."""
    return tuple([kind(*each) for each in standings])


def _more(rulings: Sequence[Violation | Fault]) -> dict[str, Any]:
    """The member `more`, to go beside the first `LISTED` of these; nothing where they are no more."""
    return more(len(rulings) > LISTED)


def _check_work(moves: int, outcomes: int) -> None:
    """Refuse a body that needs too much work: so many moves, each under so many rulesets and for so many views."""
    if (count := max(moves, 1) * outcomes) > bounds.OUTCOMES:
        raise too_much("too-many-outcomes", count, bounds.OUTCOMES, moves=moves, outcomes=outcomes)


def seats_in(move: Any) -> Iterator[int]:
    """Every seat that a move in JSON names, at any depth."""
    if isinstance(move, dict):
        for name, part in move.items():
            if name != "seat":
                yield from seats_in(part)
            elif part is not None:
                yield part
    elif isinstance(move, list | tuple):
        for part in move:
            yield from seats_in(part)
