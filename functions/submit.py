"""POST /submit: judge one score and store it in every standing it belongs to."""

from secrets import token_urlsafe

from lib import submissions
from lib.admission import admit
from lib.aws import lambda_entry
from lib.callers import caller_of
from lib.http import Call, Function, Reply
from lib.models import Submission
from lib.runs import check_run
from lib.standings import check_reach


async def submit(call: Call) -> Reply:
    """Answer one submission."""
    here, now = call.deployment, call.now
    submission = call.body(Submission)
    board = here.board(submission.board)
    run = check_run(board, submission, fresh_id=token_urlsafe(12), refuses_name=here.refuses_name)
    check_reach(board, run.splits)
    ticket = admit(board, submission, here.settings, call.headers, now)
    caller = caller_of(call.address, here.settings.address_key)
    attempt = submissions.Attempt.of(board, run, caller, now, ticket)
    async with here.blocked.guard(board, caller, now):
        return Reply.of(await submissions.submit(here.store, attempt))


app = Function(post=submit)
lambda_handler = lambda_entry(app)
