// The parts of every drawing: cards, fans, piles, chips. A game's module arranges them.

import { h, picture, svg, teamOf } from "./h.js";

export { h, picture, svg };

/** SVG text squeezed into a width. */
export const lettering = (text, x, y, size) =>
  svg`<text x="${x}" y="${y}" font-size="${size}" ${
    String(text).length > 1 ? svg`textLength="${size * 1.04}" lengthAdjust="spacingAndGlyphs"` : ""
  }>${text}</text>`;

/** Cards in the order of their `rank`, unseen ones last. */
export const sorted = (cards, rank) =>
  [...cards].sort((one, other) => (one === null) - (other === null) || (one !== null && rank(one) - rank(other)));

/** The cards that are not among those gone. */
export const without = (cards, gone) => cards.filter((card) => !gone.includes(card));

/** For each name a sign of one or two letters, all of them different: initials, or the first letter and a number. */
export function signs(names) {
  const letters = (text, count) => [...text].slice(0, count).join("");
  const first = names.map((name) => letters(name, 1));
  const two = names.map((name) => {
    const words = name.split(/\s+/);
    return words.length > 1 ? letters(words[0], 1) + letters(words.at(-1), 1) : letters(name, 2);
  });
  const numbered = first.map((letter, seat) => `${letter}${seat + 1}`);
  return [first, two].find((some) => !some.includes("") && new Set(some).size === some.length) ?? numbered;
}

/** The face of a card without a picture: the words of its title, one a line. */
function lettered(title) {
  const words = title
    .split(/\s+/)
    .flatMap((word) => word.match(/.{1,9}/gu) ?? [])
    .slice(0, 4);
  const lines = words.map(
    (word, at) =>
      svg`<text x="50" y="${78 + (at - (words.length - 1) / 2) * 24}" font-size="${words.length === 1 && word.length < 4 ? 44 : 19}">${word}</text>`,
  );
  return svg`<rect width="100" height="140" fill="#fdfcf8"/><rect x="7" y="7" width="86" height="126" rx="6" fill="none" stroke="#77827f" stroke-width="1.5"/>
    <g fill="#20282b" text-anchor="middle" font-weight="650" font-family="system-ui, 'DejaVu Sans', sans-serif">${lines}</g>`;
}

/** One drawing of a table: the state for a game's module, and the methods it draws with. */
export class Drawing {
  constructor(table, parts) {
    Object.assign(this, parts); // state, seat, events, about, game, entries, picked, draft, wrong
    this.table = table;
    this.live = new Set(
      this.entries.filter(({ move }) => !move || this.game.marked?.(move) !== false).flatMap(({ keys }) => keys),
    );
    /** The keys of cards that can be dragged. */
    this.loose = new Set(
      this.entries
        .filter(({ move, keys }) => keys.length === 2 && (!move || this.game.drags?.(move)))
        .flatMap(({ keys }) => keys),
    );
    const fitting = this.entries.filter(({ keys }) => this.picked.every((key) => keys.includes(key)));
    this.fits = new Set(fitting.flatMap(({ keys }) => keys));
    const last = this.events.at(-1)?.params ?? {};
    this.fresh = new Set(
      [last.card, last.discard, last.shown, ...(last.cards ?? [])]
        .filter((card) => card !== undefined && card !== null)
        .map(String),
    );
  }

  // --- words ---

  say(name, particulars) {
    return this.table.word(name, particulars);
  }

  /** The title of a word of the contract, from the game's description. */
  called(kind, name) {
    return this.about?.names[kind]?.find((each) => each.name === name)?.title ?? String(name).replaceAll(/[-_]/g, " ");
  }

  title(card) {
    return this.table.titles.get(String(card)) ?? String(card);
  }

  name(seat) {
    return this.table.names[seat] ?? this.say("seat", { seat });
  }

  /** With whom a seat plays, or the number of its team where nobody has a name. */
  partners(seat) {
    const { teams } = this.state;
    if (!this.table.names.length) return this.say("team", { team: teams[seat] });
    const partners = teams.map((team, other) => (other === seat ? null : team));
    return this.say("partners", {
      names: teamOf(teams[seat], partners, (each) => this.name(each), this.table.language),
    });
  }

  /** The params of the last event with this code, and of this seat if one is given. */
  lastEvent(code, seat) {
    return this.events.findLast((event) => event.code === code && (seat === undefined || event.params.seat === seat))
      ?.params;
  }

  // --- the table ---

  /** Whether moves of a seat can be made here. */
  mine(seat) {
    return this.table.plays === "all" || this.table.plays === seat;
  }

  alone() {
    return this.table.plays !== "all";
  }

  /** The zones from the game's description: the `name` of each, and whether every seat has its own (`bySeat`). */
  zones() {
    return (this.about?.zones ?? []).map(({ name, pointer }) => ({ name, bySeat: /\{(seat|side)\}/.test(pointer) }));
  }

  /** The value of an option: from the state, or by default from the description of its ruleset. */
  option(name) {
    const { name: chosen, options } = this.state.ruleset ?? {};
    const [first, ...others] = this.about?.rulesets ?? [];
    return options?.[name] ?? (others.find((each) => each.name === chosen) ?? first)?.options[name];
  }

  /** Whether a move of this type is legal now for a seat that plays here. */
  can(type) {
    return this.entries.some(({ move }) => move?.type === type);
  }

  /** The designs of two-sided cards. */
  designs() {
    return this.state.designs ?? this.about?.deck;
  }

  // --- pieces ---

  /** A card; null is face down. With a key it can be touched, if the table is played at. */
  card(card, { key = card, note, tag, small, label } = {}) {
    const id = key === null || key === undefined ? null : String(key);
    const hands = id === null ? [] : (this.table.incident?.hands ?? []).filter((hand) => String(hand.card) === id);
    const fell = hands.length
      ? this.say("hands-on", { names: hands.map(({ seat }) => this.name(seat)).join(", ") })
      : null;
    const name = [label ?? (card === null ? this.say("unseen") : this.title(card)), note, fell]
      .filter(Boolean)
      .join(", ");
    const number = card === null ? null : this.game.number?.(card); // what sentences call it
    const playable = this.table.playable && id !== null;
    const live = playable && this.live.has(id);
    const loose = live && this.loose.has(id);
    const classes = [
      "card",
      card === null && "back",
      live && "live",
      loose && "loose",
      small && "small",
      id !== null && this.wrong.has(id) && "wrong",
      id !== null && this.fresh.has(id) && "fresh",
      note && "noted",
      id !== null && this.table.lit.includes(id) && "lit",
      this.picked.length > 0 && !this.fits.has(id) && !this.picked.includes(id) && "off",
    ];
    return h(
      playable ? "button" : "span",
      {
        class: classes.filter(Boolean).join(" "),
        "data-key": id,
        role: playable ? null : "img",
        type: playable ? "button" : null,
        "aria-label": live ? this.say("playable", { card: name }) : name,
        title: card === null ? null : name,
        "aria-pressed": playable ? String(this.picked.includes(id)) : null,
        click: playable ? () => this.table.pick(id) : null,
      },
      picture(card === null ? this.game.back : (this.game.face(card, this) ?? lettered(this.title(card)))),
      tag ? h("i", { class: "tag", "aria-hidden": "true" }, tag) : null,
      number ? h("i", { class: "number", "aria-hidden": "true" }, number) : null,
      hands.length
        ? h(
            "span",
            { class: "hands", "aria-hidden": "true" },
            hands.map(({ seat }) => this.token(seat)),
          )
        : null,
    );
  }

  /** The token of a seat, in its colour and with its sign. */
  token(seat) {
    const names = Array.from({ length: this.table.seats }, (_, each) => this.table.names[each]?.trim() ?? "");
    return h("i", { class: `token token-${seat % 6}` }, signs(names)[seat] ?? seat);
  }

  /** The time in which hands may still fall, running down. */
  window() {
    const { incident } = this.table;
    const bar = h("i", {});
    const left = incident ? Math.max(0, incident.closes - performance.now()) : 0;
    if (left)
      bar.animate([{ scale: `${Math.min(1, left / incident.lasts)} 1` }, { scale: "0 1" }], {
        duration: left,
        fill: "forwards",
      });
    return h(
      "div",
      { class: "window", role: "img", "aria-label": this.say(left ? "window-open" : "window-closed") },
      bar,
    );
  }

  /** The sentence of an event; a touch lights the cards that it names. */
  sentence(event) {
    const cards = this.table.cardsOf(event);
    return cards.length
      ? h("button", { type: "button", class: "sentence", click: () => this.table.light(event) }, event.text)
      : event.text;
  }

  /** A place without a card. */
  empty(label, text = "") {
    return h(
      "span",
      { class: "card empty", role: "img", "aria-label": label },
      h("span", { "aria-hidden": "true" }, text),
    );
  }

  /** Cards side by side, overlapping where space is short; `spread`: in as many rows as their numbers need. */
  fan(cards, { label, arc, wide, small, spread, ...how } = {}) {
    const hidden = cards.length > 0 && cards.every((card) => card === null);
    const slots = cards.map((card, at) => {
      const slot = h("span", { class: "slot" }, card instanceof Node ? card : this.card(card, how));
      if (arc) slot.style.setProperty("--tilt", at - (cards.length - 1) / 2);
      return slot;
    });
    if (hidden) for (const slot of slots) slot.firstChild.setAttribute("aria-hidden", "true");
    const kinds = { arc, wide, small, spread, hidden };
    const classes = ["fan", ...Object.keys(kinds).filter((kind) => kinds[kind])].join(" ");
    return h(
      "div",
      {
        class: classes,
        role: "group",
        "aria-label": hidden ? `${label}: ${this.say("face-down", { count: cards.length })}` : label,
      },
      slots,
    );
  }

  /** The hand of a seat. One's own is in the order in which one left it, and can be sorted. */
  hand(seat, cards, how) {
    const own = this.table.playable && this.table.plays === seat && !cards.includes(null);
    const fan = this.fan(own ? this.table.sorted(cards) : cards, how);
    if (!own) return fan;
    fan.classList.add("sortable");
    fan.setAttribute("aria-description", this.say("sort"));
    for (const card of fan.querySelectorAll("button.card"))
      card.setAttribute("aria-keyshortcuts", "Shift+ArrowLeft Shift+ArrowRight");
    return fan;
  }

  /** Cards above a caption. With a `key` the group itself can be touched. */
  group(caption, cards, { key, says, ...how } = {}) {
    const fan = this.fan(cards, { label: says ?? caption, wide: cards.length < 3, ...how });
    const touched =
      key !== undefined && this.live.has(key)
        ? h(
            "button",
            {
              type: "button",
              class: `onto ${this.fits.has(key) ? "" : "off"}`,
              "data-key": key,
              "aria-label": caption,
              click: () => this.table.pick(key),
            },
            caption,
          )
        : caption;
    return h("figure", { class: "group", "data-onto": key ?? null }, fan, h("figcaption", {}, touched));
  }

  /** A pile: its top card, an edge for its height, and the number of cards. */
  pile(cards, { label, key = null, up = false, small } = {}) {
    const count = this.say("cards", { count: cards.length });
    const top = up ? (cards[0] ?? null) : null;
    const drawn = cards.length
      ? this.card(top, {
          key: key ?? (up ? top : null),
          label: top === null ? `${label}: ${count}` : `${label}: ${this.title(top)}`,
          small,
        })
      : this.empty(`${label}: ${count}`, "0");
    return h(
      "figure",
      { class: `pile ${small ? "small" : ""}`, "data-height": Math.min(4, Math.ceil(cards.length / 8)) },
      drawn,
      h("figcaption", {}, label, " ", h("b", {}, cards.length)),
    );
  }

  row(cards, { label, tight, ...how } = {}) {
    return h(
      "div",
      { class: `row ${tight ? "tight" : ""}`, role: "group", "aria-label": label },
      cards.map((card) => (card instanceof Node ? card : this.card(card, how))),
    );
  }

  /** Chips in stacks of five, with their number. */
  chips(count, label) {
    const shown = Math.min(count, 40);
    const stacks = Math.max(1, Math.ceil(shown / 5));
    const drawn = Array.from({ length: shown }, (_, at) => {
      const [x, y] = [Math.floor(at / 5) * 20 + 10, 34 - (at % 5) * 5];
      return svg`<g class="chip"><path d="M${x - 9} ${y}v4a9 4 0 0 0 18 0v-4z"/><ellipse cx="${x}" cy="${y}" rx="9" ry="4"/></g>`;
    });
    const none = svg`<ellipse class="none" cx="10" cy="37" rx="8.5" ry="4"/>`; // the place of a chip
    const stack = picture(svg`${shown ? drawn : none}`, `0 8 ${stacks * 20} 36`);
    stack.style.setProperty("--stacks", stacks);
    return h(
      "span",
      { class: "chips", role: "img", "aria-label": `${label}: ${this.say("chips", { count })}` },
      stack,
      h("b", {}, count),
    );
  }
}
