// The question for use elsewhere: a link, a command, code, or a conformance vector.
import { h } from "./table/h.js";
import { pretty, word } from "./speech.js";

const compact = (value) => JSON.stringify(value);
const shell = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const python = (text) => `r"""${text}"""`;

const cited = ({ violations = [], events = [], faults = [] }) => [
  ...new Set([...violations, ...events, ...faults].map(({ rule }) => rule)),
];

/** The texts to copy, by name. `state`: the table shown. */
function ways({ call, asked, status, answer }, game, state) {
  const url = `${location.origin}/games/${game}/${call}`;
  const expected = Object.fromEntries(
    ["legal", "applied", "violations", "events", "faults", "errors", "moves", "consistent", "standings", "result"]
      .filter((name) => name in answer)
      .map((name) => [name, answer[name]]),
  );
  return {
    link: location.href,
    state: pretty(state),
    curl: `curl -s ${url} -H 'Content-Type: application/json' -d ${shell(compact(asked))}`,
    fetch: `const answer = await fetch("${url}", {\n  method: "POST",\n  headers: { "Content-Type": "application/json" },\n  body: JSON.stringify(${compact(asked)}),\n});\nconsole.log(await answer.json());`,
    python: `import json\nfrom urllib.request import Request, urlopen\n\nbody = ${python(compact(asked))}\nrequest = Request("${url}", body.encode(), {"Content-Type": "application/json"})\nprint(json.load(urlopen(request)))`,
    vector: pretty({
      id: `${game}-…`,
      clauses: cited(answer),
      why: "…",
      request: { method: "POST", path: `/${call}`, body: { game, ...asked } },
      response: { status, body: expected },
    }),
  };
}

/** Copies a text, or marks the element that shows it, if the browser does not let a page copy. Gives what to say. */
export async function copied(text, shown) {
  try {
    await navigator.clipboard.writeText(text); // there is no clipboard on plain http
    return word("copied");
  } catch {
    shown.closest("details")?.setAttribute("open", "");
    shown.focus();
    getSelection().selectAllChildren(shown);
    shown.select?.();
    return word("select");
  }
}

/** Fills the panel. `state`: gives the table shown at the time of copying. */
export function openShare(place, answered, game, state) {
  const shown = h("textarea", { rows: "12", readonly: true, "aria-label": word("shared"), wrap: "off" });
  const said = h("p", { class: "hint", role: "status" });
  const copy = async (name) => {
    shown.value = ways(answered, game, state())[name];
    shown.hidden = false;
    said.textContent = await copied(shown.value, shown);
  };
  shown.hidden = true;
  place.replaceChildren(
    h("p", { class: "hint" }, word("shareHint")),
    h(
      "div",
      { class: "buttons" },
      ["link", "state", "curl", "fetch", "python", "vector"].map((name) =>
        h("button", { type: "button", click: () => copy(name) }, word(`copy-${name}`)),
      ),
    ),
    said,
    shown,
  );
}
