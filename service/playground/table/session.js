// A session in a <rules-table>: it is followed, shown as it is now, and what is touched is sent to it.
import { h } from "./h.js";
import { isId, Live, secret } from "./live.js";
import { Misuse } from "./rules-table.js";

const SOON = 700; // milliseconds after which a move that has no answer is said to be on its way
const LATE = 600; // milliseconds after a window has closed, within which the stream tells what came of it
const HAND_IN = 5_500; // milliseconds after the end of the clock, by which all counts are in or empty
const MINUTE = 60; // seconds

const minutes = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
const isCount = ({ move }) => move.type === "count";
const same = (one, other) => one.seat === other.seat && one.card === other.card;

export class Session {
  before = []; // what is shown before the deal
  clock = h("div", { class: "clock" });
  #table;
  #show; // sets properties of the table
  #status;
  #followed = null; // `{ src, id, token }`
  #bound = null; // `{ src, token }`: the service that a token was first sent to
  #live = null;
  #seat = null;
  #last = []; // the latest events
  #marks = null; // the rulings on the move that was just refused
  #incident = null;
  #gathers = null; // milliseconds
  #version = null;
  #named = false; // the names shown are those of the session
  #gives = null; // the part in a joint deal that is on its way
  #slow = 0; // timers
  #settles = 0;
  #ticks = 0;
  #binds = null; // seconds of a clock before whose end nothing is counted
  #legal = null;

  /** `show`: sets properties of the table. `status`: where the state of the connection is said. */
  constructor(table, show, status) {
    [this.#table, this.#show, this.#status] = [table, show, status];
  }

  /** Follows a session and no other: `{ src, id, token }`, or none. */
  follow(wanted) {
    const kind = (token) => (typeof token === "function" ? "function" : token); // a page may make a new function each time
    const [before, after] = [this.#followed, wanted].map((each) =>
      JSON.stringify(each && [each.src, each.id, kind(each.token)]),
    );
    if (before === after) return;
    this.#close();
    if (!wanted) return;
    const { src, id, token } = wanted;
    if (!isId(id)) throw new Misuse(`session=${JSON.stringify(id)} is no id of a session.`);
    if (typeof token === "string") {
      if (this.#bound?.token !== token) this.#bound = { src, token };
      if (this.#bound.src !== src)
        throw new Misuse(`The token was given for ${this.#bound.src}, and is sent nowhere else.`);
    }
    this.#followed = wanted;
    const live = new Live(src, id, () => this.#table.language);
    this.#live = live;
    live.addEventListener("table", ({ detail }) => this.#shown(detail));
    live.addEventListener("entry", ({ detail }) => this.#recorded(detail));
    live.addEventListener("incident", ({ detail }) => this.#fall(detail));
    live.addEventListener("clock", ({ detail }) => this.#tick(detail, false));
    live.addEventListener("connection", () => {
      this.#say(live.connected ? "" : "not-connected");
      if (!live.connected && this.#version === null)
        console.error(
          `<rules-table>: no answer from ${src} yet. Is that the service, and does its REFEREE_CORS_ORIGINS have ${location.origin}?`,
        );
      this.#table.dispatch("connection", { connected: live.connected });
    });
    live.addEventListener("refused", ({ detail }) => this.#over(detail));
    this.#begin(live, wanted);
  }

  async #begin(live, { src, id, token: given }) {
    try {
      live.token = (typeof given === "function" ? await given({ src, session: id }) : given) ?? null;
      const seat = live.token?.match(/^seat-(\d+)\./)?.[1]; // a token begins with its bearer
      this.#seat = seat === undefined ? null : Number(seat);
    } catch (error) {
      return live === this.#live && this.#over({ detail: error.message });
    }
    if (live === this.#live) await live.sync();
  }

  /** Stops following, and takes away what it has shown. */
  #close() {
    if (!this.#followed) return;
    this.#stop();
    [this.#followed, this.#live, this.#version, this.#last, this.#marks, this.#incident, this.#gives, this.before] = [
      null,
      null,
      null,
      [],
      null,
      null,
      null,
      [],
    ];
    this.#say("");
    this.#show({
      state: null,
      legal: null,
      events: [],
      marks: null,
      incident: null,
      gathering: false,
      counting: true,
      counted: null,
      ...(this.#named ? { names: [] } : {}),
    });
    this.#named = false;
  }

  #stop() {
    this.#live.close();
    clearTimeout(this.#slow);
    clearTimeout(this.#settles);
    clearInterval(this.#ticks);
    this.clock.replaceChildren();
  }

  /** A request; one that changes something is made once, however often it is sent. */
  ask(method, path, body) {
    if (!this.#live) throw new TypeError("<rules-table>: it follows no session.");
    return method === "POST" ? this.#live.post(path, body) : this.#live.ask(method, path, body);
  }

  refresh() {
    return this.#live.refresh();
  }

  #say(name) {
    this.#status.textContent = name && this.#table.word(name);
    this.#status.className = "status";
  }

  /** Nothing follows, and no move can be made: the session is closed (null), or there is a problem. */
  #over(problem) {
    this.#stop();
    this.#show({ legal: null, incident: null });
    const renewed = problem?.status === 401 && this.#version !== null;
    const words = { 401: renewed ? "renewed" : "no-seat", 404: "gone" }; // the service says them to programmers
    const code = problem === null ? "closed" : words[problem.status];
    this.#status.textContent = code ? this.#table.word(code) : problem.detail;
    this.#status.className = "status bad";
    if (problem?.status === 401 && !renewed)
      console.error("<rules-table>: the session is not public, and `token` is missing or not one of its tokens.");
    this.#table.dispatch("refused", problem);
  }

  // --- the table ---

  #shown({ session, legal }) {
    const { state, names, version, gather_ms: gathers, incident, clock, result } = session;
    [this.#version, this.#gathers, this.#binds] = [version, gathers, session.clock_seconds];
    this.#legal = legal;
    this.#named ||= names !== null;
    if (state === null) this.#joint(session);
    else {
      const seat = this.#seat === null ? {} : { seat: this.#seat };
      const plays = this.#seat ?? (this.#live.token ? "all" : null);
      this.#show({
        game: session.game,
        state,
        names: names ?? this.#table.names,
        ...seat,
        plays,
        gathering: Boolean(gathers),
        counted: this.#seat === null ? null : session.counted,
        events: this.#last,
        marks: result ? null : this.#marks,
      });
      this.#marks = null;
      this.#count(!this.#binds || clock?.ends_in_ms === 0);
      if (incident) this.#fall(incident);
      else this.#settled();
      this.#tick(result ? null : clock, !result && this.#seat !== null && (legal?.moves ?? []).some(isCount));
    }
    this.#table.dispatch("session", { session, legal });
  }

  #recorded(entry) {
    const moved = entry.events.length > 0;
    if (moved) this.#last = entry.events;
    if (entry.version === this.#version) this.#show({ events: this.#last }); // the table was read before
    if (moved && entry.version >= this.#version) this.#settled();
    this.#table.dispatch("entry", entry);
  }

  /** Before a joint deal: shows the part of each seat in it, and gives that of this seat. */
  async #joint({ commitments, to_act: owing, names }) {
    const all = !commitments.includes(null);
    const name = (seat) => names?.[seat] ?? this.#table.word("seat", { seat });
    const given = commitments.map((each, seat) =>
      each === null ? "missing" : all && !owing.includes(seat) ? "shown" : "committed",
    );
    this.before = [
      h("h2", {}, this.#table.word("dealing")),
      h(
        "ul",
        { class: "parts" },
        given.map((part, seat) =>
          h("li", { class: part === "missing" ? "" : "good" }, this.#table.word(`part-${part}`, { name: name(seat) })),
        ),
      ),
    ];
    this.#show({ state: null });
    const part = all ? "/seeds" : "/commitments";
    if (!owing.includes(this.#seat) || this.#gives === part) return;
    this.#gives = part; // sends it once, though the table may be read again meanwhile
    const key = `seat ${this.#followed.id} ${this.#seat} seed`;
    const seed = localStorage.getItem(key) ?? secret();
    localStorage.setItem(key, seed); // kept over a reload
    const live = this.#live;
    const { hex, sha256, utf8 } = await import("../sha256.mjs");
    const response = await live.post(part, all ? { seed } : { commitment: hex(sha256(utf8(seed))) });
    if (response.ok || response.status === 403) return this.refresh(); // 403: another page of this seat has given it
    this.#gives = null;
    this.#over(await response.json());
  }

  // --- moves ---

  async move({ seed, ...move }) {
    if (this.#gathers && move.hands?.length === 1) return this.#lay(move);
    this.#slow = setTimeout(() => this.#say("on-its-way"), SOON);
    const response = await this.#live.post("/moves", { moves: [move] });
    clearTimeout(this.#slow);
    this.#say(this.#live.connected ? "" : "not-connected");
    if (!response.ok) await this.#refused(move, response);
    if (response.status === 201) await this.#live.reached((await response.json()).version);
    else await this.refresh();
  }

  /** The rulings on a move are shown at its cards; any other reason in their place. */
  async #refused(move, response) {
    const problem = await response.json();
    this.#marks = { of: { moves: [move] }, rulings: problem.violations ?? [{ text: problem.detail }] };
  }

  /** Puts a hand on a card: seen here at once, and settled with those of the others. */
  async #lay(move) {
    const [hand] = move.hands;
    const { hands = [], closes = performance.now() + this.#gathers } = this.#incident ?? {};
    if (hands.some((each) => same(each, hand))) return;
    const version = this.#version;
    this.#fall({ hands: [...hands, hand], closes_in_ms: closes - performance.now() });
    const response = await this.#live.post("/moves", { moves: [move] });
    if (response.status !== 202) {
      await this.#refused(move, response);
      return this.refresh();
    }
    const { incident, version: then } = await response.json();
    if (this.#version !== version || then !== version) return; // settled meanwhile
    const own = (this.#incident?.hands ?? []).filter((one) => !incident.hands.some((other) => same(one, other)));
    this.#fall({ ...incident, hands: [...incident.hands, ...own] });
  }

  /** Shows the hands that have fallen, until they are settled. */
  #fall({ hands, closes_in_ms: left }) {
    this.#incident = { hands, closes: performance.now() + left, lasts: this.#gathers };
    this.#show({ incident: this.#incident });
    clearTimeout(this.#settles);
    this.#settles = setTimeout(() => this.#live.sync(), left + LATE); // the stream tells before, or is not there
  }

  #settled() {
    this.#incident = null;
    this.#show({ incident: null });
  }

  // --- the clock ---

  /** Offers counts, or none before the end of a clock that binds. */
  #count(counting) {
    const legal = this.#legal;
    const timely = counting || !legal ? legal : { ...legal, moves: legal.moves.filter((each) => !isCount(each)) };
    this.#show({ legal: timely, counting });
  }

  /** Shows the clock as it runs; `may`: whether it can be started here. */
  #tick(clock, may) {
    clearInterval(this.#ticks);
    const lasts = this.#binds ?? MINUTE;
    const start = () => this.#live.post("/clock", { seconds: lasts }).then(() => this.refresh());
    this.clock.replaceChildren(
      ...(may && !clock
        ? [
            h(
              "button",
              { type: "button", class: "act", click: start },
              this.#table.word("start-clock", { time: minutes(lasts) }),
            ),
          ]
        : []),
    );
    if (!clock) return;
    const time = h("span", { role: "timer" });
    this.clock.append(time);
    const ends = performance.now() + clock.ends_in_ms;
    const shown = () => {
      const left = Math.ceil((ends - performance.now()) / 1000);
      time.textContent = left > 0 ? minutes(left) : this.#table.word("time-over");
      if (left > 0) return;
      clearInterval(this.#ticks);
      this.#count(true);
      setTimeout(() => this.#live?.sync(), HAND_IN);
    };
    this.#ticks = setInterval(shown, 200);
    shown();
  }
}
