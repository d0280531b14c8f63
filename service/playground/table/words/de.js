// The words of a drawn table in German. Titles of cards, moves, zones and phases come from the game's description.

export default {
  "seat": "Platz {seat}", "dealer": "Geber", "to-act": "am Zug", "unseen": "verdeckte Karte", "face-down": "{count} verdeckt",
  "cards": "{count: # Karte|# Karten}", "chips": "{count: # Chip|# Chips}", "playable": "{card}, spielbar", "hand": "Hand von {name}",
  "cancel": "Abbrechen", "team": "Team {team}", "partners": "mit {names}", "points": "{count: Punkt|Punkte}", "hands-won": "{count: Runde gewonnen|Runden gewonnen}", "meld": "Kombination", "set": "Satz", "run": "Folge", "laid-off": "angelegt",
  "as-meld": "Das ist eine Kombination", "own-melds": "Selbst auslegen", "lay-melds": "Tippe die Karten einer Kombination an, dann „{done}“", "no-meld": "Keine Kombination: drei oder vier mit gleichem Wert, oder eine Folge in einer Farbe", "start-over": "Von vorn", "pile": "Stapel", "empty": "leer",

  "by-melds": "Nach Kombinationen", "by-suits": "Nach Farben", "knock-not": "Klopfen: {deadwood}, Grenze {limit}",
  "pot": "Topf", "pay": "zahlen", "win": "gewinnen", "bankrupt": "bankrott", "sits-out": "setzt in Stich 4 aus", "placed": "gelegt", "not-placed": "noch nicht gelegt", "trick": "Stich {trick}",
  "bought": "{count: # Karte|# Karten} gekauft", "next": "nächste Karte",
  "pair": "Paar", "treble": "Drilling", "table-empty": "Noch keine Karten auf dem Tisch", "makes-a-set": "ergibt ein Set", "counted": "{count: # Gruppe gezählt|# Gruppen gezählt}", "as-group": "Das ist eine Gruppe",

  "waiting": "Warten auf {names}", "your-turn": "{name}: {phase}", "hands-on": "Hände von {names}", "window-open": "noch kann zugegriffen werden", "window-closed": "gerade greift niemand zu", "touch-pairs": "tippe zwei gleiche Karten an, sobald du sie siehst", "find-groups": "finde zwei oder drei gleiche Karten", "clause": "Regel {id}", "away": "Der Tisch lässt sich gerade nicht zeichnen.",
  "not-connected": "Keine Verbindung, neuer Versuch läuft.", "closed": "Dieser Tisch wurde geschlossen.", "renewed": "Dieser Platz hat ein neues Token, und diese Seite das alte.", "on-its-way": "Dein Zug ist unterwegs …",
  "no-seat": "Dieser Tisch ist nicht für alle offen, und diese Seite hat keinen Platz daran.", "gone": "Diesen Tisch gibt es nicht mehr.",
  "sort": "Umschalt und eine Pfeiltaste ordnen die Hand",
  "dealing": "Vor dem Geben", "part-missing": "{name} sitzt noch nicht am Tisch.", "part-committed": "{name} hat sich auf eine Zahl festgelegt.", "part-shown": "{name} hat die Zahl gezeigt.",
  "start-clock": "Uhr starten: {time}", "handed-in": "deine Zählung ist abgegeben", "time-over": "Zeit! Fünf Sekunden, um die Zählung abzugeben.",
};
