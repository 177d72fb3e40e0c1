# Write your code where NotImplementedError is raised, in place of that line.
# Grade it:     make grade KATA=scaled_dot_product
# Begin again:  make reset KATA=scaled_dot_product
#
# Axes: N (or B) batch, L (or T) query length, S key length, E embedding size, H heads, D = E / H head size.

# %% [markdown]
# # Scaled dot-product attention
#
# Each query asks every key how well they match, turns the matches into weights that sum to 1, and
# takes the weighted mean of the values. Write that as one function, for any number of leading axes.
#
# | mask value | meaning |
# |---|---|
# | 1 or True | masked: this query may not see this key |
# | 0 or False | this query sees this key |
#
# - The mask is bool, integer or float, and broadcastable to `(..., L, S)`.
# - A fully masked row (a query that may see no key) gives finite outputs, weights and gradients; zero weights
#   are one right way.
# - `torch.nn.functional.scaled_dot_product_attention` and `torch.nn.MultiheadAttention` may not be used.

# %%
import math

import torch
from torch import Tensor


def scaled_dot_product_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Attend to the values with the softmax of scaled query-key products.

    In the mask, 1 or True means masked (this query may not see this key), 0 or False means seen.

    Args:
        q: Queries `(..., L, D)`, floating point.
        k: Keys `(..., S, D)`, the dtype of `q`.
        v: Values `(..., S, Dv)`, the dtype of `q`.
        mask: Bool, integer or float, broadcastable to `(..., L, S)`. None: every query sees every key.

    Returns:
        The output `(..., L, Dv)` and the attention weights `(..., L, S)`.
    """
    raise NotImplementedError("scaled_dot_product_attention is not written yet")
