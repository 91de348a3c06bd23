"""`top`: a page of a standing, in the terminal."""

from collections.abc import Mapping

from lib.reading.rows import check_selection, check_window
from lib.reading.top import Page, read_tops
from lib.storage.standing import Standing
from tools.cli.arguments import Commands, Options, add_board, add_command, split
from tools.cli.context import operator
from tools.cli.terminal import say, say_json, table


def add_to(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "top", run, "show the first rows of a standing")
    add_board(parser)
    parser.add_argument("--window", help="by default the board's first")
    parser.add_argument("--at", default="0", help="0, -1, -2, … or the id of a period; by default the current one")
    parser.add_argument("--split", action="append", default=[], type=split, metavar="NAME=VALUE", help="may come again")
    parser.add_argument("--limit", type=int, default=10, help="how many rows, by default 10")
    parser.add_argument("--offset", type=int, default=0, help="how many rows to leave out")


async def run(options: Options, environ: Mapping[str, str]) -> None:
    """Print one page of one standing."""
    async with operator(environ) as here:
        board = here.board(options.board)
        period = board.calendar.select(check_window(board, options.window), options.at, here.now)
        standing = Standing(board, period, check_selection(board, dict(options.split)))
        [page] = await read_tops(here.store, [Page(standing, max(1, options.limit), max(0, options.offset))], here.now)
    if options.json:
        say_json(page.model_dump())
        return
    splits = " ".join(f"{name}={value}" for name, value in page.splits.items())
    say(" ".join(filter(None, [page.board, page.window, page.period, splits, f"({page.total})"])))
    rows = [(row.rank, row.score, row.name, row.player, row.at) for row in page.entries]
    say(table(("rank", "score", "name", "player", "at"), rows) if rows else "Nobody is here yet.")
