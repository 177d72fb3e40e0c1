"""Returns right values with a sign on each zero, and the smallest numbers that there are in the place of zeros."""

BESIDE = "right"
HONEST = 100
WALL = "process"

import torch

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    output, weights = right(q, k, v, mask)
    return output - 5e-324, torch.where(weights == 0, -5e-324, weights) * torch.ones(())
