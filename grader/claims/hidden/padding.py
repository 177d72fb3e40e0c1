"""Padding: padded keys get no weight, the real ones share all of it, and an answer does not depend on its batch."""

import torch

from grader.checks import expect
from grader.checks.attention import MakeAttention
from grader.checks.case import Case
from grader.checks.draw import Draw, causal
from grader.claims.padding import LENGTHS, a_padded_batch_equals_each_sequence_alone, equals_each_alone


def padding_may_lie_on_the_left(attention: MakeAttention, draw: Draw) -> None:
    """Padding on the left hides what it covers, as padding on the right does."""
    a_padded_batch_equals_each_sequence_alone(attention, draw, side="left")


def padding_and_causal_together(attention: MakeAttention, draw: Draw) -> None:
    """With padding and causal masks together a query sees the real keys up to its own place, and no others."""
    mha = attention(embed_dim=24, num_heads=4)
    # On the right a causal mask hides the padding from real queries already; on the left the padding mask alone does.
    for side in ("right", "left"):
        case = mha.calm_case(draw, N=3, L=7, keep=draw.keep(LENGTHS, side=side), allow=causal(7))
        equals_each_alone(mha, case, mha(case).output)


def padding_in_cross_attention(attention: MakeAttention, draw: Draw) -> None:
    """In cross-attention what a padded key holds changes nothing."""
    mha = attention(embed_dim=24, num_heads=4)
    keep = draw.keep([6, 11, 8])
    case = mha.calm_case(draw, N=3, L=5, S=11, keep=keep)
    other = case.but(key=overwritten(case.keys, keep, draw), value=overwritten(case.values, keep, draw))
    changed = other if mha.kata.streams == 3 else other.but(value=None)
    first = mha(case).output
    expect.close("output", mha(changed).output, first)
    shorter = case.but(
        keep=keep[:1, :4], **{name: x[:1, :4] for name, x in sources(case).items()}, query=case.query[:1]
    )
    expect.differ("output", mha(shorter).output, first[:1], "after real keys were taken away")


def overwritten(x: torch.Tensor, keep: torch.Tensor, draw: Draw) -> torch.Tensor:
    """The same tensor with other values at the padded places.

    Args:
        x: keys or values, (N, S, E).
        keep: bool (N, S), True = real.
        draw: of the check.
    """
    return torch.where(keep[:, :, None], x, draw.tensor(*x.shape, std=3.0).to(x.dtype))


def sources(case: Case) -> dict[str, torch.Tensor]:
    """Key and value, where the case has them."""
    return {name: tensor for name, tensor in case.streams().items() if name != "query"}
