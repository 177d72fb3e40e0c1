"""A call leaves a default device behind: what is made from then on has no values."""

attend = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    answer = attend(q, k, v, mask)
    torch.set_default_device("meta")
    return answer
