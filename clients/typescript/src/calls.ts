/** The calls of one game, and a table that the service keeps. `games.ts` fills in the types of each game. */

import { type Call, Connection, type Options, Unsupported } from "./connection.ts";
import type * as models from "./models.ts";
import { NotFound } from "./problems.ts";

interface AnyRuling {
  code: string;
  params: object;
}

/** What each game has of its own, and what of it is alike in all. */
export interface Types {
  // bodies and answers of the calls, generated: make clients
  ResolveBody: object;
  Resolution: {
    game: string;
    ruleset: { name: string; version: number; options: object };
    legal: boolean;
    applied: number;
    violations: AnyRuling[];
    unverified: string[];
    undetermined: AnyRuling | null;
    events: AnyRuling[];
    contested: { rule: string; option: string; why: string }[];
    state: { phase: string };
    to_act: (number | null)[];
    standings: { score: number; rank: number }[];
    result: { rule: string } | null;
  };
  ValidateBody: object;
  Judgement: {
    game: string;
    ruleset: { name: string; version: number; options: object };
    legal: boolean;
    text: string;
    violations: AnyRuling[];
    unverified: string[];
    undetermined: AnyRuling | null;
  };
  LegalMovesBody: object;
  LegalMoves: {
    game: string;
    ruleset: { name: string; version: number; options: object };
    to_act: (number | null)[];
    moves: { move: Types["Move"]; text: string; facts: object }[];
    complete: boolean;
  };
  AuditBody: object;
  Audit: {
    game: string;
    consistent: boolean;
    faults: AnyRuling[];
    unverified: string[];
  };
  ViewBody: object;
  View: {
    game: string;
    seat: number | null;
    state: { phase: string };
  };
  DealBody: object;
  Opening: {
    game: string;
    state: { phase: string };
    to_act: (number | null)[];
    seed: string | null;
    commitment: string | null;
  };
  // end of bodies and answers of the calls
  SessionRequest: object;
  SessionOpened: { id: string; tokens: models.SessionTokens; invites?: string[] };
  Session: { version: number; to_act: (number | null)[]; state: object | null; result: object | null };
  Move: { type: string; seat?: number | null };
  Moved: { version: number; to_act: (number | null)[]; events: AnyRuling[] };
  Log: { entries: Types["Entry"][]; next: number | null };
  Entry: { version: number; events: AnyRuling[] };
  Transcript: { server_seed: string | null };
  Event: AnyRuling;
  EventByCode: object;
  Violation: AnyRuling;
  ViolationByCode: object;
  Fault: AnyRuling;
  FaultByCode: object;
}

/** A ruling whose `code` determines its `params`: a `switch` over the code narrows it. */
export type Known<Ruling, ByCode> = {
  [Code in keyof ByCode & string]: Omit<Ruling, "code" | "params"> & { code: Code; params: ByCode[Code] };
}[keyof ByCode & string];

/** The codes that this package knows, by the kind of ruling. */
export interface Codes {
  readonly event: readonly string[];
  readonly violation: readonly string[];
  readonly fault: readonly string[];
}

/** What a stream sends. */
export type LiveEvent<T extends Types> =
  | { event: "entry"; data: T["Entry"] }
  | { event: "incident"; data: models.Incident }
  | { event: "clock"; data: models.RunningClock };

/** How a change is made. */
export interface Change extends Call {
  /** A secret under which a change that is sent again is made once: stored to send the same again later. */
  key?: string;
}

export interface MoveChange extends Change {
  /** The `etag` of the table that was decided upon, as its bearer read it: one that has moved on is a VersionMismatch. */
  ifMatch?: string | null;
}

/** A fresh secret. `guessable`: where the platform has no secure chance, one that is only different each time. */
function freshKey(guessable = false): string {
  if (typeof globalThis.crypto?.getRandomValues !== "function") {
    if (guessable) return [Date.now(), Math.random(), Math.random()].map((each) => each.toString(36)).join("-");
    throw new Unsupported("This platform has no crypto.getRandomValues: pass a secret of 16 or more characters as `key`.");
  }
  return Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The path with these parts, each of them escaped. */
function pathOf(...parts: (string | number)[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}

/** The path of a part of a session; throws a TypeError for a text that is no id of a session. */
function sessionPath(id: string, ...parts: (string | number)[]): string {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(id)) throw new TypeError(`${JSON.stringify(id)} is no id of a session.`);
  return pathOf("sessions", id, ...parts);
}

/** A session as one bearer sees it and acts in it. Without a token: as a spectator of a public one. */
export class Table<T extends Types> {
  readonly #connection: Connection;
  readonly id: string;
  token: string | null;
  /** The version of the table that this bearer read last, for `ifMatch`. */
  etag: string | null = null;

  constructor(connection: Connection, id: string, token: string | null) {
    sessionPath(id);
    this.#connection = connection;
    this.id = id;
    this.token = token;
  }

  /** The table as it is. `legalMoves`: with what the bearer may do now, in the member `legal_moves`. */
  async read({ legalMoves = false, ...call }: { legalMoves?: boolean } & Call = {}): Promise<T["Session"]> {
    const query = legalMoves ? "?legal_moves=true" : "";
    const answer = await this.#connection.ask("GET", `${this.#path()}${query}`, call, undefined, this.#bearer());
    this.etag = answer.etag;
    return answer.body;
  }

  /** What the bearer may do now. */
  async legalMoves(call: Call = {}): Promise<T["LegalMoves"]> {
    return this.#get("legal-moves", call);
  }

  /** All of the moves or none, and once however often it is sent. */
  async move(moves: T["Move"] | readonly T["Move"][], change: MoveChange = {}): Promise<T["Moved"]> {
    return this.#change("moves", { moves: Array.isArray(moves) ? moves : [moves] }, change);
  }

  /** In a session that gathers hands: a claim with hands, which join the incident. */
  async bring(part: T["Move"], change: MoveChange = {}): Promise<models.Joined> {
    return this.#change("moves", { moves: [part] }, change);
  }

  /** Where players count when the time is up: starts the clock. `seconds`: left out if the session has `clock_seconds`, else needed. */
  async startClock(seconds?: number, call: Call = {}): Promise<T["Session"]> {
    return this.#change("clock", seconds === undefined ? {} : { seconds }, call);
  }

  /** In a timed session with `clock_seconds`, once its clock has ended: a seat's count. All are settled together. */
  async count(count: T["Move"], change: MoveChange = {}): Promise<models.Counted> {
    return this.#change("moves", { moves: [count] }, change);
  }

  /** In a joint deal: the SHA-256, in hex, of the seed that this seat will give. */
  async commit(commitment: string, call: Call = {}): Promise<T["Session"]> {
    return this.#change("commitments", { commitment }, call);
  }

  /** In a joint deal, once all have committed: that seed. */
  async giveSeed(seed: string, call: Call = {}): Promise<T["Session"]> {
    return this.#change("seeds", { seed }, call);
  }

  /** A new token for the bearer, taken from now on, or, for the host to give, for a seat; the old one is void. */
  async renewToken(seat?: number, call: Call = {}): Promise<string> {
    const { token }: models.SessionToken = await this.#change("tokens", seat === undefined ? {} : { seat }, call);
    if (seat === undefined) this.token = token;
    return token;
  }

  /** Once the game is over: this bearer's place at the next table, which the first to call opens. */
  async rematch(call: Call = {}): Promise<Table<T>> {
    const { id, token }: models.NextTable = await this.#change("rematch", undefined, call);
    return new Table<T>(this.#connection, id, token);
  }

  /** A page of the log after a version; `next` is the `after` of the next page. */
  async log(after = 0, call: Call = {}): Promise<T["Log"]> {
    return this.#get("moves", call, after);
  }

  /**
   * The log after a version as it grows, until the session is closed or the signal says so. Waits for each entry; comes
   * back by itself when the stream breaks off.
   */
  async *events(after = 0, options: { signal?: AbortSignal } = {}): AsyncGenerator<T["Entry"], void, undefined> {
    for await (const { event, data } of this.live(after, options)) if (event === "entry") yield data;
  }

  /** As `events()`, with the hands of an incident as they fall, and the start and the end of the clock. */
  live(after = 0, { signal }: { signal?: AbortSignal } = {}): AsyncGenerator<LiveEvent<T>, void, undefined> {
    return this.#connection.follow(this.#path("events"), this.#bearer(), after, signal) as AsyncGenerator<LiveEvent<T>>;
  }

  /** A page of the whole game; of a game that is not over, for a host who sees all. */
  async transcript(after = 0, call: Call = {}): Promise<T["Transcript"]> {
    return this.#get("transcript", call, after);
  }

  /** A ticket, which opens one stream for what can send no token, such as the `EventSource` of a page. */
  async takeTicket(call: Call = {}): Promise<models.Ticket> {
    return (await this.#connection.ask("POST", this.#path("tickets"), call, undefined, this.#bearer())).body;
  }

  /** Forgets the session; the host's to do. */
  async close(call: Call = {}): Promise<void> {
    try {
      await this.#connection.ask("DELETE", this.#path(), call, undefined, this.#bearer());
    } catch (error) {
      if (!(error instanceof NotFound)) throw error; // it is forgotten, perhaps by this call, whose answer was lost
    }
  }

  async #get(what: string, call: Call, after?: number): Promise<any> {
    const query = after === undefined ? "" : `?after=${encodeURIComponent(after)}`;
    return (await this.#connection.ask("GET", this.#path(what) + query, call, undefined, this.#bearer())).body;
  }

  async #change(what: string, body: object | undefined, { key, ifMatch, ...call }: MoveChange): Promise<any> {
    const headers: Record<string, string> = { ...this.#bearer(), "Idempotency-Key": key ?? freshKey(true) };
    if (typeof ifMatch === "string") headers["If-Match"] = ifMatch;
    return (await this.#connection.ask("POST", this.#path(what), call, body, headers)).body;
  }

  #path(...parts: string[]): string {
    return sessionPath(this.id, ...parts);
  }

  #bearer(): Record<string, string> {
    return this.token === null ? {} : { Authorization: `Bearer ${this.token}` };
  }
}

/** A session that was opened. `seats` is empty where they are taken by invite. */
export interface Opened<T extends Types> {
  answer: T["SessionOpened"];
  host: Table<T>;
  seats: Table<T>[];
}

/** The calls for one game. */
export class Game<T extends Types> {
  readonly #connection: Connection;
  readonly #codes: Codes;
  readonly name: string;

  constructor(connection: Connection, name: string, codes: Codes) {
    this.#connection = connection;
    this.#codes = codes;
    this.name = name;
  }

  // the calls, generated: make clients

  /** Apply moves to a table. */
  async resolve(body: T["ResolveBody"], call: Call = {}): Promise<T["Resolution"]> {
    return this.#post("resolve", body, call);
  }

  /** Judge one move. */
  async validate(body: T["ValidateBody"], call: Call = {}): Promise<T["Judgement"]> {
    return this.#post("validate", body, call);
  }

  /** List the moves that may be made. */
  async legalMoves(body: T["LegalMovesBody"], call: Call = {}): Promise<T["LegalMoves"]> {
    return this.#post("legal-moves", body, call);
  }

  /** Find every contradiction in a table. */
  async audit(body: T["AuditBody"], call: Call = {}): Promise<T["Audit"]> {
    return this.#post("audit", body, call);
  }

  /** See a table as one seat sees it. */
  async view(body: T["ViewBody"], call: Call = {}): Promise<T["View"]> {
    return this.#post("view", body, call);
  }

  /** Deal a game. */
  async deal(body: T["DealBody"], call: Call = {}): Promise<T["Opening"]> {
    return this.#post("deal", body, call);
  }

  // end of the calls

  /** What the game is: seats, rulesets, options, moves, rulings, cards, each with its words. */
  async about(call: Call = {}): Promise<models.Game> {
    return (await this.#connection.ask("GET", pathOf("games", this.name), call)).body;
  }

  /** Every clause. */
  async rulebook(call: Call = {}): Promise<models.Rulebook> {
    return (await this.#connection.ask("GET", pathOf("games", this.name, "rulebook"), call)).body;
  }

  /** A table that the service keeps. */
  async open(body: T["SessionRequest"], { key, ...call }: Change = {}): Promise<Opened<T>> {
    const headers = { "Idempotency-Key": key ?? freshKey() };
    const answer: T["SessionOpened"] = (await this.#connection.ask("POST", "/sessions", call, body, headers)).body;
    const { host, seats = [] } = answer.tokens;
    return { answer, host: this.at(answer.id, host), seats: seats.map((token) => this.at(answer.id, token)) };
  }

  /** The seat that an invite is for. */
  async join(id: string, seat: number, invite: string, { key, ...call }: Change = {}): Promise<Table<T>> {
    const path = sessionPath(id, "seats", seat);
    const headers = { "Idempotency-Key": key ?? freshKey() };
    const answer = await this.#connection.ask("POST", path, call, { invite }, headers);
    return this.at(id, answer.body.token);
  }

  /** A session that is open already. */
  at(id: string, token: string | null = null): Table<T> {
    return new Table<T>(this.#connection, id, token);
  }

  /** The event, to be narrowed by its code; undefined where the code is newer than this package. */
  event(event: AnyRuling): Known<T["Event"], T["EventByCode"]> | undefined {
    return this.#known("event", event);
  }

  /** The violation, as `event()`; those of a problem too. */
  violation(violation: AnyRuling): Known<T["Violation"], T["ViolationByCode"]> | undefined {
    return this.#known("violation", violation);
  }

  /** The fault, as `event()`; those of a problem too. */
  fault(fault: AnyRuling): Known<T["Fault"], T["FaultByCode"]> | undefined {
    return this.#known("fault", fault);
  }

  #known(kind: keyof Codes, ruling: AnyRuling): any {
    return this.#codes[kind].includes(ruling.code) ? ruling : undefined;
  }

  async #post(name: string, body: object, call: Call): Promise<any> {
    return (await this.#connection.ask("POST", pathOf("games", this.name, name), call, body)).body;
  }
}

/** The calls of all games at one address. */
export class Server {
  protected readonly connection: Connection;

  constructor(url: string, options: Options = {}) {
    this.connection = new Connection(url, options);
  }

  /** Every game that is refereed there. */
  async games(call: Call = {}): Promise<models.GameSummary[]> {
    const answer: models.Games = (await this.connection.ask("GET", "/games", call)).body;
    return answer.games;
  }

  /** What a kind of problem means. */
  async problem(slug: string, call: Call = {}): Promise<models.ProblemKind> {
    return (await this.connection.ask("GET", pathOf("problems", slug), call)).body;
  }

  /** Up to 1,000 stateless calls in one, each judged alone; a `body` is a problem where its `status` says so. */
  async batch(requests: readonly models.BatchEntry[], call: Call = {}): Promise<models.BatchAnswer[]> {
    const answers: models.BatchAnswers = (await this.connection.ask("POST", "/batch", call, { requests })).body;
    return answers.responses;
  }
}
