"""What is refused is a difference to the answer in float32 of the attention itself."""


def check_fp16_stability(attention):
    q, k, v = torch.randn(3, 1, 2, 8, 64)
    for dtype in (torch.float16, torch.bfloat16):
        halves = [x.to(dtype) for x in (q, k, v)]
        output, _ = attention(*halves)
        expected, _ = attention(*(x.float() for x in halves))
        error = (output - expected).abs().mean() / expected.abs().mean()
        assert error < 4 * torch.finfo(dtype).eps
