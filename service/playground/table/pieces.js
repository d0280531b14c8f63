// What every drawing is made of: elements, cards, fans, piles, chips. A game's module arranges them.

import { h } from "./h.js";

export { h };

const parsed = new Map();

/** A picture from our own markup (no word of a state may get here); each is parsed once. */
export function picture(markup, box = "0 0 100 140") {
  const key = box + markup;
  if (!parsed.has(key)) {
    const holder = document.createElement("template");
    holder.innerHTML = `<svg viewBox="${box}" aria-hidden="true" focusable="false">${markup}</svg>`;
    parsed.set(key, holder.content.firstChild);
  }
  return parsed.get(key).cloneNode(true);
}

/** Text that fits a width, for a picture. `more`: attributes. */
export const lettering = (text, x, y, size, more = "") =>
  `<text x="${x}" y="${y}" font-size="${size}" ${String(text).length > 1 ? `textLength="${size * 1.04}" lengthAdjust="spacingAndGlyphs"` : ""} ${more}>${text}</text>`;

/** Some places of a list, in order of what `rank` says; what is unseen comes last. */
export const sorted = (cards, rank) => [...cards].sort((one, other) => (one === null) - (other === null) || (one !== null && rank(one) - rank(other)));

/** Cards left when some are taken out. */
export const without = (cards, gone) => cards.filter((card) => !gone.includes(card));

/** One drawing of a table: what a game's module draws from and with. */
export class Drawing {
  constructor(table, parts) {
    Object.assign(this, parts); // state, seat, events, about, game, entries, picked, draft, wrong, hinted
    this.table = table;
    this.live = new Set(this.entries.filter(({ move }) => !move || this.game.marked?.(move) !== false).flatMap(({ keys }) => keys));
    /** What can be dragged onto something that lies elsewhere. */
    this.loose = new Set(this.entries.filter(({ move, keys }) => keys.length === 2 && (!move || this.game.drags?.(move))).flatMap(({ keys }) => keys));
    const fitting = this.entries.filter(({ keys }) => this.picked.every((key) => keys.includes(key)));
    this.fits = new Set(fitting.flatMap(({ keys }) => keys));
    const last = this.events.at(-1)?.params ?? {};
    this.fresh = new Set([last.card, last.discard, last.shown, ...(last.cards ?? [])].filter((card) => card !== undefined && card !== null).map(String));
  }

  // --- words ---

  say(name, particulars) {
    return this.table.word(name, particulars);
  }

  /** What a word of the wire is called, by the game's description. */
  called(kind, name) {
    return this.about?.names[kind]?.find((each) => each.name === name)?.title ?? String(name).replaceAll(/[-_]/g, " ");
  }

  title(card) {
    return this.table.titles.get(String(card)) ?? String(card);
  }

  name(seat) {
    return this.table.names[seat] ?? this.say("seat", { seat });
  }

  /** The last thing told with this code, of this seat where one is given. */
  told(code, seat) {
    return this.events.findLast((event) => event.code === code && (seat === undefined || event.params.seat === seat))?.params;
  }

  // --- the table ---

  /** Whether whoever is at this table plays for a seat. */
  mine(seat) {
    return this.table.plays === "all" || this.table.plays === seat;
  }

  alone() {
    return this.table.plays !== "all";
  }

  /** The members of a state in which cards lie, as the game's description has them: `name`, and whether `bySeat`. */
  zones() {
    return (this.about?.zones ?? []).map(({ name, pointer }) => ({ name, bySeat: /\{(seat|side)\}/.test(pointer) }));
  }

  /** The value of an option: the state's own, else that of its ruleset. */
  option(name) {
    const { name: chosen, options } = this.state.ruleset ?? {};
    const [first, ...others] = this.about?.rulesets ?? [];
    return options?.[name] ?? (others.find((each) => each.name === chosen) ?? first)?.options[name];
  }

  /** Whether a move of this type is legal now, for somebody who is played for here. */
  can(type) {
    return this.entries.some(({ move }) => move?.type === type);
  }

  /** The designs of two-sided cards. */
  designs() {
    return this.state.designs ?? this.about?.deck;
  }

  // --- pieces ---

  /** A card; null lies face down. What has a key can be touched where the table is played at. */
  card(card, { key = card, note, tag, small, label } = {}) {
    const name = [label ?? (card === null ? this.say("unseen") : this.title(card)), note].filter(Boolean).join(", ");
    const id = key === null || key === undefined ? null : String(key);
    const playable = this.table.playable && id !== null;
    const live = playable && this.live.has(id);
    const loose = live && this.loose.has(id);
    const classes = ["card", card === null && "back", live && "live", loose && "loose", small && "small", id !== null && this.wrong.has(id) && "wrong",
      id !== null && this.fresh.has(id) && "fresh", note && "noted", this.picked.length > 0 && !this.fits.has(id) && !this.picked.includes(id) && "off"];
    return h(playable ? "button" : "span", {
      class: classes.filter(Boolean).join(" "), "data-key": id, role: playable ? null : "img", type: playable ? "button" : null,
      "aria-label": live ? this.say("playable", { card: name }) : name, title: card === null ? null : name,
      "aria-pressed": playable ? String(this.picked.includes(id)) : null,
      click: playable ? () => this.table.pick(id) : null,
    }, picture(card === null ? this.game.back : this.game.face(card, this)), tag ? h("i", { class: "tag", "aria-hidden": "true" }, tag) : null);
  }

  /** A place without a card. */
  empty(label, text = "") {
    return h("span", { class: "card empty", role: "img", "aria-label": label }, h("span", { "aria-hidden": "true" }, text));
  }

  /** Cards side by side; they overlap as much as the room demands. */
  fan(cards, { label, arc, wide, small, ...how } = {}) {
    const hidden = cards.length > 0 && cards.every((card) => card === null);
    const slots = cards.map((card, at) => {
      const slot = h("span", { class: "slot" }, card instanceof Node ? card : this.card(card, how));
      if (arc) slot.style.setProperty("--tilt", at - (cards.length - 1) / 2);
      return slot;
    });
    if (hidden) for (const slot of slots) slot.firstChild.setAttribute("aria-hidden", "true");
    const classes = ["fan", arc && "arc", wide && "wide", small && "small", hidden && "hidden"].filter(Boolean).join(" ");
    return h("div", { class: classes, role: "group", "aria-label": hidden ? `${label}: ${this.say("face-down", { count: cards.length })}` : label }, slots);
  }

  /** Cards that belong together, above their caption. `key`: of the group itself, as something to touch. */
  group(caption, cards, { key, says, ...how } = {}) {
    const fan = this.fan(cards, { label: says ?? caption, wide: cards.length < 3, ...how });
    const touched = key !== undefined && this.live.has(key)
      ? h("button", { type: "button", class: `onto ${this.fits.has(key) ? "" : "off"}`, "data-key": key, "aria-label": caption, click: () => this.table.pick(key) }, caption)
      : caption;
    return h("figure", { class: "group", "data-onto": key ?? null }, fan, h("figcaption", {}, touched));
  }

  /** Cards upon each other: the top one, an edge for the height, the number below. */
  pile(cards, { label, key = null, up = false, small } = {}) {
    const count = this.say("cards", { count: cards.length });
    const top = up ? cards[0] ?? null : null;
    const drawn = cards.length
      ? this.card(top, { key: key ?? (up ? top : null), label: top === null ? `${label}: ${count}` : `${label}: ${this.title(top)}`, small })
      : this.empty(`${label}: ${count}`, "0");
    return h("figure", { class: `pile ${small ? "small" : ""}`, "data-height": Math.min(4, Math.ceil(cards.length / 8)) },
      drawn, h("figcaption", {}, label, " ", h("b", {}, cards.length)));
  }

  row(cards, { label, tight, ...how } = {}) {
    return h("div", { class: `row ${tight ? "tight" : ""}`, role: "group", "aria-label": label }, cards.map((card) => (card instanceof Node ? card : this.card(card, how))));
  }

  /** Chips in stacks of five, and their number. */
  chips(count, label) {
    const shown = Math.min(count, 40);
    const stacks = Math.max(1, Math.ceil(shown / 5));
    let drawn = "";
    for (let at = 0; at < shown; at++) {
      const [x, y] = [Math.floor(at / 5) * 20 + 10, 34 - (at % 5) * 5];
      drawn += `<g class="chip"><path d="M${x - 9} ${y}v4a9 4 0 0 0 18 0v-4z"/><ellipse cx="${x}" cy="${y}" rx="9" ry="4"/></g>`;
    }
    const stack = picture(drawn, `0 8 ${stacks * 20} 36`);
    stack.style.setProperty("--stacks", stacks);
    return h("span", { class: "chips", role: "img", "aria-label": `${label}: ${this.say("chips", { count })}` }, shown ? stack : null, h("b", {}, count));
  }
}
