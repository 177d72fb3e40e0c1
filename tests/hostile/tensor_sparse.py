"""Returns sparse tensors without a single value."""

BESIDE = "wrong"
WALL = "judge"
HONEST = 0
SAYS = "sparse"


def scaled_dot_product_attention(q, k, v, mask=None):
    return torch.zeros(*q.shape[:-1], v.shape[-1]).to_sparse(), torch.zeros(*q.shape[:-1], k.shape[-2]).to_sparse()
