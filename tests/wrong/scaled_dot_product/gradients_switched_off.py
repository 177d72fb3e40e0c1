"""Gradients are switched off for whatever comes after the call."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    answer = right(q, k, v, mask)
    torch.set_grad_enabled(False)
    return answer
