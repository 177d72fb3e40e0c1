"""Two axes of the mask are unpacked: a mask over the keys alone, (S,), raises."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    if mask is not None:
        rows, columns = mask.shape[-2:]
        mask = mask.expand(*mask.shape[:-2], max(rows, q.size(-2)), columns)
    return right(q, k, v, mask)
