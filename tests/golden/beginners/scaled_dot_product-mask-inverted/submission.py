import torch
import torch.nn.functional as F

def scaled_dot_product_attention(q, k, v, mask=None):
    dk = k.shape[-1]
    scores = q @ k.transpose(-1, -2) / dk ** 0.5
    if mask is not None:
        # 0 means hide this position
        scores = scores.masked_fill(mask == 0, -1e9)
    w = F.softmax(scores, dim=-1)
    return w @ v, w
