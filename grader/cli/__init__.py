"""The command line: words in, exit status out.

Each command is a module, and a kit has the commands whose modules were copied into it.

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
"""The module of each command by the command's name; each has `HELP`, `add_options(parser)` and `run(options) -> int`.

A front outside of this folder is imported by its name alone: fronts do not know one another.
"""

NO_DOCSTRINGS = (
    "Python was started with -OO or PYTHONOPTIMIZE=2, which leaves out the docstrings that checks are described "
    "by: start it without."
)


def main(arguments: Sequence[str]) -> int:
    """Run one command.

    Args:
        arguments: the words of the command line, without the program's name.

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
    """Return a parser of all commands with their options."""
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
    """Check that the current folder exists: PyTorch's libraries look for it when they are imported."""
    try:
        Path.cwd()
    except FileNotFoundError:
        raise GraderError("The current folder is gone: change to one that exists.") from None


def _have_a_home() -> None:
    """Set HOME where the user has no home folder, as in a container that knows the user by number alone.

    Jupyter's libraries ask for a home folder when they are imported.
    """
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = os.sep
