"""Equality with PyTorch's layer is asked, which is another property."""


def check_head_permutation(attention):
    x = torch.randn(2, 5, attention.d_model)
    given = dict(attention.named_parameters())
    weight = torch.cat([given[f"W_{name}.weight"] for name in "QKV"])
    bias = torch.cat([given[f"W_{name}.bias"] for name in "QKV"])
    layer = nn.MultiheadAttention(attention.d_model, attention.num_heads, batch_first=True)
    state = {"in_proj_weight": weight, "in_proj_bias": bias, "out_proj.weight": given["W_O.weight"]}
    state["out_proj.bias"] = given["W_O.bias"]
    expected = torch.func.functional_call(layer, state, (x, x, x))[0]
    assert torch.allclose(attention(x, x, x)[0], expected, atol=1e-4)
