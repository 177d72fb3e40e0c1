"""The bound is that of float32."""


def check_fp16_stability(attention):
    q, k, v = torch.randn(3, 1, 2, 8, 64).half()
    output, _ = attention(q, k, v)
    expected = (q.double() @ k.double().mT / 8).softmax(-1) @ v.double()
    assert (output - expected).abs().mean() < 4 * torch.finfo(torch.float32).eps * expected.abs().mean()
