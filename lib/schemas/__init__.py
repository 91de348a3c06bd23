"""Schemas: JSON and query strings as they come in and go out, as pydantic models."""
