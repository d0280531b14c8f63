"""The referee over HTTP: JSON in, rulings out. Nothing here knows the rules of any game."""
