"""`watch`: grades an exercise on each save, and draws the findings in place of the earlier ones."""

import argparse
import sys

from grader import katas
from grader.core import place, progress, seeds
from grader.records import GraderError
from grader.submission import unknown

HELP = "grade an exercise on each save"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("kata", nargs="?", help="left out: the first that is not at 100, then the next")


def run(options: argparse.Namespace) -> int:
    """Watch until somebody quits.

    Raises:
        GraderError: there is no such kata, or no terminal to draw on.
    """
    ladder = katas.names()
    if options.kata is not None and options.kata not in ladder:
        raise GraderError(unknown("kata", options.kata, ladder))
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise GraderError("make watch draws on a terminal, and this is none: grade by make grade.")
    from grader.watch.loop import Loop  # with watchfiles, which a kit need not have
    from grader.watch.state import State
    from grader.watch.terminal import Terminal

    known = progress.read()
    first = options.kata or progress.first_left(ladder, known) or ladder[0]
    best = {kata: of.best for kata, of in known.items()}
    state = State(ladder, first, stays=options.kata is not None, best=best, seed=seeds.draw_seed())
    with Terminal(sys.stdin, sys.stdout) as terminal, Loop(state, place.ROOT / "exercises") as loop:
        loop.run(terminal)
    return 0
