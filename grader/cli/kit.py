"""`kit`: build what a candidate is given."""

import argparse
import os
from pathlib import Path

from grader.core import judging, place
from grader.formats.files import check_target, is_other, write_whole
from grader.formats.lines import say
from grader.records import GraderError
from grader.submission import unknown
from grader.submission.paths import as_typed

HELP = "build what a candidate is given: stub, notebook, public checks"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--kata", metavar="NAME", help="the kata that it is for")
    parser.add_argument("--out", metavar="FILE.zip", type=Path, help="left out: kit-NAME.zip")


def run(options: argparse.Namespace) -> int:
    """Build the kit.

    Raises:
        GraderError: no such kata, a file that the kit is made of is missing, or another file is in its place.
    """
    katas = {kata.name: kata for kata in judging.load_judge().katas}
    if options.kata is None:
        raise GraderError(f"No kata was named to make a kit for: make kit KATA=NAME, with one of {', '.join(katas)}.")
    if options.kata not in katas:
        raise GraderError(unknown("kata", options.kata, list(katas)))
    out = Path(os.path.expanduser(options.out or f"kit-{options.kata}.zip"))
    if out.suffix.lower() != ".zip":
        raise GraderError(f"{out} does not end in .zip: make kit KATA={options.kata} OUT={out}.zip")
    check_target(out)
    from grader.kit import build_archive  # its libraries are not needed to grade

    data = build_archive(katas[options.kata], place.ROOT)
    if is_other(out, data):  # a kit that comes back has the same file name
        raise GraderError(
            f"{out} is there already, and is not this kit: it may be one that came back. Move it away, or name another "
            f"place: make kit KATA={options.kata} OUT=FILE.zip"
        )
    write_whole(out, data)
    say(f"{as_typed(out)} is the kit for {options.kata}\n")
    return 0
