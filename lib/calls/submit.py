"""Submit: judge one run by the rules of its board, and store it in every standing it belongs to."""

from secrets import token_urlsafe

from lib.access.admission import admit
from lib.access.callers import Caller
from lib.deployment import Deployment
from lib.schemas.writes import Submission, SubmitAnswer
from lib.storage.standing import check_reach
from lib.submitting.attempt import Attempt
from lib.submitting.submit import store_run
from lib.submitting.validation import check_run


async def submit(here: Deployment, submission: Submission, caller: Caller, now: int) -> SubmitAnswer:
    """Answer one submission made at `now` (ms); raise what refuses it, and StoreUnavailable."""
    board = here.board(submission.board)
    run = check_run(board, submission, fresh_id=token_urlsafe(12), refuses_name=here.refuses_name)
    check_reach(board, run.splits)
    ticket = admit(board, submission, here.settings, caller, now)
    name = caller.name(here.settings.address_key)
    attempt = Attempt.of(board, run, name, now, ticket)
    async with here.blocked.guard(board, name, now):
        return await store_run(here.store, attempt)
