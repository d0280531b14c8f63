"""What knows HTTP: the routes, bodies and preferences, the middleware, and the fast path in front of Flask."""
