"""A right test, made of steps that a mistake replaces."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypeAlias

import torch
from torch import Tensor

from grader.checks.subject import Implementation
from grader.oracle.catalogue import low_precision as low
from grader.oracle.functions import Functions
from grader.oracle.implemented import HEADS_GIVEN, function

Inputs: TypeAlias = tuple[Tensor, Tensor, Tensor]
"""q (B, H, L, D), k and v (B, H, S, D), float32."""
Answer: TypeAlias = tuple[Tensor, Tensor]
"""Output (B, H, L, D) and weights (B, H, L, S), float64."""
HIGH, LARGE = 256.0, 384.0
"""One feature of a query and of a key: their product alone is 98304."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A call of an attention in a dtype; each is made once, so that answers can be kept."""

    q: Tensor
    k: Tensor
    v: Tensor
    mask: Tensor | None


def check(steps: Functions, attention: Implementation) -> bool | None:
    """Whether the attention is refused; None where an error that it raises is let through."""
    holds = True
    for dtype in steps.dtypes():
        for inputs in (steps.large, steps.long):
            question = _question(inputs, steps.hides, dtype)
            answer = answer_of(attention, question)
            if answer is None:
                return steps.raised(steps)
            holds = holds and steps.agree(answer, steps.expected(attention, question), torch.finfo(dtype).eps)
    return steps.refused(holds)


@cache
def _question(inputs: Callable[[], Inputs], hides: Callable[[int], Tensor | None], dtype: torch.dtype) -> Question:
    q, k, v = (x.to(dtype) for x in inputs())
    return Question(q, k, v, hides(k.shape[-2]))


@lru_cache(maxsize=1024)
def answer_of(attention: Implementation, question: Question) -> Answer | None:
    """Output and weights in float64; None where the attention raises."""
    try:
        output, weights = attention.run({}, question.q, question.k, question.v, question.mask)
    except RuntimeError:
        return None
    return output.double(), weights.double()


def _drawn(*shapes: tuple[int, ...]) -> list[Tensor]:
    generator = torch.Generator().manual_seed(7)
    return [torch.randn(shape, generator=generator) for shape in shapes]


def normal() -> Inputs:
    """Inputs that are normally distributed."""
    q, k, v = _drawn((2, 2, 16, 64), (2, 2, 16, 64), (2, 2, 16, 64))
    return q, k, v


def large() -> Inputs:
    """Inputs with dot products around 98304 or -98304, which differ as those of normal inputs do.

    The dot products with the last key are twice as large.
    """
    q, k, v = normal()
    q[..., 0], k[..., 0] = HIGH, LARGE
    q[..., 1::2, 0], k[..., -1, 0] = -HIGH, 2 * LARGE
    return q, k, v


def long() -> Inputs:
    """Inputs of 8192 keys, with values that do not cancel in a sum."""
    q, k, v = _drawn((1, 1, 2, 8), (1, 1, 8192, 8), (1, 1, 8192, 8))
    return q, k, v.abs()


def hides(keys: int) -> Tensor:
    """A mask that hides the last key."""
    return torch.arange(keys) < keys - 1


@cache
def _formula(question: Question) -> Answer:
    output, weights = function(HEADS_GIVEN).run({}, question.q, question.k, question.v, question.mask)
    return output, weights


def expected(attention: Implementation, question: Question) -> Answer:
    """The answer of the formula in float64, on inputs that are rounded to their dtype already."""
    return _formula(in_float64(question))


@cache
def in_float64(question: Question) -> Question:
    return Question(question.q.double(), question.k.double(), question.v.double(), question.mask)


def error(answer: Answer, want: Answer) -> Tensor:
    """The mean absolute error of the output, as a share of the mean absolute value that is expected."""
    return (answer[0] - want[0]).abs().mean() / want[0].abs().mean()


def beyond_one(answer: Answer) -> Tensor:
    """The largest distance of a query's sum of weights from 1."""
    return (answer[1].sum(-1) - 1).abs().max()


def agree(answer: Answer, want: Answer, eps: float) -> bool:
    """Whether the error and the sums of the weights are below their bounds; NaN never is.

    Args:
        answer: the attention's answer.
        want: what is expected.
        eps: the eps of the dtype.
    """
    return bool((error(answer, want) < 4 * eps) & (beyond_one(answer) < 4 * eps))


TEST = Functions(
    check_fp16_stability=check,
    dtypes=lambda: low.HALVES,
    large=large,
    long=long,
    hides=hides,
    raised=lambda steps: steps.refused(holds=False),
    expected=expected,
    agree=agree,
    refused=lambda holds: not holds,
)
