"""`scaled_dot_product`: the checks that a candidate is given."""

import torch

from grader.checks import expect, tiers
from grader.checks.attention import MakeAttention
from grader.checks.case import Case
from grader.checks.draw import Draw
from grader.claims import profile
from grader.katas.scaled_dot_product.contract import KATA


@tiers.SHAPES(weight=2)
def any_leading_axes(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention any number of leading axes is kept: (L, D) and (N, H, L, D) work as (N, L, D) does."""
    attend = attention(embed_dim=6, num_heads=1)
    plain = attend(Case(draw.tensor(5, 6), draw.tensor(7, 6), draw.tensor(7, 6)))
    expect.shape("output", plain.output, L=5, D=6)
    expect.shape("weights", attend.weights_of(plain), L=5, S=7)
    heads = attend(Case(draw.tensor(2, 3, 5, 6), draw.tensor(2, 3, 7, 6), draw.tensor(2, 3, 7, 6)))
    expect.shape("output", heads.output, N=2, H=3, L=5, D=6)
    expect.shape("weights", attend.weights_of(heads), N=2, H=3, L=5, S=7)


@tiers.SHAPES(weight=2)
def values_of_another_width(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention the output is as wide as the values, which may be wider or narrower than the keys."""
    attend = attention(embed_dim=6, num_heads=1)
    answer = attend(Case(draw.tensor(2, 5, 6), draw.tensor(2, 7, 6), draw.tensor(2, 7, 10)))
    expect.shape("output", answer.output, N=2, L=5, Dv=10)


@tiers.WEIGHT_SUMS(weight=3)
def the_output_is_the_weighted_sum_of_values(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention with one-hot values the output is the weights returned."""
    attend = attention(embed_dim=10, num_heads=1)
    values = torch.eye(7, dtype=torch.float64).expand(3, -1, -1).contiguous()
    answer = attend(Case(draw.tensor(3, 5, 10), draw.tensor(3, 7, 10), values))
    expect.close("output", answer.output, attend.weights_of(answer))


CLAIMS = (
    *profile.public(KATA),
    *tiers.public(any_leading_axes, values_of_another_width, the_output_is_the_weighted_sum_of_values),
)
