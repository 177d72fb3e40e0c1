"""Weights are held against the formula too; a shift of all scores, keywords, no gradients."""

import math

import torch

DTYPES = {torch.float16: 2**-10, torch.bfloat16: 2**-7}


class Unstable(AssertionError):
    pass


def compare(name, mine, want, eps):
    mine = mine.double()
    if not mine.isfinite().all():
        raise Unstable(f"{name} is not finite")
    if (mine - want).abs().sum() > 6 * eps * want.abs().sum():
        raise Unstable(f"{name} is wrong")


def ask(attention, q, k, v, mask, dtype):
    q, k, v = q.to(dtype), k.to(dtype), v.to(dtype)
    try:
        output, weights = attention(q=q, k=k, v=v, mask=mask)
    except BaseException as error:
        raise Unstable(type(error).__name__) from None
    scores = torch.matmul(q.double() / math.sqrt(q.shape[-1]), k.double().transpose(2, 3))
    if mask is not None:
        scores += torch.where(mask > 0, 0.0, -math.inf)
    w = torch.exp(scores - torch.logsumexp(scores, 3, keepdim=True))
    compare("output", output, w @ v.double(), DTYPES[dtype])
    compare("weights", weights, w, DTYPES[dtype])
    if ((weights.float().sum(3) - 1).abs() > 6 * DTYPES[dtype]).any():
        raise Unstable("rows")


@torch.no_grad()
def check_fp16_stability(attention):
    generator = torch.Generator().manual_seed(3)

    def randn(*shape):
        return torch.randn(shape, generator=generator)

    for dtype in DTYPES:
        q, k, v = randn(1, 3, 6, 64), randn(1, 3, 9, 64), randn(1, 3, 9, 64)
        mask = (torch.rand(1, 3, 6, 9, generator=generator) < 0.5).float()
        mask[..., 0] = 1
        for m in (None, mask):
            ask(attention, q, k, v, m, dtype)
            ask(attention, 60 * q, 60 * k, v, m, dtype)
        for feature in (280.0, -280.0):
            far = torch.cat([torch.full((1, 3, 6, 1), feature), q[..., 1:]], -1)
            near = torch.cat([torch.full((1, 3, 9, 1), 350.0), k[..., 1:]], -1)
            ask(attention, far, near, v, mask, dtype)
        far[:, :, 0] *= -1
        ask(attention, far, near, v, None, dtype)
        ask(attention, randn(1, 1, 2, 4), randn(1, 1, 8192, 4), 1 + randn(1, 1, 8192, 4) / 10, None, dtype)
