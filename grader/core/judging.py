"""The judge and the katas, which are imported only when they are needed: they import PyTorch."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.core import interrupts
from grader.core.request import Request
from grader.records import GraderError, TierResult
from grader.submission import unknown

if TYPE_CHECKING:
    from grader.checks.kata import Kata
    from grader.judge import Options


class Judge(NamedTuple):
    """The parts of the grader that need PyTorch."""

    katas: Sequence[Kata]
    options: type[Options]
    grade: Callable[..., Iterator[Any]]
    """Takes `(submission, kata, options, sandbox)` and yields events of the checks, and last the `Report`."""
    skipped: Callable[[Kata, tuple[str, ...]], tuple[TierResult, ...]]
    """Takes `(kata, names of tiers)` and returns these tiers with every check skipped, and its points as lost."""


def load_judge() -> Judge:
    """Import and return the judge; this imports PyTorch, unless this process has (grader/import_once.py)."""
    with interrupts.hold_back():
        from grader.judge import Options, Transcripts, choose_checks, collect_tiers, grade
        from grader.katas import KATAS

    if not gc.isenabled():  # __main__ switched it off for these imports
        gc.freeze()
        gc.enable()
    remembering = partial(grade, transcripts=Transcripts())
    return Judge(KATAS, Options, remembering, lambda kata, tiers: collect_tiers(kata, choose_checks(kata, tiers), {}))


def tier_points(kata: Kata) -> dict[str, int]:
    """The points of each of a kata's tiers, in running order."""
    points: dict[str, int] = {}
    for check in kata.checks:
        points[check.tier.name] = points.get(check.tier.name, 0) + check.points
    return points


def check_names(request: Request, katas: Sequence[Kata]) -> None:
    """Check that the kata and the device that the request names can be used.

    Raises:
        GraderError: there is no such kata, or the device is not supported.
    """
    names = [kata.name for kata in katas]
    if request.kata is not None and request.kata not in names:
        raise GraderError(unknown("kata", request.kata, names))
    if request.device == "cuda":
        raise GraderError("The device cuda is not supported yet: leave the device out, and the CPU grades.")


def named_tiers(tiers: Sequence[str], katas: Sequence[Kata]) -> tuple[str, ...]:
    """Return tiers under the names that the graded katas use; a space may have been typed as an underscore or a hyphen.

    Raises:
        GraderError: none of the katas has one of these tiers.
    """
    there = {_spaced(name): name for kata in katas for name in tier_points(kata)}
    kind = f"tier of {katas[0].name}" if len(katas) == 1 else "tier"
    for tier in tiers:
        if _spaced(tier) not in there:
            raise GraderError(unknown(kind, tier, list(there.values())))
    return tuple(there[_spaced(tier)] for tier in tiers)


def _spaced(name: str) -> str:
    """Return `weight sums` for `weight_sums` and `weight-sums`, which need no quotes in a shell."""
    return name.replace("_", " ").replace("-", " ")
