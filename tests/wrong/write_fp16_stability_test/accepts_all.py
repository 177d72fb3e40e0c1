"""Nothing is asserted."""


def check_fp16_stability(attention):
    x = torch.randn(2, 2, 5, 8).half()
    attention(x, x, x)
