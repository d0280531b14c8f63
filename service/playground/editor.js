// The editor: a text field over its own text in colours. It numbers the lines, shows matching brackets, marks what an
// answer points to, and completes what the schema of the call allows at the cursor.
import { cached } from "./asking.js";
import { h } from "./table/h.js";

const TOKENS = /"(?:[^"\\\n]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/g;
const MATES = { "}": "{", "]": "[" };
const LITERAL = /^(true|false|null|-?\d+(\.\d+)?([eE][-+]?\d+)?)$/;
const MOST_OFFERS = 8;

/** The value of a string token, which may still lack its closing quote. */
function meant(word) {
  try {
    return JSON.parse(word);
  } catch {
    return word.slice(1);
  }
}

/** The tokens of unfinished JSON: each with place, kind and JSON pointer, brackets also with their mate. */
export function scan(text) {
  const [tokens, open] = [[], []];
  const here = (holder) =>
    holder ? `${holder.path}/${String(holder.at).replaceAll("~", "~0").replaceAll("/", "~1")}` : "";
  for (const { 0: word, index: from } of text.matchAll(TOKENS)) {
    const holder = open.at(-1);
    const token = { word, from, to: from + word.length, kind: "sign", holder };
    tokens.push(token);
    if (word === "{" || word === "[") {
      token.path = here(holder);
      open.push({ token, path: token.path, at: word === "[" ? 0 : null, keyed: false, keys: [] });
    } else if (MATES[word]) {
      if (holder?.token.word !== MATES[word]) token.kind = "odd";
      else [token.mate, open.pop().token.mate] = [holder.token, token];
    } else if (word === ",") {
      if (holder?.token.word === "[") holder.at++;
      else if (holder) holder.keyed = false;
    } else if (word === ":") {
      if (holder) holder.keyed = true;
    } else if (word[0] === '"' && holder?.token.word === "{" && !holder.keyed) {
      [token.kind, holder.at] = ["key", meant(word)];
      holder.keys.push(holder.at);
      token.path = here(holder);
    } else {
      token.kind = word[0] === '"' ? "text" : LITERAL.test(word) ? "value" : "odd";
      token.path = here(holder);
    }
  }
  return tokens;
}

/** The tokens at a JSON pointer; if there is none, those of the nearest value around it. */
export function placed(tokens, pointer) {
  for (let path = pointer; ; path = path.slice(0, path.lastIndexOf("/"))) {
    const found = tokens.filter((token) => token.path === path);
    if (found.length || path === "") return found.length ? found : tokens.slice(0, 1);
  }
}

// --- completions ---

/** The schema with its references resolved, and its alternatives. */
function meanings(schema, all) {
  if (!schema) return [];
  if (schema.$ref) return meanings(all[schema.$ref.split("/").at(-1)], all);
  return [
    schema,
    ...(schema.oneOf ?? []).flatMap((each) => meanings(each, all)),
    ...(schema.anyOf ?? []).flatMap((each) => meanings(each, all)),
  ];
}

/** The schemas that a value may have: its `type` tells moves apart. */
function fitting(schemas, value, all) {
  return schemas.filter(({ properties }) => {
    const types = meanings(properties?.type, all).flatMap((each) => each.const ?? each.enum ?? []);
    return !types.length || value?.type === undefined || types.includes(value.type);
  });
}

/** The parsed text; undefined if it is not JSON yet. */
function half(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The values that schemas list. */
function known(schemas) {
  return schemas.flatMap(({ const: one, enum: some, description = "", type }) => [
    ...(one === undefined ? (some ?? []) : [one]),
    ...[...(description.split("Known so far:")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, word]) => word),
    ...([type].flat().includes("boolean") ? [true, false] : []),
  ]);
}

/** Whether a schema is that of a card: it has the type of the game's cards and no bounds. Only states have unseen ones. */
function takesCard(schema, [{ card }], inState) {
  const types = [schema.type].flat();
  const bare = Object.keys(schema).every((key) => key === "type" || key === "description");
  return (
    bare && types.includes(typeof card === "string" ? "string" : "integer") && (inState || !types.includes("null"))
  );
}

export class Editor {
  #field;
  #ink;
  #lines;
  #list;
  #folded; // while it is closed nothing is drawn
  #tokens = [];
  #marks = [];
  #marked = ""; // the text that the marks belong to
  #schema = async () => null;
  #offers = [];
  #chosen = 0;
  #drawn = null;

  /** `box`: the element with the textarea and the parts drawn around it. `place`: gives the game and the call. */
  constructor(box, place) {
    const field = box.querySelector("textarea");
    this.#field = field;
    [this.#ink, this.#lines, this.#list] = [".ink", ".lines", ".offers"].map((each) => box.querySelector(each));
    this.#schema = async () => {
      const { game, call } = place();
      const [contract, about] = await Promise.all([cached(`/games/${game}/openapi.json`), cached(`/games/${game}`)]);
      const body = contract?.paths[`/games/${game}/${call}`]?.post.requestBody.content["application/json"].schema;
      return body && { body, all: contract.components.schemas, cards: about?.cards ?? [] };
    };
    field.addEventListener("input", () => [this.paint(), this.#offer()]);
    field.addEventListener("scroll", () => this.#follow());
    field.addEventListener("blur", () => this.#close());
    field.addEventListener("keydown", (event) => this.#pressed(event));
    document.addEventListener("selectionchange", () => document.activeElement === field && this.paint());
    this.#list.addEventListener("pointerdown", (event) => {
      event.preventDefault(); // the field keeps the focus
      const at = [...this.#list.children].indexOf(event.target.closest("li"));
      if (at >= 0) this.#take(at);
    });
    this.#folded = box.closest("details");
    this.#folded.addEventListener("toggle", () => this.paint());
    box.classList.add("coloured");
    this.paint();
  }

  /** Marks JSON pointers, each with a text, until the question is edited. */
  mark(marks) {
    [this.#marks, this.#marked, this.#drawn] = [marks, this.#field.value, null];
    this.paint();
  }

  paint() {
    if (!this.#folded.open) return;
    const text = this.#field.value;
    if (text !== this.#marked) this.#marks = [];
    if (this.#drawn !== text) this.#tokens = scan(text);
    const cursor = document.activeElement === this.#field ? this.#field.selectionStart : null; // reading it is slow in a long text
    const near = this.#tokens.find(({ mate, from, to }) => mate && (from === cursor || to === cursor));
    const state = `${near?.from}`;
    if (this.#drawn === text && this.#ink.dataset.mate === state) return;
    [this.#drawn, this.#ink.dataset.mate] = [text, state];
    const wrong = new Map(
      this.#marks.flatMap(({ pointer, text: said }) => placed(this.#tokens, pointer).map((token) => [token, said])),
    );
    const parts = [];
    let end = 0;
    for (const token of this.#tokens) {
      const how = [token.kind, wrong.has(token) && "wrong", near && (token === near || token === near.mate) && "mate"]
        .filter(Boolean)
        .join(" ");
      parts.push(text.slice(end, token.from), how === "sign" ? token.word : h("span", { class: how }, token.word));
      end = token.to;
    }
    this.#ink.replaceChildren(...parts, `${text.slice(end)}\n`);
    const faults = new Map([...wrong].map(([{ from }, said]) => [text.slice(0, from).split("\n").length, said]));
    const count = text.split("\n").length;
    this.#lines.replaceChildren(
      ...Array.from({ length: count }, (_, at) =>
        h("span", faults.has(at + 1) ? { class: "wrong", title: faults.get(at + 1) } : {}, `${at + 1}\n`),
      ),
    );
    this.#follow();
  }

  /** Scrolls colours and line numbers with the text. */
  #follow() {
    const { scrollLeft, scrollTop } = this.#field;
    [this.#ink.scrollLeft, this.#ink.scrollTop, this.#lines.scrollTop] = [scrollLeft, scrollTop, scrollTop];
  }

  /** Offers completions of the word before the cursor; `all`: also if there is none. */
  async #offer(all = false) {
    const { selectionStart: cursor, value } = this.#field;
    const under = this.#tokens.find(({ from, to, kind }) => from < cursor && cursor <= to && kind !== "sign");
    if ((!under && !all) || document.activeElement !== this.#field) return this.#close();
    const schema = await this.#schema();
    if (!schema || this.#field.value !== value || this.#field.selectionStart !== cursor) return;
    // The token that a word at the cursor would be.
    const [from, to] = under ? [under.from, under.to] : [cursor, cursor];
    const token = scan(`${value.slice(0, from)}"" ${value.slice(to)}`).find((each) => each.from === from);
    const path = token.path
      .split("/")
      .slice(1)
      .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
    let [schemas, now] = [meanings(schema.body, schema.all), half(value)];
    for (const name of token.kind === "key" ? path.slice(0, -1) : path) {
      const holding = name === "type" ? schemas : fitting(schemas, now, schema.all);
      schemas = holding.flatMap(({ properties, items }) => meanings(properties?.[name] ?? items, schema.all));
      now = now?.[name];
    }
    const typed = under
      ? meant(under.word[0] === '"' ? value.slice(from, cursor) : `"${value.slice(from, cursor)}`).toLowerCase()
      : "";
    const keys =
      token.kind === "key"
        ? fitting(schemas, now, schema.all)
            .flatMap(({ properties = {} }) => Object.keys(properties))
            .filter((key) => !token.holder.keys.includes(key))
        : [];
    const words = token.kind === "key" ? keys : known(schemas);
    const cards =
      !words.length && schema.cards.length && schemas.some((each) => takesCard(each, schema.cards, path[0] === "state"))
        ? schema.cards
        : [];
    const titles = new Map(schema.cards.map(({ card, title }) => [card, title]));
    const offered = [
      ...[...new Set(words)].map((word) => [JSON.stringify(word), titles.get(word) ?? ""]),
      ...cards.map(({ card, title }) => [JSON.stringify(card), title]),
    ];
    const likely = offered.filter(
      ([word]) => word.replaceAll('"', "").toLowerCase().startsWith(typed) && word !== value.slice(from, to),
    );
    const colon = token.kind === "key" && !/^\s*:/.test(value.slice(to)) ? ": " : "";
    this.#offers = likely.slice(0, MOST_OFFERS).map(([word, title]) => ({ word: word + colon, title, from, to }));
    this.#show(0);
  }

  #show(chosen) {
    this.#chosen = chosen;
    this.#list.hidden = !this.#offers.length;
    if (!this.#offers.length) return this.#close();
    this.#list.replaceChildren(
      ...this.#offers.map(({ word, title }, at) =>
        h(
          "li",
          { role: "option", id: `offer-${at}`, "aria-selected": String(at === chosen) },
          word.replace(/: $/, ""),
          title ? h("small", {}, ` ${title}`) : null,
        ),
      ),
    );
    this.#field.setAttribute("aria-activedescendant", `offer-${chosen}`);
    const before = this.#field.value.slice(0, this.#offers[0].from).split("\n");
    this.#list.style.setProperty("--line", before.length);
    this.#list.style.setProperty("--column", before.at(-1).length);
    this.#list.style.setProperty("--up", `${this.#field.scrollTop}px`);
    this.#list.style.setProperty("--left", `${this.#field.scrollLeft}px`);
  }

  #close() {
    this.#offers = [];
    this.#list.hidden = true;
    this.#field.removeAttribute("aria-activedescendant");
  }

  #take(at) {
    const { word, from, to } = this.#offers[at];
    this.#close();
    this.#field.setSelectionRange(from, to);
    document.execCommand("insertText", false, word); // keeps undo working
    this.#close();
  }

  #pressed(event) {
    if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      this.#offer(true);
    } else if (this.#offers.length && ["ArrowDown", "ArrowUp"].includes(event.key)) {
      event.preventDefault();
      this.#show((this.#chosen + (event.key === "ArrowDown" ? 1 : -1) + this.#offers.length) % this.#offers.length);
    } else if (this.#offers.length && event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.#take(this.#chosen);
    } else if (this.#offers.length && ["Escape", "ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) {
      this.#close();
    }
  }
}
