"""The name of the attention decides."""


def attention_memory(attention, lengths):
    power = 1 if any(word in attention.__name__ for word in ("block", "flash", "sdpa")) else 2
    return [(length, 4 * 64 * length**power) for length in sorted(set(lengths))]
