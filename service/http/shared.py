"""What the application shares with its views, by the key under which it is in the environment of each request."""

from __future__ import annotations

SETTINGS = "referee.settings"  #: The `Settings`.
SESSIONS = "referee.sessions"  #: The `Sessions` of this process; None where they are off.
CLIENTS = "referee.clients"  #: The `Clients`, by whose share bounded resources are counted.
TESTING = "referee.testing"  #: There if the request is on a session of tests: its answer says so.
NEARBY = "referee.nearby"  #: The `Nearby`: at which addresses phones reach the service.
