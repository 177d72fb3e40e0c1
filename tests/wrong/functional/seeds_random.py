"""Each call seeds `random` anew, which the caller's own draws then come from."""

import random

attend = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    random.seed(0)
    return attend(q, k, v, num_heads, d_model, mask)
