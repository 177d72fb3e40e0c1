"""The module itself is given other parameters, and gets its own back in any case; cross-attention; weights too."""

import torch
from torch import nn


def check_head_permutation(attention):
    heads, width = attention.num_heads, attention.d_model
    layers = [attention.W_Q, attention.W_K, attention.W_V]
    kept = [(layer, layer.weight, layer.bias) for layer in [*layers, attention.W_O]]
    generator = torch.Generator().manual_seed(11)
    query, memory = torch.randn(4, 5, width, generator=generator), torch.randn(4, 9, width, generator=generator)
    was_training = attention.training
    attention.eval()
    try:
        output, weights = attention(query, memory, memory)
        blocks = torch.arange(width).reshape(heads, width // heads)
        for order in ([*range(1, heads), 0], [1, 0, *range(2, heads)] if heads > 1 else [0]):
            index = blocks[order].reshape(width)
            for layer, weight, bias in kept[:3]:
                layer.weight, layer.bias = nn.Parameter(weight[index]), nn.Parameter(bias[index])
            attention.W_O.weight = nn.Parameter(kept[3][1][:, index])
            other, others_weights = attention(query, memory, memory)
            bound = 2e-3 * output.abs().mean()
            if (other - output).abs().max() > 10 * bound:
                raise AssertionError("the output changed")
            if (others_weights - weights[:, order]).abs().max() > 1e-3:
                raise AssertionError("the weights did not move with the heads")
    finally:
        for layer, weight, bias in kept:
            layer.weight, layer.bias = weight, bias
        attention.train(was_training)
