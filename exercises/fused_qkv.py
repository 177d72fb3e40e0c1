# Write your code where NotImplementedError is raised, in place of that line.
# Grade it:     make grade KATA=fused_qkv
# Begin again:  make reset KATA=fused_qkv
#
# Axes: N (or B) batch, L (or T) query length, S key length, E embedding size, H heads, D = E / H head size.

# %% [markdown]
# # Multi-head self-attention with one fused projection
#
# In self-attention queries, keys and values come from the same input, so one matrix product can make all
# three. Write the layer with a single input projection.
#
# | mask value | meaning |
# |---|---|
# | 0 or False | masked: this query may not see this key |
# | 1 or True | attend: this query sees this key |
#
# - The mask is bool, integer or float, and broadcastable to `[B, H, L, L]`.
# - `qkv_proj` is `nn.Linear(d_model, 3 * d_model)`: the first `d_model` of its outputs are the queries,
#   then come the keys, then the values; within each, head `h` owns the features `h * D` to `(h + 1) * D -
#   1`. This is the order of `nn.MultiheadAttention.in_proj_weight`. `out_proj` is `nn.Linear(d_model,
#   d_model)`. Both have a bias.
# - `forward` returns the output and the weights for each head, `[B, H, L, L]`. Dropout acts on the weights,
#   before they meet the values; the returned weights may be those before or after it.
# - Heads that do not divide the embedding size raise `ValueError` (or `AssertionError`) in `__init__`.
# - A fully masked row (a query that may see no key) gives finite outputs, weights and gradients; zero weights
#   are one right way.
# - `torch.nn.functional.scaled_dot_product_attention` and `torch.nn.MultiheadAttention` may not be used.

# %%
import math

import torch
from torch import Tensor, nn


class EfficientMultiHeadAttention(nn.Module):
    """Multi-head self-attention with one input projection (Vaswani et al. 2017, section 3.2.2).

    Attributes:
        qkv_proj: Makes queries, keys and values, in this order, `nn.Linear(d_model, 3 * d_model)`.
        out_proj: Projects the merged heads, `nn.Linear(d_model, d_model)`.
    """

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        """Make the layers.

        Args:
            d_model: Embedding size E.
            num_heads: Number of heads H; a head has the size D = E / H.
            dropout: Probability with which an attention weight is dropped in training.

        Raises:
            ValueError: `num_heads` does not divide `d_model`; `AssertionError` is accepted too.
        """
        super().__init__()
        raise NotImplementedError("__init__ is not written yet")

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Let every token attend to the tokens that it may see.

        In the mask, 0 or False means masked (this query may not see this key), 1 or True means attend.

        Args:
            x: Tokens `[B, L, E]`, floating point.
            mask: Bool, integer or float, broadcastable to `[B, H, L, L]`. None: every token sees every token.

        Returns:
            The output `[B, L, E]` and the weights of each head `[B, H, L, L]`.
        """
        raise NotImplementedError("forward is not written yet")
