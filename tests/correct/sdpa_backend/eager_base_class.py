"""A base class that writes attention out, and a subclass on SDPA that asks it where the weights are wanted."""

import math

import torch
from torch import nn


class EagerAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"The hidden size ({d_model}) is not a multiple of the number of heads ({num_heads})")
        self.num_attention_heads = num_heads
        self.attention_head_size = d_model // num_heads
        self.all_head_size = self.num_attention_heads * self.attention_head_size
        self.W_Q = nn.Linear(d_model, self.all_head_size, bias=bias)
        self.W_K = nn.Linear(d_model, self.all_head_size, bias=bias)
        self.W_V = nn.Linear(d_model, self.all_head_size, bias=bias)
        self.W_O = nn.Linear(self.all_head_size, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                module.weight.data = nn.init.xavier_uniform_(module.weight.data)
                if module.bias is not None:
                    module.bias.data.zero_()

    def transpose_for_scores(self, x):
        return x.view(*x.size()[:-1], self.num_attention_heads, self.attention_head_size).permute(0, 2, 1, 3)

    def extended_mask(self, mask, is_causal, scores_shape, dtype):
        lowest = torch.finfo(dtype).min
        extended = torch.full(scores_shape, lowest if is_causal else 0.0, dtype=dtype).triu(diagonal=1)
        if mask is not None:
            extended = torch.minimum(extended, (1.0 - mask.to(dtype)) * lowest)
        return extended

    def attend(self, q, k, v, attention_mask, output_attentions):
        attention_scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.attention_head_size)
        attention_probs = nn.functional.softmax(attention_scores + attention_mask, dim=-1)
        return torch.matmul(self.dropout(attention_probs), v), attention_probs

    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        q, k, v = map(self.transpose_for_scores, (self.W_Q(query), self.W_K(key), self.W_V(value)))
        attention_mask = self.extended_mask(mask, is_causal, (q.size(2), k.size(2)), q.dtype)
        context, probs = self.attend(q, k, v, attention_mask, return_attention)
        context = context.permute(0, 2, 1, 3).contiguous()
        return self.W_O(context.view(*context.size()[:2], self.all_head_size)), probs

    def extra_repr(self):
        heads, p = self.num_attention_heads, self.dropout.p
        return f"d_model={self.all_head_size}, num_heads={heads}, dropout={p}, bias={self.W_O.bias is not None}"


class FlashMultiHeadAttention(EagerAttention):
    def attend(self, q, k, v, attention_mask, output_attentions):
        if output_attentions:
            return super().attend(q, k, v, attention_mask, output_attentions)
        p = self.dropout.p if self.training else 0.0
        return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=attention_mask, dropout_p=p), None
