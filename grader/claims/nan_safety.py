"""NaN safety: a fully masked row, and extreme scores, give finite numbers; neighbours stay as they were."""

import torch

from grader.checks import expect
from grader.checks.attention import MakeAttention
from grader.checks.case import MaskFormat
from grader.checks.draw import Draw, causal

LARGE = 550
"""Times the inputs: scores grow with its square, to some 100000, and -1e9 still hides a key."""


def a_fully_masked_row(attention: MakeAttention, draw: Draw, mask_format: MaskFormat | None = None) -> None:
    """A fully masked row gets finite numbers{cross:, in cross-attention too}, and no other row changes."""
    mha = attention(embed_dim=18, num_heads=3)
    open_ = draw.allow(5, 5)
    masked = open_.clone()
    masked[2] = False
    others = [0, 1, 3, 4]
    for training in (False, True):
        case = mha.case(draw, N=2, L=5, allow=masked, mask_format=mask_format, training=training)
        answer = mha(case)
        expect.finite("output", answer.output)
        if_any(answer.weights)
        before = mha(case.but(allow=open_)).output
        expect.close("output of the other queries", answer.output[:, others], before[:, others])
    if mha.kata.streams > 1:
        wide = torch.ones(5, 7, dtype=torch.bool)
        wide[2] = False
        expect.finite(
            "output in cross-attention", mha(mha.case(draw, N=2, L=5, S=7, allow=wide, mask_format=mask_format)).output
        )
    if mha.kata.dropout_places:
        dropped = attention(embed_dim=18, num_heads=3, dropout=0.25)
        case = dropped.case(draw, N=2, L=5, allow=masked, mask_format=mask_format, training=True)
        expect.finite("output in train mode with dropout", dropped(case).output)


def a_fully_masked_row_in_format(attention: MakeAttention, draw: Draw, mask_format: MaskFormat) -> None:
    """A fully masked row is finite with {mask_format}{cross:, in cross-attention too}, and no other row changes."""
    a_fully_masked_row(attention, draw, mask_format=mask_format)


def a_fully_masked_row_under_a_broadcast_mask(attention: MakeAttention, draw: Draw) -> None:
    """Under a mask that is broadcast, or made for each head, a fully masked row gets finite numbers."""
    mha = attention(embed_dim=18, num_heads=3)
    shapes = mha.kata.mask_shapes(2, 3, 5, 5)
    if (1, 5) in shapes:  # broadcast over queries, and so over keys too
        column = torch.tensor([True, True, False, True, True])[:, None]
        case = mha.case(draw, N=2, L=5, allow=column, mask_dtype=torch.bool)
        expect.finite("output where a mask (L, 1) hides all keys of a query", mha(case).output)
    if (2, 3, 5, 5) in shapes:
        in_a_head = draw.allow(2, 3, 5, 5)
        in_a_head[0, 1, 2] = False
        case = mha.case(draw, N=2, L=5, allow=in_a_head, mask_dtype=torch.bool)
        expect.finite("output where a row is fully masked in one head", mha(case).output)


def a_sequence_that_is_all_padding(attention: MakeAttention, draw: Draw) -> None:
    """A sequence that is all padding gets finite numbers, and the others in its batch stay as they were."""
    mha = attention(embed_dim=24, num_heads=4)
    case = mha.calm_case(draw, N=3, L=5, keep=draw.keep([3, 0, 5]))
    answer = mha(case)
    expect.shape("output", answer.output, **mha.output_axes(N=3, L=5))
    expect.finite("output", answer.output)
    if_any(answer.weights)
    if mha.kata.switch and not mha.kata.weights_may_have_a_path:  # else each call is made without them, too
        expect.finite("output without the weights", mha(case.but(need_weights=False)).output)
    alone = mha(case.but(query=case.query[:1, :3], keep=None)).output
    expect.close("output of the first sequence, real tokens", answer.output[:1, :3], alone)
    # Each of the two masks leaves the first queries something to see, both together do not.
    # In float32 too, where two numbers that hide a key may add up to -inf.
    for some in (mha, attention(embed_dim=24, num_heads=4, dtype=torch.float32)):
        joined = some.case(draw, N=3, L=5, keep=draw.keep([3, 4, 2], size=5, side="left"), allow=causal(5))
        answer = some(joined)
        expect.finite("output under left padding and a causal mask", answer.output)
        if_any(answer.weights)
        strict = causal(5) & ~torch.eye(5, dtype=torch.bool)
        answer = some(some.case(draw, N=3, L=5, keep=draw.keep([3, 0, 2], size=5), allow=strict))
        expect.finite("output where two masks hide all keys of a query, each of them all", answer.output)
        if_any(answer.weights)


def all_zero_input(attention: MakeAttention, draw: Draw) -> None:
    """All-zero input gives the same finite answer to every query."""
    mha = attention(embed_dim=18, num_heads=3)
    case = mha.case(draw, N=2, L=5)
    output = mha(case.but(query=torch.zeros_like(case.query))).output
    expect.finite("output", output)
    one = mha(case.but(query=torch.zeros_like(case.query[:, :1]))).output
    expect.close("output", output, one.expand_as(output))


def if_any(weights: torch.Tensor | None) -> None:
    """Weights, where the contract returns them, are finite."""
    if weights is not None:
        expect.finite("weights", weights)
