"""Lengths are measured at the next multiple of 8."""

right = attention_memory


def attention_memory(attention, lengths):
    wide = {length: -8 * (-length // 8) for length in sorted(set(lengths))}
    sizes = dict(right(attention, list(wide.values())))
    return [(length, sizes[wide[length]]) for length in wide]
