// The address of the page: after `#` the game and what was chosen; `q` is the question, compressed.
//   /#gin-rummy                    a game with its first example
//   /#game=twins&example=…         one of its examples
//   /#game=twins&q=…&view=0&step=3 a question of one's own, as seat 0 sees it, after three events

const base64 = (bytes) =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
const bytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));

async function through(stream, data) {
  return new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(stream)).arrayBuffer());
}

export const packed = async (text) =>
  base64(await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text)));

/** The text that was packed; null if there is none. */
export async function unpacked(text) {
  try {
    return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes(text)));
  } catch {
    return null;
  }
}

/** The members of an address. A word without a value is a game. */
export function read(hash = location.hash) {
  const named = Object.fromEntries(new URLSearchParams(hash.slice(1)));
  const bare = Object.keys(named).find((name) => named[name] === "");
  return bare === undefined ? named : { ...named, game: bare };
}

/** An address with every member that is not empty. */
export function written(chosen) {
  const { game, ...rest } = Object.fromEntries(
    Object.entries(chosen).filter(([, value]) => value !== null && value !== undefined && value !== ""),
  );
  return Object.keys(rest).length ? `#${new URLSearchParams({ game, ...rest })}` : `#${game}`;
}
