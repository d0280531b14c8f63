// A session of the service, followed over connections that break. Whatever is asked is asked again until there is an answer;
// a connection that only seems to be there is noticed, because the service sends a ping before 12 seconds of silence are over.

const QUIET = 13_000; // milliseconds without a sign of the service, after which it is asked for one
const LOST = 1_500; // milliseconds that it may then take before it counts as away
const AGAIN = [1_000, 1_000, 1_500, 2_000, 3_000]; // milliseconds without an answer, after which a request is sent once more,
// over another connection, for that of the first may be dead; after the last it has failed
const PAUSES = [300, 700, 1_500, 3_000]; // milliseconds after each failure; the last one again and again
const LATER = [409, 429, 503]; // answers after which the same request may be sent again

/** Whether the same question may be answered later. */
export const isForNow = (status) => status === 429 || status >= 500;

const nth = (some, number) => some[Math.min(number, some.length - 1)];

/** The answer, once its body is there: that may break off, too. */
const whole = async (answer) => new Response((await answer.text()) || null, answer);

/** The first answer to a request that is sent again while none comes. Only for what may come twice. */
function insist(url, options) {
  return new Promise((done, failed) => {
    const sent = [];
    let [timer, isOver] = [0, false];
    const over = (end, said, kept) => {
      if (isOver || (end === failed && kept?.signal.aborted)) return;
      isOver = true;
      clearTimeout(timer);
      for (const each of sent) if (each !== kept) each.abort();
      end(said);
    };
    const send = () => {
      sent.at(-2)?.abort(); // a browser has only six connections
      if (sent.length === AGAIN.length) return over(failed, new Error("There is no answer."));
      timer = setTimeout(send, AGAIN[sent.length]);
      const ends = new AbortController();
      sent.push(ends);
      fetch(url, { ...options, cache: "no-store", signal: ends.signal })
        .then(whole)
        .then(
          (answer) => over(done, answer, ends),
          (error) => over(failed, error, ends),
        );
    };
    send();
  });
}

/** Whether a text can be the id of a session; one with `/` or `..` leads to another path. */
export const isId = (text) => /^[A-Za-z0-9_-]{1,128}$/.test(text);

export const secret = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Events: `table` (`detail`: the session and, for a seat, its legal moves), `entry` (of the log), `connection` (see
 * `connected`), `incident` and `clock` (`detail`: as in a session), `refused` (`detail`: a problem, or null if the session was closed; nothing
 * follows).
 */
export class Live extends EventTarget {
  connected = true;
  token = null;
  #base;
  #language;
  #id;
  #version = 0; // of the latest entry
  #read = -1; // the version of the table that was read last
  #tag = null; // of what was told last
  #stream = null;
  #heardStream = 0;
  #quiet = 0; // timers
  #again = 0;
  #tries = 0; // to read the table, since it was last read
  #follows = false;
  #stale = false; // the page is to be notified again, though nothing has changed
  #syncing = null;
  #ends = new AbortController();
  #wake = new Set(); // what waits for a moment to try again

  /** `base`: the address of the service. `language`: gives that of sentences. */
  constructor(base, id, language) {
    super();
    if (!isId(id)) throw new TypeError(`${JSON.stringify(id)} is no id of a session.`);
    [this.#base, this.#id, this.#language] = [base, id, language];
    const listens = { signal: this.#ends.signal };
    for (const sign of ["online", "focus", "pageshow"]) window.addEventListener(sign, () => this.#woken(), listens);
    document.addEventListener("visibilitychange", () => document.hidden || this.#woken(), listens);
    window.addEventListener("offline", () => this.#lose(), listens);
  }

  /** Stop: no further requests, no further notifications. */
  close() {
    this.#ends.abort();
    this.#stream?.close();
    clearTimeout(this.#quiet);
    clearTimeout(this.#again);
  }

  #tell(type, detail) {
    if (!this.#ends.signal.aborted) this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  /** One request; throws if there is no answer in time. */
  async ask(method, path, body, headers = {}) {
    const response = await insist(new URL(`sessions/${this.#id}${path}`, this.#base), {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: {
        "Accept-Language": this.#language(),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(this.token ? { Authorization: `Bearer ${this.token}` } : {}),
        ...headers,
      },
    });
    if (response.status < 500) this.#heard();
    return response;
  }

  /** Posts until there is an answer. The key makes it count once, however often it is sent. */
  async post(path, body, key = secret()) {
    const { signal } = this.#ends;
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        const response = await this.ask("POST", path, body, { "Idempotency-Key": key });
        const again =
          LATER.includes(response.status) &&
          (response.status !== 409 || /in-progress/.test((await response.clone().json()).type));
        if (!again && !signal.aborted) return response;
      } catch {
        this.#lose();
      }
      await this.#pause(tries);
    }
    return new Promise(() => {}); // nobody waits for it any more
  }

  /** Reads the table now, and follows it from then on. */
  async sync() {
    if (this.#ends.signal.aborted) return;
    this.#follows = true;
    clearTimeout(this.#again);
    this.#syncing ??= this.#sync().finally(() => {
      this.#syncing = null;
    });
    await this.#syncing;
  }

  async #sync() {
    const lost = setTimeout(() => this.#lose(), LOST);
    try {
      if (!(await this.#look())) return;
      if (Date.now() - this.#heardStream > QUIET || this.#stream?.readyState !== EventSource.OPEN) await this.#listen();
      this.#tries = 0;
    } catch {
      this.#lose();
      this.#later();
    } finally {
      clearTimeout(lost);
    }
  }

  #later() {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.sync(), nth(PAUSES, this.#tries++));
  }

  /** Reads the session, with the bearer's legal moves; false if it is refused. */
  async #look() {
    const known = this.#tag && !this.#stale ? { "If-None-Match": this.#tag } : {};
    const answer = await this.ask("GET", this.token ? "?legal_moves=true" : "", undefined, known);
    if (answer.status === 304) return true; // what was told is of this version
    if (isForNow(answer.status)) throw new Error("There is no answer that can be shown.");
    if (!answer.ok) {
      const closed = this.#tag && (answer.status === 404 || !this.token); // without a token both are 401
      this.#tell("refused", closed ? null : await answer.json());
      this.close();
      return false;
    }
    const { legal_moves: legal, ...session } = await answer.json();
    [this.#tag, this.#read, this.#stale] = [answer.headers.get("ETag"), session.version, false];
    this.#tell("table", { session, legal: legal ? { ...legal, to_act: session.to_act } : null });
    return true;
  }

  /** Tells the table again, though it may not have changed. */
  refresh() {
    this.#stale = true;
    return this.#changed(); // what is being read now may have been asked for before
  }

  async #listen() {
    this.#stream?.close();
    const ticket = this.token ? await this.ask("POST", "/tickets").then((response) => response.json()) : {};
    const query = new URLSearchParams({ after: this.#version, ...(ticket.ticket ? { ticket: ticket.ticket } : {}) });
    if (this.#ends.signal.aborted) return;
    const stream = new EventSource(new URL(`sessions/${this.#id}/events?${query}`, this.#base));
    this.#stream = stream;
    const sign = () => {
      this.#heardStream = Date.now();
      this.#heard();
    };
    sign();
    for (const type of ["open", "ping", "entry"]) stream.addEventListener(type, sign);
    stream.addEventListener("entry", ({ data }) => {
      const entry = JSON.parse(data);
      if (entry.version <= this.#version) return;
      this.#version = entry.version;
      this.#tell("entry", entry);
      this.reached(entry.version);
    });
    for (const type of ["incident", "clock"]) {
      stream.addEventListener(type, ({ data }) => {
        sign();
        this.#tell(type, JSON.parse(data));
      });
    }
    stream.addEventListener("closed", () => {
      stream.close();
      this.#changed(); // it is refused, and says why: the session was closed, or the token is void
    });
    stream.onerror = () => {
      stream.close(); // its ticket is good for one connection
      if (stream === this.#stream) this.#later();
    };
  }

  /** Reads the table if it was not read at this version yet. */
  async reached(version) {
    await this.#syncing;
    if (version > this.#read) await this.sync();
  }

  /** Reads the table once more, after what is being read now. */
  async #changed() {
    await this.#syncing;
    await this.sync();
  }

  #heard() {
    clearTimeout(this.#quiet);
    if (this.#ends.signal.aborted) return;
    this.#quiet = setTimeout(() => this.#woken(), QUIET);
    if (!this.connected) {
      this.connected = true;
      this.#tell("connection");
      this.#woken();
    }
  }

  #lose() {
    if (!this.connected) return;
    this.connected = false;
    this.#tell("connection");
  }

  #pause(tries) {
    return new Promise((done) => {
      const wake = () => {
        clearTimeout(timer);
        this.#wake.delete(wake);
        done();
      };
      const timer = setTimeout(wake, nth(PAUSES, tries));
      this.#wake.add(wake);
    });
  }

  /** The page is looked at again, or the network is back: what waits is tried at once. */
  #woken() {
    for (const wake of [...this.#wake]) wake();
    if (this.#follows) this.sync();
  }
}
