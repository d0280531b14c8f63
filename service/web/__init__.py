"""What every call needs of HTTP: strict JSON, problems, languages, counters, and the short way in front of Flask."""
