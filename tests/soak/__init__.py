"""An hour of all kinds of requests: a server then has no more memory, descriptors and files than at the start."""
