"""Shapes: self- and cross-attention, the smallest sizes."""

from grader.checks import expect
from grader.checks.attention import MakeAttention
from grader.checks.draw import Draw


def self_attention(attention: MakeAttention, draw: Draw) -> None:
    """In self-attention the output has the shape of the input."""
    mha = attention(embed_dim=30, num_heads=3)
    answer = mha(mha.case(draw, N=2, L=5))
    expect.shape("output", answer.output, **mha.output_axes(N=2, L=5))


def self_attention_weights(attention: MakeAttention, draw: Draw) -> None:
    """In self-attention the weights have a row for each query and a column for each key."""
    mha = attention(embed_dim=30, num_heads=3)
    weights = mha.weights_of(mha(mha.case(draw, N=2, L=5)))
    expect.shape("weights", weights, **mha.weights_axes(N=2, L=5, S=5))


def cross_attention(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention the output has as many rows as there are queries, not keys."""
    mha = attention(embed_dim=18, num_heads=3)
    more_keys = mha(mha.case(draw, N=2, L=5, S=7))
    expect.shape("output", more_keys.output, **mha.output_axes(N=2, L=5))
    fewer_keys = mha(mha.case(draw, N=2, L=7, S=4))
    expect.shape("output", fewer_keys.output, **mha.output_axes(N=2, L=7))


def cross_attention_weights(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention the weights have a row for each query and a column for each key."""
    mha = attention(embed_dim=18, num_heads=3)
    more_keys = mha.weights_of(mha(mha.case(draw, N=2, L=5, S=7)))
    expect.shape("weights", more_keys, **mha.weights_axes(N=2, L=5, S=7))
    fewer_keys = mha.weights_of(mha(mha.case(draw, N=2, L=7, S=4)))
    expect.shape("weights", fewer_keys, **mha.weights_axes(N=2, L=7, S=4))


def smallest_sizes(attention: MakeAttention, draw: Draw) -> None:
    """Batch 1, one head, as many heads as features, one token: all keep their shape."""
    one_head = attention(embed_dim=6, num_heads=1)
    expect.shape("output", one_head(one_head.case(draw, N=1, L=5)).output, **one_head.output_axes(N=1, L=5))
    narrow = attention(embed_dim=6, num_heads=6)
    expect.shape("output", narrow(narrow.case(draw, N=3, L=4)).output, **narrow.output_axes(N=3, L=4))
    expect.shape("output", narrow(narrow.case(draw, N=2, L=1)).output, **narrow.output_axes(N=2, L=1))
