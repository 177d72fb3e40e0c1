"""The first place from which a submission's values are wrong: a helper, or a step of the attention."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from grader.checks.attention import DrawnWeights, HelperCall
from grader.checks.kata import JudgedCall, Kata
from grader.checks.subject import AnsweredCall
from grader.judge.diagnosis.answers import Answers
from grader.judge.diagnosis.replay import all_same
from grader.judge.engine import Run
from grader.listing import listed


def judge_calls(answers: Answers, run: Run, *, passed: bool = False) -> list[JudgedCall]:
    """Return the calls of a check that the oracle can answer, each compared with the oracle's answer.

    Args:
        answers: the answers of the oracle.
        run: the check, and what the submission returned in it.
        passed: whether the check passed. An answer in a low dtype is not called wrong then: a right one may be further
            off than the rule allows, as with large scores.
    """
    calls, oracle = answers.kata.key.calls, answers.kata.key.oracle

    def judged_call(call: Any) -> JudgedCall:
        is_right = _is_right(answers, call)
        is_looked_at = not passed or is_right is False
        return JudgedCall(call, is_right, answers.walked(oracle, call) if is_looked_at else None)

    judged = [judged_call(call) for call in run.trace.calls if isinstance(call, calls)]
    return [each for each in judged if not (passed and each.is_right is False and _is_low(answers, each.call))]


def _is_low(answers: Answers, call: Any) -> bool:
    return any(isinstance(each, Tensor) and each.dtype != torch.float64 for each in answers.returned(call))


def _is_right(answers: Answers, call: Any) -> bool | None:
    rounding = answers.kata.key.rounding(call)
    return None if rounding is None else answers.is_right(call, *rounding)


def is_finite(answers: Answers, call: Any) -> bool:
    """Whether a call returned only finite numbers: NaN is no right answer, even where right ones differ."""
    return are_finite(answers.returned(call))


def are_finite(values: Iterable[Any]) -> bool:
    """Whether the tensors among these values hold only finite numbers."""
    return all(bool(value.isfinite().all()) for value in values if isinstance(value, Tensor))


def wrong_helpers(kata: Kata, failures: Sequence[Run], passes: Sequence[Run]) -> str | None:
    """Which helpers of the contract are wrong where a check calls them on their own; None: none is.

    Args:
        kata: the kata whose contract has the helpers.
        failures: the checks that failed on values.
        passes: the checks that passed.
    """
    if len(kata.contract.needed) == 1:
        return None  # there is no helper
    wrong = [name for run in failures if (name := _helper_alone(kata, run))]
    right = {name for run in passes if (name := _helper_alone(kata, run))} - set(wrong)
    others = f", {_are(sorted(right))} right" if right else ""
    return f"called on its own, {_are(dict.fromkeys(wrong))} wrong{others}" if wrong else None


def on_weights(failures: Sequence[Run]) -> str:
    """Words that say on which weights calls were judged, if a check failed because others were drawn; else empty."""
    drawn = [call for run in failures for call in run.trace.calls if isinstance(call, DrawnWeights)]
    return "" if all(map(_are_pytorchs, drawn)) else "with the weights that it drew: "


def _are_pytorchs(drawn: DrawnWeights) -> bool:
    used, right = ([tensor for _, tensor in weights.items()] for weights in (drawn.used, drawn.right))
    return all_same(used, right)


def _helper_alone(kata: Kata, run: Run) -> str | None:
    """The helper that a check calls, if it calls nothing else."""
    names = {_helper(kata, call) for call in run.trace.calls}
    return names.pop() if len(names) == 1 else None


def _helper(kata: Kata, call: Any) -> str | None:
    """The name of the helper called: a method of the object, or a function beside the class; None: it is no helper."""
    if isinstance(call, AnsweredCall) and not isinstance(call, kata.key.calls):
        return call.call.name
    return call.name if isinstance(call, HelperCall) else None


def _are(names: Collection[str]) -> str:
    return f"{listed(names)} {'are' if len(names) > 1 else 'is'}"
