"""What games share: mechanics, never rules. `engine.resolve` is the only door into a game."""
