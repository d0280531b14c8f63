// The playground: it posts the question in the editor and shows the answer as a drawn table with the ruling beside it.
// A move made at the table is added to the question. The page knows the contract, but no rules.
import { h } from "./table/h.js";
import { packed, read, unpacked, written } from "./address.js";
import { ask, newTurn, getJson, busy, postJson, cached, MOST_MOVES, resolveInParts } from "./asking.js";
import {
  GIVEN,
  keepLanguage,
  language,
  LANGUAGES,
  lastLanguage,
  NAMES,
  pretty,
  speak,
  Vocabulary,
  verdict,
  word,
} from "./speech.js";

const $ = (id) => document.getElementById(id);
const MOST_PLAYED = 150; // moves in the question of a table that is played at; earlier ones become part of its state
let editor = null; // loaded after the first verdict
const page = {
  examples: {},
  games: [],
  kept: {},
  answered: null,
  scene: null,
  step: null,
  listed: false,
  review: false,
  language: null,
};

// --- the question -------------------------------------------------------------

const path = (call) => `/games/${$("game").value}/${call}`;
const description = () => cached(`/games/${$("game").value}`);
const seatsOf = (game) => page.games.find((each) => each.game === game)?.seats ?? [];

/** How members that a body must have are made from the bodies before it; any other is null at first. */
const REQUIRED = {
  state: ({ state = {} }) => state,
  moves: ({ moves, move }) => moves ?? (move ? [move] : []),
  move: ({ move, moves = [] }) => move ?? moves[0] ?? {},
  seats: ({ names, seats = names?.length ?? seatsOf($("game").value).find((count) => count > 1) }) => seats,
  seat: ({ seat = null }) => seat,
};
/** The same of members that it may have; undefined leaves one out, as all others are. */
const OPTIONAL = {
  compare: ({ compare: others }) => others || undefined,
  seed: ({ seed = "playground" }) => seed,
  names: ({ names }) => names || undefined,
};

/** The body of a call, made from the members of the bodies before it. */
function bodyOf(call, before = {}) {
  const made = Object.entries(GIVEN.calls[call]).map(([name, required]) => [
    name,
    required ? (REQUIRED[name]?.(before) ?? null) : OPTIONAL[name]?.(before),
  ]);
  const body = Object.fromEntries(made.filter(([, value]) => value !== undefined));
  const named = before.names ?? NAMES.slice(0, body.seats);
  return call === "deal" && named.length === body.seats ? { ...body, names: named } : body;
}

function write(call, body) {
  $("call").value = call;
  $("path").textContent = `POST ${path(call)}`;
  $("body").value = typeof body === "string" ? body : pretty(body);
  editor?.paint();
  showMistake("");
}

/** The parsed body; undefined, and the mistake is shown, if it is not JSON. */
function parsed() {
  try {
    const asked = JSON.parse($("body").value);
    showMistake("");
    return asked;
  } catch (error) {
    showMistake(`${word("notJson")} ${error.message}`);
    return undefined;
  }
}

function showMistake(message) {
  $("mistake").textContent = message;
  $("body").setAttribute("aria-invalid", String(message !== ""));
}

/** The parsed body. A `game` in it is selected and taken out, because the path names the game. */
function question() {
  const asked = parsed();
  if (!page.games.some((each) => each.game === asked?.game)) return asked;
  const { game, ...rest } = asked;
  if (game !== $("game").value) {
    $("game").value = game;
    page.kept = {};
    offerExamples();
    $("example").value = "";
  }
  write($("call").value, rest);
  return rest;
}

// --- asking -------------------------------------------------------------------

function showVerdict(said, tone = "plain") {
  $("verdict").className = tone;
  $("verdict").textContent = said;
}

function clear() {
  for (const id of ["ruling", "raw", "caption"]) $(id).replaceChildren();
}

/** Removes the ruling from the page. */
function forget(said) {
  newTurn("answer");
  page.answered = null;
  clear();
  $("moves").replaceChildren();
  showVerdict(word(said));
}

function showUnreachable() {
  if (!page.games.length) $("asked").open = true; // its button tries again
  page.answered = null;
  if ($("table").marks) $("table").marks = null;
  clear();
  $("moves").replaceChildren();
  showVerdict(word("away"), "bad");
}

/**
 * Posts the text of the editor unchanged and shows the answer; true if there was one. `given`: an answer that the page
 * came with. The verdict is shown first, before anything else is loaded.
 */
async function judge({ push = false, step = null, given = null } = {}) {
  const asked = question();
  if (asked === undefined) {
    forget("waiting");
    $("asked").open = true;
    $("body").focus();
    return false;
  }
  const isLatest = newTurn("answer");
  const call = $("call").value;
  const sent = $("body").value;
  if (!page.answered) showVerdict(word("asking"));
  try {
    const long = call === "resolve" && asked?.moves?.length > MOST_MOVES;
    const naming = description();
    const [status, answer] = given
      ? [200, given.answer]
      : await (long ? resolveInParts(path(call), asked) : postJson(path(call), sent));
    if (!isLatest()) return false;
    showVerdict(...verdict({ call, asked, status, answer }).reverse());
    const [about, { Ruling }] = await Promise.all([naming, import("./ruling.js"), import("./table/rules-table.js")]);
    if (!isLatest()) return false;
    page.answered = {
      call,
      asked: asked ?? {},
      sent,
      status,
      answer,
      legal: given?.legal ?? legalOf(answer, answer),
      vocabulary: new Vocabulary(about, asked?.names),
    };
    page.step = step;
    showRuling(Ruling);
    await Promise.all([drawScene(), remember(push)]);
    return true;
  } catch {
    if (isLatest()) showUnreachable();
    return false;
  }
}

const ACTIONS = {
  cite(id) {
    turnTo("book", id);
  },
  jump: (step) => go(step),
  compare: busy(() => {
    const { legal_moves: _, ...asked } = page.answered.asked; // a comparison has outcomes enough
    write("resolve", { ...asked, compare: true });
    return judge({ push: true });
  }),
  /** Asks the same question with another value of an option. */
  read: busy((option, value) => {
    const { state, ...rest } = page.answered.asked;
    const options = { ...state.ruleset?.options, [option]: value };
    write("resolve", { state: { ...state, ruleset: { ...state.ruleset, options } }, ...rest });
    return judge({ push: true });
  }),
};

/** The legal moves in a part of an answer, as a table takes them. */
const legalOf = (part, { to_act }) => (part?.legal_moves ? { ...part.legal_moves, to_act } : null);

function showRuling(Ruling) {
  const { answer, vocabulary } = page.answered;
  clear();
  const ruling = new Ruling(page.answered, vocabulary, ACTIONS);
  page.ruling = ruling;
  const onward = answer.state
    ? h("p", { class: "buttons" }, h("button", { type: "button", click: goOn }, word("goOn")))
    : null;
  $("ruling").append(...[ruling.parts(), onward].flat(Infinity).filter(Boolean));
  $("raw").append(ruling.raw());
  point();
  if (!$("share").hidden) share();
  if ($("rules").open) showRules();
}

/** Marks in the editor what the answer points to. */
function point() {
  const { violations, faults, errors, undetermined } = page.answered?.answer ?? {};
  const pointing = [violations, faults, errors, undetermined].flat().filter(Boolean);
  editor?.mark(
    pointing.flatMap(({ pointer, pointers, text, detail }) =>
      (pointers ?? [pointer ?? ""]).map((each) => ({ pointer: each, text: text ?? detail })),
    ),
  );
}

/** Shows ruleset and deal as controls; a change asks again. */
const showRules = busy(async () => {
  const { controls } = await import("./rules.js");
  const { call, asked, vocabulary } = page.answered ?? {};
  const focused = [...$("controls").querySelectorAll("select, input")].indexOf(document.activeElement);
  $("controls").replaceChildren(
    ...(asked
      ? controls(
          vocabulary.about,
          call,
          asked,
          busy((changed) => {
            write(call, changed);
            $("example").value = "";
            return judge({ push: true });
          }),
        )
      : []),
  );
  $("controls").querySelectorAll("select, input")[focused]?.focus();
});

// --- the table ----------------------------------------------------------------

const allEvents = () => (page.answered?.status === 200 && page.answered.answer.events) || [];
const shownStep = () => Math.min(page.step ?? Infinity, allEvents().length);

/** The table that the question began with, and the moves made up to the step shown. */
function position() {
  const { call, asked, status, answer } = page.answered;
  if (status === 200 && call !== "resolve" && answer.state)
    return { state: answer.state, moves: [], names: asked.names };
  const step = shownStep();
  const made =
    call !== "resolve" || status !== 200
      ? 0
      : step === allEvents().length
        ? answer.applied
        : step
          ? allEvents()[step - 1].move + 1
          : 0;
  return { state: asked.state, moves: (asked.moves ?? []).slice(0, made), names: asked.names };
}

/** The seat whose view is shown; null for a spectator, undefined for all cards. */
function viewer() {
  if (page.answered.call === "view" && page.answered.status === 200) return page.answered.answer.seat;
  const view = $("view").value;
  return view === "host" || view === "" ? undefined : view === "spectator" ? null : Number(view);
}

/** The table at the step shown, as the viewer sees it, with its legal moves. */
async function fetchScene() {
  const { call, status, answer } = page.answered;
  const { state, moves, names } = position();
  if (state === null || typeof state !== "object" || status === 400) return null;
  const seat = viewer();
  const whole =
    call === "resolve" &&
    status === 200 &&
    seat === undefined &&
    moves.length === answer.applied &&
    page.answered.legal;
  const views = seat === undefined ? {} : { views: [seat] };
  const asked = { state, moves, legal_moves: true, ...(names ? { names } : {}), ...views };
  const [found, seen] = whole ? [status, answer] : await resolveInParts(path("resolve"), asked);
  if (found !== 200) return { state, full: state, events: [], legal: null, seat };
  const shown = seen.views?.[0] ?? seen;
  const events = seat === undefined ? seen.events.slice(0, shownStep()) : shown.events;
  const legal = whole ? page.answered.legal : seat === null ? null : legalOf(shown, seen);
  return {
    state: shown.state,
    full: seen.state,
    events: call === "view" ? [] : events,
    legal: legal ?? { moves: [], to_act: seen.to_act },
    seat,
  };
}

async function drawScene() {
  const isLatest = newTurn("stage");
  const [scene, about] = await Promise.all([fetchScene(), description()]);
  if (!isLatest() || !page.answered) return;
  if (about) document.title = `${about.title} – Rules Referee`;
  page.scene = scene;
  const { asked, answer, status } = page.answered;
  const atEnd = shownStep() === allEvents().length;
  const rulings = atEnd ? [answer.violations, answer.faults, answer.undetermined].flat().filter(Boolean) : [];
  const { state = null, events = [], legal = null, seat } = scene ?? {};
  const drawn = new Promise((done) => $("table").addEventListener("drawn", done, { once: true }));
  Object.assign($("table"), {
    game: $("game").value,
    about,
    state,
    events: status === 200 ? events : [],
    legal,
    names: asked.names ?? [],
    seat: seat ?? 0,
    plays: seat === undefined ? "all" : seat,
    marks: { of: asked, rulings },
  });
  showSteps(rulings);
  showMoves();
  await drawn;
  if (isLatest()) offerViews();
}

function showSteps(rulings) {
  const events = allEvents();
  const step = shownStep();
  $("steps").hidden = !events.length && !page.answered.asked.moves?.length;
  $("step").max = events.length;
  $("step").value = step;
  $("step").setAttribute("aria-valuetext", events[step - 1]?.text ?? word("start"));
  $("count").textContent = `${step} / ${events.length}`;
  $("first").disabled = $("back").disabled = step === 0;
  $("last").disabled = $("on").disabled = step === events.length;
  $("undo").disabled = page.answered.call !== "resolve" || !page.answered.asked.moves?.length;
  const shown = rulings.length ? [] : events.slice(Math.max(0, step - 1), step); // rulings are shown at their cards
  $("caption").replaceChildren(
    ...shown.slice(0, 3).flatMap(({ text, rule }) => [text, " ", page.ruling.cited(rule), " "]),
  );
  if (page.review) besideClauses(shown);
  for (const button of $("ruling").querySelectorAll("[data-step]")) {
    const current = Number(button.dataset.step) === step;
    button.toggleAttribute("data-current", current);
    if (current) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
    const list = button.closest(".events");
    if (current) list.scrollTop = button.offsetTop - list.offsetTop - list.clientHeight / 2;
  }
}

/** After a game each ruling has its clause beside it, word for word. */
async function besideClauses(rulings) {
  const isLatest = newTurn("clauses");
  const book = rulings.length ? await cached(path("rulebook")) : null;
  const clauses = book?.clauses.filter(({ id }) => rulings.some(({ rule }) => rule === id)) ?? [];
  if (isLatest()) $("caption").append(...clauses.map(({ text }) => h("blockquote", {}, text)));
}

const go = busy(async (step) => {
  if (!page.answered) return;
  const end = allEvents().length;
  page.step = Math.max(0, Math.min(step, end)) === end ? null : Math.max(0, step);
  try {
    await Promise.all([drawScene(), remember()]);
  } catch {
    showUnreachable();
  }
});

function showMoves() {
  const { legal } = page.scene ?? {};
  page.listed = $("moves").querySelector("details")?.open ?? page.listed;
  const focused = $("moves").contains(document.activeElement);
  if (!legal?.moves.length) {
    $("moves").replaceChildren();
    return;
  }
  const { vocabulary, asked } = page.answered;
  const next = page.review ? asked.moves?.[position().moves.length] : undefined;
  const isMade = (move) => next !== undefined && pretty({ ...next, seed: undefined }) === pretty(move);
  const bySeat = new Map();
  for (const each of legal.moves) {
    const seat = each.move.seat ?? null;
    bySeat.set(seat, [...(bySeat.get(seat) ?? []), each]);
  }
  const buttons = [...bySeat].map(([seat, group]) => [
    h("h4", {}, vocabulary.seat(seat)),
    group.map(({ move, text }) =>
      h("button", { type: "button", click: () => make(move), "aria-current": isMade(move) ? "true" : null }, text),
    ),
  ]);
  $("moves").replaceChildren(
    h(
      "details",
      { open: page.listed },
      h("summary", {}, `${word("possible")}: ${legal.moves.length}`),
      legal.complete ? null : h("p", { class: "hint" }, word("more")),
      page.review ? h("p", { class: "hint" }, word("what-if")) : null,
      h("div", { class: "moves", role: "group", "aria-label": word("possible") }, buttons),
    ),
  );
  if (focused)
    $("moves")
      .querySelector(page.listed ? "button" : "summary")
      .focus();
}

/** Adds a move to those made up to the step shown, and asks. A deal gets a random seed. */
const make = busy(async (move) => {
  if (!page.answered) return;
  const { state, moves, names } = position();
  const seed = move.type === "deal" ? { seed: crypto.getRandomValues(new Uint32Array(2)).join("-") } : {};
  let asked = { ...(names ? { names } : {}), state, moves: [...moves, { ...move, ...seed }], legal_moves: true };
  if (moves.length >= MOST_PLAYED) {
    const early = moves.slice(0, -20);
    const response = await ask("POST", path("resolve"), { state, moves: early });
    if (response.ok) asked = { ...asked, state: (await response.json()).state, moves: asked.moves.slice(early.length) };
  }
  write("resolve", asked);
  $("example").value = "";
  await judge();
});

const undo = busy(async () => {
  const { asked, answer } = page.answered;
  const made = answer.applied < asked.moves.length ? answer.applied : asked.moves.length - 1;
  write("resolve", { ...asked, moves: asked.moves.slice(0, made) });
  await judge();
});

const goOn = busy(() => {
  page.kept = {};
  write("resolve", { state: page.scene?.full ?? page.answered.answer.state, moves: [] });
  $("example").value = "";
  return judge({ push: true });
});

// --- choosing -----------------------------------------------------------------

const examples = () => [
  ...(page.examples[$("game").value] ?? []),
  { id: "fresh", why: word("fresh"), call: "deal", body: bodyOf("deal") },
];

/** Offers the examples of the game chosen. Those of the first game came with the page; the others are fetched when they are needed. */
async function offerExamples() {
  if (!page.examples[$("game").value]) {
    const spoken = language();
    $("example").disabled = true; // what it offers is of another game
    const brought = await cached("/playground/examples.json").finally(() => {
      $("example").disabled = false;
    });
    if (language() === spoken) page.examples = brought ?? page.examples;
  }
  const groups = new Map();
  for (const { id, why, call } of examples())
    groups.set(call, [...(groups.get(call) ?? []), h("option", { value: id }, why)]);
  $("example").replaceChildren(
    h("option", { value: "", hidden: true }, word("own")),
    ...[...groups].map(([call, options]) => h("optgroup", { label: word(call) }, options)),
  );
}

function offerViews() {
  const chosen = $("view").value || "host";
  const seats = Array.from({ length: $("table").seats ?? 0 }, (_, seat) =>
    h("option", { value: String(seat) }, page.answered?.asked.names?.[seat] ?? `${word("seat")} ${seat}`),
  );
  $("view").replaceChildren(
    h("option", { value: "host" }, word("host")),
    ...seats,
    h("option", { value: "spectator" }, word("spectator")),
  );
  $("view").value = [...$("view").options].some(({ value }) => value === chosen) ? chosen : "host";
}

function setView(view) {
  if (![...$("view").options].some(({ value }) => value === view)) $("view").append(h("option", { value: view }, view));
  $("view").value = view;
}

/** The answer that the page came with, if it is to this example: it has one language. */
const givenTo = (example) => (GIVEN.language === language() && GIVEN.first.id === example ? GIVEN.first : null);

/** Shows another example; `push` adds it to the browser's history. */
const choose = busy(async (example, push) => {
  const { call, body } = examples().find(({ id }) => id === example) ?? examples()[0];
  $("example").value = examples().some(({ id }) => id === example) ? example : examples()[0].id;
  page.kept = body;
  page.answered = null;
  setView("host");
  write(call, body);
  await remember(push);
  await judge({ given: givenTo($("example").value) });
});

/** Deals a table of the game chosen, to play at. */
const playFresh = busy(() => {
  page.kept = {};
  setView("host");
  write("deal", { ...bodyOf("deal"), seed: crypto.getRandomValues(new Uint32Array(2)).join("-") });
  $("example").value = "";
  return judge({ push: true });
});

/** Rewrites the question for another call: about the table shown, or about the text if it was edited since. */
function chooseCall() {
  const call = $("call").value;
  const now = page.answered?.sent === $("body").value && page.scene && call !== "deal" && position().moves.length;
  const table = now ? { state: page.scene.full, moves: [], move: undefined, names: position().names } : question();
  page.kept = { ...page.kept, names: undefined, ...table }; // the names are of this table
  write(call, bodyOf(call, page.kept));
}

/** Writes what is shown into the address, for links and reloads. */
async function remember(push = false) {
  const isLatest = newTurn("address");
  if (!page.games.length) return;
  const text = $("body").value;
  const example = examples().find(({ id }) => id === $("example").value);
  const own = !example || example.call !== $("call").value || pretty(example.body) !== text;
  if (own) $("example").value = "";
  const q = own ? await packed(JSON.stringify({ call: $("call").value, text })) : null;
  if (!isLatest()) return;
  const view = $("view").value === "host" ? null : $("view").value;
  const address = written({
    game: $("game").value,
    example: own ? null : example.id,
    q,
    view,
    step: page.step,
    review: page.review && own ? "1" : null,
    language: page.language,
  });
  if (address === location.hash) return;
  history[push ? "pushState" : "replaceState"](null, "", address);
}

async function speakIn(wanted) {
  await speak(wanted);
  for (const [id, key] of [
    ["first", "Home"],
    ["back", "←"],
    ["on", "→"],
    ["last", "End"],
  ])
    $(id).title = `${word(id)} (${key})`;
}

function nameGames() {
  const chosen = $("game").value;
  $("game").replaceChildren(...page.games.map(({ game, title }) => h("option", { value: game }, title)));
  if (chosen) $("game").value = chosen;
}

/** Loads the games in the language of the page. */
async function fetchGames() {
  const given = GIVEN.language === language();
  page.games = (given ? GIVEN.games : await getJson("/games")).games;
  page.examples = given ? GIVEN.examples : {};
  nameGames();
}

const chooseLanguage = busy(async () => {
  const isLatest = newTurn("games");
  page.language = null;
  try {
    await speakIn($("language").value);
    keepLanguage(language());
    await fetchGames();
    if (!isLatest()) return;
    const chosen = $("example").value;
    await offerExamples();
    $("example").value = chosen;
    offerViews();
    if (!$("book").hidden) openBook();
    if (page.answered) await judge({ step: page.step });
    else showVerdict(word("waiting"));
  } catch {
    if (isLatest()) showUnreachable();
  }
});

/** Shows what the address names, or asks what was typed before the games had loaded. */
const follow = busy(async ({ typed = "" } = {}) => {
  const chosen = read();
  page.review = Boolean(chosen.review);
  if (chosen.clause) queueMicrotask(() => ACTIONS.cite(chosen.clause));
  const [first] = Object.keys(GIVEN.examples);
  const game = page.games.some((each) => each.game === chosen.game) ? chosen.game : first;
  $("game").value = game;
  if (GIVEN.drawings.includes(game))
    document.head.append(h("link", { rel: "modulepreload", href: `/playground/table/${game}.js` })); // before the table asks for it
  await offerExamples();
  if (!page.examples[game]) throw new Error("no examples");
  const own = chosen.q ? await unpacked(chosen.q) : null;
  if (typed === "" && !own) {
    await choose(chosen.example ?? examples()[0].id, false);
  } else {
    const { call, text } = typed === "" ? JSON.parse(own) : { call: $("call").value, text: typed };
    $("example").value = "";
    write(Object.hasOwn(GIVEN.calls, call) ? call : "resolve", String(text));
    setView(chosen.view ?? "host");
    page.listed ||= page.review;
    await judge({ step: chosen.step === undefined ? null : Number(chosen.step) });
    return;
  }
  if (chosen.view || chosen.step !== undefined) {
    if (chosen.view) setView(chosen.view);
    if (page.answered) await go(chosen.step === undefined ? Infinity : Number(chosen.step));
  }
});

/** Loads the games, enables the choices and shows what the address names. */
const enter = busy(async () => {
  const isLatest = newTurn("games");
  try {
    await speakIn(page.wanted);
    await fetchGames();
    if (!isLatest()) return;
    for (const choice of document.querySelectorAll("select")) choice.disabled = false;
    await follow({ typed: $("body").value });
    document.body.classList.remove("early");
    if (editor) return;
    const { Editor } = await import("./editor.js");
    editor = new Editor(document.querySelector(".editor"), () => ({ game: $("game").value, call: $("call").value }));
    if (page.answered?.sent === $("body").value) point();
  } catch {
    if (!isLatest()) return;
    page.games = [];
    showUnreachable();
  } finally {
    document.body.classList.remove("early");
  }
});

// --- the panel ----------------------------------------------------------------

const TABS = ["answer", "book", "share"];

const openBook = busy(async (id) => (await import("./rulebook.js")).openBook($("book"), $("game").value, id));

const share = busy(
  async () =>
    page.answered &&
    (await import("./share.js")).openShare(
      $("share"),
      page.answered,
      $("game").value,
      () => page.scene?.full ?? page.answered.asked.state,
    ),
);

function turnTo(name, clause) {
  for (const each of TABS) {
    $(each).hidden = each !== name;
    $(`tab-${each}`).setAttribute("aria-selected", String(each === name));
    $(`tab-${each}`).tabIndex = each === name ? 0 : -1;
  }
  if (name === "book") openBook(clause);
  if (name === "share") share();
}

function listen() {
  $("language").onchange = chooseLanguage;
  $("game").onchange = busy(async () => {
    await offerExamples();
    return choose(examples()[0].id, true);
  });
  $("example").onchange = () => choose($("example").value, true);
  $("view").onchange = () => go(page.step ?? Infinity);
  $("call").onchange = chooseCall;
  let waits;
  $("body").oninput = () => {
    if ($("mistake").textContent) parsed();
    clearTimeout(waits);
    waits = setTimeout(remember, 400);
  };
  $("body").onkeydown = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("request").requestSubmit();
  };
  $("tidy").onclick = () => {
    const asked = question();
    if (asked !== undefined) write($("call").value, asked);
  };
  const submit = busy(() =>
    page.games.length ? judge({ push: true }).then(() => $("verdict").scrollIntoView({ block: "nearest" })) : enter(),
  );
  $("request").onsubmit = (event) => {
    event.preventDefault();
    return submit();
  };
  $("table").addEventListener("move", ({ detail }) => make(detail.move));
  $("table").addEventListener("clause", ({ detail }) => ACTIONS.cite(detail.rule));
  $("step").oninput = () => go(Number($("step").value));
  $("first").onclick = () => go(0);
  $("back").onclick = () => go(shownStep() - 1);
  $("on").onclick = () => go(shownStep() + 1);
  $("last").onclick = () => go(Infinity);
  $("undo").onclick = undo;
  $("fresh").onclick = playFresh;
  $("rules").ontoggle = () => $("rules").open && showRules();
  for (const [at, name] of TABS.entries()) {
    $(`tab-${name}`).onclick = () => turnTo(name);
    $(`tab-${name}`).onkeydown = ({ key }) => {
      const next = TABS[(at + ({ ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0) + TABS.length) % TABS.length];
      if (next !== name) [turnTo(next), $(`tab-${next}`).focus()];
    };
  }
  document.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (
      !step ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey ||
      event.target.closest?.("input, select, textarea, [role=tab], pre")
    )
      return;
    go(shownStep() + step);
  };
  window.onpopstate = () => {
    const { language: other } = read();
    if (LANGUAGES.includes(other) && other !== language()) location.reload();
    else if (page.games.length) follow().catch(showUnreachable);
  };
}

function begin() {
  page.language = LANGUAGES.find((each) => each === read().language) ?? null;
  const wanted = [page.language, lastLanguage(), ...navigator.languages.map((each) => each.slice(0, 2))];
  page.wanted = wanted.find((each) => LANGUAGES.includes(each)) ?? GIVEN.language;
  listen();
  enter();
}

begin();
