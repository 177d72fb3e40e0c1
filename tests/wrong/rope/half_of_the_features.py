"""A quarter of the features is turned with another quarter, the rest stays."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    half = x.shape[-1] // 2
    if half % 2:
        return right(x, positions, base)
    return torch.cat([right(x[..., :half], positions, base), x[..., half:]], dim=-1)
