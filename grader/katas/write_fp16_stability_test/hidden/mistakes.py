"""The mistakes: steps that take the place of right ones."""

from collections.abc import Callable

import torch

from grader.checks.subject import Implementation
from grader.claims.hidden.testing import ONE_VERDICT
from grader.katas.write_fp16_stability_test.hidden.checker import (
    HIGH,
    Answer,
    Inputs,
    Question,
    agree,
    answer_of,
    beyond_one,
    error,
    expected,
    in_float64,
    large,
    normal,
)
from grader.oracle.mistake import Mistake


def _positive() -> Inputs:
    q, k, v = large()
    q[..., 0] = HIGH
    return q, k, v


def _its_own(attention: Implementation, question: Question) -> Answer:
    return answer_of(attention, in_float64(question)) or expected(attention, question)


def _is_finite(answer: Answer) -> bool:
    return all(bool(x.isfinite().all()) for x in answer)


def _agrees(name: str, sentence: str, step: Callable[[Answer, Answer, float], bool], why: str) -> Mistake:
    return Mistake(name, sentence, {"agree": step}, why=why)


def _inputs(name: str, sentence: str, why: str, **steps: Callable[..., object]) -> Mistake:
    return Mistake(name, sentence, dict(steps), why=why)


_BOTH = "float16 has the digits and not the range, bfloat16 the range and not the digits: each breaks elsewhere."
_PLACES = "Each number may be finite, each row may sum to 1 and the mean may be right, while another of them is not."
MISTAKES = (
    *ONE_VERDICT,
    _agrees(
        "verdict_inverted",
        "the verdicts were exchanged: what is stable was refused",
        lambda answer, want, eps: not agree(answer, want, eps),
        why="assert raises where its condition is false: the condition is what holds of a stable attention.",
    ),
    _inputs("float16_alone", "bfloat16 was not tried", _BOTH, dtypes=lambda: (torch.float16,)),
    _inputs("bfloat16_alone", "float16 was not tried", _BOTH, dtypes=lambda: (torch.bfloat16,)),
    _inputs(
        "no_masks",
        "no mask was passed",
        "What hides a key is a number as well, and may not be representable in the dtype.",
        hides=lambda keys: None,
    ),
    _inputs(
        "no_large_scores",
        "no dot product came near 65504",
        "Normal numbers give dot products of some dozens: no step comes near the end of its range.",
        large=normal,
    ),
    _inputs(
        "large_scores_positive",
        "all scores beyond the range were above 0",
        "What is filled in, or subtracted, fails where a row lies far below it.",
        large=_positive,
    ),
    _inputs(
        "few_keys",
        "no sum ran over more than 4096 keys",
        "A sum of a few dozen terms loses its last digits; one of thousands loses whole terms.",
        long=normal,
    ),
    _agrees(
        "finite_alone",
        "output and weights were looked at for NaN and infinity alone",
        lambda answer, want, eps: _is_finite(answer),
        _PLACES,
    ),
    _agrees(
        "nan_let_pass",
        "NaN was accepted: the test looks for an error above its limit, and NaN is above none",
        lambda answer, want, eps: not ((error(answer, want) > 4 * eps) | (beyond_one(answer) > 4 * eps)),
        why="Every comparison with NaN is false, so that NaN is never above a bound either.",
    ),
    _agrees(
        "weights_not_looked_at",
        "the output alone was looked at, and no sum of weights",
        lambda answer, want, eps: bool(error(answer, want) < 4 * eps),
        _PLACES,
    ),
    _agrees(
        "output_not_looked_at",
        "the output was compared with no right one: the sums of the weights alone decided",
        lambda answer, want, eps: bool(beyond_one(answer) < 4 * eps),
        _PLACES,
    ),
    Mistake(
        "own_reference",
        "the attention was compared with itself in float64",
        {"expected": _its_own},
        why="What is clamped or filled with a fixed number is as wrong in float64: only the formula tells.",
    ),
    _agrees(
        "tolerance_wide",
        "an error of 5 % was accepted",
        lambda answer, want, eps: bool((error(answer, want) < 0.05) & (beyond_one(answer) < 4 * eps)),
        why="float16 keeps 3 digits and bfloat16 2: an error of 5 % is 50 eps in the one, and 6 in the other.",
    ),
    _agrees(
        "tolerance_tight",
        "an error of half an eps on the mean was refused",
        lambda answer, want, eps: bool((error(answer, want) < eps / 2) & (beyond_one(answer) < 4 * eps)),
        why="Output and weights are rounded once at least, and a stable attention may round more than once.",
    ),
    _agrees(
        "relative_to_each_value",
        "each value was compared with itself: one that is nearly 0 has no digits to lose",
        lambda answer, want, eps: bool(
            torch.allclose(*(x[0] for x in (answer, want)), rtol=16 * eps, atol=0) and beyond_one(answer) < 4 * eps
        ),
        why="A sum that cancels has the error of its terms: the bound belongs to the size of the values, not to it.",
    ),
)
