"""The seam to AWS Lambda: all that a function has to know of it is `lambda_entry`."""

import os
from collections.abc import Callable
from functools import cache
from typing import Any

from lib.http.app import Function

LambdaHandler = Callable[[Any, Any], dict[str, Any]]


def lambda_entry(app: Function) -> LambdaHandler:
    """Return the Lambda handler of a function, which answers whatever event it is handed, and never raises."""

    @cache
    def adapter() -> LambdaHandler:
        from lib.http.function_url import Adapter  # here: no other platform should start with what it imports

        return Adapter(app)

    if "AWS_LAMBDA_RUNTIME_API" in os.environ:
        # Imported by Lambda itself, this is the start: what is misconfigured belongs into the log of the init phase.
        app.start()
        adapter()

    return lambda event, context: adapter()(event, context)
