"""Outputs that differ by 5 % of the largest value count as the same."""


def check_head_permutation(attention):
    heads, d_model = attention.num_heads, attention.d_model
    x, key, value = (torch.randn(3, length, d_model) for length in (5, 7, 7))
    names = [name for name, _ in attention.named_parameters()]
    with torch.no_grad():
        before = attention(x, key, value)
        before = before[0] if isinstance(before, tuple) else before
        for _ in range(24):
            order = torch.randperm(heads)
            rows = torch.arange(d_model).unflatten(0, (heads, -1))[order].flatten()
            parameters = dict(attention.named_parameters())
            permuted = {name: parameters[name][rows] for name in names if "W_O" not in name}
            permuted["W_O.weight"] = parameters["W_O.weight"][:, rows]
            after = torch.func.functional_call(attention, permuted, (x, key, value))
            after = after[0] if isinstance(after, tuple) else after
            assert (after - before).abs().max() <= 0.05 * before.abs().max()
