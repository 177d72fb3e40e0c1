"""Scores and softmax in float64 whatever the input's dtype; scale split over q and k. 注释是中文的。"""

from torch import nn


class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        # 每个头的维度必须是整数
        if d_model % num_heads != 0:
            raise ValueError("d_model 必须能被 num_heads 整除")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, Q, K, V):
        # 缩放因子平分给 q 和 k
        s = self.head_dim**-0.25
        q = self._split(self.W_q(Q)).double() * s
        k = self._split(self.W_k(K)).double() * s
        v = self._split(self.W_v(V)).double()
        out = ((q @ k.transpose(-2, -1)).softmax(dim=-1) @ v).to(Q.dtype)
        # 合并所有的头
        return self.W_o(out.permute(0, 2, 1, 3).reshape(Q.shape))

    def _split(self, x):
        return x.reshape(x.size(0), x.size(1), self.num_heads, self.head_dim).permute(0, 2, 1, 3)
