"""The stateless calls as plain data, and the sentences that go with them. The engines decide, this translates."""
