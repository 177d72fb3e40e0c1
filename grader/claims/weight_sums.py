"""Weight sums: the weights are a distribution over the keys, and the ones that made the output."""

from grader.checks import expect
from grader.checks.attention import Attention, MakeAttention
from grader.checks.case import Answer
from grader.checks.draw import Draw


def weights_are_a_distribution(attention: MakeAttention, draw: Draw) -> None:
    """In self-attention the weights are non-negative and sum to 1 over the keys."""
    mha = attention(embed_dim=24, num_heads=4)
    answer = mha(mha.case(draw, N=3, L=5))
    is_a_distribution(mha, answer, N=3, L=5, S=5)


def weights_are_a_distribution_in_cross_attention(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention the weights are non-negative and sum to 1 over the keys."""
    mha = attention(embed_dim=30, num_heads=3)
    answer = mha(mha.case(draw, N=2, L=5, S=11))
    is_a_distribution(mha, answer, N=2, L=5, S=11)


def is_a_distribution(mha: Attention, answer: Answer, N: int, L: int, S: int) -> None:
    """The weights have the contract's shape, are non-negative and sum to 1 over the keys.

    Args:
        mha: the attention.
        answer: what it returned; weights (N, L, S), or (N, H, L, S) per head.
        N: batch size.
        L: number of queries.
        S: number of keys.
    """
    weights = mha.weights_of(answer)
    expect.shape("weights", weights, **mha.weights_axes(N=N, L=L, S=S))
    expect.at_least("weights", weights, 0.0)
    expect.close("weights.sum(-1)", weights.sum(-1), 1.0)


def equal_values_come_back(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention, where all 7 values are equal, the output is that value projected: the weights sum to 1."""
    mha = attention(embed_dim=18, num_heads=3)
    case = mha.case(draw, N=2, L=5, S=7)
    same = case.values[:, :1].expand(-1, 7, -1).contiguous()
    alone = mha(case.but(key=case.keys[:, :1], value=same[:, :1]))  # one key takes all the weight
    expect.close("output", mha(case.but(value=same)).output, alone.output)


def one_key_takes_all(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention with a single key every query gets the same answer: the weight is 1, whatever the score."""
    mha = attention(embed_dim=40, num_heads=4)
    output = mha(mha.case(draw, N=3, L=5, S=1)).output
    expect.shape("output", output, **mha.output_axes(N=3, L=5))
    expect.close("output", output, output[:, :1].expand_as(output))
