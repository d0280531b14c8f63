"""Send all kinds of requests for an hour: the server must not use ever more memory, descriptors and files."""
