"""Descriptions, in the published contract, of the members that most games have in their state, deal and setup."""

from __future__ import annotations

from engines.core.shape import Doc

RULESET_OF_STATE = Doc("The ruleset that is played by; left out: the game's first, without changes.")
RULESET_OF_SETUP = Doc("The ruleset to play by; left out: the game's first, without changes.")
DEALER_OF_STATE = Doc("The seat that dealt; left out where it is not known.")
DEALER_OF_SETUP = Doc("The seat that deals; left out: the last.")
DECK_OF_DEAL = Doc("The whole deck in order, top first.")
DECK_OF_SETUP = Doc("The whole deck in order, top first; left out: it is shuffled from the seed.")
CARDS_LEFT = Doc("The cards that are left, top first, null for one that is not seen; left out where it is not known.")
