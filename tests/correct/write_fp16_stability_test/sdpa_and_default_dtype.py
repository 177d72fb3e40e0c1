"""The default dtype is float64 meanwhile and put back; PyTorch's own attention says what is expected."""

import contextlib

import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa


@contextlib.contextmanager
def double():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.double)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def check_fp16_stability(attention):
    with double():
        offset = torch.zeros(64)
        offset[-1] = 1
        for dtype in (torch.float16, torch.bfloat16):
            for times, keys in ((0, 24), (300, 24), (-300, 24), (0, 8192)):
                q, k = torch.randn(1, 2, 4, 64), torch.randn(1, 2, keys, 64)
                v = torch.randn(1, 2, keys, 64) if keys == 24 else torch.rand(1, 2, keys, 64)
                q, k = q * (1 - offset) + times * offset, k * (1 - offset) + 330 * offset
                q[:, :, 0] = -q[:, :, 0]
                seen = torch.arange(keys) % 5 != 0
                k[:, :, 0] *= 2
                q, k, v = q.to(dtype), k.to(dtype), v.to(dtype)
                failure = None
                try:
                    out, w = attention(q, k, v, seen[None, None, None])
                except Exception as problem:
                    failure = problem
                assert failure is None, failure
                want = sdpa(q.double(), k.double(), v.double(), seen[None])
                eps = torch.finfo(dtype).eps
                assert torch.mean(torch.abs(out - want)) < 4 * eps * torch.mean(torch.abs(want))
                assert torch.all(torch.abs(w.double().sum(-1) - 1.0) < 4 * eps)
