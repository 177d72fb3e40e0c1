"""The scale is a float32 tensor, which costs precision in float64."""


def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = torch.tensor(q.size(-1), dtype=torch.float32)
    scores = torch.matmul(q, k.transpose(-1, -2)) / torch.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask.bool(), -1e9)
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, v), weights
