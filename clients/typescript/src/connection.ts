/** One server: how requests are sent, which are sent again, and how a stream of events is read. */

import type { Problem } from "./models.ts";
import { BY_TYPE, NetworkError, NotFound, RefereeProblem, RequestInProgress } from "./problems.ts";

/** The options of one call. */
export interface Call {
  /** Milliseconds that the call may take with all its tries, instead of the client's. */
  deadline?: number;
  /** Gives up the call, as the client's own `signal` does. */
  signal?: AbortSignal;
}

export interface Options {
  /** The language of sentences: `en`, `it` or `fr`. */
  language?: string;
  /** How often a call is sent again that broke off, or was answered 429, 502, 503, 504, or 409 `request-in-progress` (a call
   * that broke off still runs); 3 unless said. */
  retries?: number;
  /** Milliseconds that an answer may take; 30,000 unless said. */
  timeout?: number;
  /** Milliseconds that a call may take with all its tries; unbounded unless said. */
  deadline?: number;
  /** Takes the place of the global `fetch`. */
  fetch?: typeof fetch;
  /** Gives up all calls, also while they wait to be sent again, and ends all `events()`. */
  signal?: AbortSignal;
}

/** The JSON of an answer, and the version of the table that it shows, if any. */
export interface Answer {
  body: any;
  etag: string | null;
}

/** An event of a stream, by its name. */
export interface Happening {
  event: string;
  data: any;
}

const EVENT_STREAM = "text/event-stream";
/** The events of a stream that are passed on. */
const TOLD = new Set(["entry", "incident", "clock"]);
/** Milliseconds without a byte after which a stream is given up: the server sends `event: ping` after 15 seconds of silence. */
const SILENCE = 45_000;
/** Milliseconds before a call is first sent again, where the server names no time; doubled each time. */
const BACKOFF = 200;
/** Milliseconds that `Retry-After` can make a client wait at most. */
const LONGEST = 60_000;

/** This platform lacks something that a call needs; the message says what. */
export class Unsupported extends Error {}

export class Connection {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #retries: number;
  readonly #timeout: number;
  readonly #deadline: number;
  readonly #fetch: typeof fetch;
  readonly #signal: AbortSignal | undefined;

  constructor(url: string, options: Options) {
    this.#url = new URL(url, globalThis.location?.href).href.replace(/\/+$/, "");
    this.#headers = options.language === undefined ? {} : { "Accept-Language": options.language };
    this.#retries = options.retries ?? 3;
    this.#timeout = options.timeout ?? 30_000;
    this.#deadline = options.deadline ?? Number.POSITIVE_INFINITY;
    this.#signal = options.signal;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /** The answer; throws a RefereeProblem where it is refused, a NetworkError where there is none. */
  async ask(
    method: string,
    path: string,
    { deadline = this.#deadline, signal }: Call,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const init: RequestInit = { method, headers: { Accept: "application/json", ...this.#headers, ...headers } };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { ...init.headers, "Content-Type": "application/json" };
    }
    // Calls without a session change nothing, those of sessions carry a key: every one may be sent again.
    const end = Date.now() + deadline;
    const signals = [signal, this.#signal];
    for (let left = this.#retries, backoff = BACKOFF; ; left--, backoff *= 2) {
      let wait = backoff;
      const control = new AbortController(); // React Native has no AbortSignal.timeout
      const giveUp = (): void => control.abort();
      const timeout = Math.max(0, Math.min(this.#timeout, end - Date.now()));
      const late = (): void => control.abort(new Error(`no answer in ${timeout} ms`));
      const timer = setTimeout(late, timeout);
      const isLast = (): boolean => left === 0 || Date.now() + wait >= end;
      for (const each of signals) each?.addEventListener("abort", giveUp);
      try {
        if (aborted(signals)) giveUp();
        const answer = await this.#fetch(this.#url + path, { ...init, signal: control.signal });
        const text = await answer.text();
        if (answer.ok) return { body: bodyOf(answer.status, text), etag: answer.headers.get("ETag") };
        const problem = problemOf(answer.status, text);
        wait = until(answer.headers.get("Retry-After")) ?? backoff;
        if (isLast() || !(passes(answer.status) || problem instanceof RequestInProgress)) throw problem;
      } catch (error) {
        if (isFinal(error)) throw error;
        if (aborted(signals)) break;
        if (isLast()) throw networkError(error);
      } finally {
        clearTimeout(timer);
        for (const each of signals) each?.removeEventListener("abort", giveUp);
      }
      await pause(wait, signals);
      if (aborted(signals)) break;
    }
    throw aborted(signals)?.reason ?? new Error("The call was given up.");
  }

  /** What happens after a version, over as many streams as it takes, until the session is closed. */
  async *follow(
    path: string,
    headers: Record<string, string>,
    after: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Happening, void, undefined> {
    let granted = false; // the first stream is tried as often as a call, those after it as long as it takes
    let retry = 2_000;
    let left = this.#retries;
    const signals = [signal, this.#signal];
    for (let wait = retry; !aborted(signals); await pause(wait, signals)) {
      wait = granted ? retry : BACKOFF * 2 ** (this.#retries - left);
      const stream = new Stream(signals);
      try {
        const init = { ...this.#headers, ...headers, Accept: EVENT_STREAM, "Last-Event-ID": String(after) };
        const answer = await this.#fetch(this.#url + path, { headers: init, signal: stream.signal });
        if (!answer.headers.get("Content-Type")?.startsWith(EVENT_STREAM)) {
          if (answer.ok) throw new NetworkError(detailOf(answer.status, await answer.text()), answer.status, undefined);
          const problem = problemOf(answer.status, await answer.text());
          if (!passes(answer.status) || (!granted && left-- === 0)) throw problem;
          wait = Math.max(wait, until(answer.headers.get("Retry-After")) ?? 0);
          continue;
        }
        granted = true;
        wait = retry;
        for await (const event of stream.events(answer)) {
          const kind = event["event"] ?? "";
          if (kind === "closed") return;
          if (event["retry"] !== undefined) wait = retry = Number(event["retry"]);
          if (TOLD.has(kind)) {
            after = Number(event["id"] ?? after);
            yield { event: kind, data: dataOf(event["data"] ?? "") };
          }
        }
      } catch (error) {
        if (granted && error instanceof NotFound) return; // closed between two streams
        if (isFinal(error)) throw error;
        // broken off, or silent for too long: from the last entry on
        if (!granted && !aborted(signals) && left-- === 0) throw networkError(error);
      } finally {
        stream.end();
      }
    }
  }
}

type Signals = (AbortSignal | undefined)[];

/** One stream of server-sent events, given up when it is silent for too long, or by its reader. */
class Stream {
  readonly #control = new AbortController();
  readonly #outer: Signals;
  readonly #end = (): void => this.end();
  #silence: ReturnType<typeof setTimeout>;

  constructor(outer: Signals) {
    this.#outer = outer;
    for (const each of outer) each?.addEventListener("abort", this.#end);
    this.#silence = setTimeout(this.#end, SILENCE);
  }

  get signal(): AbortSignal {
    return this.#control.signal;
  }

  end(): void {
    clearTimeout(this.#silence);
    for (const each of this.#outer) each?.removeEventListener("abort", this.#end);
    this.#control.abort();
  }

  /** Each event as its fields; comments are left out, and what broke off before its empty line. */
  async *events(answer: Response): AsyncGenerator<Record<string, string>, void, undefined> {
    if (typeof answer.body?.getReader !== "function") {
      throw new Unsupported(
        "events() needs a fetch whose answers have a body that can be read piece by piece. " +
          "Pass one as the option `fetch`; in React Native that of expo/fetch.",
      );
    }
    const reader = answer.body.getReader();
    const decoder = new TextDecoder();
    let fields: Record<string, string> = {};
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(this.#silence);
      this.#silence = setTimeout(this.#end, SILENCE);
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines.map((each) => each.replace(/\r$/, ""))) {
        const colon = line.indexOf(":");
        if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, "");
        else if (line === "" && Object.keys(fields).length > 0) {
          yield fields;
          fields = {};
        }
      }
    }
  }
}

/** Whether an answer says: later. */
function passes(status: number): boolean {
  return status === 429 || (status >= 502 && status <= 504);
}

/** Whether an error would come again: a refusal, or what is no JSON. */
function isFinal(error: unknown): boolean {
  return error instanceof RefereeProblem || error instanceof Unsupported;
}

/** The first of the signals that has been given. */
function aborted(signals: Signals): AbortSignal | undefined {
  return signals.find((each) => each?.aborted);
}

/** The error for a failure of `fetch`. */
function networkError(cause: unknown): NetworkError {
  return new NetworkError(`No answer of the referee: ${reasonOf(cause)}`, 0, cause);
}

/** What `fetch` says of a failure; Node says the reason in the error's cause. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

/** The data of an event; throws a NetworkError where it is no JSON. */
function dataOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NetworkError("A stream that holds something else than events of the referee.", 200, error);
  }
}

/** The JSON of an answer; throws a NetworkError where it is none. */
function bodyOf(status: number, text: string): unknown {
  if (status === 204) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NetworkError(detailOf(status, text), status, error);
  }
}

/** What an answer stands for that is no success; one that is no problem document came from something in between. */
function problemOf(status: number, text: string): RefereeProblem {
  try {
    const problem: Partial<Problem> | null = JSON.parse(text);
    if (typeof problem?.type === "string" && typeof problem.detail === "string") {
      return new (BY_TYPE[problem.type] ?? RefereeProblem)({ status, ...problem } as never);
    }
  } catch {
    // not JSON
  }
  return new RefereeProblem({ type: "about:blank", title: "", status, detail: detailOf(status, text), instance: "" });
}

function detailOf(status: number, text: string): string {
  return text.slice(0, 300) || `An answer of ${status} without a body.`;
}

/** Milliseconds until the time that `Retry-After` names, as seconds or as a date. */
function until(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const seconds = Number(retryAfter);
  const wait = Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1_000;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(0, wait), LONGEST);
}

/** Waits so many milliseconds, or until one of the signals. */
function pause(milliseconds: number, signals: Signals): Promise<void> {
  return new Promise((resolve) => {
    if (aborted(signals)) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      for (const each of signals) each?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    for (const each of signals) each?.addEventListener("abort", end);
  });
}
