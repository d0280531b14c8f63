// The rulebook of a game, to read beside the table.
import { cached } from "./asking.js";
import { h } from "./table/h.js";
import { language, word } from "./speech.js";

/** Opens the rulebook, at a clause if one is given. */
export async function openBook(place, game, id) {
  const key = `${game} ${language()}`;
  if (place.dataset.book !== key) {
    place.replaceChildren(h("p", { class: "hint" }, word("asking")));
    const book = await cached(`/games/${game}/rulebook`);
    if (!book) {
      place.replaceChildren(h("p", {}, word("away")));
      return;
    }
    place.dataset.book = key;
    place.replaceChildren(
      h("h2", { class: "unseen" }, word("rulebook")),
      ...book.clauses.map((clause) =>
        h(
          "article",
          { "data-clause": clause.id, tabindex: "-1", "aria-label": word("clause", { id: clause.id }) },
          h("h3", {}, clause.id),
          h("p", {}, clause.text),
        ),
      ),
    );
  }
  for (const opened of place.querySelectorAll("[aria-current]")) opened.removeAttribute("aria-current");
  const clause = id && place.querySelector(`[data-clause="${CSS.escape(id)}"]`);
  if (!clause) return;
  clause.setAttribute("aria-current", "true");
  clause.scrollIntoView({ block: "nearest" });
  clause.focus({ preventScroll: true });
}
