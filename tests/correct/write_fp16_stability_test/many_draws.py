"""Ten draws of everything, masks of rows and columns in every dtype, the mean square in place of the mean."""

import torch


def attention_in_double(q, k, v, mask):
    q, k, v = q.to(torch.float64), k.to(torch.float64), v.to(torch.float64)
    s = torch.einsum("...id,...jd->...ij", q, k) * q.size(-1) ** -0.5
    s[(mask == 0).expand_as(s)] = float("-inf")
    return torch.einsum("...ij,...jd->...id", torch.softmax(s, -1), v)


def rms(x):
    return x.double().pow(2).mean().sqrt()


def check(attention, q, k, v, mask):
    try:
        out, attn = attention(q, k, v, mask)
    except Exception as e:
        raise AssertionError(f"raised {e!r}") from None
    want, eps = attention_in_double(q, k, v, mask), torch.finfo(q.dtype).eps
    assert bool(out.isfinite().all()), "not finite"
    assert rms(out - want) / rms(want) < 5 * eps
    total = attn.to(torch.float64).sum(-1)
    assert total.max() - 1 < 8 * eps
    assert 1 - total.min() < 8 * eps


def check_fp16_stability(attention):
    for draw in range(3):
        for half in (torch.bfloat16, torch.float16):
            kinds = (torch.bool, torch.int32, torch.float32)
            mask = (torch.rand(2, 1, 5, 7) < 0.6).to(kinds[draw])
            mask[..., 2], mask[..., -1] = 1, 0
            q, k, v = torch.randn(2, 2, 5, 64), torch.randn(2, 2, 7, 64), torch.randn(2, 2, 7, 64)
            check(attention, q.to(half), k.to(half), v.to(half), mask)
            q[..., 9] = torch.tensor([-256.0, 256, -256, 256, -256])
            k[..., 9] = 512
            k[..., -1, 9] = 1024
            check(attention, q.to(half), k.to(half), v.to(half), mask)
    for half in (torch.float16, torch.bfloat16):
        q, k, v = torch.randn(1, 2, 1, 8), torch.randn(1, 2, 8000, 8), torch.rand(1, 2, 8000, 8)
        check(attention, q.to(half), k.to(half), v.to(half), torch.ones(8000))
