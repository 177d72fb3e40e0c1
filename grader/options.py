"""The command-line options of a request, which mean the same in every front."""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

from grader.core import budgets
from grader.core.request import Request
from grader.core.serve import Settings
from grader.formats import FORMATS
from grader.records import AUDIENCES, LEARNER

POLICY = ("sdpa", "mha")
"""What `--allow` lets pass."""


def add_options(parser: argparse.ArgumentParser, *, files: bool = True) -> None:
    """Add all options of a request, besides what is graded and for which kata.

    `files`: whether report files may be named.
    """
    parser.add_argument("--tier", metavar="NAME,...", type=_tiers, action="extend", default=[], help="these tiers only")
    parser.add_argument("--seed", metavar="N", type=not_negative, help="left out: drawn at random and printed")
    device_said = "cpu; cuda is refused, as nothing has been measured there"
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help=device_said)
    for name, report_format in FORMATS.items() if files else ():
        parser.add_argument(f"--{name}", metavar="FILE", type=Path, help=f"write the report as {report_format.words}")
    parser.add_argument("--reveal", choices=("first", "all"), default="first", help="how much to show in detail")
    parser.add_argument("--for", dest="audience", choices=AUDIENCES, default=LEARNER, help=f"who reads it ({LEARNER})")
    parser.add_argument("--explain", action="store_true", help="say why a named mistake is one, and where to read on")
    allowed = ",".join(POLICY)
    parser.add_argument("--allow", metavar=allowed, type=_allowed, action="extend", default=[], help="lift the policy")
    parser.add_argument("--show-output", action="store_true", help="show what the submission printed (interviewer: on)")
    parser.add_argument("--require-isolation", action="store_true", help="grade only where all protections are on")
    jobs_said = "grade a stack in so many processes (one for each processor)"
    parser.add_argument("--jobs", metavar="N", type=partial(_at_least, 1), help=jobs_said)
    authors = parser.add_argument_group("for authors of katas")
    authors.add_argument("--check", metavar="WORD", action="append", default=[], help="checks with this in their name")
    authors.add_argument("--debug", action="store_true", help="open a debugger where a check fails")
    group = parser.add_argument_group("budgets")
    for budget in budgets.BUDGETS:
        kind, text = _kind_of(budget), f"{budget.meaning} ({budget.default:g})"
        group.add_argument(f"--{budget.name}", metavar=budget.unit, type=kind, default=budget.default, help=text)


def request_of(options: argparse.Namespace, path: Path | None) -> Request:
    """The request that the options come to.

    Args:
        options: as a parser with `add_options` gives them, and with `kata`.
        path: what to grade; None: the exercises.
    """
    return Request(
        path=path,
        kata=options.kata,
        tiers=tuple(options.tier),
        checks=tuple(options.check),
        seed=options.seed,
        device=options.device,
        allow=frozenset(options.allow),
        audience=options.audience,
        reveal=options.reveal == "all",
        show_output=options.show_output,
        debug=options.debug,
        source_bytes=int(options.source_mib) << 20,
    )


def settings_of(options: argparse.Namespace) -> Settings:
    """The settings of the grader that the options come to."""
    given = {budget.name: getattr(options, budget.name.replace("-", "_")) for budget in budgets.BUDGETS}
    return Settings(budgets.limits(given), options.require_isolation, options.jobs)


def files_of(options: argparse.Namespace) -> dict[str, Path]:
    """The files in which reports are to be written, by the names of their formats."""
    return {name: path for name in FORMATS if (path := getattr(options, name)) is not None}


def not_negative(text: str) -> int:
    """The text as a whole number from 0.

    Raises:
        argparse.ArgumentTypeError: the text is no such number.
    """
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 0")
    return int(text)


def _tiers(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _allowed(text: str) -> list[str]:
    names = text.replace(",", " ").split()
    for name in names:
        if name not in POLICY:
            raise argparse.ArgumentTypeError(f"{name} is not in the policy: choose from {', '.join(POLICY)}")
    return names


def _kind_of(budget: budgets.Budget) -> Callable[[str], float]:
    return _seconds if budget.unit == "S" else partial(_at_least, budget.least)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0")
    return seconds


def _at_least(least: int, text: str) -> int:
    number = not_negative(text)
    if number == 0:
        raise argparse.ArgumentTypeError("0 is not a whole number above 0")
    if number < least:
        raise argparse.ArgumentTypeError(f"{text} is less than {least}, which the checks themselves may need")
    return number
