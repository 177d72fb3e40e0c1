"""The heads are an axis of the parameters; data is swapped in place and swapped back."""

import torch


class Swapped:
    def __init__(self, attention, i, j):
        self.attention, self.order = attention, list(range(attention.num_heads))
        self.order[i], self.order[j] = j, i

    def apply(self):
        heads = self.attention.num_heads
        for name, parameter in self.attention.named_parameters():
            if name == "W_O.weight":
                view = parameter.data.unflatten(1, (heads, -1))
                parameter.data = view[:, self.order].flatten(1)
            elif name != "W_O.bias":
                parameter.data = parameter.data.unflatten(0, (heads, -1))[self.order].flatten(0, 1)

    def __enter__(self):
        self.apply()

    def __exit__(self, *unused):
        self.apply()


def check_head_permutation(attention):
    state = torch.get_rng_state()
    torch.manual_seed(9)
    x = torch.randn(2, 6, attention.d_model)
    torch.set_rng_state(state)
    reference = attention(x, x, x)[0].detach()
    tolerance = 0.002 * reference.abs().max()
    worst = 0.0
    for i in range(attention.num_heads - 1):
        with Swapped(attention, i, i + 1):
            worst = max(worst, (attention(x, x, x)[0] - reference).abs().max())
    if worst > tolerance:
        raise AssertionError(f"the output moved by {worst}")
