"""A gunicorn worker for any WSGI application: HTTP read by llhttp, a deadline for every wait, fair between clients."""
