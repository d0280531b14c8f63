// The words of a drawn table in English. Titles of cards, moves, zones and phases come from the game's description.

export default {
  "seat": "Seat {seat}", "dealer": "dealer", "to-act": "to act", "unseen": "unseen card", "face-down": "{count} face down",
  "cards": "{count: # card|# cards}", "chips": "{count: # chip|# chips}", "playable": "{card}, can be played", "hand": "Hand of {name}",
  "cancel": "Cancel", "team": "Team {team}", "partners": "with {names}", "points": "{count: point|points}", "hands-won": "{count: hand won|hands won}", "meld": "Meld", "set": "Set", "run": "Run", "laid-off": "laid off",
  "as-meld": "These are a meld", "own-melds": "Lay out melds", "lay-melds": "Touch the cards of a meld, then “{done}”", "no-meld": "No meld: three or more of one rank, or in sequence of one suit", "start-over": "Start over", "pile": "Pile", "empty": "empty",

  "by-melds": "By melds", "by-suits": "By suits", "knock-not": "Knock: {deadwood}, limit {limit}",
  "pot": "Pot", "pay": "pay", "win": "win", "bankrupt": "bankrupt", "sits-out": "misses trick 4", "placed": "placed", "not-placed": "not placed yet", "trick": "Trick {trick}",
  "bought": "{count: # card|# cards} bought", "next": "next card",
  "pair": "Pair", "treble": "Three of a kind", "table-empty": "No cards on the table yet", "makes-a-set": "makes a set", "counted": "{count: # group counted|# groups counted}", "as-group": "These are a group",

  "waiting": "Waiting for {names}", "your-turn": "{name}: {phase}", "hands-on": "hands of {names}", "window-open": "hands may still fall", "window-closed": "no hands are falling", "touch-pairs": "touch two equal cards as soon as you see them", "find-groups": "find two or three equal cards", "clause": "Clause {id}", "away": "The table cannot be drawn now.",
  "not-connected": "Not connected, trying again.", "closed": "This table was closed.", "renewed": "This seat has a new token, and this page has the old one.", "on-its-way": "Your move is on its way …",
  "no-seat": "This table is not open to everybody, and this page has no seat at it.", "gone": "This table is gone.",
  "sort": "Shift and an arrow key sort the hand",
  "dealing": "Before the deal", "part-missing": "{name} has not sat down yet.", "part-committed": "{name} is committed to a number.", "part-shown": "{name} has shown the number.",
  "start-clock": "Start the clock: {time}", "handed-in": "your count is handed in", "time-over": "Time! Five seconds to hand in the count.",
};
