"""The features are turned in bfloat16."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    return right(x.bfloat16(), positions, base).to(x.dtype)
