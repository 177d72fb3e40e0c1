"""The worst value counts, as a share of the largest; float32 is what is expected; a function for each property."""

import torch
import torch.nn.functional as F


def reference(q, k, v, mask):
    return F.scaled_dot_product_attention(q.double(), k.double(), v.double(), attn_mask=mask)


def assert_near(attention, q, k, v, mask=None):
    try:
        out, w = attention(q, k, v, mask=mask)
    except Exception as problem:
        raise AssertionError("it does not run in half precision") from problem
    eps = torch.finfo(q.dtype).eps
    assert torch.isfinite(out).all()
    assert torch.isfinite(w).all()
    want = reference(q, k, v, mask)
    assert (out.double() - want).abs().max() <= 6 * eps * want.abs().max()
    assert torch.allclose(w.double().sum(dim=-1), torch.ones(w.shape[:-1], dtype=torch.float64), atol=6 * eps, rtol=0)


def check_fp16_stability(attention):
    torch.manual_seed(0)
    for dtype in [torch.half, torch.bfloat16]:
        B, H, L, S, D = 2, 3, 8, 12, 64
        q, k, v = torch.randn(B, H, L, D), torch.randn(B, H, S, D), torch.randn(B, H, S, D)
        causal = torch.ones(L, S, dtype=torch.bool).tril()
        assert_near(attention, *(x.to(dtype) for x in (q, k, v)))
        assert_near(attention, *(x.to(dtype) for x in (q, k, v)), causal)
        for sign in (-1, 1):
            shifted, onto = q.clone(), k.clone()
            shifted[..., 5] += sign * 300
            onto[..., 5] = 400
            assert_near(attention, *(x.to(dtype) for x in (shifted, onto, v)), causal)
        # Rows of both signs in one matrix, and a hidden key that outshines all.
        shifted[:, :, : L // 2, 5] = -300
        onto[..., -1, 5] = 800
        last = torch.ones(1, 1, 1, S, dtype=torch.bool)
        last[..., -1] = False
        assert_near(attention, *(x.to(dtype) for x in (shifted, onto, v)), last)
        q, k, v = torch.randn(1, 1, 1, 16), torch.randn(1, 1, 8192, 16), torch.rand(1, 1, 8192, 16) + 0.5
        assert_near(attention, *(x.to(dtype) for x in (q, k, v)))
