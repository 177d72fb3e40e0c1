"""Returns one number expanded to 40 GB, which nobody has room for once it is made contiguous."""

BESIDE = "wrong"
LAYER = "wire"
HONEST = 0
SAYS = "too large to send"


def scaled_dot_product_attention(q, k, v, mask=None):
    huge = torch.ones(1).expand(10_000_000_000)
    return huge, huge
