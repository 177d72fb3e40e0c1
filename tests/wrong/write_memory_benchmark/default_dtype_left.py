"""The default dtype is left at another."""

right = attention_memory


def attention_memory(attention, lengths):
    rows = right(attention, lengths)
    torch.set_default_dtype(torch.float64)
    return rows
