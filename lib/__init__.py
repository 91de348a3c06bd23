"""Laurel's library: one room for each concern, none of which knows where it is deployed."""
