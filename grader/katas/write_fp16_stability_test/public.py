"""`write_fp16_stability_test`: the checks that a candidate is given."""

import torch
from torch import Tensor

from grader.checks import expect, tiers
from grader.checks.subject import Implementation, Subject
from grader.claims.testing import REFUSAL, RUNS, try_test

TEST = "check_fp16_stability"


def in_double(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """An attention in float64, (B, H, L, D) and (B, H, L, S), whose results alone are rounded.

    Args:
        q: (B, H, L, D).
        k: (B, H, S, D).
        v: (B, H, S, D).
        mask: broadcasts to (B, H, L, S), 0 = masked.
    """
    products = torch.einsum("bhld,bhsd->bhls", q.double(), k.double()) * q.shape[-1] ** -0.5
    shown = torch.ones_like(products) if mask is None else mask.expand_as(products)
    largest = products.where(shown != 0, -torch.inf).amax(-1, keepdim=True)
    powers = (products - largest).exp().where(shown != 0, 0.0)
    weights = powers / powers.sum(-1, keepdim=True)
    return torch.einsum("bhls,bhsd->bhld", weights, v.double()).to(v.dtype), weights.to(q.dtype)


def attention(in_half: float) -> Implementation:
    """An attention whose results in half precision are multiplied by a number."""

    def run(
        parameters: dict[str, Tensor], q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        output, weights = in_double(q, k, v, mask=mask)
        factor = in_half if q.dtype in (torch.float16, torch.bfloat16) else 1.0
        return output * factor, weights * factor

    return Implementation(run)


@RUNS()
def an_attention_in_float64_is_accepted(subject: Subject) -> None:
    """An attention that computes in float64, and rounds nothing but its results, is stable: None is returned."""
    expect.nothing("what is returned", try_test(subject, TEST, attention(1.0)).value)


@RUNS()
def an_attention_that_returns_nan_is_refused(subject: Subject) -> None:
    """Where output and weights are NaN in half precision, AssertionError is raised."""
    given = attention(torch.nan)
    expect.refuses("an attention that returns NaN", lambda: try_test(subject, TEST, given), REFUSAL)


CLAIMS = tiers.public(an_attention_in_float64_is_accepted, an_attention_that_returns_nan_is_refused)
