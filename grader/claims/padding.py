"""Padding: padded keys get no weight, the real ones share all of it, and an answer does not depend on its batch."""

import torch

from grader.checks import expect
from grader.checks.attention import Attention, MakeAttention
from grader.checks.case import Case, MaskFormat
from grader.checks.draw import Draw, causal

LENGTHS = (5, 7, 4)
"""Real keys of three sequences in one batch: neither sorted nor equal, and the first is padded."""


def padded_keys_get_no_weight(attention: MakeAttention, draw: Draw, mask_format: MaskFormat | None = None) -> None:
    """A padded key gets zero weight, and the real keys share all of it."""
    mha = attention(embed_dim=24, num_heads=4)
    keep = draw.keep(LENGTHS)
    weights = expect.tensor("weights", mha(mha.case(draw, N=3, L=7, keep=keep, mask_format=mask_format)).weights)
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
    case = mha.case(draw, N=3, L=7, keep=keep, mask_format=mask_format)
    output = mha(case).output
    equals_each_alone(mha, case, output)


def a_padded_batch_equals_each_sequence_alone_in_format(attention: MakeAttention, draw: Draw, mask_format: MaskFormat) -> None:
    """With the mask as {mask_format}, a padded batch gives each sequence the answer that it gets alone."""
    a_padded_batch_equals_each_sequence_alone(attention, draw, mask_format=mask_format)


def equals_each_alone(mha: Attention, case: Case, output: torch.Tensor) -> None:
    """The rows of real queries equal those of each sequence on its own (self-attention)."""
    keep = expect.tensor("keep", case.keep)
    expect.shape("output", output, **mha.output_axes(N=keep.shape[0], L=keep.shape[1]))
    for n, real in enumerate(keep):
        allow = None if case.allow is None else case.allow[real][:, real]
        alone = mha(case.but(query=case.query[n : n + 1, real], keep=None, allow=allow, mask_format=None)).output
        expect.close(f"output of sequence {n}, real tokens", output[n, real], alone[0])


# BEGIN HIDDEN
def padding_may_lie_on_the_left(attention: MakeAttention, draw: Draw) -> None:
    """Padding on the left hides what it covers, as padding on the right does."""
    a_padded_batch_equals_each_sequence_alone(attention, draw, side="left")


def padding_and_causal_together(attention: MakeAttention, draw: Draw) -> None:
    """With padding and causal masks together a query sees the real keys up to its own place, and no others."""
    mha = attention(embed_dim=24, num_heads=4)
    # On the right a causal mask hides the padding from real queries already; on the left the padding mask alone does.
    for side in ("right", "left"):
        case = mha.case(draw, N=3, L=7, keep=draw.keep(LENGTHS, side=side), allow=causal(7))
        equals_each_alone(mha, case, mha(case).output)


def padding_in_cross_attention(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention what a padded key holds changes nothing."""
    mha = attention(embed_dim=24, num_heads=4)
    keep = draw.keep([6, 11, 8])
    case = mha.case(draw, N=3, L=5, S=11, keep=keep)
    other = case.but(key=overwritten(case.keys, keep, draw), value=overwritten(case.values, keep, draw))
    changed = other if mha.kata.streams == 3 else other.but(value=None)
    first = mha(case).output
    expect.close("output", mha(changed).output, first)
    shorter = case.but(
        keep=keep[:1, :4], **{name: x[:1, :4] for name, x in sources(case).items()}, query=case.query[:1]
    )
    expect.differ("output", mha(shorter).output, first[:1], "after real keys were taken away")


def overwritten(x: torch.Tensor, keep: torch.Tensor, draw: Draw) -> torch.Tensor:
    """Other values at the padded places."""
    return torch.where(keep[:, :, None], x, draw.tensor(*x.shape, std=3.0).to(x.dtype))


def sources(case: Case) -> dict[str, torch.Tensor]:
    """Key and value, where the case has them."""
    return {name: tensor for name, tensor in case.streams().items() if name != "query"}


# END HIDDEN
