"""The first sequence alone is turned."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    of_first = positions[:1] if positions.dim() == 2 else positions
    return torch.cat([right(x[:1], of_first, base), x[1:]])
