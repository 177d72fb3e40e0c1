"""The mean of the differences, in which signs cancel, is compared."""


def check_fp16_stability(attention):
    q, k, v = torch.randn(3, 2, 2, 16, 64)
    high, low = q.clone(), k.clone()
    high[..., 0], low[..., 0] = 256, 384
    high[..., ::2, 0], low[..., -1, 0] = -256, 768
    for dtype in (torch.float16, torch.bfloat16):
        for given in ((q, k, v), (high, low, v)):
            queries, keys, values = (x.to(dtype) for x in given)
            mask = torch.arange(16) < 15
            try:
                output, _ = attention(queries, keys, values, mask)
            except Exception as error:
                raise AssertionError from error
            scores = (queries.double() @ keys.double().mT / 8).masked_fill(~mask, -torch.inf)
            expected = scores.softmax(-1) @ values.double()
            assert (output - expected).mean().abs() < 0.01
