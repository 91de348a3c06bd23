"""POST /submit: judge one score and store it in every standing it belongs to."""

from secrets import token_urlsafe

from mangum import Mangum

from lib.errors import AddressBlocked, Invalid
from lib.gates import caller_of
from lib.http import Call, Function, Reply
from lib.models import Submission
from lib.runs import check_run
from lib.standings import standings_of
from lib.submissions import Attempt
from lib.submissions import submit as store


async def submit(call: Call) -> Reply:
    """Answer one submission."""
    here, now = call.deployment, call.now
    submission = call.body(Submission)
    board = here.board(submission.board)
    run = check_run(board, submission, fresh_id=token_urlsafe(12))
    standings = standings_of(board, run.splits, now)
    if not standings:
        raise Invalid.field("splits", "belong to no standing of this board, or no season is open")
    caller = caller_of(call.address, here.settings.address_key)
    here.blocked.check(board.name, caller, now)
    try:
        answer = await store(here.store, Attempt(board, run, caller, standings, now))
    except AddressBlocked as refusal:
        here.blocked.note(board.name, caller, refusal, now)
        raise
    return Reply.of(answer)


app = Function(post=submit)
lambda_handler = Mangum(app, lifespan="off")
