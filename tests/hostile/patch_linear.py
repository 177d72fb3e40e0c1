"""Replaces nn.Linear and F.linear by layers that always give zeros."""

BESIDE = "wrong"
WALL = "process"

import torch.nn.functional as F
from torch import nn


class Zero(nn.Linear):
    def forward(self, x):
        return x.new_zeros(*x.shape[:-1], self.out_features)


nn.Linear = Zero
F.linear = lambda x, weight, bias=None: x.new_zeros(*x.shape[:-1], weight.shape[0])
print("GOT", nn.Linear(2, 2)(torch.ones(1, 2)).sum())
