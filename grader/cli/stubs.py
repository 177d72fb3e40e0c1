"""`stubs`: writes exercises/ and notebooks/ from solutions/."""

import argparse

from grader.core import judging, place
from grader.formats.lines import say
from grader.submission.paths import as_typed

HELP = "write exercises/ and notebooks/ from solutions/"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where one is stale")


def run(options: argparse.Namespace) -> int:
    """Write the exercises and notebooks, or say which are stale.

    Raises:
        GraderError: a solution is missing or wrong, or a file cannot be written.
    """
    from grader.stubs.writer import check_all, write_all  # its libraries are not needed to grade

    katas = judging.load_judge().katas

    if options.check:
        stale = check_all(place.ROOT, katas)
        say("".join(f"{sentence}\n" for sentence in stale))
        return 1 if stale else 0
    kept = [(as_typed(path), backup) for path, backup in write_all(place.ROOT, katas)]
    lines = [
        f"written: {path}" + (f"; the old text is in {as_typed(backup)}" if backup else "") for path, backup in kept
    ]
    say("".join(f"{line}\n" for line in lines) or "exercises/ and notebooks/ are up to date\n")
    return 0
