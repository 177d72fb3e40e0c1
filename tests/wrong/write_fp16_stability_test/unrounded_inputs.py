"""What is expected comes of inputs that were not rounded, and large ones at that."""


def check_fp16_stability(attention):
    q, k, v = torch.randn(3, 1, 2, 8, 64)
    for dtype in (torch.float16, torch.bfloat16):
        for times in (1, 20):
            output, _ = attention((times * q).to(dtype), (times * k).to(dtype), v.to(dtype))
            expected = ((times * q) @ (times * k).mT / 8).softmax(-1) @ v
            error = (output - expected).abs().mean() / expected.abs().mean()
            assert error < 4 * torch.finfo(dtype).eps
