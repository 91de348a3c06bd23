"""POST /submit: judge one score and store it in every standing it belongs to."""

from secrets import token_urlsafe

from lib.access.admission import admit
from lib.access.callers import caller_of
from lib.http.app import Call, Function, Reply
from lib.http.aws_lambda import lambda_entry
from lib.schemas.writes import Submission
from lib.storage.standing import check_reach
from lib.submitting import submit as submitting
from lib.submitting.attempt import Attempt
from lib.submitting.validation import check_run


async def submit(call: Call) -> Reply:
    """Answer one submission."""
    here, now = call.deployment, call.now
    submission = call.body(Submission)
    board = here.board(submission.board)
    run = check_run(board, submission, fresh_id=token_urlsafe(12), refuses_name=here.refuses_name)
    check_reach(board, run.splits)
    ticket = admit(board, submission, here.settings, call.headers, now)
    caller = caller_of(call.address, here.settings.address_key)
    attempt = Attempt.of(board, run, caller, now, ticket)
    async with here.blocked.guard(board, caller, now):
        return Reply.of(await submitting.submit(here.store, attempt))


app = Function(post=submit)
lambda_handler = lambda_entry(app)
