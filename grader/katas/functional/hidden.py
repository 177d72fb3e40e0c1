"""`functional`: the checks that a kit does not show, the oracle and the mistakes."""

from dataclasses import replace

import torch

from grader.checks import expect, tiers
from grader.checks.attention import Attention, MakeAttention
from grader.checks.case import Case, Projections
from grader.checks.draw import Draw
from grader.claims.hidden import parity, profile
from grader.katas.functional.contract import KATA
from grader.oracle import catalogue, drawn_weights, pipeline
from grader.oracle.attention_key import AttentionKey


@tiers.PARITY(weight=12)
def weights_are_drawn_as_pytorch_draws_them(attention: MakeAttention, draw: Draw) -> None:
    """After the same torch.manual_seed, the weights drawn are those of nn.MultiheadAttention(bias=False)."""
    for embed_dim, num_heads in ((30, 3), (24, 8), (7, 1), (130, 2)):  # a bound may be right for one size by chance
        drawn_weights.equal_pytorchs(attention(embed_dim=embed_dim, num_heads=num_heads))
    drawn_weights.equal_pytorchs(attention(embed_dim=30, num_heads=3, dtype=torch.float32))
    mha = attention(embed_dim=30, num_heads=3)
    drawn = drawn_weights.as_pytorch_draws(mha.seed, mha.size)
    case = mha.case(draw, N=2, L=5)
    expect.close("output", mha(case).output, by(mha, case, drawn))
    # Drawn in the default dtype and converted, or in the dtype of q as nn.MultiheadAttention(dtype=q.dtype) draws.
    in_float32 = drawn_weights.as_pytorch_draws(mha.seed, replace(mha.size, dtype=torch.float32)).to(torch.float64)
    output = mha(case.but(default_dtype=torch.float32)).output
    either = min((by(mha, case, each) for each in (in_float32, drawn)), key=lambda right: (right - output).norm())
    expect.close("output in float64 where the default dtype is float32", output, either)
    # A layer that is not the first of a model goes on from where the generator stands.
    later = drawn_weights.as_pytorch_draws(mha.seed, mha.size, drawn=1)
    expect.close("output where a number was drawn before", mha(case.but(drawn=1)).output, by(mha, case, later))


def by(mha: Attention, case: Case, weights: Projections) -> torch.Tensor:
    """The oracle's output with these weights.

    Args:
        mha: the attention.
        case: the call.
        weights: (E, E) each, no biases.
    """
    return mha.kata.key.oracle.run(case, mha.size, weights).output


@tiers.PARITY()
def a_mask_for_every_head(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention a mask (N, H, L, S) hides other keys in each head, and the output equals PyTorch's."""
    as_trained = parity.equals_itself_in_float64
    for dtype, is_right in ((torch.float64, parity.equals_pytorch), (torch.float32, as_trained)):
        mha = attention(embed_dim=30, num_heads=3, dtype=dtype)
        is_right(mha, mha.case(draw, N=2, L=5, S=7, allow=draw.allow(2, 3, 5, 7)))


CLAIMS = (*profile.hidden(KATA), *tiers.hidden(weights_are_drawn_as_pytorch_draws_them, a_mask_for_every_head))
KEY = AttentionKey(
    oracle=pipeline.PER_HEAD.but(give=pipeline.give_nothing),
    mistakes=catalogue.of(KATA),
    weights=drawn_weights.PyTorchDraws(),
)
