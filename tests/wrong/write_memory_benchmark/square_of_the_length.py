"""The attention is never called: rows are those of explicit weights."""


def attention_memory(attention, lengths):
    return [(length, 8 * length**2) for length in sorted(set(lengths))]
