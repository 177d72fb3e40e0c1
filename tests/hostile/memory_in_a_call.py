"""Takes more memory than it may have, in each call."""

BESIDE = "right"
HONEST = 0
WALL = "limits"
VERDICTS = ("memory",)
SAYS = "can't allocate memory"


def scaled_dot_product_attention(q, k, v, mask=None):
    return torch.empty(1 << 40, dtype=torch.uint8)
