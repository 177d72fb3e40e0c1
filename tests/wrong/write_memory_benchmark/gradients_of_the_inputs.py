"""Inputs want gradients, and the mode is as it was found."""


def attention_memory(attention, lengths):
    rows = []
    for length in sorted(set(lengths)):
        q, k, v = (torch.randn(1, 1, length, 64, requires_grad=True) for _ in range(3))
        with Meter() as meter:
            attention(q, k, v)
        rows.append((length, meter.peak_bytes))
    return rows
