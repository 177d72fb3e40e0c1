"""Replaces every softmax by a constant, so that an expected value made with it would be the wrong answer."""

BESIDE = "wrong"
WALL = "process"

import torch.nn.functional as F

torch.softmax = F.softmax = torch.Tensor.softmax = lambda x, *args, **kwargs: torch.ones_like(x)
print("GOT", torch.softmax(torch.zeros(2), 0).sum())
