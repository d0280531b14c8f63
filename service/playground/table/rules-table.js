// <rules-table>: draws a table of cards from its state, and is played at by touch.
//
//   const table = document.querySelector("rules-table");
//   Object.assign(table, { game: "twins", state, legal });    // legal: an answer of /legal-moves, or its moves
//   table.addEventListener("move", ({ detail }) => ask(detail.move));
//
//
// With the attribute `session`, and the property `token`, it is a whole game of its own (session.js).
// docs/elements.md describes its properties and events, and how to draw another game.
import { filled } from "./h.js";
import { Drawing, h } from "./pieces.js";
import { WORDS } from "./languages.js";
import { sheet } from "./look.js";

const DRAWINGS = new Map([
  ["gin-rummy", () => import("./gin-rummy.js")],
  ["twins", () => import("./twins.js")],
  ["take-that", () => import("./take-that.js")],
  ["twin-it", () => import("./twin-it.js")],
]);
const isObject = (value) => typeof value === "object"; // or null
const isSeat = (value) => Number.isInteger(value) && value >= 0;
/** For each property its value until one is set, which values it takes, and the words for them. */
const PROPERTIES = {
  game: [null, (value) => value === null || typeof value === "string", "a string or null"],
  state: [null, isObject, "an object or null"],
  legal: [
    null,
    (value) => value === null || Array.isArray(value) || Array.isArray(value?.moves),
    "an answer of /legal-moves, its moves, or null",
  ],
  seat: [0, (value) => value === null || isSeat(value), "an integer from 0, or null"],
  plays: ["all", (value) => value === null || value === "all" || isSeat(value), 'a seat, "all" or null'],
  events: [[], Array.isArray, "a list"],
  names: [[], Array.isArray, "a list"],
  about: [null, isObject, "an object or null"],
  marks: [null, isObject, "an object or null"],
  gathering: [false, (value) => typeof value === "boolean", "true or false"],
  incident: [null, isObject, "an object or null"],
  counting: [true, (value) => typeof value === "boolean", "true or false"],
  counted: [null, (value) => value === null || Array.isArray(value), "a list or null"],
  token: [
    null,
    (value) => value === null || typeof value === "function" || (typeof value === "string" && value !== ""),
    "a token, a function that gives one, or null",
  ],
};
const ADDRESSES = ["src", "session"]; // attributes, and properties that reflect them
const GIVEN = ["game", "state"]; // properties that attributes give, too: a name, and JSON
const SHOWN = ["game", "state", "legal", "plays", "events", "marks", "gathering", "incident", "counting", "counted"]; // by the session, if there is one
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const described = new Map();

/** Registers the drawing of a game: `load` resolves to a module whose default export it is. */
export function draw(game, load) {
  DRAWINGS.set(game, load);
}

let served = null; // the service that served this module, if one did

/** Says which service a table without `src` belongs to. */
export function servedBy(address) {
  served = address;
}

/** What the page of this table has done wrong; `message` is for those who write it. */
export class Misuse extends Error {}

async function fetched(address, game, language) {
  const answer = await fetch(address, { headers: { "Accept-Language": language } }).catch(() => null);
  if (answer?.status === 404 && !DRAWINGS.has(game))
    throw new Misuse(`There is no game "${game}" at ${address}, and no drawing of it (see draw).`);
  return answer?.ok ? answer.json().catch(() => null) : null;
}

/** The description of a game, fetched once in each language; null if it cannot be had now. */
function description(home, game, language) {
  const address = new URL(`games/${encodeURIComponent(game)}`, home).href;
  const key = `${address} ${language}`;
  if (!described.has(key)) {
    described.set(key, fetched(address, game, language));
    described.get(key).then(
      (about) => about ?? described.delete(key),
      () => described.delete(key),
    );
  }
  return described.get(key);
}

const at = (whole, pointer) =>
  pointer
    .split("/")
    .slice(1)
    .reduce((value, name) => value?.[name.replaceAll("~1", "/").replaceAll("~0", "~")], whole);

const same = (one, other) => one.length === other.length && one.every((each) => other.includes(each));

const named = (value) => (value !== null && typeof value === "object" ? Object.values(value).flatMap(named) : [value]);

/** The seats in a move: its own, or those of its parts. */
const seatsOf = (value) =>
  value === null || typeof value !== "object"
    ? []
    : Object.entries(value).flatMap(([name, each]) =>
        name === "seat" && typeof each === "number" ? [each] : seatsOf(each),
      );
/** Whether a move says all that a listed one says, and perhaps more: its melds, its groups. */
const spellsOut = (move, listed) =>
  Object.entries(listed).every(
    ([name, value]) => value?.length === 0 || JSON.stringify(value) === JSON.stringify(move[name]),
  );
const NEEDS =
  "<rules-table> has no table yet. It needs the attribute `session`, or `game` and `state` (properties, or attributes with JSON).";
const NAMING = ["card", "cards", "shown", "removed", "discard"]; // the params of an event whose values are cards
const DRAGGED = 6; // pixels that a touch must move to be a drag

class RulesTable extends HTMLElement {
  #values = Object.fromEntries(Object.entries(PROPERTIES).map(([name, [initial]]) => [name, initial]));
  #module = null;
  #entries = [];
  #picked = [];
  #draft = {};
  #due = false;
  #waiting = false; // until a move is answered
  #acted = null; // the state in which a move was made here: after it the focus goes on to the next act
  #touch = null; // the press that is not yet released; nothing is redrawn meanwhile
  #redrawDue = false; // something changed during a touch
  #drawing = null;
  #about = null;
  #words = {};
  #board = h("div", { class: "board", tabindex: "-1" });
  #status = h("p", { class: "status", role: "status" }); // of the session: its connection, a move on its way
  #announcement = h("p", { class: "told", role: "status" }); // never replaced: screen readers announce its changes
  #objection = h("p", { class: "heard", "aria-live": "assertive" }); // what the marks say, told once though they are drawn again
  #objected = null; // the marks that were told last
  #session = null; // what follows the session
  #mistakes = {}; // by attribute: why nothing is drawn
  #order = null; // the own hand as it was sorted here
  #measure = new ResizeObserver(() => this.#measured());
  titles = new Map();
  lit = []; // the keys of cards that a sentence names

  static {
    for (const [name, [initial, fits, words]] of Object.entries(PROPERTIES)) {
      Object.defineProperty(RulesTable.prototype, name, {
        get() {
          return this.#values[name];
        },
        set(value = initial) {
          if (!fits(value)) throw new TypeError(`<rules-table>: ${name} must be ${words}.`);
          if (this.hasAttribute("session") && SHOWN.includes(name))
            throw new TypeError(`<rules-table>: ${name} comes from the session; set one or the other.`);
          this.#set({ [name]: value });
        },
      });
    }
    for (const name of ADDRESSES) {
      Object.defineProperty(RulesTable.prototype, name, {
        get() {
          return this.getAttribute(name);
        },
        set(value) {
          if (value === null || value === undefined) this.removeAttribute(name);
          else this.setAttribute(name, value);
        },
      });
    }
  }

  static observedAttributes = ["lang", "hint", "quiet", "token", ...GIVEN, ...ADDRESSES];

  constructor() {
    super().attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet];
    this.shadowRoot.append(this.#status, this.#announcement, this.#objection, this.#board);
    this.shadowRoot.addEventListener("keydown", (event) => this.#pressed(event));
    this.#board.addEventListener("pointerdown", (event) => this.#press(event));
    this.#measure.observe(this.#board);
    this.#measure.observe(document.documentElement);
  }

  /** Takes over what was set before this module was loaded. */
  connectedCallback() {
    for (const name of [...ADDRESSES, ...Object.keys(PROPERTIES)].filter((each) => Object.hasOwn(this, each))) {
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
    this.#change();
  }

  /** A table that is only moved to another place in the page follows on. */
  disconnectedCallback() {
    queueMicrotask(() => this.isConnected || this.#session?.follow(null));
  }

  attributeChangedCallback(name, before, value) {
    if (ADDRESSES.includes(name) && before !== value) this.#session?.follow(null);
    if (name === "token" && value !== null) {
      this.removeAttribute("token");
      this.#mistakes.token =
        "The token is a property, never an attribute: what stands in the markup is seen by all that read the page. This token should be renewed.";
    }
    if (GIVEN.includes(name)) this.#give(name, value);
    this.#change();
  }

  /** Takes over a property from its attribute. */
  #give(name, value) {
    this.#mistakes[name] = null;
    try {
      this[name] = name === "state" && value !== null ? JSON.parse(value) : value;
    } catch (error) {
      const wrong = error instanceof SyntaxError ? `The attribute \`${name}\` is no JSON.` : error.message;
      this.#mistakes[name] = wrong.replace("<rules-table>: ", "");
    }
  }

  #set(values) {
    for (const [name, value] of Object.entries(values)) {
      const before = this.#values[name];
      this.#values[name] = value;
      if (name === "state") this.lit = [];
      if ((name === "game" && before !== value) || (name === "state" && !this.#goesOn(before, value)))
        [this.#picked, this.#draft] = [[], {}];
    }
    this.#change();
  }

  /** The service that the table belongs to. */
  get #home() {
    if (!this.src && !served) throw new Misuse("The attribute `src` is missing: the address of the service.");
    if (!this.src) return served;
    const address = URL.canParse(this.src, document.baseURI) ? new URL(this.src, document.baseURI) : {};
    if (!/^https?:$/.test(address.protocol) || address.username)
      throw new Misuse(`src="${this.src}" is no address of a service.`);
    return new URL(address.pathname.replace(/\/?$/, "/"), address.origin);
  }

  /** A request to the session that is followed, with its token; gives the `Response`. */
  ask(method, path, body) {
    return this.#session.ask(method, path, body);
  }

  get language() {
    const wanted = (this.closest("[lang]")?.lang || navigator.language).slice(0, 2);
    return WORDS[wanted] ? wanted : "en";
  }

  /** How many seats are drawn. */
  get seats() {
    return this.state ? (this.#drawing?.seats ?? 0) : 0;
  }

  get playable() {
    return this.legal !== null && this.plays !== null;
  }

  word(name, particulars = {}) {
    return filled(this.#words[name] ?? "", particulars, this.language);
  }

  /** Whether picked cards stay picked: somebody else has moved, and the cards still lie there. */
  #goesOn(before, state) {
    if (this.#waiting || this.plays === "all" || !before || before.phase !== state?.phase) return false;
    const lying = new Set(named(state).map(String));
    const drafted = Object.values(this.#draft)
      .flat()
      .map((each) => each.card ?? each);
    return [...this.#picked, ...named(drafted)].every((card) => lying.has(String(card)));
  }

  /** A touch: unpicks a key, adds it to those picked, or picks it alone if no move takes them together. */
  pick(key) {
    const part = this.playable && this.#module.part?.(key, this.#drawing);
    if (part) return this.#send(part); // a hand falls at once, whatever else is on its way
    if (this.#waiting) return;
    const held = this.#picked.includes(key);
    const together = held ? this.#picked.filter((each) => each !== key) : [...this.#picked, key];
    const fits = (keys) => this.#entries.some((entry) => keys.every((each) => entry.keys.includes(each)));
    const picked = held || fits(together) || this.#module.gathers?.(together, this.#drawing) ? together : [key];
    const whole = held ? [] : this.#entries.filter((entry) => same(entry.keys, picked));
    if (whole.length === 1 && whole[0].run) return this.#make(whole[0].run());
    const more = this.#entries.some(
      ({ keys }) => keys.length > picked.length && picked.every((each) => keys.includes(each)),
    );
    if (whole.length === 1 && !more && !this.#module.confirm?.(whole[0].move)) return this.#choose(whole[0].move);
    if (!held && !fits(picked)) {
      const attempts = this.#module.attempts(picked, this.#drawing);
      const gathers = this.#module.gathers?.(picked, this.#drawing) && picked.length < 2;
      if (attempts.length === 1 && !gathers) return this.#choose(attempts[0]);
    }
    this.#picked = picked;
    const byKeyboard = this.shadowRoot.activeElement?.matches(":focus-visible");
    this.#draw();
    if (byKeyboard && whole.length && !more) this.shadowRoot.querySelector(".act:enabled")?.focus();
  }

  /** The cards that are one stop of the keyboard together: a hand, a row. */
  #zoneOf(card) {
    const zone = card.closest(".row") ?? card.closest(".fan");
    return zone ? [...zone.querySelectorAll("button.card")] : [];
  }

  /** Makes each zone one stop: its picked card, or a live one, or its first. */
  #rove() {
    const done = new Set();
    for (const card of this.#board.querySelectorAll("button.card")) {
      const cards = done.has(card) ? [] : this.#zoneOf(card);
      const stop =
        cards.find((each) => each.ariaPressed === "true") ??
        cards.find((each) => each.classList.contains("live")) ??
        cards[0];
      for (const each of cards) {
        done.add(each);
        each.tabIndex = each === stop ? 0 : -1;
      }
    }
  }

  #pressed(event) {
    if (event.key === "Escape" && this.#picked.length) {
      this.#picked = [];
      this.#draw();
    }
    const cards = event.target.matches?.("button.card") ? this.#zoneOf(event.target) : [];
    const at = cards.indexOf(event.target);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step && event.shiftKey && event.target.closest(".sortable")) {
      event.preventDefault();
      event.stopPropagation();
      return this.#sort(event.target, at + step);
    }
    const goal = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: cards.length - 1 }[event.key];
    if (goal === undefined || !cards.length) return;
    event.preventDefault();
    event.stopPropagation();
    for (const each of cards) each.tabIndex = -1;
    const next = cards[(goal + cards.length) % cards.length];
    next.tabIndex = 0;
    next.focus();
  }

  // --- dragging: dropping a card on a place touches both ---

  /** Where a card can be dropped: the other keys of its moves, outside its own hand. */
  #goals(key) {
    const others = this.#entries
      .filter(({ keys }) => keys.length === 2 && keys.includes(key))
      .map(({ keys }) => keys.find((each) => each !== key));
    return others
      .map((each) =>
        this.#board.querySelector(`[data-onto="${CSS.escape(each)}"], .row [data-key="${CSS.escape(each)}"]`),
      )
      .filter(Boolean);
  }

  // --- sorting one's own hand, by dragging or with Shift and an arrow ---

  /** The own hand in the order in which it was left here. A hand that is mostly new is as it was dealt. */
  sorted(cards) {
    const name = this.session === null ? null : `order ${this.session} ${this.plays}`; // kept over a reload
    this.#order ??= name && JSON.parse(localStorage.getItem(name) ?? "null");
    if (!this.#order) return cards;
    const places = cards.map((card) => this.#order.indexOf(String(card)));
    const place = (card) => places[cards.indexOf(card)];
    const isNew = places.filter((each) => each < 0).length > cards.length / 2;
    const order = isNew
      ? cards
      : [...cards].sort((one, other) => (place(one) < 0) - (place(other) < 0) || place(one) - place(other));
    this.#keep(isNew ? null : order.map(String));
    return order;
  }

  #keep(order) {
    this.#order = order;
    if (this.session === null) return;
    const name = `order ${this.session} ${this.plays}`;
    if (order) localStorage.setItem(name, JSON.stringify(order));
    else localStorage.removeItem(name);
  }

  /** Puts a card at another place of its hand. */
  #sort(card, place) {
    const keys = this.#zoneOf(card).map((each) => each.dataset.key);
    const others = keys.filter((key) => key !== card.dataset.key);
    const at = Math.max(0, Math.min(place, others.length));
    this.#keep([...others.slice(0, at), card.dataset.key, ...others.slice(at)]);
    this.#draw(true);
  }

  /** The place in its hand at which a dragged card is let go; null outside the hand. */
  #placeOf(card, { clientX: x, clientY: y }) {
    const fan = card.closest(".sortable");
    const { top, bottom } = fan?.getBoundingClientRect() ?? {};
    if (!fan || y < top - card.offsetHeight / 2 || y > bottom + card.offsetHeight / 2) return null;
    const slots = [...fan.children].filter((slot) => !slot.contains(card)).map((slot) => slot.getBoundingClientRect());
    return slots.filter(({ left, width }) => left + width / 2 < x).length;
  }

  #press(event) {
    if (!event.isPrimary || event.button !== 0) return;
    this.#release();
    const card = event.target.closest(".fan .card.loose, .sortable .card");
    const goals = card?.matches(".loose") && !this.#waiting ? this.#goals(card.dataset.key) : [];
    const ends = new AbortController();
    this.#touch = { card, goals, ends, x: event.clientX, y: event.clientY, moved: false };
    const listens = { signal: ends.signal };
    window.addEventListener("pointermove", (moved) => (moved.buttons ? this.#drag(moved) : this.#release()), listens);
    window.addEventListener("pointerup", (up) => this.#drop(up), listens);
    window.addEventListener("pointercancel", () => this.#release(), listens);
  }

  #over({ clientX, clientY }) {
    const under = this.shadowRoot.elementFromPoint(clientX, clientY);
    return this.#touch.goals.find((goal) => goal.contains(under));
  }

  #drag(event) {
    const { card, goals, x, y, moved } = this.#touch;
    if (
      !(goals.length || card?.closest(".sortable")) ||
      (!moved && Math.hypot(event.clientX - x, event.clientY - y) < DRAGGED)
    )
      return;
    event.preventDefault();
    this.#touch.moved = true;
    card.classList.add("dragged");
    card.style.translate = `${event.clientX - x}px ${event.clientY - y}px`;
    const over = this.#over(event);
    for (const goal of goals) {
      goal.classList.add("goal");
      goal.classList.toggle("over", goal === over);
    }
  }

  #drop(event) {
    const { card, moved } = this.#touch;
    const goal = moved && this.#over(event);
    const place = moved && !goal ? this.#placeOf(card, event) : null;
    this.#release();
    if (place !== null) return this.#sort(card, place);
    if (!goal) return;
    this.#picked = [card.dataset.key];
    this.pick(goal.dataset.onto ?? goal.dataset.key);
  }

  /** Ends a touch; a redraw that is due follows after the click. */
  #release() {
    const { card, goals = [], ends } = this.#touch ?? {};
    this.#touch = null;
    ends?.abort();
    if (card) [card.style.translate, card.className] = ["", card.className.replace(" dragged", "")];
    for (const goal of goals) goal.classList.remove("goal", "over");
    setTimeout(() => {
      if (this.#redrawDue && !this.#touch) this.#draw(true);
    });
  }

  /** Sends a move; the table then waits until a property is set. */
  #choose(move) {
    if (this.#waiting) return;
    this.#picked = [];
    this.#draw();
    [this.#waiting, this.#acted] = [true, this.state];
    this.#board.setAttribute("aria-busy", "true");
    this.#send(move);
  }

  /** As an event, and, unless the page prevents that, to the session if there is one. */
  #send(move) {
    if (this.dispatch("move", { move })) this.#session?.move(move);
    else this.#change();
  }

  /** The cards that an event names. */
  cardsOf({ params }) {
    const cards = (value, name) =>
      value !== null && typeof value === "object"
        ? Object.entries(value).flatMap(([each, inner]) => cards(inner, Array.isArray(value) ? name : each))
        : NAMING.includes(name) && value !== null
          ? [String(value)]
          : [];
    return [...new Set(cards(params ?? {}))];
  }

  /** Lights the cards that an event names, and no others; once more, and they are as before. */
  light(event) {
    const cards = this.cardsOf(event);
    this.lit = same(cards, this.lit) ? [] : cards;
    for (const card of this.#board.querySelectorAll(".card[data-key]"))
      card.classList.toggle("lit", this.lit.includes(card.dataset.key));
    this.#board.querySelector(".lit")?.scrollIntoView({ block: "nearest" });
  }

  /** Sends an event; false if it was prevented. */
  dispatch(type, detail) {
    return this.dispatchEvent(
      new CustomEvent(type, { detail, bubbles: true, composed: true, cancelable: type === "move" }),
    );
  }

  #make(draft) {
    if (this.#waiting) return;
    this.#draft = draft;
    this.#picked = [];
    this.#draw();
  }

  /** The own hand stays on the screen while it leaves enough of it free; what is scrolled to keeps clear of it. */
  #measured() {
    const height = this.#board.querySelector(".mine")?.offsetHeight ?? 0;
    const isTall = height > innerHeight * 0.6;
    this.#board.toggleAttribute("data-tall", isTall);
    this.#board.style.setProperty("--mine", `${isTall ? 0 : height}px`);
  }

  /** Redraws once for all properties set together. */
  async #change() {
    if (this.#due || !this.isConnected) return;
    this.#due = true;
    await null;
    this.#due = false;
    try {
      const mistake = Object.values(this.#mistakes).find(Boolean);
      if (mistake) throw new Misuse(mistake);
      if (this.#session || this.session !== null) await this.#follow();
      await this.#load();
    } catch (error) {
      this.#show(error instanceof Misuse ? error.message : this.word("away"));
      if (!(error instanceof Misuse)) return;
      console.error(`<rules-table>: ${error.message}`);
      this.dispatch("misuse", { message: error.message });
    }
  }

  async #speak() {
    const [english, own] = await Promise.all([WORDS.en(), WORDS[this.language]()]);
    this.#words = { ...english.default, ...own.default };
  }

  /** Follows the session that the attributes name. */
  async #follow() {
    const [{ Session }] = await Promise.all([import("./session.js"), this.#speak()]);
    this.#session ??= new Session(this, (values) => this.#set(values), this.#status);
    this.#session.follow(
      this.isConnected && this.session !== null ? { src: this.#home.href, id: this.session, token: this.token } : null,
    );
  }

  /** Draws the table, once its drawing and its game's description are there. */
  async #load() {
    const { game, language } = this;
    if (!game || !this.state) {
      if (this.state && !game) throw new Misuse("`game` is missing: which game is this a state of?");
      if (this.session === null && !game && !this.hasAttribute("quiet")) return this.#show(NEEDS);
      return this.#show(this.#session?.before);
    }
    const [module, about] = await Promise.all([
      (DRAWINGS.get(game) ?? (() => import("./plain.js")))(),
      this.#values.about?.game === game ? this.#values.about : description(this.#home, game, language),
      this.#speak(),
    ]);
    if (game !== this.game || language !== this.language || !this.state) return; // another change is on its way
    this.#module = module.default;
    this.#waiting = false;
    this.#board.removeAttribute("aria-busy");
    this.titles = new Map((about?.cards ?? []).map(({ card, title }) => [String(card), title]));
    this.#about = about;
    this.#draw(true);
  }

  /** Shows a sentence, or other elements, instead of a table. */
  #show(said = []) {
    this.#board.replaceChildren(
      ...(typeof said === "string" ? [h("p", { class: "note", role: "alert" }, said)] : said),
    );
    this.dispatchEvent(new CustomEvent("drawn"));
  }

  /** What can be done by touch: the legal moves with their keys, and the steps of a draft. */
  #listed(t) {
    const { legal, plays } = this;
    if (!this.playable) return [];
    const moves = (Array.isArray(legal) ? legal : (legal.moves ?? [])).map((each) =>
      each.move ? each : { move: each, facts: {} },
    );
    const mine = moves.filter(
      ({ move }) =>
        plays === "all" || (seatsOf(move).every((seat) => seat === plays) && !this.#module.hides?.(move, t)),
    );
    const listed = mine.map((entry) => ({ ...entry, keys: this.#module.keys(entry.move, t).map(String) }));
    return [
      ...listed,
      ...(this.#module.more?.(t) ?? [])
        .filter(({ seat }) => t.mine(seat))
        .map((entry) => ({ ...entry, keys: entry.keys.map(String) })),
    ];
  }

  /** The zone in which a pointer from the question lies, if any. */
  #zone(place) {
    const name = place?.match(/^\/state\/(\w+)/)?.[1];
    return this.#drawing.zones().find((zone) => zone.name === name);
  }

  /** The seat to which a pointer into a state belongs; null for a card in the middle. */
  #seated(place) {
    const seat = place?.match(/^\/state\/\w+\/(\d+)/)?.[1];
    return seat === undefined || this.#zone(place)?.bySeat === false ? null : Number(seat);
  }

  /** The cards at a pointer from the question. Outside its zones, numbers of a state are no cards. */
  #cardsAt(of, place) {
    if (place === "/state") return [];
    const card = this.#zone(place)
      ? (each) => each !== null
      : (each) => this.titles.has(String(each)) && (typeof each === "string" || !place.startsWith("/state"));
    return named(at(of, place) ?? [])
      .filter(card)
      .map(String);
  }

  /** The rulings to show, each with the cards it marks and the seat it is shown at. */
  #marked() {
    const { of, rulings = [] } = this.marks ?? {};
    return rulings.map(({ text, rule, pointer, pointers }) => {
      const places = pointers ?? (pointer === undefined || pointer === null ? [] : [pointer]);
      const move = of?.move ?? at(of, places[0]?.match(/^\/moves\/\d+/)?.[0] ?? "/move");
      const cards = places.flatMap((place) => this.#cardsAt(of, place));
      const touched =
        cards.length || !move?.type || !places.length || places.some((each) => each.startsWith("/state"))
          ? []
          : this.#module.keys(move, this.#drawing).map(String);
      return { text, rule, keys: [...cards, ...touched], seat: seatsOf(move)[0] ?? this.#seated(places[0]) };
    });
  }

  /** Draws all anew. An error about a state that is no table of its game goes to the console. */
  #draw(moved = false) {
    this.#redrawDue = this.#touch !== null;
    if (!this.#module || this.#redrawDue) return;
    try {
      this.#drawAll(this.#module, moved);
    } catch (error) {
      console.error(error);
      this.#entries = [];
      this.#board.replaceChildren(h("p", { class: "note" }, this.word("away")));
    }
    this.dispatchEvent(new CustomEvent("drawn"));
  }

  #drawAll(game, moved) {
    const { state, seat: own } = this;
    const t = new Drawing(this, {
      state,
      seat: own,
      events: this.events ?? [],
      about: this.#about,
      game,
      entries: [],
      picked: this.#picked,
      draft: this.#draft,
      wrong: new Set(),
    });
    this.#drawing = t;
    this.#entries = this.#listed(t);
    const marked = this.#marked();
    const drawing = new Drawing(this, {
      ...t,
      entries: this.#entries,
      wrong: new Set(marked.flatMap(({ keys }) => keys)),
    });
    this.#drawing = drawing;
    const count = game.seats(state, drawing);
    drawing.seats = count;
    const places = moved ? this.#places() : null;
    const focus = this.#focused();
    const first = own === null ? 0 : own;
    const order = Array.from({ length: count }, (_, step) => (first + step) % count);
    const areas = order.map((seat) =>
      this.#area(
        drawing,
        seat,
        seat === first,
        marked.filter((mark) => mark.seat === seat),
      ),
    );
    const elsewhere = marked.filter(({ seat }) => !order.includes(seat));
    const over = state.phase === "game-over";
    this.#board.className = `board ${this.game} ${this.#picked.length ? "picking" : ""} ${over ? "over" : ""}`;
    this.#board.replaceChildren(
      h("div", { class: "others", "data-seats": count - 1 }, areas.slice(1)),
      h("div", { class: "middle" }, game.middle(drawing)),
      h(
        "div",
        { class: "mine" },
        areas[0],
        h(
          "div",
          { class: "bar" },
          elsewhere.map((mark) => this.#why(mark)),
          h("p", { class: "standing" }, this.#standing(drawing)),
          this.#session?.clock,
          h("div", { class: "acts" }, this.#buttons(drawing)),
        ),
      ),
    );
    const told = (this.events ?? []).map(({ text }) => text).filter(Boolean);
    const earlier =
      this.session === null
        ? ""
        : told
            .slice(0, -3)
            .map((text) => `${text} `)
            .join(""); // of one move
    const last = told.slice(-3).join(" ");
    if (this.#announcement.textContent !== earlier + last)
      this.#announcement.replaceChildren(h("span", { class: "heard" }, earlier), last);
    if (this.#objected !== this.marks) {
      this.#objected = this.marks;
      this.#objection.textContent = marked.map(({ text }) => text).join(" ");
    }
    this.#measured();
    this.#rove();
    this.#refocus(focus);
    if (moved && this.state !== this.#acted) this.#acted = null;
    if (places) this.#glide(places);
  }

  #area(t, seat, isOwn, marked) {
    const { state } = this;
    const acting = this.#acting().includes(seat);
    const dealer = state.dealer === seat;
    const marks = [
      acting ? h("span", { class: "mark on" }, t.say("to-act")) : null,
      dealer ? h("span", { class: "mark" }, t.say("dealer")) : null,
    ];
    return h(
      "section",
      { class: `seat ${isOwn ? "own" : ""} ${acting ? "acting" : ""}`, "aria-label": t.name(seat) },
      h("header", {}, h("h2", {}, t.name(seat), " ", marks), h("div", { class: "badge" }, t.game.badge(t, seat))),
      h("div", { class: "lies" }, t.game.seat(t, seat)),
      marked.map((mark) => this.#why(mark)),
    );
  }

  #why({ text, rule }) {
    const button =
      rule &&
      h(
        "button",
        {
          type: "button",
          class: "clause",
          "aria-label": this.word("clause", { id: rule }),
          click: () => this.dispatch("clause", { rule }),
        },
        rule,
      );
    return h("p", { class: "why" }, text, " ", button);
  }

  /** The seats that are shown as to act. */
  get acting() {
    return this.#module && this.state ? this.#acting().filter((seat) => seat !== null) : []; // null is the table itself
  }

  /** The seats to act: from the legal moves, or else from the state. */
  #acting() {
    if (this.state.phase === "game-over") return [];
    const acting = this.#module.acting?.(this.state);
    return acting ?? this.legal?.to_act ?? (Number.isInteger(this.state.turn) ? [this.state.turn] : []);
  }

  /** What is to be done, by the legal moves of seats that are listed here; if there are none, who is waited for, or the phase. */
  #standing(t) {
    const drafting = this.playable && this.#module.drafting?.(t);
    if (drafting) return drafting;
    const acting = this.#acting().filter((seat) => seat !== null);
    const told = this.#entries.filter(
      ({ move, keys }) =>
        move && seatsOf(move).length && this.#module.marked?.(move) !== false && !(this.gathering && keys.length),
    );
    const doing = [...new Set(told.map(({ move }) => move.type))].map((type) => t.called("moves", type)).join(", ");
    const urged = !doing && this.#module.phase?.(t);
    if (urged) return urged;
    if (!doing && acting.length && !acting.some((seat) => t.mine(seat)))
      return t.say("waiting", { names: acting.map((seat) => t.name(seat)).join(", ") });
    const phase = doing || t.called("phases", this.state.phase);
    return acting.length === 1 ? t.say("your-turn", { name: t.name(acting[0]), phase }) : phase;
  }

  /** Buttons for the moves with the picked keys; with none picked, for the moves without keys. */
  #buttons(t) {
    if (!this.playable) return [];
    const isOffered = (move) => !this.#picked.length && this.#module.offers?.(move); // a button beside its card
    const whole = this.#entries.filter(({ move, keys }) => move && (same(keys, this.#picked) || isOffered(move)));
    const act = (move, text, quiet) =>
      h(
        "button",
        { type: "button", class: `act ${quiet ? "quiet" : ""}`, click: () => this.#choose(move) },
        this.#said(move, text, t),
      );
    const isOfOne = (hands) => new Set(hands.map(({ seat }) => seat)).size === 1;
    const sorted = (name, value) =>
      name === "cards" ? [...value].sort() : [...value].sort((one, other) => (one.card < other.card ? -1 : 1));
    const unordered = (move) =>
      JSON.stringify(move, (name, value) =>
        Array.isArray(value) && (name === "cards" || (name === "hands" && isOfOne(value)))
          ? sorted(name, value)
          : value,
      );
    const known = new Set(whole.map(({ move }) => unordered(move)));
    const attempts = this.#module
      .attempts(this.#picked, t)
      .filter((move) => !known.has(unordered(move)) && (typeof move.seat !== "number" || t.mine(move.seat)));
    const tools = (this.#module.tools?.(t) ?? []).map(({ label, run }) =>
      h("button", { type: "button", class: "act quiet", click: () => this.#make(run()) }, label),
    );
    return [
      whole
        .filter(({ move: listed }) => !attempts.some((move) => spellsOut(move, listed))) // it gives way to what spells it out
        .map(({ move, text }) => act(move, text)),
      attempts.map((move) => act(move, this.#attempted(move, t), true)),
      (this.#module.refused?.(this.#picked, t) ?? []).map((label) =>
        h("button", { type: "button", class: "act quiet", disabled: true }, label),
      ),
      tools,
      this.#picked.length
        ? h(
            "button",
            {
              type: "button",
              class: "act plain",
              click: () => {
                this.#picked = [];
                this.#draw();
              },
            },
            this.word("cancel"),
          )
        : null,
    ].flat();
  }

  /** The words of a move that is not listed: those of the listed move that it spells out, or its title and what it names. */
  #attempted(move, t) {
    const listed = Array.isArray(this.legal) ? this.legal : (this.legal?.moves ?? []); // also what is hidden here
    const whole = listed.find((each) => each.text && spellsOut(move, each.move));
    if (whole) return whole.text;
    const { type, seat, lose, ...rest } = move;
    const cards = named(rest).filter((card) => this.titles.has(String(card)) && typeof card !== "boolean");
    const lost = lose ? [`−${lose[0].set + 1}`] : [];
    return [t.called("moves", type), ...cards.map((card) => t.title(card)), ...lost].join(" · ");
  }

  #said(move, text, t) {
    const words = text ?? t.called("moves", move.type); // a list of moves has no words
    const several =
      this.plays === "all" &&
      typeof move.seat === "number" &&
      this.#acting().length > 1 &&
      !words.includes(t.name(move.seat));
    return (several ? `${words} · ${t.name(move.seat)}` : words).replace(/^./u, (first) => first.toUpperCase());
  }

  // --- kept over a redraw: the focus and the places of cards ---

  #focused() {
    const active = this.shadowRoot.activeElement;
    if (!active) return null;
    const group = active.closest("section, .middle, .bar");
    return {
      key: active.dataset.key,
      index: [...this.#board.children].flatMap((each) => [each, ...each.children]).indexOf(group),
      act: active.classList.contains("act"),
    };
  }

  #refocus(focus) {
    if (!focus) return;
    const again =
      focus.key &&
      !(this.#acted && this.state !== this.#acted) &&
      this.shadowRoot.querySelector(`button[data-key="${CSS.escape(focus.key)}"]`);
    const near = [...this.#board.children].flatMap((each) => [each, ...each.children])[focus.index];
    const first = (some) => this.shadowRoot.querySelector(some);
    const next =
      again ||
      (focus.act ? first(".act:enabled:not(.plain, .quiet)") : near?.querySelector("button.live")) ||
      first(".own button.live") ||
      first("button.live, .act:enabled");
    if (next?.matches("button.card")) {
      for (const each of this.#zoneOf(next)) each.tabIndex = -1;
      next.tabIndex = 0;
    }
    (next ?? this.#board).focus({ preventScroll: true });
  }

  #places() {
    const cards = this.shadowRoot.querySelectorAll(".card[data-key]");
    return new Map([...cards].map((card) => [card.dataset.key, card.getBoundingClientRect()]));
  }

  /** Moves each card from its old place to the new one; a card not seen before comes from the stock. */
  #glide(before) {
    if (STILL.matches || !before.size) return;
    for (const card of this.shadowRoot.querySelectorAll(".card[data-key]")) {
      const from = before.get(card.dataset.key) ?? before.get("stock");
      const to = card.getBoundingClientRect();
      if (!from || !to.width || Math.hypot(from.x - to.x, from.y - to.y) < 3) continue;
      const start = `translate(${from.x - to.x}px, ${from.y - to.y}px) scale(${from.width / to.width})`;
      card.animate(
        [
          { transform: start, transformOrigin: "0 0" },
          { transform: "none", transformOrigin: "0 0" },
        ],
        { duration: 280, easing: "cubic-bezier(.2, .7, .2, 1)" },
      );
    }
  }
}

customElements.define("rules-table", RulesTable);
