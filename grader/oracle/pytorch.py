"""PyTorch's own answer, for parity."""

import torch
from torch import Tensor, nn

from grader.checks.case import Answer, Case, Projections, Size


def reference(size: Size, weights: Projections) -> nn.MultiheadAttention:
    """nn.MultiheadAttention with these weights, in eval mode and the size's dtype."""
    layer = nn.MultiheadAttention(
        size.embed_dim, size.num_heads, bias=weights.q_bias is not None, batch_first=True, dtype=size.dtype
    )
    state = {"in_proj_weight": torch.cat([weights.q, weights.k, weights.v]), "out_proj.weight": weights.o}
    if weights.q_bias is not None and weights.k_bias is not None and weights.v_bias is not None:
        state["in_proj_bias"] = torch.cat([weights.q_bias, weights.k_bias, weights.v_bias])
    if weights.o_bias is not None:
        state["out_proj.bias"] = weights.o_bias
    layer.load_state_dict(state)
    return layer.eval()


def answer(case: Case, size: Size, weights: Projections, *, per_head: bool) -> Answer:
    """What nn.MultiheadAttention returns for the case.

    Returns:
        output (N, L, E) and weights, (N, H, L, S) per head or (N, L, S) averaged. A query that may see nothing
        gets NaN.
    """
    output, attention = reference(size, weights)(
        case.query,
        case.keys,
        case.values,
        attn_mask=_attn_mask(case, size),
        average_attn_weights=not per_head,
    )
    return Answer(output.detach(), attention.detach())


def _attn_mask(case: Case, size: Size) -> Tensor | None:
    """All masks as one; PyTorch wants True = hidden, (L, S) or (N * H, L, S)."""
    seen = case.shown
    if seen is None and case.bias is None:
        return None
    n, queries, keys = case.query.shape[0], case.query.shape[1], case.keys.shape[1]
    full = (n, size.num_heads, queries, keys)
    added = torch.zeros(full, dtype=size.dtype)
    if case.bias is not None:
        added = added + case.bias.to(size.dtype)
    if seen is not None:
        added = added.masked_fill(~seen, -torch.inf)
    return added.flatten(0, 1)
