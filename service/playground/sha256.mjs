// SHA-256 (FIPS 180-4), written out: browsers give crypto.subtle only to pages that come over HTTPS.
const PRIMES = [];
for (let number = 2; PRIMES.length < 64; number++) if (PRIMES.every((prime) => number % prime)) PRIMES.push(number);
const fraction = (root) => ((root % 1) * 2 ** 32) | 0;
const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));
const FIRST = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const turned = (word, ...bits) => bits.reduce((sum, by) => sum ^ ((word >>> by) | (word << (32 - by))), 0);

export function sha256(bytes) {
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, bytes.length / 2 ** 29);
  view.setUint32(padded.length - 4, bytes.length << 3);
  const [hash, w] = [Int32Array.from(FIRST), new Int32Array(64)];
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 64; i++)
      w[i] =
        i < 16
          ? view.getInt32(block + 4 * i)
          : (turned(w[i - 2], 17, 19) ^ (w[i - 2] >>> 10)) +
            w[i - 7] +
            (turned(w[i - 15], 7, 18) ^ (w[i - 15] >>> 3)) +
            w[i - 16];
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i++) {
      const one = h + turned(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + ROUNDS[i] + w[i];
      const two = turned(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
      [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
    }
    for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) hash[i] += word;
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [i, word] of hash.entries()) digest.setInt32(4 * i, word);
  return new Uint8Array(digest.buffer);
}

export const utf8 = (text) => new TextEncoder().encode(text);
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** HMAC-SHA-256 (RFC 2104): the key a text, the message bytes. */
export function hmac(key, message) {
  const padded = new Uint8Array(64);
  padded.set(utf8(key).length > 64 ? sha256(utf8(key)) : utf8(key));
  const keyed = (pad, bytes) => sha256(Uint8Array.from([...padded.map((byte) => byte ^ pad), ...bytes]));
  return keyed(0x5c, keyed(0x36, message));
}
