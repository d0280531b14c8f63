// The words of a drawn table in French. Titles of cards, moves, zones and phases come from the game's description.

export default {
  "seat": "Place {seat}", "dealer": "donneur", "to-act": "à jouer", "unseen": "carte qu'on ne voit pas", "face-down": "{count} face cachée",
  "cards": "{count: # carte|# cartes}", "chips": "{count: # jeton|# jetons}", "playable": "{card}, peut se jouer", "hand": "Main de {name}",
  "cancel": "Annuler", "team": "Équipe {team}", "partners": "avec {names}", "points": "{count: point|points}", "hands-won": "{count: donne gagnée|donnes gagnées}", "meld": "Combinaison", "set": "Brelan ou carré", "run": "Suite", "laid-off": "ajoutée",
  "as-meld": "Ces cartes forment une combinaison", "own-melds": "Composer les combinaisons", "lay-melds": "Touchez les cartes d'une combinaison, puis « {done} »", "no-meld": "Pas une combinaison : il en faut trois ou plus d'une valeur, ou à la suite dans une couleur", "start-over": "Recommencer", "pile": "Pile", "empty": "vide",

  "by-melds": "Par combinaisons", "by-suits": "Par couleurs", "knock-not": "Frapper : {deadwood}, limite {limit}",
  "pot": "Banque", "pay": "payer", "win": "gagner", "bankrupt": "en faillite", "sits-out": "saute le quatrième pli", "placed": "posées", "not-placed": "pas encore posé", "trick": "Pli {trick}",
  "bought": "{count: # carte achetée|# cartes achetées}", "next": "prochaine carte",
  "pair": "Paire", "treble": "Triplet", "table-empty": "Pas encore de carte sur la table", "makes-a-set": "fait un lot", "counted": "{count: # groupe compté|# groupes comptés}", "as-group": "Ces cartes forment un groupe",

  "waiting": "On attend {names}", "your-turn": "{name} : {phase}", "hands-on": "mains de {names}", "window-open": "des mains peuvent encore tomber", "window-closed": "aucune main ne tombe", "touch-pairs": "touchez deux cartes identiques dès que vous les voyez", "find-groups": "trouvez deux ou trois cartes identiques", "clause": "Clause {id}", "away": "La table ne peut pas être dessinée maintenant.",
  "not-connected": "Pas de connexion, on réessaie.", "closed": "Cette table a été fermée.", "renewed": "Cette place a un nouveau jeton d'accès, et cette page a l'ancien.", "on-its-way": "Votre coup est en route …",
  "no-seat": "Cette table n'est pas ouverte à tous, et cette page n'y a pas de place.", "gone": "Cette table n'existe plus.",
  "sort": "Maj et une flèche rangent la main",
  "dealing": "Avant la donne", "part-missing": "{name} n'est pas encore à la table.", "part-committed": "{name} a donné son engagement.", "part-shown": "{name} a montré son nombre.",
  "start-clock": "Lancer le chrono : {time}", "handed-in": "votre compte est remis", "time-over": "Temps ! Cinq secondes pour remettre le compte.",
};
