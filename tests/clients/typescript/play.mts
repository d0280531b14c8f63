// A whole game over the live service, followed by seat 0 and put into words: `node play.ts URL GAME`.

import assert from "node:assert/strict";
import type { GinRummy, TakeThat, TwinIt, Twins } from "../../../clients/typescript/src/games.ts";
import { type Game, type Known, type models, Referee, type Types } from "../../../clients/typescript/src/index.ts";

// A code that is forgotten, or that the game does not have, does not compile.

function ofGinRummy(event: Known<models.GinRummyEvent, GinRummy["EventByCode"]>): string {
  switch (event.code) {
    case "dealt":
      return `${event.params.dealer} deals`;
    case "drew":
      return `${event.params.seat} draws from ${event.params.from}`;
    case "passed":
      return `${event.params.seat} passes`;
    case "discarded":
      return `${event.params.seat} discards ${event.params.card}`;
    case "knocked":
      return `${event.params.seat} knocks with ${event.params.deadwood}`;
    case "laid-off":
      return `${event.params.lay_offs.length} cards are laid off`;
    case "scored":
      return `${event.params.points} for ${event.params.item}`;
    case "hand-over":
      return `${event.params.kind}: ${event.params.points}`;
    case "game-over":
      return `${event.params.winners.join()} win`;
  }
}

function ofTakeThat(event: Known<models.TakeThatEvent, TakeThat["EventByCode"]>): string {
  switch (event.code) {
    case "dealt":
      return `${event.params.dealer} deals`;
    case "drew":
      return `${event.params.seat} draws`;
    case "laid":
      return `${event.params.card} is laid`;
    case "twisted":
      return `${event.params.shown} takes ${event.params.removed} away`;
    case "took":
      return `${event.params.seat} takes ${event.params.cards.length}`;
    case "round-over":
      return `${event.params.lines.map((line) => line.points).join()}`;
    case "game-over":
      return `${event.params.winners.join()} win`;
  }
}

function ofTwinIt(event: Known<models.TwinItEvent, TwinIt["EventByCode"]>): string {
  switch (event.code) {
    case "flipped":
      return `${event.params.seat} flips ${event.params.card}`;
    case "set-won":
      return `${event.params.seat} wins ${event.params.cards.join()}`;
    case "robbed":
      return `${event.params.by} robs ${event.params.seat}`;
    case "no-effect":
      return `${event.params.seat} is too late`;
    case "tied":
      return `${event.params.seats.join()} tie`;
    case "turned":
      return `${event.params.card} is turned`;
    case "treble":
      return `three alike: ${event.params.cards.join()}`;
    case "mistake":
      return `${event.params.seat} is wrong`;
    case "freed":
      return `${event.params.design} is free`;
    case "rejected":
      return `not alike: ${event.params.cards.join()}`;
    case "counted":
      return `${event.params.pairs} pairs`;
    case "rated":
      return `${event.params.points} points`;
    case "game-over":
      return `${event.params.winners.join()} win`;
  }
}

function ofTwins(event: Known<models.TwinsEvent, Twins["EventByCode"]>): string {
  switch (event.code) {
    case "dealt":
      return `${event.params.dealer} deals`;
    case "bought":
      return `${event.params.seat} buys ${event.params.count}`;
    case "placed":
      return `${event.params.seat} has placed`;
    case "revealed":
      return event.params.plays.map((play) => play.cards.join("+")).join();
    case "paid":
      return `${event.params.seat} pays ${event.params.amount}`;
    case "won":
      return `${event.params.seat} wins ${event.params.amount}`;
    case "unpaid":
      return `${event.params.seats.join()} pay nothing`;
    case "bankrupted":
      return `${event.params.seat} is bankrupt`;
    case "sits-out":
      return `${event.params.seat} sits out`;
    case "pot-kept":
      return `${event.params.pot} stay in the pot`;
    case "hand-over":
      return "the hand is over";
    case "game-over":
      return `${event.params.winners.join()} win`;
  }
}

async function play<T extends Types>(
  game: Game<T>,
  request: T["SessionRequest"],
  inWords: (event: Known<T["Event"], T["EventByCode"]>) => string,
): Promise<void> {
  const { host, seats } = await game.open(request);
  let table: T["Session"] = await host.read();
  while (table.to_act.length > 0) {
    const move = soonOver((await host.legalMoves()).moves);
    const bearer = move.seat == null ? host : seats[move.seat];
    assert(bearer !== undefined);
    const moved = await bearer.move(move);
    assert.equal(moved.version, table.version + 1);
    table = await host.read();
  }
  assert.notEqual(table.result, null);
  const seat = seats[0];
  assert(seat !== undefined);
  const followed: T["Entry"][] = [];
  for await (const entry of seat.events()) {
    followed.push(entry);
    if (entry.version === table.version) break;
  }
  const logged: T["Entry"][] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: T["Log"] = await seat.log(after);
    logged.push(...page.entries);
    after = page.next;
  }
  assert.deepEqual(followed, logged);
  const words = followed.flatMap((entry) => entry.events).map((event) => inWords(narrowed(game, event)));
  assert.match(words.at(-1) ?? "", /win$/);
  assert(words.every((sentence) => !sentence.includes("undefined")));
  assert((await seat.transcript()).server_seed);
}

/** The event by its code; this package knows all of them. */
function narrowed<T extends Types>(game: Game<T>, event: { code: string; params: object }) {
  const known = game.event(event);
  assert(known !== undefined, event.code);
  return known;
}

/** By chance, of the legal moves what ends a hand, else what keeps least deadwood. */
function soonOver<Legal extends Types["LegalMoves"]["moves"][number]>(moves: Legal[]): Legal["move"] {
  const ends = moves.filter(({ move }) => move.type === "knock" || move.type === "take");
  const kept = ({ facts }: Legal): number => ("deadwood" in facts ? Number(facts.deadwood) : 0) + Math.random();
  return (ends.length > 0 ? ends : moves).reduce((best, each) => (kept(each) < kept(best) ? each : best)).move;
}

const [url = "", name] = process.argv.slice(2);
const referee = new Referee(url);
switch (name) {
  case "gin-rummy":
    await play(referee.ginRummy, { game: name, seats: 2, ruleset: { options: { target: 20 } } }, ofGinRummy);
    break;
  case "take-that":
    await play(referee.takeThat, { game: name, seats: 2 }, ofTakeThat);
    break;
  case "twin-it":
    await play(referee.twinIt, { game: name, seats: 2 }, ofTwinIt);
    break;
  case "twins":
    await play(referee.twins, { game: name, seats: 3 }, ofTwins);
    break;
  default:
    assert.fail(`no such game: ${name}`);
}
