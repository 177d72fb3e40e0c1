"""The command line: words in, exit status out. A command is a file here, and a kit has those whose file it was given.

Exit status: 0 score reached, 1 graded below it, 2 wrong use, 3 the grader itself failed, 130 after Ctrl-C.
"""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from grader.core.status import Status
from grader.formats.clean import clean
from grader.formats.lines import complain
from grader.formats.text import NOT_YOU
from grader.optional import optional
from grader.records import GraderError

COMMANDS = {
    **{name: f"grader.cli.{name}" for name in ("grade", "doctor", "list", "kit", "stubs", "reset")},
    "watch": "grader.watch",
    "grade-all": "grader.batch",
}
"""By name the modules of the commands, each with `HELP`, `add_options(parser)` and `run(options) -> int`.

A front that is no file of this folder is imported by its name alone: fronts do not know one another.
"""

NO_DOCSTRINGS = (
    "Python was started with -OO or PYTHONOPTIMIZE=2, which leaves out the docstrings that checks are described "
    "by: start it without."
)


def main(arguments: Sequence[str]) -> int:
    """Run one command.

    Args:
        arguments: without the program's name.

    Returns:
        The exit status; nothing is raised.
    """
    try:
        options = parser().parse_args(arguments)
    except SystemExit as stop:  # argparse has said what was wrong, or has shown its help
        return int(stop.code or 0)
    _have_a_home()
    try:
        if sys.flags.optimize > 1:
            raise GraderError(NO_DOCSTRINGS)
        _have_a_folder()
        return int(options.run(options))
    except GraderError as error:
        complain(clean(str(error)) + "\n")
        return Status.WRONG_USE
    except KeyboardInterrupt:
        return Status.INTERRUPTED
    except BrokenPipeError:  # the report was piped into a program that has read enough
        return Status.BELOW
    except Exception:
        complain(f"{NOT_YOU}\n{clean(traceback.format_exc())}")
        return Status.BROKEN


def parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    whole = argparse.ArgumentParser(
        prog="python -m grader", description="Grades submissions for the attention katas.", allow_abbrev=False
    )
    commands = whole.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        if command := optional(module):
            its = commands.add_parser(name, help=command.HELP, allow_abbrev=False)
            command.add_options(its)
            its.set_defaults(run=command.run)
    return whole


def _have_a_folder() -> None:
    """PyTorch's libraries look for it as they are imported."""
    try:
        Path.cwd()
    except FileNotFoundError:
        raise GraderError("The current folder is gone: change to one that exists.") from None


def _have_a_home() -> None:
    """Jupyter's libraries ask for one as they are imported; in a container a user may be known by number alone."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = os.sep
