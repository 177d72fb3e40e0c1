"""NumPy computes what is expected, in float64; inputs come from a list of names; failures are collected first."""

import itertools

import numpy as np
import torch


def softmax(scores):
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def formula(q, k, v, mask):
    q, k, v = (x.float().numpy().astype(np.float64) for x in (q, k, v))
    scores = np.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(q.shape[-1])
    return softmax(np.where(mask.numpy() == 0, -np.inf, scores)) @ v


def inputs(name, random):
    def normal(*shape):
        return torch.from_numpy(random.standard_normal(shape))

    keys = 8190 if name == "long" else 20
    q, k, v = normal(1, 2, 4, 32), normal(1, 2, keys, 32), normal(1, 2, keys, 32)
    mask = torch.ones(1, 1, 4, keys, dtype=torch.int64)
    mask[..., 3:6] = 0
    if name == "large":
        q[..., 0] = torch.tensor([1.0, -1.0, 1.0, -1.0]) * 512
        k[..., 0] = 256
        k[..., 4, 0] = 1024
    if name == "long":
        v = v.abs()
    return q, k, v, mask


def check_fp16_stability(attention):
    random = np.random.default_rng(11)
    failures = []
    for name, dtype in itertools.product(("normal", "large", "long"), (torch.float16, torch.bfloat16)):
        q, k, v, mask = inputs(name, random)
        q, k, v = q.to(dtype), k.to(dtype), v.to(dtype)
        try:
            output, weights = (x.double().numpy() for x in attention(q, k, v, mask))
        except Exception as error:
            failures.append(f"{name}: {error}")
            continue
        right, eps = formula(q, k, v, mask), torch.finfo(dtype).eps
        ratio = np.abs(output - right).mean() / np.abs(right).mean() / eps
        rows = np.abs(weights.sum(-1) - 1).max() / eps
        if not (ratio <= 8 and rows <= 8):
            failures.append(f"{name}: {ratio:.1f} eps, rows {rows:.1f} eps")
    if failures:
        raise AssertionError("; ".join(failures))
