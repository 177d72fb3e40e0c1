"""The weights are drawn in float64 and converted, whatever the dtype of q: other numbers than a draw in float32."""

in_the_default_dtype = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return in_the_default_dtype(q, k, v, num_heads, d_model, mask)
    finally:
        torch.set_default_dtype(usual)
