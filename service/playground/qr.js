// A link as a QR code, drawn in the browser: an invitation must not reach another server.
import { h, picture, svg } from "./table/pieces.js";
import { qrcode } from "./vendor/qrcode.mjs";

const QUIET = 4; // modules of white around it, which readers need

/** The code as an element; `name`: what it is called. */
export function code(link, name) {
  const made = qrcode(0, "M");
  made.addData(link);
  made.make();
  const side = made.getModuleCount();
  const dark = [];
  for (let y = 0; y < side; y++) for (let x = 0; x < side; x++) if (made.isDark(y, x)) dark.push(`M${x} ${y}h1v1h-1z`);
  const whole = side + 2 * QUIET;
  const box = `${-QUIET} ${-QUIET} ${whole} ${whole}`;
  return h(
    "span",
    { class: "qr", role: "img", "aria-label": name },
    picture(
      svg`<rect x="${-QUIET}" y="${-QUIET}" width="${whole}" height="${whole}" fill="#fff"/><path d="${dark.join("")}" shape-rendering="crispEdges"/>`,
      box,
    ),
  );
}
