// Makes elements, and the markup of pictures.

/** An element. In `how` a function is a listener, `true` an empty attribute; null and false leave the attribute out. */
export function h(tag, how, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(how ?? {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children
      .flat(Infinity)
      .filter((child) => child !== null && child !== undefined && child !== false && child !== ""),
  );
  return element;
}

/**
 * A sentence of the page in a language, with its particulars: `{name}` is one, `{count: # card|# cards}` a number, `#`, with
 * the words for one or for several.
 */
export const filled = (template, particulars, language) =>
  template.replace(/\{(\w+)(?:: ([^|}]*)\|([^}]*))?\}/g, (braces, name, one, several) => {
    const value = particulars[name];
    if (one === undefined) return value ?? braces;
    return (new Intl.PluralRules(language).select(value) === "one" ? one : several).replace("#", value);
  });

/** The players of a team, as one name. `teams`: the team of each seat. */
export const teamOf = (team, teams, nameOf, language) =>
  new Intl.ListFormat(language).format(teams.flatMap((each, seat) => (each === team ? [nameOf(seat)] : [])));

class Markup {
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

const written = (value) =>
  value instanceof Markup
    ? value.text
    : Array.isArray(value)
      ? value.map(written).join("")
      : String(value ?? "").replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Markup of a picture: svg`<path d="${d}"/>`. What is put in is escaped, but for other markup and lists of it. */
export const svg = ({ raw }, ...values) => new Markup(String.raw({ raw }, ...values.map(written)));

/** An element of this markup; each is parsed once. Texts are refused: a state's must never be parsed. */
export function picture(markup, box = "0 0 100 140") {
  if (!(markup instanceof Markup)) throw new TypeError("A picture is made by svg`…`.");
  const key = box + markup;
  if (!parsed.has(key)) {
    const holder = document.createElement("template");
    holder.innerHTML = svg`<svg viewBox="${box}" aria-hidden="true" focusable="false">${markup}</svg>`;
    parsed.set(key, holder.content.firstChild);
  }
  return parsed.get(key).cloneNode(true);
}

const parsed = new Map();
