// What other pages load: <script type="module" src="…/elements.js"></script> gives them <rules-table>. See docs/elements.md.
export { draw } from "./playground/table/rules-table.js";
export { svg } from "./playground/table/h.js";
