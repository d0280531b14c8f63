// The words of a drawn table. Titles of cards, moves, zones and phases come from the game's description. After `=` comes
// JSON, as in the words of the page.

export const WORDS = {
  "en": {
    "seat": "Seat {seat}", "dealer": "dealer", "to-act": "to act", "unseen": "unseen card", "face-down": "{count} face down",
    "cards": "{count: # card|# cards}", "chips": "{count: # chip|# chips}", "playable": "{card}, can be played", "hand": "Hand of {name}", 
    "cancel": "Cancel", "team": "Team {team}", "points": "{count: point|points}", "hands-won": "won", "meld": "Meld", "set": "Set", "run": "Run", "laid-off": "laid off",
    "as-meld": "These are a meld", "own-melds": "Lay out melds", "start-over": "Start over", "pile": "Pile", "empty": "empty", "discard": "Discard {card}", "discard-keeping": "Discard {card}, keep {deadwood}",
    "knock-with": "Knock with {deadwood}", "knock-try": "Knock, discarding {card}", "knock-so": "Knock with these melds", "lay-off-so": "Lay off so", "lay-off-best": "Lay off as is best, {deadwood} left",
    "by-melds": "By melds", "by-suits": "By suits", "knock-not": "Knock: {deadwood}, limit {limit}",
    "pot": "Pot", "pay": "pay", "win": "win", "bankrupt": "bankrupt", "sits-out": "sits out", "placed": "placed", "not-placed": "not placed yet", "trick": "Trick {trick}",
    "bought": "{count: # card|# cards} bought", "buy": "Buy {count} for {price}", "buy-none": "Buy none", "play": "Place {what}", "next": "next card", "lay": "Lay {card}", "twist": "Twist {partner} out with {card}",
    "pair": "Pair", "treble": "Three of a kind", "table-empty": "No cards on the table yet", "makes-a-set": "makes a set", "counted": "{count: # group counted|# groups counted}", "as-group": "These are a group",
    "flip": "Flip, {left} left", "claim": "Claim", "turn-trebles": "Turn what lies there three times", "call-the-end": "Call the end", "count": "Count groups: {count}",
    "your-turn": "{name}: {phase}", "hands-on": "hands of {names}", "window-open": "hands may still fall", "window-closed": "no hands are falling", "touch-pairs": "touch two equal cards as soon as you see them", "clause": "Clause {id}", "away": "The table cannot be drawn now."
  },
  "it": {
    "seat": "Posto {seat}", "dealer": "mazziere", "to-act": "di turno", "unseen": "carta che non si vede", "face-down": "{count: # coperta|# coperte}",
    "cards": "{count: # carta|# carte}", "chips": "{count: # gettone|# gettoni}", "playable": "{card}, si può giocare", "hand": "Mano di {name}", 
    "cancel": "Annulla", "team": "Squadra {team}", "points": "{count: punto|punti}", "hands-won": "{count: vinta|vinte}", "meld": "Combinazione", "set": "Gruppo", "run": "Scala", "laid-off": "legata",
    "as-meld": "Queste sono una combinazione", "own-melds": "Comporre le combinazioni", "start-over": "Ricominciare", "pile": "Pila", "empty": "vuota", "discard": "Scartare {card}", "discard-keeping": "Scartare {card}, {deadwood: resta #|restano #}",
    "knock-with": "Bussare con {deadwood}", "knock-try": "Bussare, scartando {card}", "knock-so": "Bussare con queste combinazioni", "lay-off-so": "Legare così", "lay-off-best": "Legare al meglio, {deadwood: resta #|restano #}",
    "by-melds": "Per combinazioni", "by-suits": "Per semi", "knock-not": "Bussare: {deadwood}, limite {limit}",
    "pot": "Piatto", "pay": "si paga", "win": "si vince", "bankrupt": "in bancarotta", "sits-out": "salta la quarta giocata", "placed": "piazzate", "not-placed": "non ha ancora piazzato", "trick": "Giocata {trick}",
    "bought": "{count: # carta comprata|# carte comprate}", "buy": "Comprare {count} per {price}", "buy-none": "Non comprare", "play": "Piazzare {what}", "next": "prossima carta", "lay": "Posare {card}", "twist": "Togliere {partner} con {card}",
    "pair": "Coppia", "treble": "Tris", "table-empty": "Ancora nessuna carta sul tavolo", "makes-a-set": "fa una serie", "counted": "{count: # gruppo contato|# gruppi contati}", "as-group": "Queste sono un gruppo",
    "flip": "Girare, {left: ne resta #|ne restano #}", "claim": "Reclamare", "turn-trebles": "Girare ciò che c'è tre volte", "call-the-end": "Dichiarare la fine", "count": "Contare i gruppi: {count}",
    "your-turn": "{name}: {phase}", "hands-on": "mani di {names}", "window-open": "possono ancora cadere mani", "window-closed": "nessuna mano sta cadendo", "touch-pairs": "tocca due carte uguali appena le vedi", "clause": "Clausola {id}", "away": "Ora il tavolo non si può disegnare."
  },
  "fr": {
    "seat": "Place {seat}", "dealer": "donneur", "to-act": "à jouer", "unseen": "carte qu'on ne voit pas", "face-down": "{count} face cachée",
    "cards": "{count: # carte|# cartes}", "chips": "{count: # jeton|# jetons}", "playable": "{card}, peut se jouer", "hand": "Main de {name}", 
    "cancel": "Annuler", "team": "Équipe {team}", "points": "{count: point|points}", "hands-won": "{count: gagnée|gagnées}", "meld": "Combinaison", "set": "Brelan ou carré", "run": "Suite", "laid-off": "posée",
    "as-meld": "Ces cartes forment une combinaison", "own-melds": "Composer les combinaisons", "start-over": "Recommencer", "pile": "Pile", "empty": "vide", "discard": "Défausser {card}", "discard-keeping": "Défausser {card}, garder {deadwood}",
    "knock-with": "Frapper avec {deadwood}", "knock-try": "Frapper en défaussant {card}", "knock-so": "Frapper avec ces combinaisons", "lay-off-so": "Poser ainsi", "lay-off-best": "Poser au mieux, reste {deadwood}",
    "by-melds": "Par combinaisons", "by-suits": "Par couleurs", "knock-not": "Frapper : {deadwood}, limite {limit}",
    "pot": "Banque", "pay": "payer", "win": "gagner", "bankrupt": "en faillite", "sits-out": "saute le pli", "placed": "posées", "not-placed": "pas encore posé", "trick": "Pli {trick}",
    "bought": "{count: # carte achetée|# cartes achetées}", "buy": "Acheter {count} pour {price}", "buy-none": "Ne rien acheter", "play": "Poser {what}", "next": "prochaine carte", "lay": "Poser {card}", "twist": "Retirer {partner} avec {card}",
    "pair": "Paire", "treble": "Brelan", "table-empty": "Pas encore de carte sur la table", "makes-a-set": "fait une série", "counted": "{count: # groupe compté|# groupes comptés}", "as-group": "Ces cartes forment un groupe",
    "flip": "Retourner, reste {left}", "claim": "Réclamer", "turn-trebles": "Retourner ce qui s'y trouve trois fois", "call-the-end": "Annoncer la fin", "count": "Compter les groupes : {count}",
    "your-turn": "{name} : {phase}", "hands-on": "mains de {names}", "window-open": "des mains peuvent encore tomber", "window-closed": "aucune main ne tombe", "touch-pairs": "touchez deux cartes égales dès que vous les voyez", "clause": "Clause {id}", "away": "La table ne peut pas être dessinée maintenant."
  }
};
