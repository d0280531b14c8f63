// Defines <rules-table>. Which service it belongs to says its attribute `src`.
export { draw } from "./table/rules-table.js";
export { svg } from "./table/h.js";
