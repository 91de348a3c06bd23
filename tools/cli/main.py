"""The command line: what there is to say, who carries it out, and how failures end."""

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from lib.errors import LaurelError
from tools.cli.commands import boards, cost, doctor, reset, sweep, top
from tools.cli.commands.players import ban, erase, export, player_token, remove, unban
from tools.cli.context import explained
from tools.cli.terminal import Refused, say_error

COMMANDS = (boards, top, ban, unban, remove, erase, export, player_token, reset, sweep, doctor, cost)
"""In the order in which `--help` lists them."""


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of every command."""
    parser = argparse.ArgumentParser(
        prog="python -m tools",
        description="Look after the boards of the database that the environment names.",
        epilog="The environment is the functions' own: docs/operations.md lists its variables.",
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_to(commands)
    return parser


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Carry out one command; return 0, or 1 after one line on stderr that says what is wrong."""
    options = make_parser().parse_args(arguments)
    try:
        with _quiet():
            return int(asyncio.run(options.run(options, environ)) or 0)
    except LaurelError as error:
        say_error(explained(error))
    except Refused as refusal:
        say_error(str(refusal))
    except KeyboardInterrupt:
        say_error("Stopped.")
    except BrokenPipeError:
        # Whoever read the answer has seen enough; without this Python complains while it shuts down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave failures to the one line of ours; the log of the functions would tell them twice."""
    log = logging.getLogger("laurel")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(level)
