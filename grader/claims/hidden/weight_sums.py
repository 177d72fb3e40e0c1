"""Weight sums: the weights are a distribution over the keys, and the ones that made the output."""

import torch

from grader.checks import expect
from grader.checks.attention import Attention, MakeAttention
from grader.checks.case import Case
from grader.checks.draw import Draw


def weights_made_the_output(attention: MakeAttention, draw: Draw) -> None:
    """The weights returned are the ones that the output was made with."""
    mha = attention(embed_dim=30, num_heads=3)
    mha.make_readable()
    answer = mha(spelled(mha, draw, N=2, L=7))
    weights = mha.weights_of(answer)
    read = answer.output.reshape(2, 7, 3, 10)[..., :7].transpose(1, 2)  # (N, H, L, S)
    expect.close(
        "weights that the output is made of (expected: those returned)",
        read if mha.kata.per_head else read.mean(1),
        weights,
    )


def spelled(mha: Attention, draw: Draw, N: int, L: int) -> Case:
    """Self-attention on tokens that are one-hot in every head: a readable attention's output spells its weights.

    Args:
        mha: the attention, with weights that make it readable.
        draw: of the check.
        N: batch size.
        L: number of tokens, D at most.
    """
    heads, width = mha.size.num_heads, mha.size.head_dim
    x = torch.eye(width, dtype=mha.size.dtype)[:L].repeat(N, 1, heads)
    return Case(x).but(seed=mha.seed)
