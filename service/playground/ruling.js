// An answer in words: events, violations, contested rulings, standings, and its JSON.
import { h } from "./table/h.js";
import { plain, pretty, word } from "./speech.js";

const told = (value) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
const members = (object) =>
  Object.entries(object)
    .map(([key, value]) => `${key} ${plain(value)}`)
    .join(" · ");

/** A table of objects with the same members. `heads`: titles of some columns. */
function tableOf(rows, heads = {}) {
  const columns = [...new Set(rows.flatMap(Object.keys))];
  return h(
    "div",
    { class: "scroll", tabindex: "0" },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          columns.map((column) => h("th", { scope: "col" }, heads[column] ?? column)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            columns.map((column) => h("td", {}, plain(row[column] ?? null))),
          ),
        ),
      ),
    ),
  );
}

const heads = () => Object.fromEntries(["seat", "team", "score", "rank"].map((column) => [column, word(column)]));
const part = (title, ...children) => h("section", {}, h("h3", {}, title), ...children);

/** A ruling as elements. `actions`: what the buttons do: `cite` a clause, `jump` to a step, `compare`, `read` an option otherwise. */
export class Ruling {
  constructor(answered, vocabulary, actions) {
    Object.assign(this, answered, { vocabulary, actions }); // call, asked, status, answer
  }

  cited(id) {
    return h(
      "button",
      { type: "button", class: "clause", "aria-label": word("clause", { id }), click: () => this.actions.cite(id) },
      id,
    );
  }

  /** The sentence and the clause of a ruling; that of an event is a button which jumps to its step. */
  ruled({ text, rule, pointer, pointers }, step) {
    const where = pointers ?? (pointer === undefined ? [] : [pointer]);
    const said =
      step === undefined
        ? h("span", { class: "said" }, text)
        : h("button", { type: "button", class: "said", "data-step": step, click: () => this.actions.jump(step) }, text);
    return h(
      "li",
      {},
      said,
      " ",
      this.cited(rule),
      where.length
        ? h(
            "p",
            { class: "where" },
            where.map((each) => h("code", {}, each)),
          )
        : null,
    );
  }

  list(title, rulings) {
    return part(
      title,
      h(
        "ul",
        { class: "rulings" },
        rulings.map((each) => this.ruled(each)),
      ),
    );
  }

  parts() {
    const { answer, asked } = this;
    const shown = {
      detail: () => h("p", {}, answer.detail),
      errors: () =>
        part(
          word("errors"),
          h(
            "ul",
            { class: "rulings" },
            answer.errors.map(({ pointer, detail }) =>
              h(
                "li",
                {},
                h("span", { class: "said" }, detail),
                h("p", { class: "where" }, h("code", {}, pointer || "/")),
              ),
            ),
          ),
        ),
      violations: () => this.list(word("violations"), answer.violations),
      undetermined: () => this.list(word("undetermined"), [answer.undetermined]),
      faults: () => this.list(word("faults"), answer.faults),
      contested: () =>
        part(
          word("contested"),
          h(
            "ul",
            { class: "rulings" },
            answer.contested.map((each) => this.disagreement(each)),
          ),
          asked.compare
            ? null
            : h("button", { type: "button", class: "quiet", click: this.actions.compare }, word("others")),
        ),
      comparison: () =>
        answer.comparison.map(({ ruleset, legal, standings, faults }) => {
          const name = this.vocabulary.called("rulesets", ruleset.name ?? ruleset);
          return faults
            ? this.list(name, faults)
            : part(name, legal ? tableOf(this.named(standings), heads()) : word("illegal"));
        }),
      events: () =>
        part(
          word("events"),
          h(
            "ol",
            { class: "rulings events" },
            answer.events.flatMap((event, at) => [
              answer.events[at - 1]?.move === event.move
                ? null
                : h("li", { class: "cause" }, this.vocabulary.move(asked.moves[event.move])),
              this.ruled(event, at + 1),
            ]),
          ),
        ),
      standings: () => part(word("standings"), tableOf(this.named(answer.standings), heads())),
      result: () => {
        const { rule, winners, ...result } = answer.result;
        const won = winners
          ?.map((side) =>
            answer.standings.some(({ team }) => team === side)
              ? this.vocabulary.team(side, answer.state?.teams)
              : this.vocabulary.seat(side),
          )
          .join(", ");
        return part(
          word("result"),
          h(
            "p",
            {},
            won ? word(winners.length > 1 ? "they-win" : "she-wins", { who: won }) : members(result),
            " ",
            this.cited(rule),
          ),
        );
      },
      to_act: () =>
        part(
          word("next"),
          h(
            "p",
            {},
            answer.to_act.map((seat) => h("span", { class: "seat" }, this.vocabulary.seat(seat))),
          ),
        ),
      unverified: () =>
        part(
          word("unverified"),
          h(
            "p",
            { class: "chips" },
            answer.unverified.map((id) => this.cited(id)),
          ),
        ),
    };
    return Object.entries(shown)
      .filter(([member]) => told(answer[member]))
      .map(([, draw]) => draw());
  }

  /** A contested ruling: the option that decided it, and the outcome under each other value. */
  disagreement({ rule, option, value, alternatives, outcomes = [] }) {
    const known = new Map(outcomes.map((outcome) => [plain(outcome.value), outcome]));
    const name = (reading) => this.vocabulary.value(option, reading);
    return h(
      "li",
      {},
      h(
        "span",
        { class: "said" },
        word("decided", { option: this.vocabulary.option(option).title, value: name(value) }),
      ),
      " ",
      this.cited(rule),
      alternatives.map((alternative) => {
        const outcome = known.get(plain(alternative));
        if (!outcome) return h("p", { class: "where" }, name(alternative));
        const says = !outcome.legal ? word("illegal") : outcome.changed ? null : word("same");
        return h(
          "div",
          { class: "outcome" },
          h("p", {}, name(alternative), says ? `: ${says}` : ""),
          says ? null : tableOf(this.named(this.beside(option, value, outcome)), heads()),
        );
      }),
      h(
        "p",
        { class: "buttons" },
        alternatives.map((alternative) =>
          h(
            "button",
            { type: "button", class: "quiet", click: () => this.actions.read(option, alternative) },
            word("readAs", { value: name(alternative) }),
          ),
        ),
      ),
    );
  }

  /** Rows with the players' names in place of their seats and teams. */
  named(rows) {
    const { vocabulary, answer, asked } = this;
    const teams = answer.state?.teams ?? asked.state?.teams;
    return rows.map((row) => ({
      ...row,
      ...(row.seat === undefined ? {} : { seat: vocabulary.seat(row.seat) }),
      ...(row.team === undefined ? {} : { team: vocabulary.team(row.team, teams) }),
    }));
  }

  /** The scores under both values, side by side. */
  beside(option, value, outcome) {
    return this.answer.standings.map((standing) => {
      const { score, rank, ...side } = standing;
      const other = outcome.standings.find((each) => each.seat === side.seat && each.team === side.team) ?? {};
      return {
        ...side,
        [this.vocabulary.value(option, value)]: score,
        [this.vocabulary.value(option, outcome.value)]: other.score ?? null,
      };
    });
  }

  raw() {
    return h("details", {}, h("summary", {}, word("raw")), h("pre", { tabindex: "0" }, pretty(this.answer)));
  }
}
