// fastify with its JSON schema: reads a trick of Twins, and answers a constant. Arguments: where it is installed, port.
import { createRequire } from "node:module";

const fastify = createRequire(process.argv[2])("fastify");

const card = { type: "string", pattern: "^(?:brown|green|pink|blue|yellow|purple)-(?:[1-9]|10)$" };
const count = { type: "integer", minimum: 0 };
const strict = (properties, required) => ({ type: "object", additionalProperties: false, properties, required });
const body = strict(
  {
    game: { const: "twins" },
    state: strict(
      {
        phase: { enum: ["buying", "trick", "hand-over", "game-over"] },
        trick: { type: "integer", minimum: 1, maximum: 4 },
        chips: { type: "array", items: count },
        pot: count,
        hands: { type: "array", items: { type: "array", items: card } },
      },
      ["phase", "chips", "pot"],
    ),
    moves: {
      type: "array",
      items: strict(
        { type: { const: "play" }, seat: count, cards: { type: "array", items: card, minItems: 2, maxItems: 2 } },
        ["type", "seat", "cards"],
      ),
    },
  },
  ["game", "state", "moves"],
);
const events = Array(20).fill({ rule: "TW-3.5", code: "revealed" });
const answer = JSON.stringify({ game: "twins", legal: true, events });

const server = fastify();
server.post("/resolve", { schema: { body } }, async (_, reply) => reply.type("application/json").send(answer));
server.listen({ port: Number(process.argv[3]), host: "127.0.0.1" });
