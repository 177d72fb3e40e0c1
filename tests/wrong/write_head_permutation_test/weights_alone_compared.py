"""The weights returned are looked at, and never the output."""


def check_head_permutation(attention):
    x = torch.randn(2, 5, attention.d_model)
    state = dict(attention.named_parameters())
    weights = attention(x, x, x)[1]
    order = torch.arange(attention.num_heads).roll(1)
    features = torch.arange(attention.d_model).unflatten(0, (attention.num_heads, -1))[order].flatten()
    permuted = {name: tensor[features] for name, tensor in state.items() if not name.startswith("W_O")}
    after = torch.func.functional_call(attention, permuted, (x, x, x))[1]
    assert torch.allclose(after, weights[:, order], atol=1e-4)
