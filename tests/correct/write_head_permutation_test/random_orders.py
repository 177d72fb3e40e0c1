"""Many random orders, drawn anew each time, rather than a few chosen ones."""

import copy

import torch


def check_head_permutation(attention):
    h, e = attention.num_heads, attention.d_model
    x = torch.randn(2, 10, e)
    y = attention(x, x, x)[0]
    model = copy.deepcopy(attention)
    for _ in range(40):
        p = torch.arange(e).view(h, -1)[torch.randperm(h)].reshape(-1)
        with torch.no_grad():
            for n in "QKV":
                getattr(model, f"W_{n}").weight.copy_(getattr(attention, f"W_{n}").weight[p])
                getattr(model, f"W_{n}").bias.copy_(getattr(attention, f"W_{n}").bias[p])
            model.W_O.weight.copy_(attention.W_O.weight[:, p])
        assert (model(x, x, x)[0] - y).abs().max() < 1e-3 * y.abs().max(), "the heads are not alike"
