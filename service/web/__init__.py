"""What every call needs of HTTP: strict JSON, problems, languages, counters, and the fast path in front of Flask."""
