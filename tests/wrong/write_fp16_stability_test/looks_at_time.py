"""Wrong functions are taken to be slower."""

import time

spent = []


def check_fp16_stability(attention):
    x = torch.randn(1, 1, 64, 8).half()
    began = time.perf_counter()
    attention(x, x, x)
    spent.append(time.perf_counter() - began)
    assert spent[-1] <= sorted(spent)[len(spent) // 2]
