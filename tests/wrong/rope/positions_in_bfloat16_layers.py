"""In bfloat16 the positions are rounded as the features are."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    return right(x, positions.to(x.dtype), base)
