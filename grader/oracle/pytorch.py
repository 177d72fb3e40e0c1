"""PyTorch's own answer, for parity."""

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.checks.case import Answer, Case, Projections, Size


def answer(case: Case, size: Size, weights: Projections, per_head: bool) -> Answer:
    """What nn.MultiheadAttention with these weights returns for the case, in eval mode.

    The function that the module calls computes it: a module made for each case would draw weights that nobody uses.

    Args:
        case: the call.
        size: how the attention is built.
        weights: (E, E) each, biases (E,).
        per_head: the weights returned are not averaged over the heads.

    Returns:
        output (N, L, E) and weights, (N, H, L, S) per head or (N, L, S) averaged. A query that may see nothing
        gets NaN.
    """
    w = weights
    biases = (w.q_bias, w.k_bias, w.v_bias)
    filled = [torch.zeros_like(w.q[0]) if bias is None else bias for bias in biases]
    output, attention = F.multi_head_attention_forward(
        *(x.transpose(0, 1) for x in (case.query, case.keys, case.values)),
        embed_dim_to_check=size.embed_dim,
        num_heads=size.num_heads,
        in_proj_weight=torch.cat([w.q, w.k, w.v]),
        in_proj_bias=None if biases == (None, None, None) else torch.cat(filled),
        bias_k=None,
        bias_v=None,
        add_zero_attn=False,
        dropout_p=0.0,
        out_proj_weight=w.o,
        out_proj_bias=w.o_bias,
        training=False,
        attn_mask=_attn_mask(case, size),
        average_attn_weights=not per_head,
    )
    return Answer(output.transpose(0, 1), attention)


def _attn_mask(case: Case, size: Size) -> Tensor | None:
    """All masks as one that PyTorch adds to the scores: float, -inf = hidden, (N * H, L, S); None: there are none."""
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
