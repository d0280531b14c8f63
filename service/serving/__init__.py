"""How gunicorn runs the service: its worker and its logs."""
