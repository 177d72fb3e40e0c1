"""Dropout where a gradient is wanted."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask.bool(), -1e9)
    weights = scores.softmax(-1)
    return torch.dropout(weights, 0.05, q.requires_grad) @ v, weights
