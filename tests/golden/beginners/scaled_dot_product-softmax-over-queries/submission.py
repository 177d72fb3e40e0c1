import torch
import math

def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = q.size()[-1]
    attn_logits = torch.matmul(q, k.transpose(-2, -1))
    attn_logits = attn_logits / math.sqrt(d_k)
    if mask is not None:
        attn_logits = attn_logits.masked_fill(mask.bool(), -9e15)
    attention = torch.softmax(attn_logits, dim=-2)
    values = torch.matmul(attention, v)
    return values, attention
