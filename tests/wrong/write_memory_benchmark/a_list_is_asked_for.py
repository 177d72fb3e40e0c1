"""Lengths are sorted in place, which a tuple does not allow."""

right = attention_memory


def attention_memory(attention, lengths):
    lengths.sort()
    return right(attention, lengths)
