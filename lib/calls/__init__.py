"""Calls: what a game asks of a deployment, from a model to a model, whether it comes over HTTP or not."""
