"""Causal: no query sees a later key."""

import torch

from grader.checks import draw as masks
from grader.checks import expect
from grader.checks.attention import CALM, MakeAttention
from grader.checks.case import MaskFormat
from grader.checks.draw import Draw


def no_query_sees_a_later_key(attention: MakeAttention, draw: Draw, mask_format: MaskFormat | None = None) -> None:
    """Under a causal mask the weights above the diagonal are zero, and the others share everything."""
    mha = attention(embed_dim=18, num_heads=3)
    allow = masks.causal(7)
    weights = mha.weights_of(mha(mha.calm_case(draw, N=2, L=7, allow=allow, mask_format=mask_format)))
    expect.shape("weights", weights, **mha.weights_axes(N=2, L=7, S=7))
    expect.zero("weights of later keys", weights, where=~allow)
    expect.close("weights.sum(-1)", weights.sum(-1), 1.0)


def a_prefix_does_not_depend_on_what_follows(
    attention: MakeAttention, draw: Draw, mask_format: MaskFormat | None = None
) -> None:
    """Under a causal mask the answer for a prefix does not change when later tokens do."""
    mha = attention(embed_dim=40, num_heads=4)
    case = mha.calm_case(draw, N=3, L=7, allow=masks.causal(7), mask_format=mask_format)
    later = torch.cat([case.query[:, :4], draw.tensor(3, 3, 40, std=CALM)], dim=1)
    first, second = mha(case).output, mha(case.but(query=later)).output
    expect.close("output of the first 4 tokens", second[:, :4], first[:, :4])
    expect.differ("output of the last 3 tokens", second[:, 4:], first[:, 4:], "after they were changed")


def a_prefix_does_not_depend_on_what_follows_in_format(
    attention: MakeAttention, draw: Draw, mask_format: MaskFormat
) -> None:
    """With a causal mask as {mask_format}, the answer for a prefix does not change when later tokens do."""
    a_prefix_does_not_depend_on_what_follows(attention, draw, mask_format=mask_format)
