"""Magics for self-study: the next hint, the call that failed, our solution. A kit is without this file."""

import argparse
from collections.abc import Callable
from typing import Any

from grader.core import Report, place, progress
from grader.core.hints import Hint, for_tier, hinted_tier, hints
from grader.formats.clean import clean
from grader.formats.text import not_written
from grader.jupyter.completion import kata_names
from grader.jupyter.display import Display, tell
from grader.jupyter.grading import GradingEvents, Parser
from grader.records import FULL_SCORE, CheckResult, FailedCall, GraderError, SentValue
from grader.submission import unknown


class KernelFailure:
    """The smallest call that failed, as `%failed` puts it into the kernel.

    Args:
        call: the call that failed.
        check: the check that failed, from the report; None: the report has none of that name.

    Attributes:
        inputs: the arguments, by the contract's names.
        parameters: the parameters of the layer that was called, by path.
        expected: the expected values; None where the claim is about the values alone, or the call raised.
        got: the values that were returned; None where the call raised.
        made: how the layer was made; empty: a function was called.
    """

    def __init__(self, call: FailedCall, check: CheckResult | None) -> None:
        self.inputs = {name: _value(value) for name, value in call.inputs.items()}
        self.parameters = {path: _value(value) for path, value in call.parameters.items()}
        self.expected = None if call.expected is None else _value(call.expected)
        self.got = None if call.got is None else _value(call.got)
        self.made = call.made
        self._call, self._check = call, check

    def __repr__(self) -> str:
        call = self._call
        lines = [f"{call.tier}: {call.call}" + (f" of {call.made}" if call.made else "")]
        lines += [f"  failed.inputs      {_sizes(call.inputs)}"]
        lines += [f"  failed.parameters  {_sizes(call.parameters)}"] if call.parameters else []
        lines += [f"  compared           {clean(self._check.what)}"] if self._check and self._check.what else []
        compared = {"expected": call.expected, "got": call.got}
        sizes = {name: _size(value) for name, value in compared.items() if value is not None}
        if call.expected is None and call.got is not None:  # many values are right
            requirement = clean(self._check.expected or self._check.claim) if self._check else "see the report"
            sizes = {"expected": f"None: {requirement}", **sizes}
        lines += [f"  failed.{name:<10}  {size}" for name, size in sizes.items()]
        printed = clean(call.printed).rstrip().split("\n") if call.printed else []
        return "\n".join([*lines, *(["printed in it:"] if printed else []), *(f"  | {line}" for line in printed)])


def _no_call_of(report: Report) -> str:
    """Why there is no failing call."""
    if not_written(report):
        return "nothing is written yet, so no call failed"
    if report.score == report.max_score:
        return "no call failed: every check passed"
    return "the last grading has no failing call to show: what it says is all that is known"


def _check_of(report: Report, call: FailedCall) -> CheckResult | None:
    return next((check for tier in report.tiers for check in tier.checks if check.name == call.check), None)


class SelfStudy:
    """The magics `%hint`, `%failed` and `%solution`.

    Args:
        ipython: the running InteractiveShell. (Its own annotations do not fit its methods, hence Any.)
        last: gives the last grading.
    """

    def __init__(self, ipython: Any, last: Callable[[], GradingEvents | None]) -> None:
        self._ipython, self._last = ipython, last
        self._given: dict[tuple[str, str | None], int] = {}
        """How many hints were given, by kata and tier."""

    def hint(self, line: str) -> None:
        """`%hint [KATA]`: the first hint for the tier that failed last, then the next."""
        kata = self._kata("%hint", line.strip())
        report = self._report_on(kata)
        if report and report.score == report.max_score:
            raise GraderError(f"every check passed, so there is nothing to hint at: %solution {kata} shows ours")
        tier = hinted_tier(report)
        chosen = for_tier(hints(kata, place.ROOT), tier)
        given = self._given.get((kata, tier), 0)
        if given >= len(chosen):
            raise GraderError(f"no further hint{f' for {tier}' if tier else ''}: %solution {kata} shows our solution")
        self._given[kata, tier] = given + 1
        tell(Display(_hint(chosen[given], tier), is_markdown=True))

    def failed(self, line: str) -> None:
        """`%failed`: the smallest call that failed, as `failed.inputs`, `failed.expected`, `failed.got`."""
        last = self._last()
        if last is None:
            raise GraderError("nothing has been graded yet: run %grade first")
        if last.failed is None:
            raise GraderError(_no_call_of(last.report))
        failed = KernelFailure(last.failed, _check_of(last.report, last.failed))
        self._ipython.push({"failed": failed})
        tell(Display(repr(failed)))

    def solution(self, line: str) -> None:
        """`%solution [KATA] [--yes]`: our solution with its steps; below 100 it asks first."""
        parser = Parser(prog="%solution", allow_abbrev=False)
        parser.add_argument("kata", nargs="?", default="")
        parser.add_argument("--yes", action="store_true", help="do not ask")
        try:
            options: argparse.Namespace = parser.parse_args(line.split())
        except SystemExit:  # argparse has shown its help
            return
        kata = self._kata("%solution", options.kata)
        if options.yes or self._is_solved(kata) or _agreed(kata):
            from grader.stubs.writer import solved  # slow to import, and seldom needed

            tell(Display(solved(kata, place.ROOT), is_markdown=True))

    def _kata(self, magic: str, named: str) -> str:
        """The kata that was named, or else graded last.

        Raises:
            GraderError: neither is there, or there is no such kata.
        """
        last, names = self._last(), kata_names()
        kata = named or (last.report.kata if last else "")
        if not kata:
            raise GraderError(f"nothing has been graded yet: name the kata, such as {magic} {names[0]}")
        if kata not in names:
            raise GraderError(unknown("kata", kata, names))
        return kata

    def _report_on(self, kata: str) -> Report | None:
        last = self._last()
        return last.report if last and last.report.kata == kata else None

    def _is_solved(self, kata: str) -> bool:
        report, known = self._report_on(kata), progress.read().get(kata)
        return bool(known and known.best >= FULL_SCORE) or bool(report and report.score >= FULL_SCORE)


def _agreed(kata: str) -> bool:
    from IPython.core.error import StdinNotImplementedError

    try:
        answer = input(f"{kata} is not at {FULL_SCORE} yet. Show our solution all the same? [y/n] ")
    except (StdinNotImplementedError, EOFError):
        repair = f"%solution {kata} --yes shows ours all the same"
        raise GraderError(f"{kata} is not at {FULL_SCORE} yet: {repair}") from None
    return answer.strip().lower() in ("y", "yes")


def _hint(hint: Hint, tier: str | None) -> str:
    return f"**Hint {hint.number}: {hint.about}**{f' ({tier})' if tier in hint.tiers else ''}\n\n{hint.text}"


def _value(sent: SentValue) -> Any:
    import torch

    numbers = [float(each) if sent.dtype and isinstance(each, str) else each for each in sent.values]
    return torch.tensor(numbers, dtype=getattr(torch, sent.dtype)).reshape(sent.shape) if sent.dtype else numbers[0]


def _sizes(values: dict[str, SentValue]) -> str:
    return ", ".join(f"{name} {_size(value)}" for name, value in values.items())


def _size(value: SentValue) -> str:
    return f"{value.shape} {value.dtype}" if value.dtype else f"= {value.values[0]}"
