"""Sessions: tables that the server keeps from request to request, with their tokens, changes and stores."""
