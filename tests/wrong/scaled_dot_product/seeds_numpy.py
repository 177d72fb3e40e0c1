"""A call seeds the generator of numpy.random."""

import numpy as np

attend = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    np.random.seed(0)
    return attend(q, k, v, mask)
