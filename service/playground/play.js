// A table for several browsers, kept in a session. After `#` the address has the session, the seat and its invitation; a
// spectator's address has the session alone, that of the invitations `links`. Tokens stay in the browser that took the seat.
import "./table/rules-table.js";
import { h } from "./table/h.js";
import { written } from "./address.js";
import { busy } from "./asking.js";
import { LANGUAGES, language, speak, word } from "./speech.js";
import { commitment } from "./fairness.mjs";
import { forget, note } from "./keep.js";
import { Live, secret } from "./table/live.js";

const $ = (id) => document.getElementById(id);
const SOON = 700; // milliseconds after which a move that has no answer is said to be on its way
const LATE = 600; // milliseconds after a window has closed, within which the stream tells what came of it
const HAND_IN = 5_500; // milliseconds after the end of the clock, by which all counts are in or empty
const MINUTE = 60; // seconds
const table = { id: null, seat: null, game: null, live: null };

const seatKey = () => `seat ${table.id} ${table.seat}`; // under which the browser keeps token, key and seed of the seat
const commitmentKey = () => `commitment ${table.id}`; // under which the browser keeps the first commitment it was shown
const showVerdict = (said, tone = "plain") => Object.assign($("verdict"), { textContent: said, className: tone });
const refused = (said) => showVerdict(said, "bad");
const clause = (rule) => `/${written({ game: table.game ?? "", clause: rule })}`;

/** Takes the seat, or returns to it. */
async function sit(invite) {
  table.live.token = localStorage.getItem(seatKey());
  if (table.live.token) return true;
  const key = localStorage.getItem(`${seatKey()} key`) ?? secret();
  localStorage.setItem(`${seatKey()} key`, key); // kept over a reload, so that a lost answer can be had again
  const response = await table.live.post(`/seats/${table.seat}`, { invite }, key);
  const answer = await response.json();
  if (!response.ok) {
    refused(answer.detail);
    return false;
  }
  table.live.token = answer.token;
  localStorage.setItem(seatKey(), answer.token);
  note(table.id, { seat: table.seat, invite });
  return true;
}

/** Before a joint deal: shows each seat's part in it, and sends the part of this seat. */
async function deal({ commitments, to_act: owing, names }) {
  const all = !commitments.includes(null);
  const name = (seat) => names?.[seat] ?? `${word("seat")} ${seat}`;
  const given = commitments.map((each, seat) => (each === null ? "missing" : all && !owing.includes(seat) ? "shown" : "committed"));
  $("parts").replaceChildren(...given.map((part, seat) => h("li", { class: part === "missing" ? "" : "good" }, word(`part-${part}`, { name: name(seat) }))));
  $("dealing").hidden = false;
  const part = all ? "/seeds" : "/commitments";
  if (!owing.includes(table.seat) || table.gives === part) return showVerdict(word("waits-for", { who: owing.map(name).join(", ") }));
  table.gives = part; // sends it once, though the table may be read again meanwhile
  const seed = localStorage.getItem(`${seatKey()} seed`) ?? secret();
  localStorage.setItem(`${seatKey()} seed`, seed); // kept over a reload
  const response = await table.live.post(part, all ? { seed } : { commitment: commitment(seed) });
  if (response.ok) return table.live.refresh();
  table.gives = null;
  refused((await response.json()).detail);
}

/** Keeps the screen on while this seat may act, where the browser can. It lets go by itself when the page is not seen. */
async function stayAwake() {
  if (table.mine && document.visibilityState === "visible") table.awake ??= await navigator.wakeLock?.request("screen").catch(() => null);
  else {
    table.awake?.release();
    table.awake = null;
  }
}

/** Shows the table as it is now. */
async function show({ session, legal }) {
  if (!localStorage.getItem(commitmentKey())) localStorage.setItem(commitmentKey(), session.commitment);
  if (table.seat !== null) note(table.id, { game: session.game, names: session.names });
  if (session.state === null) return deal(session);
  $("dealing").hidden = true;
  table.game = session.game;
  $("table").hidden = $("right").hidden = false;
  Object.assign($("table"), { game: session.game, state: session.state, names: session.names ?? [], seat: table.seat ?? 0, plays: table.seat, legal, gathering: Boolean(session.gather_ms), events: table.last ?? [], marks: table.marks ?? null });
  table.marks = null;
  Object.assign(table, { version: session.version, gathers: session.gather_ms ?? null });
  if (session.incident) fall(session.incident);
  else $("table").incident = table.incident = null;
  tick(session.result ? null : session.clock ?? null, !session.result && table.seat !== null && (legal?.moves ?? []).some(({ move }) => move.type === "count"));
  const acts = session.game === "twin-it" && Number.isInteger(session.state.turn) ? [session.state.turn] : session.to_act; // all may claim; one flips
  const mine = table.seat !== null && acts.includes(table.seat);
  const deals = (legal?.moves ?? []).some(({ move }) => move.type === "deal");
  const said = session.result ? word("result") : mine ? word("your-turn") : acts.map((seat) => session.names?.[seat] ?? (seat === null ? word("table") : `${word("seat")} ${seat}`)).join(", ");
  if (!table.why) showVerdict(session.result || mine ? said : deals ? word("deal-next") : word("waits-for", { who: said }), mine && !session.result ? "good" : "plain");
  table.mine = mine && !session.result;
  stayAwake();
  document.title = `${mine && !session.result ? "● " : ""}Rules Referee`;
  $("verdict").hidden = Boolean(session.result); // the end says more
  if (session.result && $("end").hidden) await end();
}

/** Shows the hands that have fallen, until they are settled. */
function fall({ hands, closes_in_ms: left }) {
  table.incident = { hands, closes: performance.now() + left, lasts: table.gathers };
  $("table").incident = table.incident;
  clearTimeout(table.settles);
  table.settles = setTimeout(() => table.live.sync(), left + LATE); // the stream tells before, or is not there
}

/** Puts a hand on a card: seen here at once, and settled with those of the others. */
async function lay(move) {
  const [hand] = move.hands;
  const { hands = [], closes = performance.now() + table.gathers } = table.incident ?? {};
  if (hands.some(({ seat, card }) => seat === hand.seat && card === hand.card)) return;
  const version = table.version;
  fall({ hands: [...hands, hand], closes_in_ms: closes - performance.now() });
  const response = await table.live.post("/moves", { moves: [move] });
  const answer = await response.json();
  if (response.status === 202) {
    if (table.version === version && answer.version === version) fall({ ...answer.incident, hands: [...answer.incident.hands, ...table.incident?.hands.filter((one) => !answer.incident.hands.some((other) => other.seat === one.seat && other.card === one.card)) ?? []] });
    return;
  }
  table.marks = { of: { moves: [move] }, rulings: answer.violations ?? [] };
  table.why = answer.violations?.length ? null : answer.detail;
  if (table.why) refused(table.why);
  await table.live.refresh();
  table.why = null;
}

/** The clock of the game: who sits here may start it, and then sees it run. */
function tick(clock, may) {
  clearInterval(table.ticks);
  $("clock").hidden = !clock && !may;
  $("start").hidden = Boolean(clock);
  if (!clock) return;
  const ends = performance.now() + clock.ends_in_ms;
  const shown = () => {
    const left = Math.ceil((ends - performance.now()) / 1000);
    $("time").textContent = left > 0 ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` : word("time-over");
    if (left > 0) return;
    clearInterval(table.ticks);
    setTimeout(() => table.live.sync(), HAND_IN);
  };
  table.ticks = setInterval(shown, 200);
  shown();
}

const make = busy(async (move) => {
  const { seed, ...bare } = move;
  const slow = setTimeout(() => showVerdict(word("on-its-way"), "doubt"), SOON);
  const response = await table.live.post("/moves", { moves: [bare] });
  clearTimeout(slow);
  const answer = await response.json();
  table.why = response.ok || answer.violations?.length ? null : answer.detail; // violations are shown at their cards
  table.marks = response.ok ? null : { of: { moves: [bare] }, rulings: answer.violations ?? [] };
  if (table.why) refused(table.why);
  await table.live.refresh();
  table.why = null;
});

function record({ events }) {
  if (!events.length) return;
  table.last = events;
  $("table").incident = table.incident = null;
  const lines = events.map(({ text, rule }) => h("li", {}, text, " ", h("a", { class: "clause", href: clause(rule), target: "_blank", rel: "noopener" }, rule)));
  $("log").append(...lines);
  $("log").scrollTop = $("log").scrollHeight;
}

/** After the game: checks the transcript and offers to step through it. */
async function end() {
  $("end").hidden = false;
  const { drawEnd } = await import("./end.js");
  const own = localStorage.getItem(`${seatKey()} seed`);
  await drawEnd($("end"), (after) => table.live.ask("GET", `/transcript?after=${after}`),
    { noted: localStorage.getItem(commitmentKey()), seed: own && { seat: table.seat, seed: own } }, table.seat, table.gathers);
  $("end").querySelector("h2")?.focus({ preventScroll: true });
  $("end").scrollIntoView({ block: "nearest" });
}

/** Follows the table, at a seat or as a spectator. */
async function follow(invite) {
  const live = (table.live = new Live(location.origin, table.id, language));
  $("table").addEventListener("move", ({ detail: { move } }) => (table.gathers && move.hands?.length === 1 ? lay(move) : make(move)));
  $("start").onclick = busy(async () => {
    await live.post("/clock", { seconds: MINUTE });
    await live.refresh();
  });
  $("table").addEventListener("clause", ({ detail }) => window.open(clause(detail.rule), "_blank", "noopener"));
  document.addEventListener("visibilitychange", stayAwake);
  live.addEventListener("table", ({ detail }) => show(detail));
  live.addEventListener("entry", ({ detail }) => record(detail));
  live.addEventListener("incident", ({ detail }) => fall(detail));
  live.addEventListener("clock", ({ detail }) => tick(detail, false));
  live.addEventListener("connection", () => ($("away").hidden = live.connected));
  live.addEventListener("refused", ({ detail }) => {
    if (detail === null || detail.status === 404) forget(table.id);
    refused(detail?.detail ?? word("closed"));
  });
  if (table.seat === null || (await sit(invite))) await live.sync();
}

const begin = busy(async () => {
  await speak([localStorage.getItem("language"), ...navigator.languages.map((each) => each.slice(0, 2)), "en"].find((each) => LANGUAGES.includes(each)));
  const [id, seat, invite] = location.hash.slice(1).split("/");
  $("language").onchange = () => {
    localStorage.setItem("language", $("language").value);
    location.reload();
  };
  window.onhashchange = () => location.reload();
  if (!id) return (await import("./open.js")).showForm(refused);
  if (seat === "links") return (await import("./open.js")).showLinks(id, refused);
  Object.assign(table, { id, seat: seat === undefined ? null : Number(seat) });
  await follow(invite);
});

begin().catch(() => refused(word("away")));
