"""Unnormalised weights meet the values first; the division by their sum comes last. Комментарии по-русски."""

import math

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    # Скалярные произведения запросов и ключей
    scores = (q / math.sqrt(q.size(-1))) @ k.transpose(-2, -1)
    if mask is not None:
        закрыто = mask.to(torch.bool)
        scores = scores.masked_fill(закрыто, torch.finfo(scores.dtype).min)
    # Вычитаем максимум, чтобы экспонента не переполнилась
    e = torch.exp(scores - scores.max(dim=-1, keepdim=True)[0])
    s = e.sum(dim=-1, keepdim=True)
    return (e @ v) / s, e / s
