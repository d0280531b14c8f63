// The words of a drawn table in Italian. Titles of cards, moves, zones and phases come from the game's description.

export default {
  "seat": "Posto {seat}", "dealer": "mazziere", "to-act": "di turno", "unseen": "carta che non si vede", "face-down": "{count: # coperta|# coperte}",
  "cards": "{count: # carta|# carte}", "chips": "{count: # gettone|# gettoni}", "playable": "{card}, si può giocare", "hand": "Mano di {name}",
  "cancel": "Annulla", "team": "Squadra {team}", "partners": "con {names}", "points": "{count: punto|punti}", "hands-won": "{count: mano vinta|mani vinte}", "meld": "Combinazione", "set": "Gruppo", "run": "Scala", "laid-off": "legata",
  "as-meld": "Queste sono una combinazione", "own-melds": "Comporre le combinazioni", "lay-melds": "Tocca le carte di una combinazione, poi «{done}»", "no-meld": "Non è una combinazione: ne servono tre o più di un valore, o in scala dello stesso seme", "start-over": "Ricominciare", "pile": "Pila", "empty": "vuota",

  "by-melds": "Per combinazioni", "by-suits": "Per semi", "knock-not": "Bussare: {deadwood}, limite {limit}",
  "pot": "Piatto", "pay": "si paga", "win": "si vince", "bankrupt": "in bancarotta", "sits-out": "salta la quarta giocata", "placed": "piazzate", "not-placed": "non ha ancora piazzato", "trick": "Giocata {trick}",
  "bought": "{count: # carta comprata|# carte comprate}", "next": "prossima carta",
  "pair": "Coppia", "treble": "Tris", "table-empty": "Ancora nessuna carta sul tavolo", "makes-a-set": "fa un set", "counted": "{count: # gruppo contato|# gruppi contati}", "as-group": "Queste sono un gruppo",

  "waiting": "Si aspetta {names}", "your-turn": "{name}: {phase}", "hands-on": "mani di {names}", "window-open": "possono ancora cadere mani", "window-closed": "nessuna mano sta cadendo", "touch-pairs": "tocca due carte uguali appena le vedi", "find-groups": "trova due o tre carte uguali", "clause": "Clausola {id}", "away": "Ora il tavolo non si può disegnare.",
  "not-connected": "Non connesso, si ritenta.", "closed": "Questo tavolo è stato chiuso.", "renewed": "Questo posto ha un nuovo token, e questa pagina ha quello vecchio.", "on-its-way": "La mossa è in viaggio …",
  "no-seat": "Questo tavolo non è aperto a tutti, e questa pagina non vi ha un posto.", "gone": "Questo tavolo non c'è più.",
  "sort": "Maiusc e una freccia ordinano la mano",
  "dealing": "Prima della distribuzione", "part-missing": "{name} non è ancora al tavolo.", "part-committed": "{name} ha dato l'impegno.", "part-shown": "{name} ha mostrato il numero.",
  "start-clock": "Avvia l'orologio: {time}", "handed-in": "il conteggio è consegnato", "time-over": "Tempo! Cinque secondi per consegnare il conteggio.",
};
