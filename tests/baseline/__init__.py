"""The baseline is the last release: its clients continue to work until a version that may break them."""
