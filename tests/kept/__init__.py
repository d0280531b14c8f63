"""The contract is kept: clients of the last release continue to work until a version that may break them."""
