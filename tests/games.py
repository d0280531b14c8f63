"""The games of this repository. The registry has them, and beside them those that an author adds."""

OURS = ("gin-rummy", "take-that", "twin-it", "twins")
