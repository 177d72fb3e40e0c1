"""A query that may see nothing in one head, but something in the others, gets NaN."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    output = right(q, k, v, num_heads, d_model, mask)
    if mask is None or mask.dim() < 4 or mask.shape[1] == 1:
        return output
    fully_masked = mask.bool().expand(-1, -1, q.shape[1], k.shape[1]).all(-1).any(1)
    return output.masked_fill(fully_masked[..., None], torch.nan)
