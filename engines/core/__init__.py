"""What games share: mechanics, never rules. `judge.resolve` is the way into a game."""
