"""One module a resource; each gives a blueprint."""
