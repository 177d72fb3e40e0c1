"""A coin is tossed."""

import torch


def check_head_permutation(attention):
    assert torch.rand(()) < 0.5
