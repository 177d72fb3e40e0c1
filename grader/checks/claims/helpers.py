"""Helpers: what splits, merges and masks does that and nothing else; left out of the kit, since it shows how."""

import torch

from grader.checks import expect
from grader.checks.attention import MakeAttention
from grader.checks.draw import Draw


def split_heads_gives_each_head_its_slice(attention: MakeAttention, draw: Draw) -> None:
    """_split_heads takes [B, T, E] to [B, H, T, D], head h with the features h * D to (h + 1) * D - 1."""
    mha = attention(embed_dim=18, num_heads=3)
    x = draw.tensor(2, 5, 18)
    heads = mha.helper("_split_heads", x)
    expect.shape("_split_heads(x)", heads, B=2, H=3, T=5, D=6)
    expect.close("_split_heads(x)", heads, torch.stack(x.chunk(3, dim=-1), dim=1))


def merge_heads_undoes_split_heads(attention: MakeAttention, draw: Draw) -> None:
    """_merge_heads takes [B, H, T, D] back to [B, T, E], in the order of the heads."""
    mha = attention(embed_dim=18, num_heads=3)
    heads = draw.tensor(2, 3, 5, 6)
    merged = mha.helper("_merge_heads", heads)
    expect.shape("_merge_heads(x)", merged, B=2, T=5, E=18)
    expect.close("_merge_heads(x)", merged, torch.cat(list(heads.unbind(1)), dim=-1))


def apply_masks_keeps_what_may_be_seen(attention: MakeAttention, draw: Draw) -> None:
    """_apply_masks leaves the logits that both masks allow as they are, and makes the others too small to count."""
    mha = attention(embed_dim=18, num_heads=3)
    logits, allow, keep = draw.tensor(2, 3, 5, 7), draw.allow(5, 7), draw.keep([4, 7])
    masked = mha.helper("_apply_masks", logits, allow, keep)
    expect.shape("_apply_masks(...)", masked, B=2, H=3, T=5, S=7)
    seen = (allow & keep[:, None, None, :]).expand(2, 3, 5, 7)
    expect.zero("change of logits that may be seen", masked - logits, where=seen)
    expect.at_most("logits that are hidden", masked, -1e4, where=~seen)


def apply_masks_takes_a_float_mask_or_none(attention: MakeAttention, draw: Draw) -> None:
    """_apply_masks adds a float mask to the logits, and takes each mask without the other, or none."""
    mha = attention(embed_dim=18, num_heads=3)
    logits, keep, bias = draw.tensor(2, 3, 5, 7), draw.keep([4, 7]), draw.tensor(2, 1, 5, 7)
    for mask, padding in ((None, None), (None, keep), (bias, None), (bias[0, 0], keep)):
        masked = mha.helper("_apply_masks", logits, mask, padding)
        expect.shape("_apply_masks(...)", masked, B=2, H=3, T=5, S=7)
        want = logits if mask is None else logits + mask
        where = None if padding is None else padding[:, None, None, :].expand_as(logits)
        expect.zero("error of logits that may be seen", masked - want, where=where)
