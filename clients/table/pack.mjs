// Fills dist/: the element as the service serves it, and what is in src/ beside it.
import { cpSync, rmSync } from "node:fs";

const served = new URL("../../service/playground/", import.meta.url);
const dist = new URL("dist/", import.meta.url);

rmSync(dist, { recursive: true, force: true });
cpSync(new URL("src/", import.meta.url), dist, { recursive: true });
cpSync(new URL("table/", served), new URL("table/", dist), { recursive: true });
cpSync(new URL("sha256.mjs", served), new URL("sha256.mjs", dist));
cpSync(new URL("elements.d.ts", served), new URL("index.d.ts", dist));
cpSync(new URL("../../LICENSE", import.meta.url), new URL("LICENSE", dist));
