"""Queries go through in chunks of 32, each with the first chunk's rows of the mask."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    chunks = []
    for chunk in q.split(32, dim=-2):
        rows = mask
        if mask is not None and mask.dim() > 1 and mask.size(-2) > 1:
            rows = mask[..., : chunk.size(-2), :]
        chunks.append(right(chunk, k, v, rows))
    return torch.cat([out for out, _ in chunks], -2), torch.cat([weights for _, weights in chunks], -2)
