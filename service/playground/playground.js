// The page asks, and shows what it is told. It knows the contract; it knows no rules.

import { WORDS } from "./words.js";

const $ = (id) => document.getElementById(id);
const page = { examples: new Map(), seats: new Map(), rulebooks: new Map(), described: new Map(), kept: {}, answered: null, turns: new Map() };

// --- building -----------------------------------------------------------------

/** An element. `how`: properties and attributes; children are elements or texts, null for none. */
function h(tag, how = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(how)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

/** A word of the page; `particulars` take the places of their names in braces. */
const word = (name, particulars = {}) =>
  WORDS[$("language").value][name].replace(/\{(\w+)\}/g, (braces, each) => particulars[each] ?? braces);

/** What a word of the wire is called, by the description of the game; itself where it has no name. */
const called = (named, name) => named?.find((each) => each.name === name)?.title ?? name;

/** JSON that is read by people: what fits on a line stands on one. */
function pretty(value, indent = "") {
  const line = JSON.stringify(value, null, 1).replace(/\n */g, " ").replace(/([[{]) | ([\]}])/g, "$1$2");
  if (indent.length + line.length <= 76 || value === null || typeof value !== "object") return line;
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = Array.isArray(value)
    ? value.map((item) => deeper + pretty(item, deeper))
    : Object.entries(value).map(([key, item]) => `${deeper}${JSON.stringify(key)}: ${pretty(item, deeper)}`);
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

/** A value in a sentence or a cell. `inside`: of another one. */
function plain(value, inside = false) {
  if (value === null) return "–";
  if (typeof value !== "object") return String(value);
  const parts = Array.isArray(value)
    ? value.map((item) => plain(item, true)).join(" ")
    : Object.entries(value).map(([key, item]) => `${key} ${plain(item, true)}`).join(", ");
  return inside ? `(${parts})` : parts;
}

const members = (object) => Object.entries(object).map(([key, value]) => `${key} ${plain(value)}`).join(" · ");

/** A value of a move or a fact, as the game calls it. */
function said(value) {
  const about = page.answered?.described;
  if (Array.isArray(value)) return value.map(said).join(", ");
  if (value !== null && typeof value === "object") {
    return Object.entries(value).map(([key, item]) => (key === "seat" ? `${word("seat")} ${item}` : said(item))).join(" ");
  }
  const card = about?.cards.find((each) => each.card === value);
  return card?.title ?? called(about?.names.terms, plain(value));
}

const factsOf = (facts) =>
  Object.entries(facts).map(([key, value]) => `${called(page.answered?.described?.names.facts, key)} ${said(value)}`).join(" · ");

/** A move in a line; `seated`: with its seat. */
function inWords({ type, seat, ...rest }, seated = true) {
  const parts = [seated && typeof seat === "number" ? `${word("seat")} ${seat}` : null,
    called(page.answered?.described?.names.moves, type), ...Object.values(rest).map(said)];
  return parts.filter(Boolean).join(" · ");
}

/** Objects of one shape. `heads`: words for some of the columns. */
function tableOf(rows, heads = {}) {
  const columns = [...new Set(rows.flatMap(Object.keys))];
  return h("div", { className: "scroll" },
    h("table", {},
      h("thead", {}, h("tr", {}, columns.map((column) => h("th", { scope: "col" }, heads[column] ?? column)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, columns.map((column) => h("td", {}, plain(row[column] ?? null))))))));
}

const part = (title, ...children) => h("section", {}, h("h3", {}, title), ...children);

const isTable = (value) => Array.isArray(value) && value.length > 0 && value.every((item) => item?.constructor === Object);

// --- clauses ------------------------------------------------------------------

/** The texts of a game's clauses by their ids, once they are here; none where they cannot be had now. */
function rulebook(game) {
  const key = `${game} ${$("language").value}`;
  if (!page.rulebooks.has(key)) {
    page.rulebooks.set(key, bring(`/games/${game}/rulebook`).then(
      ({ clauses }) => new Map(clauses.map(({ id, text }) => [id, text])),
      () => {
        page.rulebooks.delete(key);
        return new Map();
      }));
  }
  return page.rulebooks.get(key);
}

/** What there is to know of a game, in the visitor's language; null where it cannot be had now. */
function described(game) {
  const key = `${game} ${$("language").value}`;
  if (!page.described.has(key)) {
    page.described.set(key, bring(`/games/${game}`).catch(() => {
      page.described.delete(key);
      return null;
    }));
  }
  return page.described.get(key);
}

let named = 0;

/** The clause's id, as a button that shows its text: pointed at, or opened. */
function cited(id) {
  const text = h("blockquote", { id: `clause-${++named}`, hidden: true });
  const button = h("button", {
    type: "button", className: "clause", "aria-label": word("clause", { id }),
    "aria-expanded": "false", "aria-controls": text.id,
    onclick() {
      text.hidden = !text.hidden;
      button.setAttribute("aria-expanded", String(!text.hidden));
    },
  }, id);
  page.answered.clauses.then((texts) => { button.title = text.textContent = texts.get(id) ?? ""; });
  return [button, text];
}

/** A ruling: its sentence, its clause, and what it tells in tables. */
function ruling({ text, rule, params = {}, pointer, pointers }) {
  const where = pointers ?? (pointer === undefined ? [] : [pointer]);
  return h("li", {},
    h("span", { className: "said" }, text), " ", cited(rule),
    where.length ? h("p", { className: "where" }, where.map((each) => h("code", {}, each))) : null,
    Object.values(params).filter(isTable).map((rows) => tableOf(rows)));
}

// --- an answer ----------------------------------------------------------------

/** Verdict and tone of an answer. */
function verdict(call, asked, status, answer) {
  if (status >= 400) {
    if (answer.faults) return ["bad", word("impossible")];
    return ["bad", answer.errors ? word("misfit") : `${answer.title ?? status}`];
  }
  if (call === "audit") return answer.consistent ? ["good", word("consistent")] : ["bad", word("impossible")];
  if (call === "legal-moves") return ["plain", word("listed", { count: answer.moves.length })];
  if (call === "view") return ["plain", answer.seat === null ? word("seenByAll") : word("seen", { seat: answer.seat })];
  if (call === "deal") return ["plain", word("dealt")];
  const count = call === "resolve" ? ` ${word("applied", { applied: answer.applied, asked: asked.moves.length })}` : "";
  if (!answer.legal) return ["bad", word("illegal") + count];
  if (answer.undetermined) return ["doubt", word("undetermined") + count];
  return answer.unverified.length ? ["doubt", word("legalAsSeen") + count] : ["good", word("legal") + count];
}

/** The parts of an answer, by the member that tells of them, in the order in which they are shown. */
const PARTS = {
  detail: (detail) => h("p", {}, detail),
  errors: (errors) => part(word("errors"), h("ul", { className: "rulings" }, errors.map(({ pointer, detail }) =>
    h("li", {}, h("span", { className: "said" }, detail), h("p", { className: "where" }, h("code", {}, pointer || "/")))))),
  violations: (violations) => part(word("violations"), h("ul", { className: "rulings" }, violations.map(ruling))),
  undetermined: (awaited) => h("ul", { className: "rulings" }, ruling(awaited)),
  faults: (faults) => part(word("faults"), h("ul", { className: "rulings" }, faults.map(ruling))),
  events: (events, answer, asked) => part(word("events"), h("ol", { className: "rulings events" },
    events.flatMap((event, index) => [
      events[index - 1]?.move === event.move ? null : h("li", { className: "cause" }, inWords(asked.moves[event.move])),
      ruling(event),
    ]))),
  contested: (contested, answer, asked) => part(word("contested"),
    h("ul", { className: "rulings" }, contested.map((each) => disagreement(each, answer))),
    asked.compare ? null : h("button", { type: "button", onclick: compare }, word("others"))),
  comparison: (compared) => compared.map(({ ruleset, legal, standings }) =>
    part(plain(ruleset.name ?? ruleset), legal ? tableOf(standings, heads()) : word("illegal"))),
  unverified: (ids) => part(word("unverified"), h("p", { className: "chips" }, ids.flatMap(cited))),
  standings: (standings) => part(word("standings"), tableOf(standings, heads())),
  result: ({ rule, ...result }) => part(word("result"), h("p", {}, members(result), " ", cited(rule))),
  to_act: (seats) => part(word("next"), h("p", {}, seats.map((seat) =>
    h("span", { className: "seat" }, seat === null ? word("table") : `${word("seat")} ${seat}`)))),
  state: (state) => h("details", {}, h("summary", {}, word("state")), h("pre", { tabIndex: 0 }, pretty(state))),
};

const heads = () => Object.fromEntries(["seat", "team", "score", "rank"].map((column) => [column, word(column)]));

/** An option as its game describes it, and what one of its values is called. */
const titleOf = (option) => page.answered.described?.options.find(({ name }) => name === option) ?? { title: option, titles: [] };
const valueOf = (option, value) => titleOf(option).titles.find((each) => each.value === value)?.title ?? plain(value);

/** One contested ruling: what decided, and what each other reading would have come to. */
function disagreement({ rule, option, value, alternatives, outcomes = [] }, answer) {
  const known = new Map(outcomes.map((outcome) => [plain(outcome.value), outcome]));
  return h("li", {},
    h("span", { className: "said" }, word("decided", { option: titleOf(option).title, value: valueOf(option, value) })), " ", cited(rule),
    alternatives.map((alternative) => {
      const outcome = known.get(plain(alternative));
      if (!outcome) return h("p", { className: "where" }, valueOf(option, alternative));
      const says = !outcome.legal ? word("illegal") : outcome.changed ? null : word("same");
      return h("div", { className: "outcome" }, h("p", {}, valueOf(option, alternative), says && `: ${says}`),
        says ? null : tableOf(beside(answer.standings, option, value, outcome), heads()));
    }));
}

/** Scores of both readings, side by side. */
function beside(standings, option, value, outcome) {
  return standings.map((standing, index) => {
    const { score, rank, ...side } = standing;
    const other = outcome.standings.find((each) => each.seat === side.seat && each.team === side.team) ?? {};
    return { ...side, [valueOf(option, value)]: score, [valueOf(option, outcome.value)]: other.score ?? null };
  });
}

const told = (value) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);

function show({ call, asked, status, answer }) {
  const [tone, said] = verdict(call, asked, status, answer);
  tell(said, tone);
  const parts = Object.entries(PARTS)
    .filter(([member]) => told(answer[member]))
    .map(([member, shown]) => shown(answer[member], answer, asked));
  const onward = answer.state && h("p", { className: "buttons" },
    h("button", { type: "button", onclick: list }, word("list")),
    h("button", { type: "button", onclick: goOn }, word("goOn")));
  clear();
  $("ruling").append(...[...parts, onward].flat().filter(Boolean));
  $("raw").append(h("details", {}, h("summary", {}, word("raw")), h("pre", { tabIndex: 0 }, pretty(answer))));
  if (call === "legal-moves" && status === 200) showMoves(answer);
  $("verdict").scrollIntoView({ block: "nearest" });
}

function clear() {
  for (const id of ["ruling", "moves", "raw"]) $(id).replaceChildren();
}

/** Legal moves as buttons, by seat. */
function showMoves({ moves, complete }) {
  const bySeat = new Map();
  for (const each of moves) {
    const seat = each.move.seat ?? null;
    bySeat.set(seat, [...(bySeat.get(seat) ?? []), each]);
  }
  $("moves").replaceChildren(part(word("possible"),
    h("p", { className: "hint" }, moves.length ? word("pick") + (complete ? "" : ` ${word("more")}`)
      : word(complete ? "none" : "noneSeen")),
    h("div", { className: "moves", role: "group", "aria-label": word("possible") },
      [...bySeat].map(([seat, group]) => [
        h("h4", {}, seat === null ? word("table") : `${word("seat")} ${seat}`),
        group.map(({ move, facts }) => h("button", { type: "button", onclick: () => make(move) },
          inWords(move, false), Object.keys(facts).length ? h("small", {}, factsOf(facts)) : null)),
      ]).flat(2))));
}

// --- asking -------------------------------------------------------------------

const ask = (method, path, body) => fetch(path, {
  method,
  body,
  headers: { "Accept-Language": $("language").value, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
});

/** What a path has; an error where it does not come. */
async function bring(path) {
  const response = await ask("GET", path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

/** A new turn of a kind ends the earlier ones. */
function begun(kind) {
  const turn = {};
  page.turns.set(kind, turn);
  return turn;
}

/** What `work` brings; undefined where a later turn of its kind has begun since, or the referee is out of reach. */
async function awaited(kind, work) {
  const turn = begun(kind);
  const lasts = () => turn === page.turns.get(kind);
  try {
    const brought = await work();
    if (lasts()) return brought;
  } catch {
    if (lasts()) {
      page.answered = null;
      clear();
      tell(word("away"), "bad");
    }
  }
  return undefined;
}

const path = (call) => `/games/${$("game").value}/${call}`;

/** The body, read; undefined, and told why, where it is not JSON. */
function read() {
  try {
    const asked = JSON.parse($("body").value);
    wrong("");
    return asked;
  } catch (error) {
    wrong(`${word("notJson")} ${error.message}`);
    return undefined;
  }
}

function wrong(message) {
  $("mistake").textContent = message;
  $("body").setAttribute("aria-invalid", String(message !== ""));
}

const tell = (said, tone = "plain") => {
  $("verdict").className = tone;
  $("verdict").textContent = said;
};

/** No ruling stands beside the question. */
function forget(said) {
  begun("answer");
  page.answered = null;
  clear();
  tell(word(said));
}

/** Send what stands in the editor, as it stands there, and show what comes back. */
async function judge() {
  const asked = question();
  if (asked === undefined) {
    forget("waiting");
    $("body").focus();
    return false;
  }
  const call = $("call").value;
  const clauses = rulebook($("game").value);
  tell(word("asking"));
  const answered = await awaited("answer", async () => {
    const [response, about] = await Promise.all([ask("POST", path(call), $("body").value), described($("game").value)]);
    return { call, asked, status: response.status, answer: await response.json(), clauses, described: about };
  });
  if (answered === undefined) return false;
  page.answered = answered;
  show(answered);
  return true;
}

function compare() {
  write("resolve", { ...page.answered.asked, compare: true });
  return judge();
}

/** List what may be done at the table that came back. */
async function list() {
  const { state } = page.answered.answer;
  const listed = await awaited("answer", async () => (await ask("POST", path("legal-moves"), JSON.stringify({ state }))).json());
  if (listed === undefined) return;
  showMoves(listed);
  const title = $("moves").querySelector("h3");
  title.tabIndex = -1;
  title.focus();
}

/** Add a listed move after those that were applied, ask, and list again. */
async function make(move) {
  const { call, asked, answer } = page.answered;
  const { state, moves } = call === "resolve"
    ? { state: asked.state, moves: asked.moves.slice(0, answer.applied) }
    : { state: answer.state ?? asked.state, moves: [] };
  write("resolve", { state, moves: [...moves, move] });
  if (await judge() && page.answered.status === 200) await list();
}

/** The table that came back is the next question. */
function goOn() {
  page.kept = {};
  write("resolve", { state: page.answered.answer.state, moves: [] });
  forget("wentOn");
  $("body").focus();
  $("body").setSelectionRange(0, 0);
  $("body").scrollTop = 0;
}

// --- the question -------------------------------------------------------------

/** What a call wants, made of what there was in the bodies before. */
const WANTED = {
  resolve: ({ state = {}, moves, move, compare: others }) =>
    ({ state, moves: moves ?? (move ? [move] : []), ...(others ? { compare: others } : {}) }),
  validate: ({ state = {}, move, moves = [] }) => ({ state, move: move ?? moves[0] ?? {} }),
  "legal-moves": ({ state = {} }) => ({ state }),
  audit: ({ state = {} }) => ({ state }),
  view: ({ state = {}, seat = null }) => ({ state, seat }),
  deal: ({ seats = page.seats.get($("game").value), seed = "playground" }) => ({ seats, seed }),
};

function write(call, body) {
  $("call").value = call;
  $("path").textContent = `POST ${path(call)}`;
  $("body").value = pretty(body);
  wrong("");
}

/** What is asked, read; a game that it names is chosen instead of named, for the path names it. */
function question() {
  const asked = read();
  if (!page.examples.has(asked?.game)) return asked;
  const { game, ...rest } = asked;
  if (game !== $("game").value) {
    $("game").value = game;
    page.kept = {};
    offer();
    $("example").selectedIndex = -1;
    $("why").textContent = "";
    remember();
  }
  write($("call").value, rest);
  return rest;
}

/** The page's address names what was chosen, so that it can be passed on. */
function remember() {
  const chosen = new URLSearchParams({ game: $("game").value, example: $("example").value, language: $("language").value });
  history.replaceState(null, "", `#${chosen}`);
}

const examples = () =>
  [...page.examples.get($("game").value), { id: "fresh", why: word("fresh"), call: "deal", body: WANTED.deal({}) }];

/** The examples of the chosen game, by call. */
function offer() {
  const groups = new Map();
  for (const { id, why, call } of examples()) {
    groups.set(call, [...(groups.get(call) ?? []), h("option", { value: id }, why)]);
  }
  $("example").replaceChildren(...[...groups].map(([call, options]) => h("optgroup", { label: word(call) }, options)));
}

/** The same examples in another language; the choice and what was typed stay. */
function nameExamples() {
  const chosen = $("example").value;
  offer();
  $("example").value = chosen;
  $("why").textContent = examples().find(({ id }) => id === chosen)?.why ?? "";
}

function chooseExample() {
  const { call, body, why } = examples().find(({ id }) => id === $("example").value);
  page.kept = body;
  write(call, body);
  $("why").textContent = why;
  forget("waiting");
  remember();
}

function chooseGame(example) {
  offer();
  if (examples().some(({ id }) => id === example)) $("example").value = example;
  chooseExample();
}

function chooseCall() {
  page.kept = { ...page.kept, ...question() }; // What cannot be read is left behind.
  write($("call").value, WANTED[$("call").value](page.kept));
}

function speak() {
  document.documentElement.lang = $("language").value;
  for (const element of document.querySelectorAll("[data-word]")) element.textContent = word(element.dataset.word);
}

async function chooseLanguage() {
  speak();
  remember();
  const brought = await awaited("games", () => Promise.all([bring("/games"), bring("/playground/examples.json")]));
  if (brought === undefined) return;
  const [listed, examples] = brought;
  page.examples = new Map(Object.entries(examples));
  nameGames(listed);
  nameExamples();
  if (page.answered) await judge();
  else tell(word("waiting"));
}

function nameGames({ games }) {
  const chosen = $("game").value;
  $("game").replaceChildren(...games.map(({ game, title }) => h("option", { value: game }, title)));
  page.seats = new Map(games.map(({ game, seats }) => [game, seats.find((count) => count > 1)]));
  if (chosen) $("game").value = chosen;
}

/** The games and their examples come in; what can be chosen is open from then on. What was typed before is asked. */
async function enter() {
  const brought = await awaited("games", () => Promise.all([bring("/games"), bring("/playground/examples.json")]));
  if (brought === undefined) return;
  const [listed, examples] = brought;
  page.examples = new Map(Object.entries(examples));
  nameGames(listed);
  const chosen = new URLSearchParams(location.hash.slice(1));
  $("game").value = [chosen.get("game"), ...page.examples.keys()].find((game) => page.examples.has(game));
  for (const choice of document.querySelectorAll("select")) choice.disabled = false;
  const typed = $("body").value;
  chooseGame(chosen.get("example"));
  if (typed === "") return;
  $("body").value = typed;
  await judge();
}

function begin() {
  const chosen = new URLSearchParams(location.hash.slice(1)).get("language");
  const wanted = [chosen, ...navigator.languages.map((language) => language.slice(0, 2))];
  $("language").value = wanted.find((language) => Object.hasOwn(WORDS, language)) ?? "en";
  speak();
  window.onhashchange = () => location.reload(); // Another link to this page was followed.
  $("language").onchange = chooseLanguage;
  $("game").onchange = () => chooseGame();
  $("example").onchange = chooseExample;
  $("call").onchange = chooseCall;
  $("body").oninput = () => $("mistake").textContent && read();
  $("body").onkeydown = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("request").requestSubmit();
  };
  $("tidy").onclick = () => {
    const asked = question();
    if (asked !== undefined) write($("call").value, asked);
  };
  $("request").onsubmit = (event) => {
    event.preventDefault();
    return page.examples.size ? judge() : enter();
  };
  enter();
}

begin();
