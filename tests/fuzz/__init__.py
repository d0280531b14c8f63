"""Send vectors with errors put in: every answer must fit the published schema."""
