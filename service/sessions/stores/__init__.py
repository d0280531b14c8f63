"""Where sessions are kept: one protocol, SQLite and Redis."""
