"""POST /submit: judge one score and store it in every standing it belongs to."""

from lib.calls.submit import submit as submit_run
from lib.http.app import Call, Function, Reply
from lib.http.aws_lambda import lambda_entry
from lib.schemas.writes import Submission


async def submit(call: Call) -> Reply:
    """Answer one submission."""
    return Reply.of(await submit_run(call.deployment, call.body(Submission), call.caller, call.now))


app = Function(post=submit)
lambda_handler = lambda_entry(app)
