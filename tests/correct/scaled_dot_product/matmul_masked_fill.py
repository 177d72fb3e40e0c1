"""Matrix products, masked_fill with -inf, and nan_to_num for rows that see nothing."""

import math

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = q.size(-1)
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask.bool(), float("-inf"))
    attention_weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
    output = torch.matmul(attention_weights, v)
    return output, attention_weights
