"""The scores are returned in place of the weights where there is no mask."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    output, weights = right(q, k, v, mask)
    return output, weights if mask is not None else weights.log()
