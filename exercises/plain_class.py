# Write your code where NotImplementedError is raised, in place of that line.
# Grade it:     make grade KATA=plain_class
# Begin again:  make reset KATA=plain_class
#
# Axes: N (or B) batch, L (or T) query length, S key length, E embedding size, H heads, D = E / H head size.

# %% [markdown]
# # Multi-head attention as a plain class
#
# Multi-head attention runs several attentions side by side, each on its own slice of the embedding, and
# mixes their answers. Write it as a class with four linear layers; it need not be an `nn.Module`.
#
# - `W_q`, `W_k`, `W_v`, `W_o` are `nn.Linear(d_model, d_model)`, each with its bias.
# - `Q` is `(N, L, E)`, `K` and `V` are `(N, S, E)`; `L` and `S` may differ. Head `h` owns the features
#   `h * D` to `(h + 1) * D - 1` of each projection.
# - Heads that do not divide the embedding size raise `ValueError` (or `AssertionError`) in `__init__`.
# - `torch.nn.functional.scaled_dot_product_attention` and `torch.nn.MultiheadAttention` may not be used.
#
# | mask value | meaning |
# |---|---|
# | none | this kata has no mask: every query sees every key |

# %%
import math

import torch
from torch import Tensor, nn


class MultiHeadAttention:
    """Multi-head attention without masks (Vaswani et al. 2017, section 3.2.2).

    Attributes:
        W_q: Projects queries, `nn.Linear(d_model, d_model)`.
        W_k: Projects keys, `nn.Linear(d_model, d_model)`.
        W_v: Projects values, `nn.Linear(d_model, d_model)`.
        W_o: Projects the merged heads, `nn.Linear(d_model, d_model)`.
    """

    def __init__(self, d_model: int, num_heads: int) -> None:
        """Make the four linear layers.

        Args:
            d_model: Embedding size E.
            num_heads: Number of heads H; a head has the size D = E / H.

        Raises:
            ValueError: `num_heads` does not divide `d_model`; `AssertionError` is accepted too.
        """
        raise NotImplementedError("__init__ is not written yet")

    def forward(self, Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
        """Attend from every query to every key.

        There is no mask here, so no True, 1 or 0 has a meaning.

        Args:
            Q: Queries `(N, L, E)`, floating point.
            K: Keys `(N, S, E)`, the dtype of `Q`.
            V: Values `(N, S, E)`, the dtype of `Q`.

        Returns:
            The output `(N, L, E)`.
        """
        raise NotImplementedError("forward is not written yet")
