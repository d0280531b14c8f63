// Defines <rules-table> for JSX that uses it directly; its types are what this module is for.
import "./index.js";
