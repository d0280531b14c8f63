// Gin rummy for two at one screen: a table is opened, and each seat is one tag. `?service=` names the service.
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { RulesTable } from "rules-referee-table/react";
import "rules-referee-table/jsx";

const SERVICE = new URLSearchParams(location.search).get("service") ?? "http://127.0.0.1:8000";
const NAMES = ["Anna", "Bo"];

interface Opened {
  id: string;
  tokens: { seats: string[] };
}

async function open(): Promise<Opened> {
  const asked = {
    game: "gin-rummy",
    seats: 2,
    names: NAMES,
    public: true,
    ruleset: { name: "standard", options: { knock_limit: 99, target: 1 } },
  };
  const response = await fetch(new URL("/sessions", SERVICE), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(asked),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.detail);
  return answer;
}

function Seat({ table, seat }: { table: Opened; seat: number }) {
  const [said, say] = useState("");
  return (
    <section aria-label={`${NAMES[seat]}'s side`}>
      <p role="status">{said}</p>
      <RulesTable
        src={SERVICE}
        session={table.id}
        token={table.tokens.seats[seat] ?? null}
        onSession={({ detail: { session } }) =>
          say(session.result ? "The game is over." : session.to_act.includes(seat) ? "Your turn." : "")
        }
        onRefused={({ detail }) => say(detail?.detail ?? "The table was closed.")}
      />
    </section>
  );
}

function Page() {
  const [table, show] = useState<Opened | null>(null);
  const [wrong, complain] = useState("");
  return (
    <>
      <h1>Gin rummy for two</h1>
      <button type="button" onClick={() => open().then(show, ({ message }: Error) => complain(message))}>
        Open a table
      </button>
      <p role="alert">{wrong}</p>
      {table && (
        <div className="seats">
          {NAMES.map((name, seat) => (
            <Seat key={name} table={table} seat={seat} />
          ))}
        </div>
      )}
      {table && <rules-table src={SERVICE} session={table.id} />}
    </>
  );
}

const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  );
