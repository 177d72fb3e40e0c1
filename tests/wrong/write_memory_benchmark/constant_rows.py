"""Every row has the same bytes."""


def attention_memory(attention, lengths):
    return [(length, 65536) for length in sorted(set(lengths))]
