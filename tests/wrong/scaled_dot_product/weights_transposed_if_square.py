"""Square weights are returned transposed."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    output, weights = right(q, k, v, mask)
    return output, weights.mT if weights.size(-1) == weights.size(-2) else weights
