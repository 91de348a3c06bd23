"""OpenAPI: the API reference, written from the routes and their models."""
