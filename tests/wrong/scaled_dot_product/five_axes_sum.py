"""With five axes the first two are mixed up."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    if q.dim() == 5:
        output, weights = right(*(x.transpose(0, 1).reshape(x.shape) for x in (q, k, v)), mask)
        return output, weights
    return right(q, k, v, mask)
