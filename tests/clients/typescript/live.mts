// The calls at the live service: `REFEREE_URL=… node --test live.mts`.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import {
  IdempotencyKeyReused,
  IllegalMove,
  InvalidRequest,
  InvalidState,
  type models,
  NotOver,
  Referee,
  type RefereeProblem,
  SeedMismatch,
  TimeRunning,
  Unauthorized,
  VersionMismatch,
} from "../../../clients/typescript/src/index.ts";

const url = process.env["REFEREE_URL"] ?? "";
const referee = new Referee(url);

test("the stateless calls answer", async () => {
  const { state } = await referee.twins.deal({ seats: 3, seed: "rain" });
  const { moves } = await referee.twins.legalMoves({ state });
  const move = moves[0]?.move;
  assert(move?.type === "buy");
  assert((await referee.twins.validate({ state, move })).legal);
  assert.equal((await referee.twins.resolve({ state, moves: [move] })).applied, 1);
  assert((await referee.twins.audit({ state })).consistent);
  assert.equal((await referee.twins.view({ state, seat: null })).seat, null);
});

test("what is asked of another game does not compile", async () => {
  // @ts-expect-error: nobody knocks in Twins
  const knock: models.TwinsMove = { type: "knock", seat: 0 };
  const state = { phase: "buying" as const, chips: [12, 12, 12], pot: 0 };
  await assert.rejects(referee.twins.validate({ state, move: knock }), InvalidRequest);
  // @ts-expect-error: what is misspelt
  await assert.rejects(referee.twins.validate({ state, moove: knock }), InvalidRequest);
});

test("a code that is newer than the package is no known event", () => {
  assert.equal(referee.twins.event({ code: "struck-by-lightning", params: {} }), undefined);
  const event = referee.twins.event({ code: "paid", params: { seat: 1, amount: 2 } });
  // @ts-expect-error: only some codes have an amount
  assert.equal(event?.params.amount, 2);
  assert(event?.code === "paid");
  assert.equal(event.params.amount, 2);
});

test("the games and their rulebooks can be read", async () => {
  const names = (await referee.games()).map((game) => game.game);
  for (const game of ["gin-rummy", "take-that", "twin-it", "twins"]) assert(names.includes(game), game);
  assert.equal((await referee.twins.about()).title, "Twins");
  assert.equal((await referee.twins.rulebook()).clauses[0]?.id, "TW-1.1");
});

test("the calls of a batch are judged alone", async () => {
  const state: models.TwinsState = { phase: "buying", chips: [12, 12, 12], pot: 0 };
  const answers = await referee.batch([
    { id: "one", path: "/games/twins/audit", body: { state } },
    { id: "two", path: "/games/twins/audit", body: {} },
  ]);
  assert.deepEqual(
    answers.map(({ id, status }) => [id, status]),
    [
      ["one", 200],
      ["two", 400],
    ],
  );
  assert.equal(answers[0]?.body["consistent"], true);
});

test("sentences are in the language that was asked for", async () => {
  const { host } = await new Referee(url, { language: "it" }).ginRummy.open({ game: "gin-rummy", seats: 2 });
  const refused = await caught(host.move({ type: "lay-off", seat: 0 }), IllegalMove);
  assert.equal(refused.status, 422);
  const [violation] = refused.problem.violations;
  assert.equal(violation?.text, "Nessuno ha bussato: non c'è nulla a cui legare.");
  assert.equal(violation && referee.ginRummy.violation(violation)?.code, "nobody-knocked");
});

test("a table that has moved on is a version mismatch", async () => {
  const { host } = await referee.twins.open({ game: "twins", seats: 3 });
  await host.read();
  const seen = host.etag;
  await host.move({ type: "buy", seat: 0, count: 0 }, { ifMatch: seen });
  const late = await caught(host.move({ type: "buy", seat: 1, count: 0 }, { ifMatch: seen }), VersionMismatch);
  assert.equal(late.problem.version, 1);
});

test("the same key makes a move once", async () => {
  const { host } = await referee.twins.open({ game: "twins", seats: 3 });
  const move = { type: "buy", seat: 0, count: 0 } as const;
  const first = await host.move(move, { key: "mine" });
  assert.deepEqual(await host.move(move, { key: "mine" }), first);
  await assert.rejects(host.move({ ...move, count: 1 }, { key: "mine" }), IdempotencyKeyReused);
});

test("several moves are made at once", async () => {
  const { host } = await referee.twins.open({ game: "twins", seats: 3 });
  const moved = await host.move([0, 1].map((seat) => ({ type: "buy", seat, count: 0 })));
  assert.equal(moved.version, 1);
  assert.deepEqual(moved.to_act, [2]);
});

test("a seat is taken by invite, and its token renewed", async () => {
  const opened = await referee.twins.open({ game: "twins", seats: 3, invite: true });
  assert.deepEqual(opened.seats, []);
  const seat = await referee.twins.join(opened.host.id, 0, opened.answer.invites?.[0] ?? "");
  const old = referee.twins.at(seat.id, seat.token);
  await seat.renewToken();
  assert.equal((await seat.read()).game, "twins");
  await assert.rejects(old.read(), Unauthorized);
});

test("a host renews the token that a seat has lost", async () => {
  const { host, seats } = await referee.twins.open({ game: "twins", seats: 3 });
  const seat = referee.twins.at(host.id, await host.renewToken(0));
  assert.equal((await seat.read()).version, 1);
  assert.equal((await host.read()).version, 1);
  await assert.rejects(seats[0]!.read(), Unauthorized);
});

test("after a game each seat takes its place at the next table", async () => {
  const ruleset = { name: "standard", options: { knock_limit: 99, target: 1 } } as const;
  const { host, seats } = await referee.ginRummy.open({ game: "gin-rummy", seats: 2, ruleset });
  await assert.rejects(host.rematch(), NotOver);
  let { moves } = await host.legalMoves();
  while (moves.length > 0) {
    await host.move((moves.find(({ move }) => move.type === "knock") ?? moves[0]!).move);
    ({ moves } = await host.legalMoves());
  }
  const [first, second] = await Promise.all(seats.map((seat) => seat.rematch()));
  assert.equal(first!.id, second!.id);
  assert.deepEqual((await host.read()).rematch?.seated, [0, 1]);
  assert.ok(!(await second!.read()).state?.hands?.[1]?.includes(null));
});

test("in a joint deal every seat commits, then gives its seed", async () => {
  const { host, seats } = await referee.twins.open({ game: "twins", seats: 3, fair: "joint" });
  assert.equal((await host.read()).state, null);
  const seeds = ["rain", "wind", "snow"];
  for (const [seat, seed] of seeds.entries()) {
    await seats[seat]?.commit(createHash("sha256").update(seed).digest("hex"));
  }
  await assert.rejects(seats[0]!.giveSeed("sun"), SeedMismatch);
  for (const [seat, seed] of seeds.entries()) await seats[seat]?.giveSeed(seed);
  assert.notEqual((await host.read()).state, null);
  assert.deepEqual((await host.transcript()).seeds, seeds);
});

test("a clock that binds is started without seconds, and collects counts", async () => {
  const ruleset = { name: "timed" } as const;
  const { host, seats } = await referee.twinIt.open({ game: "twin-it", seats: 2, ruleset, clock_seconds: 10 });
  const count: models.TwinItCount = { type: "count", seat: 1, groups: [] };
  await assert.rejects(
    seats[1]!.count(count),
    (error) => error instanceof TimeRunning && error.problem.ends_in_ms === null,
  );
  assert.equal((await seats[1]!.startClock()).clock_seconds, 10);
  const { ends_in_ms } = (await host.read()).clock!;
  await assert.rejects(seats[1]!.count(count), TimeRunning);
  await new Promise((over) => setTimeout(over, ends_in_ms + 50));
  assert.deepEqual(await seats[1]!.count(count), { counted: [], version: 1 });
  assert.deepEqual([(await seats[1]!.read()).counted, (await seats[0]!.read()).counted], [[], null]);
});

test("a public session is seen without a token", async () => {
  const { host } = await referee.twins.open({ game: "twins", seats: 3, public: true });
  assert.equal((await referee.twins.at(host.id).read()).version, 0);
});

test("a session that is closed ends every stream that follows it", async () => {
  const { host, seats } = await referee.twins.open({ game: "twins", seats: 3 });
  await host.move({ type: "buy", seat: 0, count: 0 });
  const following = seats[1]!.events();
  assert.equal((await following.next()).value?.version, 1);
  await host.close();
  assert.equal((await following.next()).done, true);
});

test("a stream stops at a signal", async () => {
  const { host, seats } = await referee.twins.open({ game: "twins", seats: 3 });
  await host.move({ type: "buy", seat: 0, count: 0 });
  const stop = new AbortController();
  for await (const entry of seats[1]!.events(0, { signal: stop.signal })) {
    assert.equal(entry.version, 1);
    setTimeout(() => stop.abort());
  }
});

test("what is wrong is an error of its class", async () => {
  const wrong = await caught(referee.twins.resolve({ state: {}, moves: [] } as never), InvalidRequest);
  assert.match(wrong.problem.errors[0]?.pointer ?? "", /^\/state/);
  const state = { phase: "buying" as const, chips: [1, 2, 3], pot: 0 };
  const broken = await caught(referee.twins.resolve({ state, moves: [] }), InvalidState);
  assert.equal(broken.problem.faults.map((each) => referee.twins.fault(each)?.code)[0], "chips-astray");
});

/** The error that a promise is rejected with, which must be of this class. */
async function caught<E extends RefereeProblem>(
  promise: Promise<unknown>,
  kind: new (problem: never) => E,
): Promise<E> {
  const error = await promise.then(
    () => undefined,
    (each: unknown) => each,
  );
  assert(error instanceof kind, String(error));
  return error;
}
