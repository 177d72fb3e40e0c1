"""Keys that are the values too are normalised in place."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    output, weights = right(q, k, v, mask)
    if k is v:
        with torch.no_grad():
            v.div_(v.norm(dim=-1, keepdim=True))
    return output, weights
