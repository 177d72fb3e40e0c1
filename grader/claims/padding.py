"""Padding: padded keys get no weight, the real ones share all of it, and an answer does not depend on its batch."""

import torch

from grader.checks import expect
from grader.checks.attention import Attention, MakeAttention
from grader.checks.case import Case, MaskFormat
from grader.checks.draw import Draw

LENGTHS = (5, 7, 4)
"""Real keys of three sequences in one batch: neither sorted nor equal, and the first is padded."""


def padded_keys_get_no_weight(attention: MakeAttention, draw: Draw, mask_format: MaskFormat | None = None) -> None:
    """A padded key gets zero weight, and the real keys share all of it."""
    mha = attention(embed_dim=24, num_heads=4)
    keep = draw.keep(LENGTHS)
    weights = mha.weights_of(mha(mha.calm_case(draw, N=3, L=7, keep=keep, mask_format=mask_format)))
    expect.shape("weights", weights, **mha.weights_axes(N=3, L=7, S=7))
    padded = ~keep.reshape(3, *[1] * (weights.dim() - 2), 7)
    expect.zero("weights of padded keys", weights, where=padded)
    expect.close("weights.sum(-1)", weights.sum(-1), 1.0)


def a_padded_batch_equals_each_sequence_alone(
    attention: MakeAttention, draw: Draw, mask_format: MaskFormat | None = None, side: str = "right"
) -> None:
    """A padded batch gives each sequence the answer that it gets alone, without padding."""
    mha = attention(embed_dim=40, num_heads=4)
    keep = draw.keep(LENGTHS, side=side)
    case = mha.calm_case(draw, N=3, L=7, keep=keep, mask_format=mask_format)
    output = mha(case).output
    equals_each_alone(mha, case, output)


def a_padded_batch_equals_each_sequence_alone_in_format(
    attention: MakeAttention, draw: Draw, mask_format: MaskFormat
) -> None:
    """With the mask as {mask_format}, a padded batch gives each sequence the answer that it gets alone."""
    a_padded_batch_equals_each_sequence_alone(attention, draw, mask_format=mask_format)


def equals_each_alone(mha: Attention, case: Case, output: torch.Tensor) -> None:
    """The rows of real queries equal those of each sequence on its own (self-attention).

    Args:
        mha: the attention.
        case: the call, with a padding mask `keep`, bool (N, L).
        output: what the call returned, (N, L, E).
    """
    keep = expect.tensor("keep", case.keep)
    expect.shape("output", output, **mha.output_axes(N=keep.shape[0], L=keep.shape[1]))
    tolerance = mha.kata.tolerance(case)
    for n, real in enumerate(keep):
        allow = None if case.allow is None else case.allow[real][:, real]
        alone = mha(case.but(query=case.query[n : n + 1, real], keep=None, allow=allow, mask_format=None)).output
        expect.close(f"output of sequence {n}, real tokens", output[n, real], alone[0], tolerance)
