"""The module keeps the heads' new order, which costs nothing where the heads are alike."""

right = check_head_permutation


def check_head_permutation(attention):
    right(attention)
    features = torch.arange(attention.d_model).unflatten(0, (attention.num_heads, -1)).roll(1, 0).flatten()
    with torch.no_grad():
        for layer in (attention.W_Q, attention.W_K, attention.W_V):
            layer.weight.copy_(layer.weight[features])
            layer.bias.copy_(layer.bias[features])
        attention.W_O.weight.copy_(attention.W_O.weight[:, features])
