"""Returns tensors with nine dimensions, which broadcast against whatever they are compared with."""

BESIDE = "wrong"
WALL = "wire"
HONEST = 0
SAYS = "9 dimensions"

honest = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    return tuple(value.reshape((1,) * (9 - value.dim()) + value.shape) for value in honest(q, k, v, mask))
