"""A call seeds the generator of Python's random."""

import random

attend = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    random.seed(0)
    return attend(q, k, v, mask)
