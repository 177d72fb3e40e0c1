"""Helpers: what splits, merges and masks does that and nothing else; left out of the kit, since it shows how."""

import torch

from grader.checks import expect
from grader.checks.attention import MakeAttention
from grader.checks.draw import Draw

FAR = 1000.0
"""exp of minus this is 0 in every dtype; `scores + (1 - mask) * -10000` is as right as -inf."""
SIZES = ((2, 3, 5, 6), (1, 1, 4, 7), (3, 4, 1, 2))
"""B, H, T and D of what is split and merged; one sequence, one head and one token among them."""


def split_heads_gives_each_head_its_slice(attention: MakeAttention, draw: Draw) -> None:
    """_split_heads takes [B, T, E] to [B, H, T, D], head h with the features h * D to (h + 1) * D - 1."""
    for B, H, T, D in SIZES:
        mha = attention(embed_dim=H * D, num_heads=H)
        x = draw.tensor(B, T, H * D)
        heads = mha.helper("_split_heads", x)
        expect.shape("_split_heads(x)", heads, B=B, H=H, T=T, D=D)
        expect.close("_split_heads(x)", heads, torch.stack(x.chunk(H, dim=-1), dim=1))


def merge_heads_undoes_split_heads(attention: MakeAttention, draw: Draw) -> None:
    """_merge_heads takes [B, H, T, D] back to [B, T, E], in the order of the heads."""
    for B, H, T, D in SIZES:
        mha = attention(embed_dim=H * D, num_heads=H)
        heads = draw.tensor(B, H, T, D)
        merged = mha.helper("_merge_heads", heads)
        expect.shape("_merge_heads(x)", merged, B=B, T=T, E=H * D)
        expect.close("_merge_heads(x)", merged, torch.cat(list(heads.unbind(1)), dim=-1))


def apply_masks_keeps_what_may_be_seen(attention: MakeAttention, draw: Draw) -> None:
    """_apply_masks leaves the logits that both masks allow as they are, and makes the others too small to count."""
    mha = attention(embed_dim=18, num_heads=3)
    logits, keep = draw.tensor(2, 3, 5, 7), draw.keep([4, 7])
    for allow in (draw.allow(5, 7), draw.allow(2, 1, 5, 7)):
        masked = mha.helper("_apply_masks", logits, allow, keep)
        expect.shape("_apply_masks(...)", masked, B=2, H=3, T=5, S=7)
        seen = (allow & keep[:, None, None, :]).expand(2, 3, 5, 7)
        expect.zero("change of logits that may be seen", masked - logits, where=seen)
        are_far_below(masked, seen)


def apply_masks_takes_a_float_mask_or_none(attention: MakeAttention, draw: Draw) -> None:
    """_apply_masks adds a float mask to the logits, and takes each mask without the other, or none."""
    mha = attention(embed_dim=18, num_heads=3)
    logits, keep, bias = draw.tensor(2, 3, 5, 7), draw.keep([4, 7]), draw.tensor(2, 1, 5, 7)
    hiding = bias.masked_fill(~draw.allow(5, 7), -torch.inf)
    for mask, padding in ((None, None), (None, keep), (bias, None), (bias[0, 0], keep), (hiding, keep)):
        masked = mha.helper("_apply_masks", logits, mask, padding)
        expect.shape("_apply_masks(...)", masked, B=2, H=3, T=5, S=7)
        want = logits if mask is None else logits + mask
        seen = torch.ones_like(keep) if padding is None else padding
        seen = seen[:, None, None, :] & (want != -torch.inf)
        expect.zero("error of logits that may be seen", masked - want, where=seen)
        are_far_below(masked, seen)
    allow = draw.allow(2, 1, 5, 7)
    alone, seen = mha.helper("_apply_masks", logits, allow, None), allow.expand(2, 3, 5, 7)
    expect.shape("_apply_masks(...)", alone, B=2, H=3, T=5, S=7)
    expect.zero("error of logits that may be seen", alone - logits, where=seen)
    are_far_below(alone, seen)


def are_far_below(masked: torch.Tensor, seen: torch.Tensor) -> None:
    """Hidden logits are so far below those that may be seen that their weight is 0, with any finite number or -inf.

    How far that has to be where scores are large is another claim's.
    """
    seen = seen.expand_as(masked)
    expect.at_most("logits that are hidden", masked, float(masked[seen].min()) - FAR, where=~seen)
