// The style sheet that all tables of a page share. No markup has a style attribute.

const css = `
:host {
  display: flex; flex-direction: column; container-type: inline-size; color-scheme: var(--table-scheme, light dark);
  --ground: var(--table-ground, light-dark(#dfe8e1, #18211e)); --glow: var(--table-glow, light-dark(#edf2ec, #202b27)); --panel: var(--table-panel, light-dark(#ffffff8c, #ffffff0d));
  --ink: var(--table-ink, light-dark(#1d2723, #e6ebe7)); --soft: var(--table-soft, light-dark(#4d5a54, #a5b3ab)); --line: var(--table-line, light-dark(#0000001f, #ffffff21));
  --accent: var(--table-accent, light-dark(#1b6b52, #7cd0ab)); --on-accent: var(--table-on-accent, light-dark(#ffffff, #0c2318)); --tint: var(--table-tint, light-dark(#1b6b5221, #7cd0ab2b));
  --bad: var(--table-bad, light-dark(#a3231a, #ffa9a1)); --bad-tint: var(--table-bad-tint, light-dark(#fbe4e1, #48211f)); --doubt: var(--table-doubt, light-dark(#6f4e00, #f2cd77)); --doubt-tint: var(--table-doubt-tint, light-dark(#fbeecb, #3d3115)); --fresh: var(--table-fresh, light-dark(#b97a06, #f0bd4e));
  --edge: var(--table-edge, light-dark(#00000042, #000000c0)); --paper: var(--table-paper, light-dark(#fffdf8, #f2ede2));
}
* { box-sizing: border-box; margin: 0; }
.board, .told, .status { font: 15px/1.4 system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; color: var(--ink); }
.board {
  --w: clamp(46px, 7.6cqi, 88px); --gap: clamp(8px, 1.5cqi, 16px);
  flex: 1 0 auto; display: grid; grid-template-rows: auto 1fr auto; gap: var(--gap); padding: var(--gap); border-radius: 16px; outline: none;
  background: radial-gradient(100% 90% at 50% 45%, var(--glow), var(--ground));
}
.others { grid-row: 1; } .middle { grid-row: 2; } .mine { grid-row: 3; }
.told, .heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
:host([session]) .told { position: static; width: auto; height: 2.8em; clip-path: none; margin-bottom: 4px; padding: 0 6px; font-size: 13px; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; color: var(--soft); }
.status { position: sticky; top: 0; z-index: 5; margin-bottom: 6px; padding: 8px 14px; border-radius: 10px; font-weight: 600; color: var(--doubt); background: var(--doubt-tint); }
.status.bad { color: var(--bad); background: var(--bad-tint); }
.status:empty { display: none; }
.parts { padding: 0; list-style: none; } .parts li::before { content: "· " / ""; } .parts .good::before { content: "✓ " / ""; }
.clock:empty { display: none; } .clock [role="timer"] { font-size: 28px; font-weight: 700; font-variant-numeric: tabular-nums; }
.others { display: flex; flex-wrap: wrap; gap: var(--gap); --w: clamp(34px, 5cqi, 58px); }
.others:empty { display: none; }
.others > .seat { flex: 1 1 clamp(150px, 30cqi, 340px); }
.others[data-seats="4"] > .seat { flex-basis: clamp(150px, 22cqi, 300px); }
.seat { min-width: 0; padding: 10px 14px 12px; border-radius: 12px; background: var(--panel); display: grid; gap: 8px; align-content: start; }
.over .mine, [data-tall] .mine { position: static; } /* it would cover what one looks for */
:is(.others, .middle) :is(button, .card) { scroll-margin-bottom: var(--mine, 0px); }
.mine { position: sticky; bottom: 0; z-index: 2; display: grid; gap: 6px; margin: 0 calc(-1 * var(--gap)) calc(-1 * var(--gap)); padding: 6px var(--gap) max(8px, env(safe-area-inset-bottom)); border-radius: 0 0 16px 16px; background: var(--ground); }
.seat.acting { box-shadow: inset 0 0 0 1.5px var(--accent); }
.seat header { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: 2px 12px; min-height: 26px; }
h2 { flex: 0 1 auto; font-size: 14.5px; font-weight: 650; display: flex; flex-wrap: wrap; align-items: center; gap: 6px; }
h2, .standing, .note, .outcome, .parts, .settled, .why, .told, .status { overflow-wrap: anywhere; } /* a name may be 40 letters without a space */
.mark { flex: none; font-size: 12px; font-weight: 500; line-height: 1.3; padding: 1px 8px; border-radius: 99px; border: 1px solid var(--line); color: var(--soft); }
.mark.on { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.badge { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 12px; font-size: 13.5px; color: var(--soft); font-variant-numeric: tabular-nums; }
.badge, .badge > span { min-width: 0; overflow-wrap: anywhere; } .badge b { color: var(--ink); }
.lies { display: flex; flex-wrap: wrap; justify-content: center; align-items: flex-end; gap: 12px 20px; min-width: 0; min-height: calc(var(--w) * 1.4); }
.lies:is(:empty, :has(> .note:only-child)) { min-height: 0; }
.lies > .fan { flex: 0 1 auto; max-width: 100%; }
.middle { display: flex; flex-wrap: wrap; place-content: center; align-items: center; gap: 14px clamp(14px, 3cqi, 34px); padding: 8px 0; min-width: 0; }
:host(.still) :is(.standing, .mark.on) { display: none; } :host(.still) .seat.acting { box-shadow: none; } /* nobody plays on here */
.note { color: var(--soft); align-self: center; }
.outcome { min-width: 0; max-width: 100%; display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 12px; padding: 10px 16px; border-radius: 12px; background: var(--panel); } .outcome > * { min-width: 0; }
.outcome b { font-size: 22px; font-variant-numeric: tabular-nums; }

.small { --w: clamp(34px, 4.8cqi, 54px); }
.own .small { --w: clamp(44px, 6.2cqi, 70px); }
.card {
  position: relative; display: block; width: var(--w); aspect-ratio: 5 / 7; padding: 0; border: 0; border-radius: calc(var(--w) * .09);
  background: var(--paper); box-shadow: 0 0 0 1px var(--edge), 0 1px 3px #0003; color: inherit; font: inherit;
  transition: transform .16s, box-shadow .16s, opacity .16s;
}
.card > svg { display: block; width: 100%; height: 100%; border-radius: inherit; overflow: hidden; }
button.card { cursor: pointer; -webkit-tap-highlight-color: transparent; touch-action: manipulation; }
button.card::after { content: ""; position: absolute; inset: -2px; } /* a larger target to touch */
.card.live::before { content: ""; position: absolute; left: 7%; bottom: -7px; width: 24%; min-width: 10px; height: 3.5px; border-radius: 2px; background: var(--accent); }
:is(.row, .wide) .card.live { box-shadow: 0 0 0 2.5px var(--accent), 0 1px 3px #0003; }
.card.empty { display: grid; place-items: center; background: none; box-shadow: none; border: 1.5px dashed var(--soft); color: var(--soft); font-size: 15px; }
.card.fresh { box-shadow: 0 0 0 2.5px var(--fresh), 0 1px 4px #0004; }
.card.noted { box-shadow: 0 0 0 2.5px var(--accent), 0 1px 4px #0003; }
.card.wrong { box-shadow: 0 0 0 3px var(--bad), 0 1px 4px #0004; }
.card[aria-pressed="true"] { transform: translateY(-11px); box-shadow: 0 0 0 3px var(--accent), 0 7px 14px #0004; }
.fan .card.loose { cursor: grab; touch-action: none; }
.sortable .card:not(.loose) { touch-action: pan-y; }
.slot:has(.dragged) { position: relative; z-index: 3; rotate: none; }
.card.dragged { cursor: grabbing; pointer-events: none; z-index: 3; transition: none; transform: none; box-shadow: 0 0 0 3px var(--accent), 0 9px 18px #0006; }
.goal { border-radius: 8px; outline: 2px dashed var(--accent); outline-offset: 5px; }
.goal.over { outline-style: solid; background: var(--tint); }
.picking :is(.own .fan, .middle .row) .card.off > svg { opacity: .5; }
@media (hover: hover) { button.card:hover { transform: translateY(-5px); } button.card[aria-pressed="true"]:hover { transform: translateY(-11px); } }
.tag { position: absolute; left: 50%; top: -9px; translate: -50%; padding: 2px 7px; border-radius: 99px; background: var(--accent); color: var(--on-accent); font: 650 11px/1.2 system-ui, sans-serif; }

.hands { position: absolute; inset: 0; display: flex; flex-wrap: wrap; align-content: center; justify-content: center; gap: 3px; background: #0003; border-radius: inherit; }
.number { position: absolute; left: 50%; bottom: -6px; translate: -50%; padding: 0 4px; border-radius: 5px; background: var(--paper); color: #1d2723; font: 600 10px/12px system-ui, "DejaVu Sans", sans-serif; box-shadow: 0 0 0 1px var(--edge); white-space: nowrap; }
@container (max-width: 900px) { .fan .number { left: 0; translate: none; padding: 0 1px; font-size: 9px; letter-spacing: -.03em; } }
.sentence { padding: 2px 8px; border: 0; border-radius: 10px; background: none; color: inherit; font: inherit; text-decoration: underline dotted 1px; text-underline-offset: 3px; cursor: pointer; }
.card.lit { box-shadow: 0 0 0 4px var(--fresh), 0 0 16px 4px var(--fresh) !important; z-index: 1; }
.token { display: inline-grid; place-items: center; width: 22px; height: 22px; border: 2px solid #fff; border-radius: 50%; color: #fff; font: 700 11px/1 system-ui, sans-serif; }
.token-0 { background: #a3231a; } .token-1 { background: #1d4f9c; } .token-2 { background: #17603f; } .token-3 { background: #7a4300; } .token-4 { background: #5d2f98; } .token-5 { background: #3c474c; }
.side { display: inline-flex; align-items: center; gap: 6px; } .side:empty { display: none; }
.window { flex: 1 1 100%; height: 8px; border-radius: 4px; background: var(--line); overflow: hidden; }
.window > i { display: block; height: 100%; scale: 0 1; transform-origin: 0 50%; background: var(--fresh); }
.settled { flex: 1 1 100%; padding: 0; list-style: none; text-align: center; font-size: 14px; }

.fan { display: flex; justify-content: center; min-width: 0; padding-bottom: 8px; }
.slot { flex: 0 1 auto; width: calc(var(--w) * var(--open, .62)); min-width: 0; }
.slot:last-child { flex: none; width: var(--w); }
.slot:has(+ .slot > .empty) { width: calc(var(--w) * 1.07); } /* no card lies under an empty place */
.fan.wide, .own > .lies > .fan:not(.arc) { --open: 1.07; }
.fan.spread { flex-wrap: wrap; gap: 5px 0; padding-right: calc(var(--w) * .36); --open: .64; } .fan.spread .slot { flex: none; width: calc(var(--w) * var(--open)); }
.fan.hidden { --w: clamp(26px, 3.6cqi, 42px); --open: .34; }
.fan.arc { padding: 6px 14px 12px; }
.fan.arc .slot { rotate: calc(var(--tilt) * 1.3deg); translate: 0 calc(var(--tilt) * var(--tilt) * .35px); transform-origin: 50% 100%; }
.pile, .group { display: grid; justify-items: center; gap: 8px; min-width: 0; }
.group { flex: 0 1 auto; max-width: 100%; }
.group > .fan { width: 100%; padding-bottom: 0; } .group > .fan:not(.spread) { --open: .52; }
.group > .fan.wide:not(.spread) { --open: 1.07; }
figcaption { font-size: 13px; color: var(--soft); text-align: center; line-height: 1.3; overflow-wrap: anywhere; }
figcaption::first-letter { text-transform: uppercase; }
figcaption b { color: var(--ink); font-variant-numeric: tabular-nums; }
.gain { color: var(--accent); } figcaption .loss { color: var(--bad); }
.pile[data-height="1"] > .card { --pile: 1px 1px 0 var(--paper), 1.5px 1.5px 0 .5px var(--edge); }
.pile[data-height="2"] > .card { --pile: 1px 1px 0 var(--paper), 1.5px 1.5px 0 .5px var(--edge), 3px 3px 0 var(--paper), 3.5px 3.5px 0 .5px var(--edge); }
.pile[data-height="3"] > .card { --pile: 1px 1px 0 var(--paper), 1.5px 1.5px 0 .5px var(--edge), 3px 3px 0 var(--paper), 3.5px 3.5px 0 .5px var(--edge), 5px 5px 0 var(--paper), 5.5px 5.5px 0 .5px var(--edge); }
.pile[data-height="4"] > .card { --pile: 1px 1px 0 var(--paper), 1.5px 1.5px 0 .5px var(--edge), 3px 3px 0 var(--paper), 3.5px 3.5px 0 .5px var(--edge), 5px 5px 0 var(--paper), 5.5px 5.5px 0 .5px var(--edge), 7px 7px 0 var(--paper), 7.5px 7.5px 0 .5px var(--edge); }
.pile > .card:not(.empty, [aria-pressed="true"]) { box-shadow: 0 0 0 1px var(--edge), var(--pile, 0 0 #0000); }
.pile > .card.fresh:not([aria-pressed="true"]) { box-shadow: 0 0 0 2.5px var(--fresh), var(--pile, 0 0 #0000); }
.pile > .card.live:not(.fresh, [aria-pressed="true"]) { box-shadow: 0 0 0 2.5px var(--accent), var(--pile, 0 0 #0000); }
.pile > .card.wrong { box-shadow: 0 0 0 3px var(--bad); }
.pile > .card.live::before { bottom: -11px; }
.pile > figcaption { margin-top: 5px; }
.gin-rummy .middle .pile:has(> .card.live) { position: relative; border-radius: 8px; outline: 1.5px solid var(--accent); outline-offset: 3px; background: var(--tint); box-shadow: 0 0 0 3px var(--tint); } /* a button, its caption too */
.gin-rummy .middle .pile > .card.live { position: static; transform: none; }
.gin-rummy .middle .pile > .card.live::before { content: none; } .gin-rummy .middle .pile > .card.live::after { inset: -4px; }
.row { display: flex; flex-wrap: wrap; justify-content: center; gap: 12px 8px; min-width: 0; }
.row.tight { --w: clamp(36px, 5.2cqi, 60px); gap: 8px 6px; }
.middle .group:has(> .row) { flex: 1 1 100%; }
.aside { display: flex; flex-wrap: wrap; align-items: flex-end; justify-content: center; gap: 10px 18px; --w: clamp(34px, 4.8cqi, 54px); }
.twin-it .middle { --w: clamp(48px, 6.6cqi, 76px); }
.twin-it .fan:not(.wide) { --open: .8; }
.onto { padding: 4px 12px; border: 1.5px solid var(--accent); border-radius: 99px; background: none; color: var(--accent); font: inherit; cursor: pointer; }

.chips { display: inline-flex; align-items: flex-end; gap: 7px; color: var(--ink); font-variant-numeric: tabular-nums; }
.chips > svg { height: 25px; width: calc(var(--stacks) * 13.9px); }
.twins .middle { align-items: flex-end; } .twins .middle .stages { align-self: center; } .pot > figcaption, .twins .middle .pile > figcaption { margin: 0; }
.chips .none { fill: none; stroke: var(--soft); stroke-width: 1.2; stroke-dasharray: 3 2.5; }
.chips > b { line-height: 1.15; }
.pot .chips { font-size: 18px; } .pot .chips > svg { height: 42px; width: calc(var(--stacks) * 23.3px); }
.chip path { fill: light-dark(#a8452d, #bd583d); } .chip ellipse { fill: light-dark(#dd7355, #ea8d70); stroke: light-dark(#a8452d, #9d442c); stroke-width: .8; }
.stages { display: flex; flex-wrap: wrap; justify-content: center; gap: 6px; padding: 0; list-style: none; font-size: 13px; color: var(--soft); }
.stages li { padding: 2px 10px; border: 1px solid var(--line); border-radius: 99px; }
.stages [aria-current] { border-color: var(--accent); color: var(--ink); font-weight: 650; }

.bar { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 8px 18px; min-height: 44px; padding: 0 4px; }
.standing { font-weight: 600; }
.standing::first-letter { text-transform: uppercase; }
.acts { display: flex; flex-wrap: wrap; gap: 8px; }
.act { min-height: 44px; min-width: 44px; padding: 6px 16px; border: 1.5px solid var(--accent); border-radius: 22px; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; line-height: 1.2; cursor: pointer; }
.act.quiet { background: none; color: var(--accent); }
.act.plain { background: none; border-color: var(--line); color: var(--soft); }
.act:disabled { border-style: dashed; border-color: var(--soft); color: var(--soft); cursor: default; }
.act:hover:enabled { filter: brightness(1.08); }
.why { padding: 8px 12px; border-radius: 10px; background: var(--bad-tint); color: var(--bad); font-size: 14px; flex-basis: 100%; }
.clause { padding: 0 8px; border: 1px solid currentcolor; border-radius: 99px; background: none; color: inherit; font: 600 12px/1.7 system-ui, sans-serif; cursor: pointer; white-space: nowrap; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; z-index: 2; }
@container (min-width: 600px) { .gin-rummy { --w: clamp(56px, min(10cqi, 14vh), 112px); } }
@container (min-width: 900px) { .others[data-seats="5"] > .seat { flex-basis: 16%; } } /* in one row */
@container (max-width: 480px) {
  .board { --gap: 6px; }
  .seat { padding: 6px 8px; gap: 4px; }
  .seat header { min-height: 0; }
  .lies { gap: 8px 12px; }
  .middle { padding: 2px 0; }
  .acts { width: 100%; } .act { flex: 1 1 5rem; min-width: min-content; padding: 6px 12px; }
  .bar { gap: 4px 12px; min-height: 0; }
  .others { --w: 28px; }
  .others > .seat:has(.lies:empty) { flex-basis: 28%; min-height: 0; }
  .others > .seat:has(.lies > *) { flex: 1 1 100%; grid-template-columns: fit-content(52%) 1fr; align-items: center; min-height: 48px; padding: 3px 8px; } /* a strip */
  .others .seat header { flex-direction: column; align-items: flex-start; gap: 0; min-width: 6.5rem; }
  .others .seat:has(.lies:empty) header { min-width: 0; }
  .others .lies { min-height: 0; justify-content: flex-end; align-items: center; flex-wrap: nowrap; gap: 8px; }
  .others .seat:has(.lies > :nth-child(3), .row) { grid-template-columns: 1fr; }
  .others .seat:has(.lies > :nth-child(3), .row) .lies { flex-wrap: wrap; justify-content: center; }
  .others .fan { padding-bottom: 0; } .others .fan.arc { padding: 2px 8px; }
  .others .fan.spread { flex-wrap: wrap; gap: 5px 0; padding-right: calc(var(--w) * .36); --open: .64; } .fan.spread .slot { flex: none; width: calc(var(--w) * var(--open)); }
.fan.hidden { --w: 22px; --open: .28; }
  .others .pile { grid-auto-flow: column; align-items: center; } .others .pile figcaption { margin: 0; }
  .others .chips > svg { height: 15px; width: calc(var(--stacks) * 8.4px); }
  .others .seat:has(.fan:not(.hidden) > :nth-child(6)) { grid-template-columns: 1fr !important; }
  .others .why { grid-column: 1 / -1; }
  .others .small { --w: 28px; }
  .others .group:not(:has(.fan > :nth-child(6))) figcaption { max-width: 9em; } .own .group figcaption { overflow-wrap: break-word; }
  .own :is(.pile, .group, .small) { --w: 34px; }
  .own :is(.pile, .group) { grid-auto-flow: column; align-items: center; } /* beside the hand, which is the largest */
  .own .group { grid-template-columns: minmax(0, 1fr) fit-content(40%); }
  .own .pile figcaption { margin: 0; }
  .lies:has(.tag) { padding-top: 8px; }
  .own .aside:has(> .pile) { flex-wrap: nowrap; align-items: center; gap: 10px; } .own .aside:has(> .pile) > .group:has(> .row) { grid-template-columns: auto minmax(0, 1fr); }
  .twin-it .own { grid-template-columns: minmax(0, 1fr) auto; align-items: center; } .twin-it .own .why { grid-column: 1 / -1; }
  .twin-it .middle { --w: 42px; } .twin-it .middle .row { gap: 8px 6px; }
  .twin-it .others { gap: 4px; --w: 32px; } .twin-it .others .small { --w: 32px; }
  .board.twin-it .others > .seat:has(.lies > *) { grid-template-columns: fit-content(40%) 1fr; padding: 3px 8px; }
  .board.twin-it .others .lies { flex-wrap: wrap; justify-content: flex-end; gap: 4px 8px; }
  .twin-it .others .row { gap: 4px 6px; justify-content: flex-end; } .twin-it .seat .group:has(.row) > figcaption { display: none; } /* the badge says it */
  .stages li { padding: 0 8px; } .middle { gap: 6px 14px; }
  .twin-it .pile { gap: 12px; } /* between the edge of the pile and its number */
  .pot .chips > svg { height: 28px; width: calc(var(--stacks) * 15.5px); }
}
@media (min-height: 760px) {
  @container (max-width: 480px) { /* a hand that is laid out is the largest */
    .gin-rummy .own .lies:not(:has(> .fan)) .group { grid-template-columns: minmax(0, 1fr); grid-auto-flow: row; gap: 4px; --w: 42px; }
  }
}
@media (max-height: 480px) and (min-width: 500px) {
  .board { --w: clamp(40px, 6cqi, 56px); }
  .others { --w: 26px; flex-wrap: nowrap; }
  .others > .seat { flex: 1 1 0; }
  .mine { grid-template-columns: minmax(0, 1fr) minmax(8rem, 32%); align-items: center; } .mine:has(.act) { grid-template-columns: minmax(0, 1fr) minmax(8rem, 38%); } .picking .standing { display: none; } /* its buttons say it */
  .bar { align-content: center; } .acts { width: 100%; } .act { flex: 1 1 5rem; min-width: min-content; padding: 6px 12px; }
  :host([session]) .told { height: 1.4em; -webkit-line-clamp: 1; }
  .seat { padding: 3px 8px; gap: 2px; } .lies { min-height: 0; } .own > .lies { flex-wrap: nowrap; }
  .lies:has(.aside) { flex-wrap: nowrap; } .aside { max-width: 8rem; gap: 0; } .own .aside { flex: none; } .aside :is(.fan, .card) { display: none; } /* what was won: its sum is enough */
  .others .chips > svg { height: 15px; width: calc(var(--stacks) * 8.4px); }
  .others .lies { gap: 6px; } .others .fan { padding: 0; } .others .fan.spread { flex-wrap: wrap; gap: 5px 0; padding-right: calc(var(--w) * .36); --open: .64; } .fan.spread .slot { flex: none; width: calc(var(--w) * var(--open)); }
.fan.hidden { --w: 22px; --open: .22; }
  .seat header { min-height: 0; } .lies:has(.tag) { padding-top: 8px; }
  .gin-rummy .middle .pile { grid-auto-flow: column; align-items: center; gap: 14px; } .gin-rummy .middle .pile > figcaption { margin: 0; max-width: 6em; }
}
@media (max-height: 480px) and (min-width: 500px) {
  .board.twin-it { grid-template: 1fr / auto minmax(0, 1fr) auto; } .board.twin-it > * { grid-row: 1; } /* all others, the table, the own pile: side by side */
  .twin-it .others { flex-flow: column; width: clamp(8rem, 22cqi, 13rem); gap: 6px; --w: 32px; } .twin-it .others > .seat { flex: none; }
  .twin-it .others .lies { flex-wrap: wrap; justify-content: flex-start; }
  .twin-it .middle { grid-column: 2; --w: clamp(38px, 6cqi, 56px); align-content: start; padding: 0; gap: 8px; }
  .twin-it .middle .row { gap: 8px 6px; }
  .twin-it .mine { grid-column: 3; grid-template-columns: 1fr; align-self: start; width: clamp(8rem, 22cqi, 13rem); margin: 0; padding: 0; top: 0; border-radius: 12px; }
  .twin-it .own > .lies { flex-wrap: wrap; } .twin-it .seat .group:has(.row) > figcaption { display: none; }
  .twin-it .pile { grid-auto-flow: column; align-items: center; } .twin-it .pile > figcaption { margin: 0; }
  .twin-it :is(.others, .own) .small { --w: 32px; }
}
@media (max-width: 480px), (max-height: 480px) {
  .seat .group:has(.card.empty) figcaption { display: none; } /* its empty places say it */
  .own .group:has(.card.empty) { display: none; }
  .own .card[aria-pressed="true"] { transform: translateY(-5px); }
}
@media (pointer: coarse) { .sentence { min-height: 44px; min-width: 44px; } .clause { min-height: 44px; min-width: 44px; border-radius: 12px; } .onto { min-height: 44px; } }
@media (forced-colors: active) {
  .card, .mark, .act { border: 1px solid; } .card.live { outline: 2px solid Highlight; }
  .card[aria-pressed="true"], .card.noted, .card.fresh, .card.wrong { border-width: 4px; }
}
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
`;

export const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
