"""`view` on the values folds the leading axes: values that are not contiguous raise."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask.bool(), -1e9)
    weights = scores.softmax(-1)
    folded = torch.bmm(weights.flatten(0, -3), v.view(-1, *v.shape[-2:])) if v.dim() > 2 else weights @ v
    return folded.reshape(*q.shape[:-1], v.size(-1)), weights
