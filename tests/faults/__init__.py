"""Check that sessions survive killed processes, lost replies and unavailable stores."""
