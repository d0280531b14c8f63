"""One module a resource: HTTP mapped onto the rooms below."""
