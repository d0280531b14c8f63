// A table for several browsers, kept in a session. After `#` the address has the session, the seat and its invitation; a
// spectator's address has the session alone, that of the invitations `links`. Tokens stay in the browser that took the seat.
import "./table/rules-table.js";
import { h } from "./table/h.js";
import { written } from "./address.js";
import { ask, busy, cached } from "./asking.js";
import { keepLanguage, LANGUAGES, language, lastLanguage, speak, word } from "./speech.js";
import { forget, leave, note, noted } from "./keep.js";
import { isId, Live, secret } from "./table/live.js";

const $ = (id) => document.getElementById(id);
const here = { id: null, seat: null, game: null, names: null, mine: false, awake: null };

const seatKey = () => `seat ${here.id} ${here.seat}`; // under which the browser keeps token, key and seed of the seat
const commitmentKey = () => `commitment ${here.id}`; // under which the browser keeps the first commitment it was shown
function showVerdict(said, tone = "plain") {
  if ($("verdict").textContent !== said) $("verdict").textContent = said; // the same again would be announced again
  $("verdict").className = tone;
}
const refused = (said) => showVerdict(said, "bad");
const clause = (rule) => `/${written({ game: here.game ?? "", clause: rule })}`;

/** Says why there is no table here, unless the table says it, and gives the way to others. */
function lead(said) {
  showVerdict(said, said ? "bad" : "plain");
  $("verdict").append(" ", h("a", { href: "/play" }, word("play-open-another")));
  $("verdict").hidden = false;
}

/** Why there is no such table, in words for players; the service has words for programmers. */
const lost = (problem) => ({ 401: word("play-no-table"), 404: word("play-gone") })[problem?.status];

/** Whether the browser lets the page keep anything; tokens are kept there. */
function keeps() {
  try {
    return Boolean(localStorage);
  } catch {
    return false;
  }
}

/** The token of the seat, which is taken now unless this browser has it already. */
async function sit(invite) {
  const kept = localStorage.getItem(seatKey());
  if (kept) return kept;
  const key = localStorage.getItem(`${seatKey()} key`) ?? secret();
  if (!invite || !Number.isInteger(here.seat)) throw new Error(word("play-cut"));
  localStorage.setItem(`${seatKey()} key`, key); // kept over a reload, so that a lost answer can be had again
  const live = new Live(new URL("/", location.href), here.id, language);
  const response = await live.post(`/seats/${here.seat}`, { invite }, key);
  live.close();
  const { token, detail } = await response.json();
  if (response.status === 404) forget(here.id);
  if (!response.ok) throw new Error(lost(response) ?? detail);
  localStorage.setItem(seatKey(), token);
  note(here.id, { seat: here.seat, invite });
  return token;
}

/** Keeps the screen on while this seat may act, where the browser can. It lets go by itself when the page is not seen. */
async function stayAwake() {
  if (here.mine && document.visibilityState === "visible")
    here.awake ??= await navigator.wakeLock?.request("screen").catch(() => null);
  else {
    here.awake?.release();
    here.awake = null;
  }
}

/** Says whose turn it is, and at the end who has won. */
async function show({ session, legal }) {
  if (!localStorage.getItem(commitmentKey())) localStorage.setItem(commitmentKey(), session.commitment);
  if (here.seat !== null) note(here.id, { game: session.game, names: session.names });
  [here.game, here.names] = [session.game, session.names];
  $("right").hidden = session.state === null;
  const acts =
    session.game === "twin-it" && Number.isInteger(session.state?.turn) ? [session.state.turn] : session.to_act; // all may claim; one flips
  const deals = (legal?.moves ?? []).some(({ move }) => move.type === "deal");
  const together = acts.includes(null) && legal?.moves.length > 0 && !deals; // one move of all
  const before = here.mine;
  here.mine = !session.result && session.state !== null && here.seat !== null && (acts.includes(here.seat) || together);
  const who = acts.map(nameOf).join(", ");
  showVerdict(
    here.mine ? word("play-your-turn") : deals ? word("play-deal-next") : word("play-waits-for", { who }),
    here.mine ? "good" : "plain",
  );
  stayAwake();
  if (here.mine && !before && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(VIBRATES);
  showGame();
  $("verdict").hidden = Boolean(session.result); // the end says more
  if (session.result) showNext(session.rematch);
  if (session.result && $("end").hidden) await end();
}

const VIBRATES = 150; // milliseconds, when the turn comes to this seat

/** Says which game it is, with the way to its rulebook, and in the title of the page whether it is this seat's turn. */
async function showGame() {
  const about = await cached(`/games/${here.game}`);
  const title = about?.title ?? here.game;
  document.title = `${here.mine ? `● ${word("play-title-turn")}` : title} – ${here.mine ? title : "Rules Referee"}`;
  document.querySelector("h1").textContent = title;
  $("book").href = `/games/${here.game}/rulebook`;
  $("book").hidden = false;
}

/** Leaves the table, once that is confirmed: this browser forgets its seat, which stays in the game. */
function leaveTable() {
  if (!confirm(word("play-leave-sure"))) return;
  leave(here.id, here.seat);
  location.assign("/play");
}

/** Copies the address for spectators, if the table admits any. */
const copySpectators = busy(async () => {
  const response = await ask("GET", `/sessions/${here.id}`).catch(() => null); // as a spectator reads it
  const shown = $("watch-link");
  shown.value = `${location.origin}/play#${here.id}`;
  shown.hidden = !response?.ok;
  const { copied } = await import("./share.js");
  const said = response?.ok ? await copied(shown.value, shown) : word(response ? "play-watch-not" : "away");
  $("watch").textContent = said;
  shown.hidden ||= said === word("copied");
});

const nameOf = (seat) => here.names?.[seat] ?? (seat === null ? word("table") : `${word("seat")} ${seat}`);

// --- the next table of the same people ---

const next = {
  line: h("p", { role: "status" }),
  button: h("button", { type: "button", class: "main", hidden: true, click: busy(sitAgain) }),
};

/** Says who has opened the next table and who sits there, and offers this seat's place there; a spectator may look on. */
function showNext(rematch) {
  const { by = null, seated = [] } = rematch ?? {};
  const parts = [
    by === null ? word("play-next-there") : word("play-next-open", { who: nameOf(by) }),
    seated.length ? word("play-next-seated", { who: seated.map(nameOf).join(", ") }) : "",
  ];
  next.line.textContent = rematch ? parts.join(" ") : "";
  if (rematch && here.seat === null)
    next.line.append(" ", h("a", { href: `/play#${rematch.id}` }, word("play-look-on")));
  next.button.textContent = word(rematch ? "play-next-sit" : "play-again");
  next.button.hidden = here.seat === null;
}

/** Takes this seat's place at the next table, which is opened if nobody has yet. The token is this seat's alone. */
async function sitAgain() {
  const live = Object.assign(new Live(new URL("/", location.href), here.id, language), {
    token: localStorage.getItem(seatKey()),
  });
  const response = await live.ask("POST", "/rematch").catch(() => null); // it may come twice: then it says the same
  live.close();
  const { id, token, detail } = (await response?.json()) ?? { detail: word("away") };
  if (!token) return next.line.replaceChildren(h("span", { role: "alert" }, lost(response) ?? detail));
  localStorage.setItem(`seat ${id} ${here.seat}`, token);
  note(id, { seat: here.seat, game: here.game, names: here.names, before: here.id });
  location.assign(`/play#${id}/${here.seat}`);
}

let before = null; // the table before this one is followed, until all have come or somebody has moved

/** Says who has come to this table from the one before, which knows it. */
function showCompany(id) {
  before = Object.assign(new Live(new URL("/", location.href), id, language), {
    token: localStorage.getItem(`seat ${id} ${here.seat}`),
  });
  before.addEventListener("table", ({ detail: { session } }) => {
    const { id: next, seated = [] } = session.rematch ?? {};
    const name = (seat) => session.names?.[seat] ?? `${word("seat")} ${seat}`;
    $("company").textContent = word("play-next-here", { who: seated.map(name).join(", ") });
    if (next !== here.id || seated.length === session.names?.length) leaveCompany();
  });
  before.addEventListener("refused", leaveCompany);
  before.sync();
}

function leaveCompany() {
  before?.close();
  before = null;
  $("company").textContent = "";
}

function record({ moves, events }) {
  if (moves.length) leaveCompany();
  const sentence = (event) =>
    $("table").cardsOf(event).length
      ? h("button", { type: "button", class: "said", click: () => $("table").light(event) }, event.text)
      : event.text;
  const lines = events.map((event) =>
    h(
      "li",
      {},
      sentence(event),
      " ",
      h("a", { class: "clause", href: clause(event.rule), target: "_blank", rel: "noopener" }, event.rule),
    ),
  );
  $("log").append(...lines);
  $("log").scrollTop = $("log").scrollHeight;
}

/** For a moment, a longer one after each try, or until the network is back. */
const pause = (tries) =>
  new Promise((done) => {
    setTimeout(done, Math.min(1_000 * 2 ** tries, 30_000));
    window.addEventListener("online", done, { once: true });
  });

/** After the game: tells how it ended. No further event comes, so that what fails here is tried again. */
async function end() {
  $("end").hidden = false;
  for (let tries = 0; ; tries++) {
    try {
      return await showEnd();
    } catch (error) {
      console.info(error);
      await pause(tries);
    }
  }
}

/** Checks the transcript and offers to step through it. */
async function showEnd() {
  const { drawEnd } = await import("./end.js");
  const own = localStorage.getItem(`${seatKey()} seed`);
  await drawEnd(
    $("end"),
    (after) => $("table").ask("GET", `/transcript?after=${after}`),
    { noted: localStorage.getItem(commitmentKey()), id: here.id, seed: own && { seat: here.seat, seed: own } },
    here.seat,
    next,
  );
  $("end").querySelector("h2")?.focus({ preventScroll: true });
  $("end").scrollIntoView({ block: "nearest" });
}

/** Follows the table, at a seat or as a spectator. */
function follow(invite) {
  const table = $("table");
  const on = (type, listener) => table.addEventListener(type, ({ detail }) => listener(detail));
  on("session", show);
  on("entry", record);
  on("clause", ({ rule }) => window.open(clause(rule), "_blank", "noopener"));
  on("refused", (problem) => {
    if (problem === null || problem.status === 404) forget(here.id);
    const said = here.game === null ? (lost(problem) ?? problem?.detail) : undefined; // a table that was shown says it itself
    table.hidden = Boolean(said);
    lead(said ?? "");
  });
  document.addEventListener("visibilitychange", stayAwake);
  const answered = new Promise((done) => {
    for (const type of ["session", "refused"]) table.addEventListener(type, done, { once: true });
  });
  Object.assign(table, { hidden: false, session: here.id, token: here.seat === null ? null : () => sit(invite) });
  return answered;
}

const begin = busy(async () => {
  await speak(
    [lastLanguage(), ...navigator.languages.map((each) => each.slice(0, 2)), "en"].find((each) =>
      LANGUAGES.includes(each),
    ),
  );
  const [id, seat, invite] = location.hash.slice(1).split("/");
  $("language").onchange = () => {
    keepLanguage($("language").value);
    location.reload();
  };
  window.onhashchange = () => location.reload();
  if (!keeps()) return refused(word("play-no-storage"));
  if (!id) return (await import("./open.js")).showForm(refused);
  if (!isId(id)) return refused(word("play-cut"));
  if (seat === "links") return (await import("./open.js")).showLinks(id, lead);
  Object.assign(here, { id, seat: seat === undefined ? null : Number(seat) });
  $("leave").hidden = here.seat === null;
  $("leave").onclick = leaveTable;
  $("watch").onclick = copySpectators;
  const came = here.seat === null ? {} : noted(id);
  if (came.before) showCompany(came.before);
  await follow(invite);
});

begin().catch(() => refused(word("away")));
