// After a game kept in a session: who has won, the next game, and the transcript, checked.
import { h } from "./table/h.js";
import { packed, written } from "./address.js";
import { ask, busy, postJson } from "./asking.js";
import { pretty, word } from "./speech.js";
import { commitment, findings } from "./fairness.mjs";
import { isForNow } from "./table/live.js";

/**
 * The parts of a transcript, each with whether it is right. `kept`: what this browser keeps of the session, the first
 * commitment it was shown (`noted`), and the `seed` that a seat here gave.
 */
export async function checked(transcript, { noted, seed }) {
  const parts = await findings(transcript, noted ?? undefined, location.origin);
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
  const why = entries.at(-1).events.findLast((event) => event.rule === rule) ?? entries.at(-1).events.at(-1);
  const scores = standings.map(
    ({ seat: at, team, score }) =>
      `${at === undefined ? `${word("team")} ${team}` : name(at)} ${String(score).replace("-", "−")}${parts(entries, at)}`,
  );
  return [
    h("h2", { class: `won ${mine ? "good" : ""}`, tabindex: "-1" }, said),
    h(
      "p",
      {},
      why.text,
      " ",
      scores.join(", "),
      ". ",
      h("a", { class: "clause", href: `/${written({ game, clause: rule })}`, target: "_blank", rel: "noopener" }, rule),
    ),
  ];
}

/**
 * Opens a table for the same people, and gives its address for a seat. All of them get the same table: they send the same
 * body under the same key, which only those who know the seed of the game just over can make. Null if strangers may, too.
 */
async function again({ id, server_seed: server, deal, names, fair }, seat, gathers) {
  if ((await ask("GET", `/sessions/${id}`)).ok) return null; // spectators know the seed
  const { seed, ...setup } = deal;
  const body = {
    ...setup,
    ...(names ? { names } : {}),
    ...(gathers ? { gather_ms: gathers } : {}),
    fair,
    host: "blind",
    invite: true,
  };
  const response = await ask("POST", "/sessions", body, { "Idempotency-Key": commitment(`${server} again`) });
  const opened = await response.json();
  if (!response.ok) throw new Error(opened.detail);
  return `${opened.id}/${seat}/${opened.invites[seat]}`;
}

/** Draws the end of a game; throws if that can be tried again. `read` asks for the transcript after a version; `seat` is null for a spectator; `gathers`: the time for hands, if any. */
export async function drawEnd(place, read, kept, seat, gathers) {
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
  place.replaceChildren(...outcome(whole, seat), buttons, proof);
  const [parts, [dealt, first]] = await Promise.all([checked(whole, kept), postJson("/deal", whole.deal)]);
  if (isForNow(dealt)) throw new Error(first.title);
  const question = { ...(whole.names ? { names: whole.names } : {}), state: first.state, moves: whole.moves };
  const q = first.state ? await packed(JSON.stringify({ call: "resolve", text: pretty(question) })) : null;
  const file = URL.createObjectURL(new Blob([JSON.stringify(whole)], { type: "application/json" }));
  const anew = busy(async () => {
    try {
      location.assign(`/play#${(await again(whole, seat, gathers)) ?? ""}`);
    } catch ({ message }) {
      buttons.append(h("span", { class: "hint", role: "alert" }, message));
    }
  });
  buttons.append(
    ...[
      seat === null ? null : h("button", { type: "button", class: "main", click: anew }, word("play-again")),
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
  const judgedByOthers = parts.every(([name, right]) => right === (name !== "version"));
  proof.open = !holds;
  proof.replaceChildren(
    h(
      "summary",
      { class: holds ? "good" : judgedByOthers ? "doubt" : "bad" },
      word(holds ? "play-proof-holds" : judgedByOthers ? "play-proof-version" : "play-proof-fails"),
    ),
    h(
      "ul",
      {},
      parts.map(([name, right]) => h("li", { class: right ? "good" : "bad" }, word(`play-proof-${name}`))),
    ),
    h("p", {}, h("a", { href: file, download: "transcript.json" }, word("play-transcript"))),
  );
}
