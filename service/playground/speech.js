// The words of the page in the visitor's language, and a game's names of cards, moves and options.

import { filled, teamOf } from "./table/h.js";

/** The words and the first answers that came with the page, in the language it was requested in. */
export const GIVEN = JSON.parse(document.getElementById("given").textContent);
const WORDS = { [GIVEN.language]: GIVEN.words };

/** Of players who have not said theirs, at tables of this page. */
export const NAMES = ["Anna", "Bo", "Cy", "Di", "Eva", "Fay"];

export const language = () => document.documentElement.lang;
export const LANGUAGES = GIVEN.languages;

/** The words that are written in a language; English stands in for the others. */
const wordsIn = (name) =>
  import(`./words/${name}.js`).then(
    (module) => module.default,
    () => ({}),
  );

/** Sets the language of the page; words that did not come with it are fetched. */
export async function speak(wanted) {
  WORDS[wanted] ??= { ...(await wordsIn("en")), ...(await wordsIn(wanted)) };
  document.documentElement.lang = wanted;
  document.getElementById("language").value = wanted;
  for (const element of document.querySelectorAll("[data-word]")) element.textContent = word(element.dataset.word);
}

/** The language that was chosen last, if the browser lets the page keep it. */
export function lastLanguage() {
  try {
    return localStorage.getItem("language");
  } catch {
    return null;
  }
}

export function keepLanguage(chosen) {
  try {
    localStorage.setItem("language", chosen);
  } catch {
    // it holds for this visit
  }
}

/** A word of the page; `particulars` replace their names in braces. */
export const word = (name, particulars = {}) => filled(WORDS[language()][name], particulars, language());

/** JSON for people: a value that fits on a line is written on one. */
export function pretty(value, indent = "") {
  const line = JSON.stringify(value, null, 1)
    .replace(/\n */g, " ")
    .replace(/([[{]) | ([\]}])/g, "$1$2");
  if (indent.length + line.length <= 76 || value === null || typeof value !== "object") return line;
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const parts = Array.isArray(value)
    ? value.map((item) => deeper + pretty(item, deeper))
    : Object.entries(value).map(([key, item]) => `${deeper}${JSON.stringify(key)}: ${pretty(item, deeper)}`);
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

/** A value as text for a sentence or a cell; `inside` another value it gets parentheses. */
export function plain(value, inside = false) {
  if (value === null) return "–";
  if (typeof value !== "object") return String(value);
  const parts = Array.isArray(value)
    ? value.map((item) => plain(item, true)).join(" ")
    : Object.entries(value)
        .map(([key, item]) => `${key} ${plain(item, true)}`)
        .join(", ");
  return inside ? `(${parts})` : parts;
}

/** The tone and the sentence of an answer. */
export function verdict({ call, asked, status, answer }) {
  if (status >= 400) {
    if (answer.faults) return ["bad", word("impossible")];
    return ["bad", answer.errors ? word("misfit") : `${answer.title ?? status}`];
  }
  if (call === "audit") return answer.consistent ? ["good", word("consistent")] : ["bad", word("impossible")];
  if (call === "legal-moves") return ["plain", word("listed", { count: answer.moves.length })];
  const viewer = () => asked.names?.[answer.seat] ?? `${word("seat")} ${answer.seat}`;
  if (call === "view") return ["plain", answer.seat === null ? word("seenByAll") : word("seen", { seat: viewer() })];
  if (call === "deal") return ["plain", word("dealt")];
  if (!("legal" in answer)) return ["plain", word(call)];
  const { applied } = answer;
  const moves = asked.moves?.length; // of a resolution
  const count = !moves
    ? ""
    : ` ${applied === moves ? word("made", { count: applied }) : word("applied", { applied, asked: moves })}`;
  if (!answer.legal) return ["bad", word("illegal") + count];
  if (answer.undetermined) return ["doubt", word("undetermined") + count];
  return answer.unverified.length ? ["doubt", word("legalAsSeen") + count] : ["good", word("legal") + count];
}

/** The names of a game's things, from its description (null if that cannot be had), and of its players. */
export class Vocabulary {
  constructor(about, names) {
    this.about = about;
    this.names = Array.isArray(names) ? names : [];
    this.cards = new Map((about?.cards ?? []).map(({ card, title }) => [card, title]));
  }

  /** The title of a word of the contract; the word itself if it has none. */
  called(kind, name) {
    return this.about?.names[kind].find((each) => each.name === name)?.title ?? name;
  }

  /** The name of a seat; null is the table itself. */
  seat(seat) {
    return seat === null ? word("table") : String(this.names[seat] ?? `${word("seat")} ${seat}`);
  }

  /** A team by the names of its players, or its number where nobody has a name. `teams`: the team of each seat. */
  team(team, teams) {
    return teams && this.names.length
      ? teamOf(team, teams, (seat) => this.seat(seat), language())
      : `${word("team")} ${team}`;
  }

  /** A value of a move or a fact in words. */
  said(value) {
    if (Array.isArray(value)) return value.map((each) => this.said(each)).join(", ");
    if (value !== null && typeof value === "object") {
      return Object.entries(value)
        .map(([key, item]) => (key === "seat" ? this.seat(item) : this.said(item)))
        .join(" ");
    }
    return this.cards.get(value) ?? this.called("terms", plain(value));
  }

  /** A move that was made in one line, with its seat; without the seed of a deal. */
  move({ type, seat, seed, ...rest }) {
    const parts = [
      typeof seat === "number" ? this.seat(seat) : null,
      this.called("moves", type),
      ...Object.values(rest).map((each) => this.said(each)),
    ];
    return parts.filter(Boolean).join(" · ");
  }

  option(name) {
    return this.about?.options.find((each) => each.name === name) ?? { title: name, titles: [] };
  }

  value(option, value) {
    return this.option(option).titles.find((each) => each.value === value)?.title ?? plain(value);
  }
}
