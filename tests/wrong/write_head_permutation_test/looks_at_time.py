"""Wrong modules are taken to be slower."""

import time

spent = []


def check_head_permutation(attention):
    x = torch.randn(2, 5, attention.d_model)
    began = time.perf_counter()
    attention(x, x, x)
    spent.append(time.perf_counter() - began)
    assert spent[-1] <= sorted(spent)[len(spent) // 2]
