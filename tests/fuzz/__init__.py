"""Requests made from vectors with something wrong: whatever they ask, the answer fits the published schema."""
