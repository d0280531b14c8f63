// A server that fails: what is sent again, and what comes of it: `node --test failing.mts`.

import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import {
  IllegalMove,
  NetworkError,
  type Options,
  Referee,
  RefereeProblem,
  StoreUnavailable,
  Unsupported,
} from "../../../clients/typescript/src/index.ts";
import { BY_TYPE } from "../../../clients/typescript/src/problems.ts";

/** Status, headers and body; null: the connection breaks. */
type Reply = [number, Record<string, string>, string] | null;

const AWAY = JSON.stringify({
  type: "/problems/store-unavailable",
  title: "Away",
  status: 503,
  detail: "Away.",
  instance: "/",
});
const LATER: Reply = [503, { "Retry-After": "0" }, AWAY];
const GONE: Reply = [404, {}, AWAY.replace("store-unavailable", "not-found").replace("503", "404")];
const RUNS: Reply = [409, { "Retry-After": "0" }, AWAY.replace("store-unavailable", "request-in-progress")];
const gateway = (status: number): Reply => [status, {}, "Gateway"];
const EMPTY: Reply = [200, {}, "{}"];
const MADE: Reply = [201, {}, '{"version": 1}'];
const STREAM = { "Content-Type": "text/event-stream" };

/** A referee that answers each request with the next of the replies, the headers that it was sent, and the paths. */
async function failing(context: TestContext, ...replies: Reply[]): Promise<[Referee, IncomingHttpHeaders[], string[]]> {
  const asked: IncomingHttpHeaders[] = [];
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? "");
    const reply = replies[asked.push(request.headers) - 1];
    const [status, headers, body] = reply ?? [0, {}, ""];
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, { ...headers, Connection: "close" }).end(body);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  context.after(() => server.close());
  return [new Referee(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { retries: 1 }), asked, paths];
}

for (const id of ["../../x", "..", "a/b", "a?b", "a b", "a\n", "%2e%2e", ""]) {
  test(`${JSON.stringify(id)} is refused as an id before anything is sent`, async (context) => {
    const [referee, asked] = await failing(context);
    assert.throws(() => referee.twins.at(id, "token"), /is no id of a session/);
    await assert.rejects(referee.twins.join(id, 0, "invite"), /is no id of a session/);
    assert.equal(asked.length, 0);
  });
}

test("every part of a path is escaped", async (context) => {
  const [referee, , paths] = await failing(context, EMPTY, EMPTY);
  const other = "1/../../x?y" as unknown as number; // what a caller without types may pass
  await referee.twins.at("id").log(other);
  await referee.twins.join("id", other, "invite");
  const escaped = "1%2F..%2F..%2Fx%3Fy";
  assert.deepEqual(paths, [`/sessions/id/moves?after=${escaped}`, `/sessions/id/seats/${escaped}`]);
});

for (const [what, reply] of [
  ["was refused for now", LATER],
  ["met a gateway without a server", gateway(502)],
  ["met a server that is too slow", gateway(504)],
  ["broke off", null],
  ["broke off and still runs", RUNS],
] as const) {
  test(`a change that ${what} is sent again under the same key`, async (context) => {
    const [referee, asked] = await failing(context, reply, MADE);
    assert.equal((await referee.twins.at("id", "token").move({ type: "deal" })).version, 1);
    assert.equal(asked.length, 2);
    assert(asked[0]?.["idempotency-key"]);
    assert.equal(asked[0]["idempotency-key"], asked[1]?.["idempotency-key"]);
  });
}

for (const [said, waited] of [
  ["1", 1_000],
  ["3600", 60_000],
] as const) {
  test(`a client that is told to wait ${said} seconds waits ${waited} milliseconds`, async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const later = new Response(AWAY, { status: 429, headers: { "Retry-After": said } });
    const answers = [later, new Response('{"version": 1}', { status: 201 })];
    const referee = new Referee("http://127.0.0.1/", { fetch: async () => answers.shift()! });
    const moved = referee.twins.at("id", "token").move({ type: "deal" });
    for (const [milliseconds, left] of [
      [waited - 1, 1],
      [1, 0],
    ] as const) {
      await new Promise(setImmediate);
      context.mock.timers.tick(milliseconds);
      await new Promise(setImmediate);
      assert.equal(answers.length, left);
    }
    assert.equal((await moved).version, 1);
  });
}

test("a time that has passed is no reason to wait", async (context) => {
  const [referee, asked] = await failing(context, [503, { "Retry-After": new Date(0).toUTCString() }, AWAY], MADE);
  await referee.twins.at("id", "token").move({ type: "deal" });
  assert.equal(asked.length, 2);
});

test("a server that stays away is a problem", async (context) => {
  const [referee, asked] = await failing(context, LATER, LATER, MADE);
  await assert.rejects(referee.twins.at("id", "token").read(), StoreUnavailable);
  assert.equal(asked.length, 2);
});

test("what is refused for good is asked once", async (context) => {
  const [referee, asked] = await failing(context, [404, {}, AWAY], MADE);
  await assert.rejects(referee.twins.at("id", "token").read(), RefereeProblem);
  assert.equal(asked.length, 1);
});

for (const [what, body, type] of [
  ["is new", '{"type": "/problems/new", "status": 418, "detail": "New.", "instance": "/"}', "/problems/new"],
  ["is HTML", "<html>Bad gateway</html>", "about:blank"],
  ["is a list", "[]", "about:blank"],
  ["is null", "null", "about:blank"],
] as const) {
  test(`a problem that ${what} is a problem all the same`, async (context) => {
    const [referee] = await failing(context, [418, {}, body]);
    await assert.rejects(referee.twins.at("id").read(), (error) => {
      assert(error instanceof RefereeProblem);
      assert.deepEqual(
        [error.name, error.kind, error.problem.type, error.status],
        ["RefereeProblem", "unknown", type, 418],
      );
      return true;
    });
  });
}

for (const [status, body, told] of [
  [200, "<html>Sign in to the network</html>", "<html>Sign in to the network</html>"],
  [201, '{"version": ', '{"version": '],
  [200, "", "An answer of 200 without a body."],
  [408, "", "An answer of 408 without a body."],
  [500, '{"type": "about:blank", "detail": "Gateway"}', "Gateway"],
] as const) {
  test(`an answer of ${status} that is ${body || "empty"} is a problem`, async (context) => {
    const [referee] = await failing(context, [status, {}, body]);
    await assert.rejects(referee.twins.at("id", "token").move({ type: "deal" }), (error) => {
      assert(error instanceof RefereeProblem);
      assert.deepEqual([error.status, error.message], [status, told]);
      return true;
    });
  });
}

for (const [violations, message] of [
  [
    [
      { text: "Not your turn.", rule: "TW-3.1" },
      { text: "Not now.", rule: "TW-9" },
    ],
    "Not your turn. (TW-3.1)",
  ],
  [[], "Away."],
] as const) {
  test(`an illegal move of ${violations.length} violations says ${message}`, async (context) => {
    const document = { ...JSON.parse(AWAY), type: "/problems/illegal-move", status: 422, violations };
    const [referee] = await failing(context, [422, {}, JSON.stringify(document)]);
    await assert.rejects(referee.twins.at("id").move({ type: "deal" }), (error) => {
      assert(error instanceof IllegalMove);
      assert.deepEqual([error.name, error.message], ["IllegalMove", message]);
      const first: { text: string } | undefined = error.problem.violations[0]; // required: no `?.` before it
      assert.equal(first?.text, violations[0]?.text);
      return true;
    });
  });
}

test("a problem's kind is the end of its type", () => {
  for (const [type, kind] of Object.entries(BY_TYPE)) {
    assert.equal(
      `/problems/${new kind({ type, title: "", status: 400, detail: "", instance: "/" } as never).kind}`,
      type,
    );
  }
});

test("a stream that breaks off is taken up where it was", async (context) => {
  const entry = (version: number): string => `id: ${version}\r\nevent: entry\r\ndata: {"version": ${version}}\r\n\r\n`;
  const [referee, asked] = await failing(
    context,
    [200, STREAM, `retry: 10\n\n${entry(1)}: still here\n\n${entry(2).slice(0, -2)}`],
    LATER,
    [200, STREAM, `retry: 10\n\n${entry(2)}event: closed\ndata: {}\n\n`],
  );
  const versions: number[] = [];
  for await (const { version } of referee.twins.at("id", "token").events()) versions.push(version);
  assert.deepEqual(versions, [1, 2]);
  assert.deepEqual(
    asked.map((each) => each["last-event-id"]),
    ["0", "1", "1"],
  );
});

test("what a refused stream is told to wait counts once, and is never less than the pause between streams", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const later = (said: string) => new Response(AWAY, { status: 503, headers: { "Retry-After": said } });
  const brokenOff = new Response("", { headers: STREAM });
  const answers = [brokenOff, later("0"), later("7"), new Response(AWAY, { status: 503 })];
  const referee = new Referee("http://127.0.0.1/", {
    fetch: async () => answers.shift() ?? new Response("event: closed\ndata: {}\n\n", { headers: STREAM }),
  });
  const ended = referee.twins.at("id", "token").events().next();
  for (const [milliseconds, left] of [
    [0, 3],
    [1_999, 3],
    [1, 2],
    [1_999, 2],
    [1, 1],
    [6_999, 1],
    [1, 0],
  ] as const) {
    context.mock.timers.tick(milliseconds);
    await new Promise(setImmediate);
    assert.equal(answers.length, left);
  }
  context.mock.timers.tick(2_000);
  assert((await ended).done);
});

test("a session that is closed while the stream is broken ends what follows it", async (context) => {
  const told = 'retry: 10\n\nid: 1\nevent: entry\ndata: {"version": 1}\n\n';
  const [referee] = await failing(context, [200, STREAM, told], GONE);
  const versions: number[] = [];
  for await (const { version } of referee.twins.at("id", "token").events()) versions.push(version);
  assert.deepEqual(versions, [1]);
});

test("a session is closed although the answer is lost", async (context) => {
  const [referee] = await failing(context, LATER, GONE);
  await referee.twins.at("id", "token").close();
});

test("a stream that is refused without a time to wait is asked for at its own pace", async (context) => {
  const [referee, asked] = await failing(context, [200, STREAM, "retry: 200\n\n"], ...Array<Reply>(50).fill(LATER));
  const stop = AbortSignal.timeout(500);
  await referee.twins.at("id", "token").events(0, { signal: stop }).next();
  assert(asked.length > 1 && asked.length < 5, `${asked.length}`);
});

test("a stream that is refused for good is a problem, and so is what is no stream", async (context) => {
  for (const reply of [
    [401, {}, "{}"],
    [200, { "Content-Type": "text/html" }, "Sign in"],
  ] satisfies Reply[]) {
    const [referee] = await failing(context, reply);
    await assert.rejects(referee.twins.at("id", "token").events().next(), RefereeProblem);
  }
});

test("the signal of all calls ends what follows a session, too", async () => {
  const control = new AbortController();
  const silent = (signal: AbortSignal) =>
    new ReadableStream({
      start: (stream) => signal.addEventListener("abort", () => stream.error(signal.reason)),
    });
  const fetch = async (_: unknown, init?: RequestInit) => new Response(silent(init!.signal!), { headers: STREAM });
  const referee = new Referee("http://127.0.0.1/", { signal: control.signal, fetch });
  const ended = referee.twins.at("id", "token").events(0, { signal: new AbortController().signal }).next();
  setTimeout(() => control.abort(), 20);
  assert((await ended).done);
});

test("waiting to ask again can be given up", async () => {
  const control = new AbortController();
  const answers = async () => new Response(AWAY, { status: 503, headers: { "Retry-After": "3600" } });
  const referee = new Referee("http://127.0.0.1/", { signal: control.signal, fetch: answers, retries: 1 });
  const asked = referee.twins.at("id", "token").read();
  setTimeout(() => control.abort(), 20);
  await assert.rejects(asked);
});

test("a platform without chance and readable bodies says what it needs, and can call", async () => {
  const crypto = Object.getOwnPropertyDescriptor(globalThis, "crypto")!;
  Object.defineProperty(globalThis, "crypto", { value: undefined, configurable: true });
  try {
    const answer = {
      ok: true,
      status: 200,
      headers: new Headers(STREAM),
      text: async () => '{"version": 1}',
    } as Response;
    const referee = new Referee("http://127.0.0.1/", { fetch: async () => answer });
    assert.equal((await referee.twins.at("id", "token").move({ type: "deal" })).version, 1);
    await assert.rejects(referee.twins.open({ game: "twins", seats: 3 }), Unsupported);
    await assert.rejects(referee.twins.at("id").events().next(), Unsupported);
  } finally {
    Object.defineProperty(globalThis, "crypto", crypto);
  }
});

const head = (type: string, length: number): string =>
  `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
const whole = (type: string, text: string) => (socket: Socket) => socket.end(head(type, text.length) + text);

/** A referee without retries, whose server reads a request and then does so. */
async function behaving(
  context: TestContext,
  behave: (socket: Socket) => void,
  scheme = "http",
  options: Options = { retries: 0, timeout: 500 },
): Promise<Referee> {
  const sockets: Socket[] = [];
  const server = createSocketServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    socket.once("data", () => behave(socket));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return new Referee(`${scheme}://127.0.0.1:${port}`, options);
}

for (const [what, behave, status] of [
  ["resets", (socket) => socket.resetAndDestroy(), 0],
  ["resets in its answer", (socket) => socket.write(head("application/json", 9), () => socket.resetAndDestroy()), 0],
  ["hangs", () => {}, 0],
  ["hangs in its answer", (socket) => socket.write(`${head("application/json", 9)}{`), 0],
  ["closes early", (socket) => socket.end(`${head("application/json", 9)}{`), 0],
  ["closes at once", (socket) => socket.end(), 0],
  ["answers garbage", (socket) => socket.end("\x00\x01 no HTTP\r\n\r\n"), 0],
  ["answers a page", whole("text/html", "<html>Sign in</html>"), 200],
  ["answers half of a text", whole("application/json", '{"games": '), 200],
] satisfies [string, (socket: Socket) => void, number][]) {
  test(`a server that ${what} is an error of the network with its cause`, async (context) => {
    const referee = await behaving(context, behave);
    await assert.rejects(referee.games(), (error) => {
      assert(error instanceof NetworkError, `${error}`);
      assert.deepEqual([error.name, error.status], ["NetworkError", status]);
      assert(error.cause instanceof Error);
      return true;
    });
  });
}

test("a refused connection and a server without TLS are errors of the network", async (context) => {
  const without = await behaving(context, (socket) => socket.end("no TLS"), "https");
  const server = createSocketServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  for (const referee of [new Referee(`http://127.0.0.1:${port}`, { retries: 0 }), without]) {
    await assert.rejects(referee.games(), (error) => error instanceof NetworkError && error.cause instanceof Error);
  }
});

test("a stream that holds something else is an error of the network", async (context) => {
  for (const text of ["id: 1\nevent: entry\ndata: {\n\n", "id: 1\nevent: entry\n\n"]) {
    const referee = await behaving(context, whole("text/event-stream", text));
    await assert.rejects(
      referee.twins.at("id").events().next(),
      (error) => error instanceof NetworkError && error.cause instanceof SyntaxError,
    );
  }
});

for (const [what, behave, expected, least] of [
  ["hangs", () => {}, NetworkError, 900],
  ["hangs in its answer", (socket) => socket.write(`${head("application/json", 9)}{`), NetworkError, 900],
  [
    "says later",
    (socket) =>
      socket.end(
        `HTTP/1.1 503 Later\r\nConnection: close\r\nRetry-After: 30\r\nContent-Length: ${AWAY.length}\r\n\r\n${AWAY}`,
      ),
    StoreUnavailable,
    0,
  ],
] satisfies [string, (socket: Socket) => void, new (...parts: never[]) => Error, number][]) {
  test(`a deadline holds over all tries at a server that ${what}`, async (context) => {
    const referee = await behaving(context, behave, "http", { deadline: 1_000 });
    const begin = performance.now();
    await assert.rejects(referee.games(), expected);
    const elapsed = performance.now() - begin;
    assert(elapsed >= least && elapsed <= 4_000, `${elapsed}`);
  });
}

test("a call has a deadline and a signal of its own", async (context) => {
  const referee = await behaving(context, () => {}, "http", { deadline: 60_000 });
  await assert.rejects(referee.games({ deadline: 200 }), NetworkError);
  const table = referee.twins.at("id", "token");
  for (const call of [
    (signal: AbortSignal) => referee.twins.rulebook({ signal }),
    (signal: AbortSignal) => table.read({ signal }),
    (signal: AbortSignal) => table.move({ type: "deal" }, { signal }),
    (signal: AbortSignal) => table.log(0, { signal }),
    (signal: AbortSignal) => table.close({ signal }),
  ]) {
    const control = new AbortController();
    const reason = new Error("The player has left.");
    const made = call(control.signal);
    control.abort(reason);
    await assert.rejects(made, reason);
  }
});

test("a first stream is tried as often as a call", async (context) => {
  const [referee, asked] = await failing(context, LATER, null, LATER);
  await assert.rejects(referee.twins.at("id").events().next(), NetworkError);
  assert.equal(asked.length, 2);
});
