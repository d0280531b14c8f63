// A table for several browsers, kept in a session. After `#` the address has the session, the seat and its invitation;
// a spectator's address has the session alone. Tokens stay in the browser that took the seat, never in an address.
import "./table/rules-table.js";
import { h } from "./table/h.js";
import { packed, written } from "./address.js";
import { ask, newTurn, getJson, busy } from "./asking.js";
import { LANGUAGES, language, pretty, speak, word } from "./speech.js";
import { commitment, findings, games as packs, replay } from "./fairness.mjs";

const $ = (id) => document.getElementById(id);
const AGAIN = 1500; // milliseconds before a broken stream is opened again
const HERE = /^(localhost|127\..*|\[::1\])$/; // hosts that only this machine can reach
const table = { id: null, seat: null, token: null, version: 0, game: null, stream: null, moves: [] };

const secret = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
const at = (rest = "") => `/sessions/${table.id}${rest}`;
const commitmentKey = () => `commitment ${table.id}`; // under which the browser keeps the first commitment it was shown
const bearer = () => (table.token ? { Authorization: `Bearer ${table.token}` } : {});
const showVerdict = (said, tone = "plain") => Object.assign($("verdict"), { textContent: said, className: tone });

/** Posts until there is an answer. The idempotency key makes it count once. */
async function postUntilAnswered(path, body, headers = {}) {
  const key = { "Idempotency-Key": secret(), ...headers };
  for (let tries = 0; ; tries++) {
    try {
      const response = await ask("POST", path, body, key);
      if (response.status !== 503) return response;
    } catch {
      showVerdict(word("away"), "bad");
    }
    await new Promise((done) => setTimeout(done, Math.min(AGAIN * 2 ** tries, 15_000)));
  }
}

// --- opening ------------------------------------------------------------------

let games = [];

const offer = busy(async () => {
  ({ games } = await getJson("/games"));
  const chosen = $("game").value;
  $("game").replaceChildren(...games.map(({ game, title }) => h("option", { value: game }, title)));
  if (chosen) $("game").value = chosen;
  await offerSeats();
});

const offerSeats = busy(async () => {
  const isLatest = newTurn("offer");
  const about = await getJson(`/games/${$("game").value}`);
  if (!isLatest()) return;
  $("seats").replaceChildren(...about.seats.filter((count) => count > 1).map((count) => h("option", { value: String(count) }, count)));
  $("ruleset").replaceChildren(...about.names.rulesets.map(({ name, title }) => h("option", { value: name }, title)));
  offerNames();
});

function offerNames() {
  const before = [...$("names").querySelectorAll("input")].map(({ value }) => value);
  $("names").replaceChildren(...Array.from({ length: Number($("seats").value) }, (_, seat) => {
    const field = h("input", { maxlength: "40", autocomplete: "off", id: `name-${seat}` });
    field.value = before[seat] ?? "";
    return h("label", {}, h("span", {}, `${word("seat")} ${seat}`), field);
  }));
}

const open = busy(async () => {
  const names = [...$("names").querySelectorAll("input")].map(({ value }, seat) => value.trim() || word("player", { seat: seat + 1 }));
  const seats = Number($("seats").value);
  const body = { game: $("game").value, seats, ruleset: { name: $("ruleset").value }, names, invite: true, host: "blind", public: $("public").checked, fair: $("joint").checked ? "joint" : "committed" };
  const [response, { code }] = await Promise.all([postUntilAnswered("/sessions", body), import("./qr.js")]);
  const answer = await response.json();
  if (!response.ok) return showVerdict([answer.detail, ...(answer.errors ?? answer.faults ?? []).map(({ detail, text }) => detail ?? text)].join(" "), "bad");
  const address = (rest) => `${location.origin}/play#${[answer.id, ...rest].join("/")}`;
  const line = (name, link, label) => {
    const said = h("button", { type: "button", class: "quiet", click: async () => {
      await navigator.clipboard?.writeText(link);
      said.textContent = word("copied");
    } }, word("copy-link"));
    return h("li", {}, code(link, word("qr", { name })),
      h("div", {}, h("b", {}, name), h("p", { class: "buttons" }, h("a", { href: link, target: "_blank", rel: "noopener" }, word(label)), said), h("code", {}, link)));
  };
  $("links").replaceChildren(h("h2", {}, word("links-title")), h("p", { class: "hint" }, word("links-hint"), " ", HERE.test(location.hostname) ? word("links-here") : ""),
    h("ul", { class: "invites" }, answer.invites.map((invite, seat) => line(names[seat], address([seat, invite]), "sit")), body.public ? line(word("spectator"), address([]), "look-on") : null));
  $("open").hidden = true;
  $("links").hidden = false;
  showVerdict("");
});

// --- at the table -------------------------------------------------------------

const seatKey = () => `seat ${table.id} ${table.seat}`; // under which the browser keeps token, key and seed of the seat

/** Takes the seat, or returns to it. */
async function sit(invite) {
  table.token = localStorage.getItem(seatKey());
  if (table.token) return true;
  const key = localStorage.getItem(`${seatKey()} key`) ?? secret();
  localStorage.setItem(`${seatKey()} key`, key); // kept over a reload, so that a lost answer can be had again
  const response = await postUntilAnswered(at(`/seats/${table.seat}`), { invite }, { "Idempotency-Key": key });
  const answer = await response.json();
  if (!response.ok) {
    showVerdict(answer.detail, "bad");
    return false;
  }
  table.token = answer.token;
  localStorage.setItem(seatKey(), answer.token);
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
  table.gives = part; // sends it once, though `look` may be called again meanwhile
  const seed = localStorage.getItem(`${seatKey()} seed`) ?? secret();
  localStorage.setItem(`${seatKey()} seed`, seed); // kept over a reload
  const response = await postUntilAnswered(at(part), all ? { seed } : { commitment: commitment(seed) }, bearer());
  if (response.ok) return look();
  table.gives = null;
  showVerdict((await response.json()).detail, "bad");
}

/** Shows the table as it is now, with the legal moves. */
async function look(marks = null) {
  const isLatest = newTurn("look");
  const [seen, legal] = await Promise.all([ask("GET", at(), undefined, bearer()), table.token ? ask("GET", at("/legal-moves"), undefined, bearer()) : null]);
  if (!isLatest()) return;
  const state = await seen.json();
  if (!seen.ok) return showVerdict(state.detail, "bad");
  if (!localStorage.getItem(commitmentKey())) localStorage.setItem(commitmentKey(), state.commitment);
  if (state.state === null) return deal(state);
  $("dealing").hidden = true;
  const can = legal?.ok ? await legal.json() : null;
  if (!isLatest()) return;
  table.game = state.game;
  $("table").hidden = $("right").hidden = false;
  Object.assign($("table"), { game: state.game, state: state.state, names: state.names ?? [], seat: table.seat ?? 0, plays: table.seat, legal: can, events: table.last ?? [], marks });
  const mine = table.seat !== null && state.to_act.includes(table.seat);
  const deals = (can?.moves ?? []).some(({ move }) => move.type === "deal");
  const said = state.result ? word("result") : mine ? word("your-turn") : state.to_act.map((seat) => state.names?.[seat] ?? (seat === null ? word("table") : `${word("seat")} ${seat}`)).join(", ");
  showVerdict(state.result || mine ? said : deals ? word("deal-next") : word("waits-for", { who: said }), mine && !state.result ? "good" : "plain");
  document.title = `${mine && !state.result ? "● " : ""}Rules Referee`;
  if (state.result && $("end").hidden) await end();
}

const make = busy(async (move) => {
  const { seed, ...bare } = move;
  const response = await postUntilAnswered(at("/moves"), { moves: [bare] }, bearer());
  const answer = await response.json();
  await look(response.ok ? null : { of: { moves: [bare] }, rulings: answer.violations ?? [] });
  if (!response.ok) showVerdict(answer.violations?.[0]?.text ?? answer.detail, "bad");
});

function record({ version, events }) {
  if (version <= table.version) return;
  table.version = version;
  if (!events.length) return;
  table.last = events;
  const lines = events.map(({ text, rule }) => h("li", {}, text, " ", h("a", { class: "clause", href: `/#game=${table.game ?? ""}&clause=${rule}`, target: "_blank", rel: "noopener" }, rule)));
  $("log").append(...lines);
  $("log").scrollTop = $("log").scrollHeight;
}

/** Follows the events from the last version on, and reconnects after a break. */
async function listen() {
  try {
    const ticket = table.token ? await ask("POST", at("/tickets"), undefined, bearer()).then((response) => response.json()) : {};
    const query = new URLSearchParams({ after: table.version, ...(ticket.ticket ? { ticket: ticket.ticket } : {}) });
    table.stream = new EventSource(at(`/events?${query}`));
    table.stream.addEventListener("entry", ({ data }) => {
      record(JSON.parse(data));
      look();
    });
    table.stream.addEventListener("closed", () => {
      table.stream.close();
      showVerdict(word("closed"), "bad");
    });
    table.stream.onerror = () => {
      table.stream.close(); // its ticket is good for one connection
      setTimeout(listen, AGAIN);
    };
  } catch {
    setTimeout(listen, AGAIN);
  }
}

/** The parts of a transcript, each with whether it is right. Cards are checked only of games that the verifier knows. */
async function checked(transcript) {
  const parts = packs[transcript.game] ? findings(transcript, localStorage.getItem(commitmentKey())) : {};
  const own = localStorage.getItem(`${seatKey()} seed`);
  if (own) parts.own = transcript.seeds[table.seat] === own ? [] : ["The seed of this seat is another one."];
  return Object.entries({ ...parts, replayed: await replay(transcript, location.origin) }).map(([part, wrong]) => [part, wrong.length === 0]);
}

/** After the game: checks the transcript and offers to step through it. */
async function end() {
  $("end").hidden = false;
  const pages = [];
  for (let after = 0; after !== null;) {
    const response = await ask("GET", at(`/transcript?after=${after}`), undefined, bearer());
    const page = await response.json();
    if (!response.ok) return $("end").replaceChildren(h("p", {}, page.detail));
    pages.push(page);
    after = page.next;
  }
  const whole = { ...pages.at(-1), moves: pages.flatMap(({ moves }) => moves), entries: pages.flatMap(({ entries }) => entries) };
  const [parts, first] = await Promise.all([checked(whole), ask("POST", "/deal", whole.deal).then((response) => response.json())]);
  const q = first.state ? await packed(JSON.stringify({ call: "resolve", text: pretty({ ...(whole.deal.names ? { names: whole.deal.names } : {}), state: first.state, moves: whole.moves }) })) : null;
  const file = URL.createObjectURL(new Blob([JSON.stringify(whole)], { type: "application/json" }));
  $("end").replaceChildren(h("h2", {}, word("end-title")),
    h("ul", { class: "proof" }, parts.map(([name, holds]) => h("li", { class: holds ? "good" : "bad" }, word(`proof-${name}`)))),
    h("p", { class: "buttons" }, q ? h("a", { href: `/${written({ game: whole.game, q, step: 0 })}` }, word("step-through")) : null, h("a", { href: file, download: "transcript.json" }, word("transcript"))));
}

// --- the page -----------------------------------------------------------------

const begin = busy(async () => {
  await speak([localStorage.getItem("language"), ...navigator.languages.map((each) => each.slice(0, 2)), "en"].find((each) => LANGUAGES.includes(each)));
  const [id, seat, invite] = location.hash.slice(1).split("/");
  $("language").onchange = () => {
    localStorage.setItem("language", $("language").value);
    location.reload();
  };
  window.onhashchange = () => location.reload();
  if (!id) {
    $("open").hidden = false;
    $("game").onchange = offerSeats;
    $("seats").onchange = offerNames;
    $("open").onsubmit = (event) => {
      event.preventDefault();
      open();
    };
    return offer();
  }
  Object.assign(table, { id, seat: seat === undefined ? null : Number(seat) });
  $("table").addEventListener("move", ({ detail }) => make(detail.move));
  $("table").addEventListener("clause", ({ detail }) => window.open(`/#game=${table.game}&clause=${detail.rule}`, "_blank", "noopener"));
  if (table.seat !== null && !(await sit(invite))) return;
  await look();
  await listen();
});

begin().catch(() => showVerdict(word("away"), "bad"));
