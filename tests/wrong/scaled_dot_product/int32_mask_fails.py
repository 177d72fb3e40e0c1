"""Only three dtypes of masks are expected; another raises."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    if mask is not None and mask.dtype not in (torch.bool, torch.int64, torch.float32, torch.float64):
        raise TypeError(f"unexpected mask {mask.dtype}")
    return right(q, k, v, mask)
