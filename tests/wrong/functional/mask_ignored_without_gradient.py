"""Under no_grad the mask is ignored."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    return right(q, k, v, num_heads, d_model, mask if torch.is_grad_enabled() else None)
