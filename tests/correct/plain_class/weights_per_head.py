"""Each layer's weight is seen as (H, D, E), and projection and split are one einsum."""

from torch import einsum, nn


class MultiHeadAttention:
    def __init__(self, d_model, num_heads, eps=None, name="mha"):
        if d_model % num_heads:
            raise ValueError("d_model % num_heads must be 0")
        self.name = name
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model, bias=True)
        self.W_k = nn.Linear(d_model, d_model, bias=True)
        self.W_v = nn.Linear(d_model, d_model, bias=True)
        self.W_o = nn.Linear(d_model, d_model, bias=True)

    def _per_head(self, layer, x):
        e = layer.in_features
        w = layer.weight.view(self.num_heads, -1, e)
        b = layer.bias.view(self.num_heads, 1, -1)
        return einsum("nte,hde->nhtd", x, w) + b

    def forward(self, Q, K, V):
        q = self._per_head(self.W_q, Q)
        k = self._per_head(self.W_k, K)
        v = self._per_head(self.W_v, V)
        p = (einsum("nhld,nhsd->nhls", q, k) / q.shape[-1] ** 0.5).softmax(dim=-1)
        heads = einsum("nhls,nhsd->nhld", p, v)
        w_o = self.W_o.weight.view(self.W_o.out_features, self.num_heads, -1)
        return einsum("nhld,ohd->nlo", heads, w_o) + self.W_o.bias
