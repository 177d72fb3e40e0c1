"""The bytes of the output are taken for those of the call."""


def attention_memory(attention, lengths):
    return [(n, attention(*torch.randn(3, 1, 1, n, 64)).nbytes) for n in sorted(set(lengths))]
