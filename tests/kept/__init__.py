"""The contract is kept: what the last release promised holds until the version says that it does not."""
