"""Tables that remember: records, tokens, changes, and the stores that keep them."""
