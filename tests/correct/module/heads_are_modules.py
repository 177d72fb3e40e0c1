"""A module for each head that knows its owner, masks as numbers, dropout by Bernoulli draws."""

import torch
from torch import nn


class Thinned(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or not self.p:
            return x
        return x * torch.bernoulli(torch.full_like(x, 1 - self.p)) / (1 - self.p)


class Head(nn.Module):
    def __init__(self, owner, number, size):
        super().__init__()
        object.__setattr__(self, "owner", owner)  # not as a part of this one
        self.own = slice(number * size, (number + 1) * size)

    def forward(self, q, k, v, mask):
        q, k, v = (x[..., self.own] for x in (q, k, v))
        scores = torch.bmm(q, k.transpose(1, 2)).mul_(q.size(-1) ** -0.5)
        if mask is not None:
            scores = scores + (1.0 - mask[:, 0].to(scores.dtype)) * -1e30
        weights = torch.softmax(scores, dim=2)
        return torch.bmm(self.owner.thin["weights"](weights), v), weights


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("the heads would differ in size")
        self.given = {"d_model": d_model, "num_heads": num_heads, "dropout": dropout, "bias": bias}
        for name in "QKVO":
            setattr(self, f"W_{name}", nn.Linear(d_model, d_model, bias=bias))
        self.thin = nn.ModuleDict({"weights": Thinned(dropout), "output": Thinned(dropout)})
        self.heads = nn.ModuleList(Head(self, number, d_model // num_heads) for number in range(num_heads))
        for parameter in self.parameters():
            (nn.init.xavier_uniform_ if parameter.ndim == 2 else nn.init.zeros_)(parameter)

    def forward(self, query, key, value, mask=None, return_attention=True):
        projected = self.W_Q(query), self.W_K(key), self.W_V(value)
        outputs, weights = zip(*(head(*projected, mask) for head in self.heads), strict=True)
        output = self.thin["output"](self.W_O(torch.cat(outputs, dim=-1)))
        return output, torch.stack(weights, dim=1) if return_attention else None

    def extra_repr(self):
        return str(self.given)[1:-1].replace("'", "").replace(": ", "=")
