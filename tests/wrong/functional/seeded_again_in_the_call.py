"""Each call seeds the generator anew with the seed that it has: two layers in a row are alike."""

attend = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    torch.manual_seed(torch.initial_seed())
    return attend(q, k, v, num_heads, d_model, mask)
