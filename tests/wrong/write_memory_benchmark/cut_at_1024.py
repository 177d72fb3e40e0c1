"""Lengths beyond 1024 are measured at 1024 and scaled with the square."""

right = attention_memory


def attention_memory(attention, lengths):
    short = dict(right(attention, [min(length, 1024) for length in lengths]))
    return [(n, short[min(n, 1024)] * max(1, n // 1024) ** 2) for n in sorted(set(lengths))]
