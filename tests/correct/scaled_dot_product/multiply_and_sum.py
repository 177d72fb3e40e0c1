"""Products and sums by broadcasting, no matrix product."""


def scaled_dot_product_attention(q, k, v, mask=None):
    s = (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1) / q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(mask == 1, -1e9)
    s = s - s.max(dim=-1, keepdim=True).values
    e = s.exp()
    w = e / e.sum(dim=-1, keepdim=True)
    return (w.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2), w
