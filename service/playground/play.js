// A table for several browsers, over a session. The address names it after `#`: the session, the seat and its invitation;
// the session alone is a spectator's. A token never stands in an address: it stays in the browser that took the seat.
import "./table/rules-table.js";
import { h } from "./table/h.js";
import { packed, written } from "./address.js";
import { ask, begun, bring, busy } from "./asking.js";
import { LANGUAGES, language, pretty, speak, word } from "./speech.js";
import { commitment, findings, games as packs, replay } from "./fairness.mjs";

const $ = (id) => document.getElementById(id);
const AGAIN = 1500; // milliseconds before a broken stream is opened anew
const HERE = /^(localhost|127\..*|\[::1\])$/; // names by which only this machine calls itself
const table = { id: null, seat: null, token: null, version: 0, game: null, stream: null, moves: [] };

const secret = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
const at = (rest = "") => `/sessions/${table.id}${rest}`;
const noted = () => `commitment ${table.id}`; // the one that this browser was shown first
const bearer = () => (table.token ? { Authorization: `Bearer ${table.token}` } : {});
const tell = (said, tone = "plain") => Object.assign($("verdict"), { textContent: said, className: tone });

/** A request that is sent until it is answered: under one key it counts once. */
async function surely(path, body, headers = {}) {
  const key = { "Idempotency-Key": secret(), ...headers };
  for (let tries = 0; ; tries++) {
    try {
      const response = await ask("POST", path, body, key);
      if (response.status !== 503) return response;
    } catch {
      tell(word("away"), "bad");
    }
    await new Promise((done) => setTimeout(done, Math.min(AGAIN * 2 ** tries, 15_000)));
  }
}

// --- opening ------------------------------------------------------------------

let games = [];

const offer = busy(async () => {
  ({ games } = await bring("/games"));
  const chosen = $("game").value;
  $("game").replaceChildren(...games.map(({ game, title }) => h("option", { value: game }, title)));
  if (chosen) $("game").value = chosen;
  await offerSeats();
});

const offerSeats = busy(async () => {
  const lasts = begun("offer");
  const about = await bring(`/games/${$("game").value}`);
  if (!lasts()) return;
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
  const [response, { code }] = await Promise.all([surely("/sessions", body), import("./qr.js")]);
  const answer = await response.json();
  if (!response.ok) return tell([answer.detail, ...(answer.errors ?? answer.faults ?? []).map(({ detail, text }) => detail ?? text)].join(" "), "bad");
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
  tell("");
});

// --- at the table -------------------------------------------------------------

const place = () => `seat ${table.id} ${table.seat}`; // under which this browser keeps what is the seat's own

/** Takes the seat, or comes back to it. */
async function sit(invite) {
  table.token = localStorage.getItem(place());
  if (table.token) return true;
  const key = localStorage.getItem(`${place()} key`) ?? secret();
  localStorage.setItem(`${place()} key`, key); // the same after a reload: a lost answer is given again
  const response = await surely(at(`/seats/${table.seat}`), { invite }, { "Idempotency-Key": key });
  const answer = await response.json();
  if (!response.ok) {
    tell(answer.detail, "bad");
    return false;
  }
  table.token = answer.token;
  localStorage.setItem(place(), answer.token);
  return true;
}

/** Before a joint deal: shows what each seat has given to it, and gives what this one owes. */
async function deal({ commitments, to_act: owing, names }) {
  const all = !commitments.includes(null);
  const name = (seat) => names?.[seat] ?? `${word("seat")} ${seat}`;
  const given = commitments.map((each, seat) => (each === null ? "missing" : all && !owing.includes(seat) ? "shown" : "committed"));
  $("parts").replaceChildren(...given.map((part, seat) => h("li", { class: part === "missing" ? "" : "good" }, word(`part-${part}`, { name: name(seat) }))));
  $("dealing").hidden = false;
  const part = all ? "/seeds" : "/commitments";
  if (!owing.includes(table.seat) || table.gives === part) return tell(word("waits-for", { who: owing.map(name).join(", ") }));
  table.gives = part; // once, however often the table is looked at meanwhile
  const seed = localStorage.getItem(`${place()} seed`) ?? secret();
  localStorage.setItem(`${place()} seed`, seed); // the same after a reload
  const response = await surely(at(part), all ? { seed } : { commitment: commitment(seed) }, bearer());
  if (response.ok) return look();
  table.gives = null;
  tell((await response.json()).detail, "bad");
}

/** The table as it is now, and what may be done. */
async function look(marks = null) {
  const lasts = begun("look");
  const [seen, legal] = await Promise.all([ask("GET", at(), undefined, bearer()), table.token ? ask("GET", at("/legal-moves"), undefined, bearer()) : null]);
  if (!lasts()) return;
  const state = await seen.json();
  if (!seen.ok) return tell(state.detail, "bad");
  if (!localStorage.getItem(noted())) localStorage.setItem(noted(), state.commitment);
  if (state.state === null) return deal(state);
  $("dealing").hidden = true;
  const can = legal?.ok ? await legal.json() : null;
  if (!lasts()) return;
  table.game = state.game;
  $("table").hidden = $("right").hidden = false;
  Object.assign($("table"), { game: state.game, state: state.state, names: state.names ?? [], seat: table.seat ?? 0, plays: table.seat, legal: can, events: table.last ?? [], marks });
  const mine = table.seat !== null && state.to_act.includes(table.seat);
  const deals = (can?.moves ?? []).some(({ move }) => move.type === "deal");
  const said = state.result ? word("result") : mine ? word("your-turn") : state.to_act.map((seat) => state.names?.[seat] ?? (seat === null ? word("table") : `${word("seat")} ${seat}`)).join(", ");
  tell(state.result || mine ? said : deals ? word("deal-next") : word("waits-for", { who: said }), mine && !state.result ? "good" : "plain");
  document.title = `${mine && !state.result ? "● " : ""}Rules Referee`;
  if (state.result && $("end").hidden) await end();
}

const make = busy(async (move) => {
  const { seed, ...bare } = move;
  const response = await surely(at("/moves"), { moves: [bare] }, bearer());
  const answer = await response.json();
  await look(response.ok ? null : { of: { moves: [bare] }, rulings: answer.violations ?? [] });
  if (!response.ok) tell(answer.violations?.[0]?.text ?? answer.detail, "bad");
});

function told({ version, events }) {
  if (version <= table.version) return;
  table.version = version;
  if (!events.length) return;
  table.last = events;
  const lines = events.map(({ text, rule }) => h("li", {}, text, " ", h("a", { class: "clause", href: `/#game=${table.game ?? ""}&clause=${rule}`, target: "_blank", rel: "noopener" }, rule)));
  $("log").append(...lines);
  $("log").scrollTop = $("log").scrollHeight;
}

/** Listens, and after each break again, from the last version on. */
async function listen() {
  try {
    const ticket = table.token ? await ask("POST", at("/tickets"), undefined, bearer()).then((response) => response.json()) : {};
    const query = new URLSearchParams({ after: table.version, ...(ticket.ticket ? { ticket: ticket.ticket } : {}) });
    table.stream = new EventSource(at(`/events?${query}`));
    table.stream.addEventListener("entry", ({ data }) => {
      told(JSON.parse(data));
      look();
    });
    table.stream.addEventListener("closed", () => {
      table.stream.close();
      tell(word("closed"), "bad");
    });
    table.stream.onerror = () => {
      table.stream.close(); // its ticket is used up
      setTimeout(listen, AGAIN);
    };
  } catch {
    setTimeout(listen, AGAIN);
  }
}

/** Each part of a transcript, with whether it holds. The cards of a game that the verifier does not know are not checked. */
async function proved(transcript) {
  const parts = packs[transcript.game] ? findings(transcript, localStorage.getItem(noted())) : {};
  const own = localStorage.getItem(`${place()} seed`);
  if (own) parts.own = transcript.seeds[table.seat] === own ? [] : ["The seed of this seat is another one."];
  return Object.entries({ ...parts, replayed: await replay(transcript, location.origin) }).map(([part, wrong]) => [part, wrong.length === 0]);
}

/** The game is over: its transcript is checked, and can be stepped through. */
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
  const [parts, first] = await Promise.all([proved(whole), ask("POST", "/deal", whole.deal).then((response) => response.json())]);
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

begin().catch(() => tell(word("away"), "bad"));
