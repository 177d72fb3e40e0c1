"""Returns nested tensors, whose sizes are no list of numbers."""

BESIDE = "wrong"
WALL = "judge"
HONEST = 0
SAYS = "nested"


def scaled_dot_product_attention(q, k, v, mask=None):
    nested = torch.nested.nested_tensor([torch.ones(1, 2), torch.ones(3, 2)])
    return nested, nested
