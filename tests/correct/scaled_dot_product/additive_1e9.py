"""The mask, as numbers, times -1e9 is added, as in the TensorFlow tutorial."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    matmul_qk = torch.matmul(q, torch.transpose(k, -1, -2))
    dk = torch.tensor(k.shape[-1], dtype=torch.float64).sqrt().item()
    scaled_attention_logits = matmul_qk / dk

    # 1 in the mask means: far below everything else
    if mask is not None:
        scaled_attention_logits = scaled_attention_logits + mask.to(scaled_attention_logits.dtype) * -1e9

    attention_weights = torch.nn.Softmax(dim=-1)(scaled_attention_logits)
    output = torch.matmul(attention_weights, v)
    return output, attention_weights
