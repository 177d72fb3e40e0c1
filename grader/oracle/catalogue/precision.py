"""Mistakes that cost digits: a step in float32 where the inputs are float64. The digits left distinguish them."""

from collections.abc import Callable

import torch
from torch import Tensor

from grader.oracle.mistake import Mistake
from grader.oracle.pipeline import Context

_WHY = "float32 keeps 7 of float64's 16 digits, and no later step brings them back."


def _in_float32_of_any(softmax: Callable[[Tensor, Context], Tensor]) -> Callable[[Tensor, Context], Tensor]:
    return lambda scores, c: softmax(scores.float(), c).to(c.case.query.dtype)


def _in_float32(features: Callable[[Context], int]) -> tuple[Mistake, ...]:
    """The mistakes, given the number of features that a score sums over."""

    def rounded_root(scores: Tensor, c: Context) -> Tensor:
        return scores / float(torch.tensor(features(c), dtype=torch.float32).sqrt())

    def rounded_scores(scores: Tensor, c: Context) -> Tensor:
        return (scores / features(c) ** 0.5).float().to(scores.dtype)

    def rounded_products(scores: Tensor, c: Context) -> Tensor:
        return scores.float().to(scores.dtype) / features(c) ** 0.5

    def all_rounded(scores: Tensor, c: Context) -> Tensor:
        return scores.float() / features(c) ** 0.5

    return (
        Mistake(
            "scale_in_float32",
            "the root that the scores were divided by was rounded to float32, where the inputs are float64",
            {"scale": rounded_root},
            why=_WHY,
            rounds=True,
        ),
        Mistake(
            "scores_in_float32",
            "the scores were rounded to float32, where the inputs are float64",
            {"scale": rounded_scores},
            why=_WHY,
            rounds=True,
        ),
        Mistake(
            "products_in_float32",
            "the dot products were rounded to float32 before they were scaled, where the inputs are float64",
            {"scale": rounded_products},
            why=_WHY,
            rounds=True,
        ),
        Mistake(
            "scale_and_softmax_in_float32",
            "the scores were scaled, and the softmax taken, in float32, where the inputs are float64",
            {"scale": all_rounded},
            around={"softmax": _in_float32_of_any},
            why=_WHY,
            rounds=True,
        ),
        Mistake(
            "softmax_in_float32",
            "the softmax was taken in float32, where the inputs are float64",
            around={"softmax": _in_float32_of_any},
            why=_WHY,
            rounds=True,
        ),
    )


IN_FLOAT32 = _in_float32(lambda c: c.size.head_dim)
IN_FLOAT32_OF_ONE_HEAD = _in_float32(lambda c: c.case.query.shape[-1])
"""Mistakes for attention that uses the whole embedding as one head."""
