"""The weights are returned with the sequences in reverse order."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    output, weights = right(q, k, v, mask)
    return output, weights.flip(0) if weights.dim() > 2 else weights
