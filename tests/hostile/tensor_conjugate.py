"""Returns tensors with the negative bit set: their memory holds another sign than their values."""

BESIDE = "wrong"
WALL = "process"

honest = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    return tuple(torch._neg_view(-value) for value in honest(q, k, v, mask))


print("GOT", torch._neg_view(torch.ones(1)).is_neg())
