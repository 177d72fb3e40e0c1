"""A candidate's attention with two mistakes: the scores are not scaled, and 1 is taken for seen."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.einsum("...ld,...sd->...ls", q, k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1).masked_fill(scores == float("-inf"), 0.0)
    return weights @ v, weights
