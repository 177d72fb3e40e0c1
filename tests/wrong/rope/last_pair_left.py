"""The slowest pair is not turned."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    turned = right(x, positions, base)
    half = x.shape[-1] // 2
    turned[..., [half - 1, -1]] = x[..., [half - 1, -1]]
    return turned
