// After a game kept in a session: who has won, the next game, and the transcript, checked.
import { h, teamOf } from "./table/h.js";
import { packed, written } from "./address.js";
import { postJson } from "./asking.js";
import { language, pretty, word } from "./speech.js";
import { findings } from "./fairness.mjs";
import { isForNow } from "./table/live.js";

/**
 * The parts of a transcript, each with whether it is right. `kept`: what this browser keeps of the session, the first
 * commitment it was shown (`noted`), its `id`, and the `seed` that a seat here gave.
 */
export async function checked(transcript, { noted, id, seed }) {
  const parts = await findings(transcript, noted ?? undefined, location.origin, id);
  if (seed) parts.own = transcript.seeds[seed.seat] === seed.seed ? [] : ["The seed of this seat is another one."];
  return Object.entries(parts).map(([part, wrong]) => [part, wrong.length === 0]);
}

/** What a score is made of, where rounds were settled in lines: what was gained and what was lost. */
function parts(entries, seat) {
  const lines = entries
    .flatMap(({ events }) => events)
    .flatMap(({ params }) => params.lines ?? [])
    .filter((line) => line.seat === seat);
  const sum = (member) => lines.reduce((total, line) => total + line[member], 0);
  return lines.length ? ` (+${sum("face_up")} −${sum("face_up") - sum("points")})` : "";
}

/** Who has won, in a heading, and why, in a line. */
function outcome({ result, names, state, entries, standings, game }, seat) {
  const name = (each) => names?.[each] ?? `${word("seat")} ${each}`;
  const { winners, points, rule } = result;
  const seats =
    winners && (state.teams ? state.teams.flatMap((team, each) => (winners.includes(team) ? [each] : [])) : winners);
  const mine = winners && seats.includes(seat);
  const said = !winners
    ? word("play-together-points", { points })
    : mine && seats.length === 1
      ? word("play-you-win")
      : word(seats.length > 1 ? "they-win" : "she-wins", { who: seats.map(name).join(", ") });
  const { events } = entries.findLast((entry) => entry.events.length); // after it there may be changes without moves
  const why = events.findLast((event) => event.rule === rule) ?? events.at(-1);
  const scores = standings.map(({ seat: at, team, score }) =>
    h(
      "li",
      {},
      at === undefined ? teamOf(team, state.teams, name, language()) : name(at),
      " ",
      h("b", {}, String(score).replace("-", "−")),
      parts(entries, at),
    ),
  );
  return [
    h("h2", { class: `won ${mine ? "good" : ""}`, tabindex: "-1" }, said),
    h(
      "p",
      {},
      why.text,
      " ",
      h("a", { class: "clause", href: `/${written({ game, clause: rule })}`, target: "_blank", rel: "noopener" }, rule),
    ),
    h("ul", { class: "scores" }, scores),
  ];
}

/**
 * Draws the end of a game; throws if that can be tried again. `read` asks for the transcript after a version; `seat` is
 * null for a spectator; `next`: what shows the next table, a line and a button.
 */
export async function drawEnd(place, read, kept, seat, next) {
  const pages = [];
  for (let after = 0; after !== null; ) {
    const response = await read(after);
    if (isForNow(response.status)) throw new Error(response.statusText);
    const page = await response.json();
    if (!response.ok) return place.replaceChildren(h("p", {}, page.detail));
    pages.push(page);
    after = page.next;
  }
  const whole = {
    ...pages.at(-1),
    moves: pages.flatMap(({ moves }) => moves),
    entries: pages.flatMap(({ entries }) => entries),
  };
  const buttons = h("p", { class: "buttons" });
  const proof = h("details", { class: "proof" }, h("summary", {}, word("asking")));
  place.replaceChildren(...outcome(whole, seat), next.line, buttons, proof);
  // A test may have begun with a table that no deal gives.
  const opening = whole.deal === null ? [null, {}] : postJson("/deal", whole.deal);
  const [parts, [dealt, first]] = await Promise.all([checked(whole, kept), opening]);
  if (isForNow(dealt)) throw new Error(first.title);
  const question = { ...(whole.names ? { names: whole.names } : {}), state: first.state, moves: whole.moves };
  const q = first.state ? await packed(JSON.stringify({ call: "resolve", text: pretty(question) })) : null;
  const file = URL.createObjectURL(new Blob([JSON.stringify(whole)], { type: "application/json" }));
  buttons.append(
    ...[
      next.button,
      q
        ? h(
            "a",
            { class: "button", href: `/${written({ game: whole.game, q, step: 0, review: "1" })}` },
            word("play-step-through"),
          )
        : null,
    ].filter(Boolean),
  );
  const holds = parts.every(([, right]) => right);
  const doubtful = ["version", "testing"].find((doubt) => parts.every(([name, right]) => right === (name !== doubt)));
  proof.open = !holds;
  proof.replaceChildren(
    h(
      "summary",
      { class: holds ? "good" : doubtful ? "doubt" : "bad" },
      word(`play-proof-${holds ? "holds" : (doubtful ?? "fails")}`),
    ),
    h(
      "ul",
      {},
      parts.map(([name, right]) => h("li", { class: right ? "good" : "bad" }, word(`play-proof-${name}`))),
    ),
    h("p", {}, h("a", { href: file, download: "transcript.json" }, word("play-transcript"))),
  );
}
