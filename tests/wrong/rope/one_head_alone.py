"""The first head alone is turned."""

right = apply_rope


def apply_rope(x, positions, base=10000.0):
    return torch.cat([right(x[:, :1], positions, base), x[:, 1:]], dim=1)
