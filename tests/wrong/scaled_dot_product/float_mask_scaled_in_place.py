"""A float mask in the dtype of the queries is scaled in place: `to` makes no copy of it."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        mask = mask.to(scores.dtype)
        mask *= -1e9
        scores = scores + mask
    attention_weights = torch.softmax(scores, dim=-1)
    return attention_weights @ v, attention_weights
