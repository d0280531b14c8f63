// What other pages load: <script type="module" src="…/elements.js"></script> gives them <rules-table>. See docs/elements.md.
import { draw, servedBy } from "./playground/table/rules-table.js";
import { svg } from "./playground/table/h.js";

servedBy(new URL(".", import.meta.url));
export { draw, svg };
