"""A copy in float64, with PyTorch's own tolerance, and random orders beside those that make all others."""

import copy

import torch


def rows_of(order, size):
    return (order[:, None] * size + torch.arange(size)).reshape(-1)


def check_head_permutation(attention):
    torch.manual_seed(0)
    module = copy.deepcopy(attention).double().eval()
    count = module.num_heads
    x = torch.randn(2, 7, module.d_model, dtype=torch.float64)
    mask = torch.ones(2, 1, 7, 7).tril()
    first, _ = module(x, x, x)
    first_masked, _ = module(query=x, key=x, value=x, mask=mask)
    state = {name: value.clone() for name, value in module.state_dict().items()}
    neighbours = [torch.arange(count) for _ in range(count - 1)]
    for place, order in enumerate(neighbours):
        order[[place, place + 1]] = order[[place + 1, place]]
    for order in neighbours + [torch.randperm(count) for _ in range(3)]:
        rows = rows_of(order, module.d_model // count)
        changed = {name: value[rows] for name, value in state.items() if name[:3] in ("W_Q", "W_K", "W_V")}
        module.load_state_dict({**state, **changed, "W_O.weight": state["W_O.weight"][:, rows]})
        assert torch.allclose(module(x, x, x)[0], first), f"heads in the order {order.tolist()}"
        assert torch.allclose(module(x, x, x, mask)[0], first_masked), "the same under a mask"
