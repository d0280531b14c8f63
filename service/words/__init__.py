"""The service's own words, and how sentences are filled in; a language is a file."""
