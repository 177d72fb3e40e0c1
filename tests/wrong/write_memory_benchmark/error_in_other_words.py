"""What the attention raises becomes a MemoryError."""

right = attention_memory


def attention_memory(attention, lengths):
    try:
        return right(attention, lengths)
    except Exception as error:
        raise MemoryError(str(error)) from error
