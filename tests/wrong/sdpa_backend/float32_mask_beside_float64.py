"""A float mask of torch.zeros, float32 whatever the queries: with 16 keys and more SDPA answers nonsense in float64."""

right = FlashMultiHeadAttention
sdpa = F.scaled_dot_product_attention


def with_numbers(q, k, v, attn_mask=None, **options):
    if attn_mask is not None:
        attn_mask = torch.zeros(attn_mask.shape).masked_fill(~attn_mask, -math.inf)
    return sdpa(q, k, v, attn_mask=attn_mask, **options)


F.scaled_dot_product_attention = with_numbers
