"""The narrow dtypes that scores may have been computed in, which a replay proves to the last digit."""

from collections.abc import Iterator

import torch
from torch import Tensor

from grader.oracle.mistake import Mistake, Step
from grader.oracle.pipeline import Context, Steps

NARROW = (
    (torch.float32, "float32", "float32 keeps 7 of float64's 16 digits, and no later step brings them back."),
    (torch.float16, "float16", "float16 keeps 3 digits and ends at 65504: a larger score becomes infinite."),
    (torch.bfloat16, "bfloat16", "bfloat16 keeps 2 digits: scores that set keys apart become equal."),
)


def narrow_scores(oracle: Steps) -> Iterator[Mistake]:
    """Mistakes that round scores to a narrow dtype or compute them in it, before or after they are scaled.

    Args:
        oracle: the pipeline that is right.
    """
    for dtype, name, why in NARROW:

        def rounded(x: Tensor, c: Context, dtype: torch.dtype = dtype) -> Tensor:
            return _wide(x.to(dtype), c)

        def meet(query: Tensor, key: Tensor, c: Context, dtype: torch.dtype = dtype) -> Tensor:
            return query.to(dtype) @ key.to(dtype).transpose(-2, -1)

        def met(query: Tensor, key: Tensor, c: Context, meet: Step = meet) -> Tensor:
            return _wide(meet(query, key, c), c)

        def scaled(scores: Tensor, c: Context) -> Tensor:
            return _wide(oracle.scale(scores, c), c)

        def times_reciprocal(scores: Tensor, c: Context) -> Tensor:
            return _wide(scores * float(oracle.scale(torch.ones((), dtype=torch.float64), c)), c)

        in_it = f"the dot products were computed in {name}"
        steps: tuple[tuple[str, dict[str, Step]], ...] = (
            (
                f"the scores were rounded to {name}",
                {"scale": lambda scores, c, to=rounded: to(oracle.scale(scores, c), c)},
            ),
            (
                f"the dot products were rounded to {name} before they were scaled",
                {"scale": lambda scores, c, to=rounded: oracle.scale(to(scores, c), c)},
            ),
            (in_it, {"score": met}),
            (f"{in_it} and divided there", {"score": meet, "scale": scaled}),
            (f"{in_it} and scaled there", {"score": meet, "scale": times_reciprocal}),
            (
                f"{in_it}, of queries that were scaled before",
                {"score": lambda query, key, c, met=met: met(oracle.scale(query, c), key, c), "scale": lambda x, c: x},
            ),
            (
                f"the softmax was taken in {name}",
                {"softmax": lambda scores, c, dtype=dtype: _wide(oracle.softmax(scores.to(dtype), c), c)},
            ),
        )
        for words, changed in steps:
            sentence = f"{words}, whatever the dtype of the inputs"
            yield Mistake("scores_in_a_narrow_dtype", sentence, changed, why=why, rounds=dtype == torch.float32)


def _wide(x: Tensor, c: Context) -> Tensor:
    """The tensor, converted back to the dtype of the inputs."""
    return x.to(c.case.query.dtype)
