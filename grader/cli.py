"""The command line: options in, exit status out.

Exit status: 0 score reached, 1 graded below it, 2 wrong use, 3 the grader itself failed, 130 after Ctrl-C.
"""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from grader import budgets, grading
from grader.records import AUDIENCES, LEARNER, GraderError
from grader.reports.clean import clean
from grader.reports.files import check_target, is_other, write_whole
from grader.reports.lines import complain, say
from grader.reports.text import NOT_YOU
from grader.stubs.backup import replace_text
from grader.submission import unknown
from grader.submission.names import shown

NO_DOCSTRINGS = (
    "Python was started with -OO or PYTHONOPTIMIZE=2, which leaves out the docstrings that checks are described "
    "by: start it without."
)


def main(arguments: Sequence[str]) -> int:
    """Run one command.

    Args:
        arguments: without the program's name; what follows `--` goes to pytest.

    Returns:
        The exit status; nothing is raised.
    """
    own, pytest_args = _split(arguments)
    try:
        options = _parser().parse_args(own)
    except SystemExit as stop:  # argparse has said what was wrong, or has shown its help
        return int(stop.code or 0)
    options.pytest_args = pytest_args
    _have_a_home()
    try:
        if sys.flags.optimize > 1:
            raise GraderError(NO_DOCSTRINGS)
        _have_a_folder()
        return int(options.run(options))
    except GraderError as error:
        complain(clean(str(error)) + "\n")
        return grading.WRONG_USE
    except KeyboardInterrupt:
        return grading.INTERRUPTED
    except BrokenPipeError:  # the report was piped into a program that has read enough
        return grading.BELOW
    except Exception:
        complain(f"{NOT_YOU}\n{clean(traceback.format_exc())}")
        return grading.BROKEN


def _have_a_folder() -> None:
    """PyTorch's libraries, and pytest, look for it as they are imported."""
    try:
        Path.cwd()
    except FileNotFoundError:
        raise GraderError("The current folder is gone: change to another one.") from None


def _have_a_home() -> None:
    """Jupyter's libraries ask for one as they are imported; in a container a user may be known by number alone."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = os.sep


def _split(arguments: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    if "--" not in arguments:
        return list(arguments), ()
    place = list(arguments).index("--")
    return list(arguments[:place]), tuple(arguments[place + 1 :])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m grader", description="Grades submissions for the attention katas.", allow_abbrev=False
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    grade = commands.add_parser(
        "grade",
        help="grade a submission, a folder of them, or the exercises",
        epilog="What follows -- goes to pytest.",
        allow_abbrev=False,
    )
    takes = ".py, .ipynb or folder"
    # BEGIN HIDDEN
    takes = ".py, .ipynb, .zip or folder"
    # END HIDDEN
    grade.add_argument("submission", nargs="?", type=_path, help=f"{takes}; left out: exercises/")
    grade.add_argument("--kata", metavar="NAME", help="left out: told from the submission")
    grade.add_argument("--tier", metavar="NAME,...", type=_tiers, action="extend", default=[], help="these tiers only")
    grade.add_argument("--seed", metavar="N", type=budgets.not_negative, help="left out: drawn at random and printed")
    grade.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    grade.add_argument("--json", metavar="FILE", type=Path, help="write the report as JSON")
    grade.add_argument("--junit", metavar="FILE", type=Path, help="write the report as JUnit XML")
    grade.add_argument("--fail-under", metavar="POINTS", type=budgets.not_negative, help="left out: all points")
    grade.add_argument("--reveal", choices=("first", "all"), default="first", help="how much to show in detail")
    grade.add_argument("--for", dest="audience", choices=AUDIENCES, default=LEARNER, help=f"who reads it ({LEARNER})")
    grade.add_argument("--explain", action="store_true", help="say why a named mistake is one, and where to read on")
    grade.add_argument(
        "--allow", metavar="sdpa,mha", type=_allowed, action="extend", default=[], help="lift the policy"
    )
    grade.add_argument("--show-output", action="store_true", help="show what the submission printed (interviewer: on)")
    grade.add_argument("--require-isolation", action="store_true", help="grade only where all protections are on")
    group = grade.add_argument_group("budgets")
    for option, unit, kind, default, meaning in budgets.BUDGETS:
        group.add_argument(f"--{option}", metavar=unit, type=kind, default=default, help=f"{meaning} ({default:g})")
    grade.set_defaults(run=grading.run_grade)

    doctor = commands.add_parser("doctor", help="what this machine enforces against a submission, tried out")
    doctor.set_defaults(run=_doctor)

    listing = commands.add_parser("list", help="the katas in teaching order")
    listing.set_defaults(run=_list)

    # BEGIN HIDDEN
    kit = commands.add_parser("kit", help="build what a candidate is given: stub, notebook, public checks")
    kit.add_argument("--kata", metavar="NAME", help="the kata that it is for")
    kit.add_argument("--out", metavar="FILE.zip", type=Path, help="left out: kit-NAME.zip")
    kit.set_defaults(run=_kit)

    stubs = commands.add_parser("stubs", help="write exercises/ and notebooks/ from solutions/")
    stubs.add_argument("--check", action="store_true", help="write nothing; exit 1 where one is stale")
    stubs.set_defaults(run=_stubs)
    # END HIDDEN

    reset = commands.add_parser("reset", help="give the pristine stub back and keep the old text in a .bak file")
    reset.add_argument("kata", nargs="?")
    reset.set_defaults(run=_reset)
    return parser


def _path(text: str) -> Path:
    if not text.strip():  # Path("") is the current folder
        raise argparse.ArgumentTypeError("the path is empty: name a file or a folder, or leave it out for exercises/")
    return Path(text)


def _tiers(text: str) -> list[str]:
    """`weight_sums` and `weight-sums` are `weight sums`, which a shell would have to quote."""
    names = text.replace("_", " ").replace("-", " ").split(",")
    return [name.strip() for name in names if name.strip()]


def _allowed(text: str) -> list[str]:
    names = text.replace(",", " ").split()
    for name in names:
        if name not in ("sdpa", "mha"):
            raise argparse.ArgumentTypeError(f"{name} is not in the policy: choose from sdpa, mha")
    return names


def _doctor(options: argparse.Namespace) -> int:
    from grader.doctor import run_doctor

    return run_doctor(sys.stdout)


def _list(options: argparse.Namespace) -> int:
    katas = grading.load_judge().katas
    longest = max(len(kata.name) for kata in katas)
    for kata in katas:
        points = [f"{name} {points}" for name, points in grading.tier_points(kata).items()]
        say(f"{kata.name:<{longest}}  {kata.title}\n{'':<{longest}}  {', '.join(points)}\n")
    return 0


# BEGIN HIDDEN
def _kit(options: argparse.Namespace) -> int:
    katas = {kata.name: kata for kata in grading.load_judge().katas}
    if options.kata is None:
        raise GraderError(f"No kata was named to make a kit for: make kit KATA=NAME, with one of {', '.join(katas)}.")
    if options.kata not in katas:
        raise GraderError(unknown("kata", options.kata, list(katas)))
    out = Path(os.path.expanduser(options.out or f"kit-{options.kata}.zip"))
    if out.suffix.lower() != ".zip":
        raise GraderError(f"{out} does not end in .zip: make kit KATA={options.kata} OUT={out}.zip")
    check_target(out)
    from grader.kit import build_archive  # its libraries are not needed to grade

    data = build_archive(katas[options.kata], grading.ROOT)
    if is_other(out, data):  # a kit comes back under the name that it was given
        raise GraderError(
            f"{out} is there already, and is not this kit: it may be one that came back. Move it away, or name another "
            f"place: make kit KATA={options.kata} OUT=FILE.zip"
        )
    write_whole(out, data)
    say(f"{shown(out)} is the kit for {options.kata}\n")
    return 0


def _stubs(options: argparse.Namespace) -> int:
    from grader.stubs.writer import check_all, write_all  # its libraries are not needed to grade

    if options.check:
        stale = check_all(grading.ROOT)
        say("".join(f"{sentence}\n" for sentence in stale))
        return 1 if stale else 0
    written = write_all(grading.ROOT)
    lines = [f"written: {shown(path)}{_kept(backup)}\n" for path, backup in written]
    say("".join(lines) or "exercises/ and notebooks/ are up to date\n")
    return 0


# END HIDDEN
def _reset(options: argparse.Namespace) -> int:
    # Told from the files, not from the registry: that would import PyTorch to copy a text.
    # In a kit only the stub's own name counts: beside the exercise a candidate may keep other files.
    folders = ("pristine",) if any((grading.ROOT / "pristine").glob("*.py")) else ("exercises", "solutions")
    names = sorted({path.stem for folder in folders for path in (grading.ROOT / folder).glob("*.py")})
    chosen = options.kata or (names[0] if len(names) == 1 else None)
    if chosen is None:
        raise GraderError(f"No kata was named to reset: make reset KATA=NAME, with one of {', '.join(names)}.")
    if chosen not in names:
        raise GraderError(unknown("kata", chosen, names))
    path = grading.ROOT / "exercises" / f"{chosen}.py"
    backup = replace_text(path, _pristine(chosen))
    say(f"{shown(path)} is the pristine stub{_kept(backup)}\n")
    return 0


def _pristine(kata: str) -> str:
    path = grading.ROOT / "pristine" / f"{kata}.py"  # in a kit, which has no solution to write it from
    # BEGIN HIDDEN
    if not path.parent.is_dir():
        from grader.stubs.writer import stub

        return stub(kata, grading.ROOT)
    # END HIDDEN
    if not path.is_file():
        raise GraderError(f"{shown(path)} is missing, and the stub is copied from it: restore the file.")
    return path.read_text(encoding="utf-8")


def _kept(backup: Path | None) -> str:
    return f"; the old text is in {shown(backup)}" if backup else ""
