# Write your code where NotImplementedError is raised, in place of that line.
# Grade it:     make grade KATA=functional
# Begin again:  make reset KATA=functional
#
# Axes: N (or B) batch, L (or T) query length, S key length, E embedding size, H heads, D = E / H head size.

# %% [markdown]
# # Multi-head attention as one function
#
# The whole of multi-head attention in a single function that draws its own weights. Seeded alike, it gives
# the very numbers that PyTorch's layer gives, so the order and the bounds of the draws are part of the task.
#
# - Batch first: `q` is `(N, L, E)`, `k` and `v` are `(N, S, E)`. No biases.
# - After the same `torch.manual_seed` the weights are those of
#   `nn.MultiheadAttention(d_model, num_heads, bias=False, batch_first=True)`: **first** the output projection
#   `(E, E)` by `nn.init.kaiming_uniform_(w, a=math.sqrt(5))`, **then** queries, keys and values stacked,
#   `(3 * E, E)` in this order, by `nn.init.xavier_uniform_(w)`.
# - Weights are drawn on the CPU, in the default dtype or that of `q`, and then converted to those of `q`.
# - Heads that do not divide the embedding size raise `ValueError` (or `AssertionError`).
# - A fully masked row (a query that may see no key) gives finite outputs, weights and gradients; zero weights
#   are one right way.
# - `torch.nn.functional.scaled_dot_product_attention` and `torch.nn.MultiheadAttention` may not be used.
#
# | mask value | meaning |
# |---|---|
# | 1 or True | masked: this query may not see this key |
# | 0 or False | this query sees this key |
#
# The mask is bool, integer or float, of shape `(L, S)`, `(N, L, S)` (one per sequence, the same for all its
# heads) or broadcastable to `(N, H, L, S)`.

# %%
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def multi_head_attention(
    q: Tensor, k: Tensor, v: Tensor, num_heads: int, d_model: int, mask: Tensor | None = None
) -> Tensor:
    """Multi-head attention with freshly drawn weights and no biases (Vaswani et al. 2017, section 3.2.2).

    In the mask, 1 or True means masked (this query may not see this key), 0 or False means seen.

    Args:
        q: Queries `(N, L, E)`, floating point.
        k: Keys `(N, S, E)`, the dtype of `q`.
        v: Values `(N, S, E)`, the dtype of `q`.
        num_heads: Number of heads H; a head has the size D = E / H.
        d_model: Embedding size E.
        mask: Bool, integer or float: `(L, S)`, `(N, L, S)` or broadcastable to `(N, H, L, S)`. None: every
            query sees every key.

    Returns:
        The output `(N, L, E)`.

    Raises:
        ValueError: `num_heads` does not divide `d_model`; `AssertionError` is accepted too.
    """
    raise NotImplementedError("multi_head_attention is not written yet")
