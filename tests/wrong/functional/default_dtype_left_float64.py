"""A call leaves the default dtype at float64."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    output = right(q, k, v, num_heads, d_model, mask)
    torch.set_default_dtype(torch.float64)
    return output
