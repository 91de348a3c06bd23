"""HTTP: ASGI, CORS, and the events of Lambda."""
