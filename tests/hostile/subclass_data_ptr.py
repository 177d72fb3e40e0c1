"""Returns a tensor of a subclass whose data_ptr, numel and element_size point at a megabyte of other memory."""

BESIDE = "wrong"
HONEST = 21
VERDICTS = ("error",)
WALL = "process"

memory = torch.zeros(1 << 18)


class Liar(torch.Tensor):
    data_ptr = lambda self: memory.data_ptr()
    numel = lambda self: 1 << 18
    element_size = lambda self: 4


honest = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    return tuple(value.as_subclass(Liar) for value in honest(q, k, v, mask))


print("GOT", torch.ones(1).as_subclass(Liar).numel())
