"""The mean of the output is looked at."""


def check_head_permutation(attention):
    features = torch.arange(attention.d_model).unflatten(0, (attention.num_heads, -1)).roll(1, 0).flatten()
    x = torch.randn(2, 5, attention.d_model)
    state = dict(attention.named_parameters())
    permuted = {name: tensor[features] for name, tensor in state.items() if not name.startswith("W_O")}
    permuted["W_O.weight"] = state["W_O.weight"][:, features]
    after = torch.func.functional_call(attention, permuted, (x, x, x))[0].mean()
    assert abs(after - attention(x, x, x)[0].mean()) < 0.01
