# Write your code where NotImplementedError is raised, in place of that line.
# Grade it:     make grade KATA=need_weights
# Begin again:  make reset KATA=need_weights
#
# Axes: N (or B) batch, L (or T) query length, S key length, E embedding size, H heads, D = E / H head size.

# %% [markdown]
# # Weights that are not wanted
#
# A complete `nn.Module` whose caller may do without the weights. They are the largest tensors of attention,
# `[B, H, L, S]`, and a layer that stores them for a picture holds that memory until its next call.
#
# | mask value | meaning |
# |---|---|
# | 0 or False | masked: this query may not see this key |
# | 1 or True | attend: this query sees this key |
#
# - The mask is bool, integer or float, `[B, 1, L, S]` or `[B, 1, 1, S]`.
# - `W_Q`, `W_K`, `W_V`, `W_O` are `nn.Linear(d_model, d_model, bias=bias)`, each weight drawn by
#   `nn.init.xavier_uniform_`, each bias zero.
# - `_split_heads` takes `[B, L, E]` to `[B, H, L, D]`, `_combine_heads` back. Head `h` owns the features
#   `h * D` to `(h + 1) * D - 1`. `_scaled_dot_product_attention` works on split heads.
# - `forward` returns the output and the weights for each head, `[B, H, L, S]`, or None in their place where
#   `need_weights` is False. The output is the same either way.
# - After a call with `need_weights=False` no tensor of `L x S` elements stays alive, of any dtype: no
#   weights, no scores, no mask, no view of them, no history, nor their numbers in a list or an array. With
#   gradients this holds once the output and its graph are gone. What a call with `need_weights=True` stored
#   may stay.
# - Dropout acts on the weights, before they meet the values, and on the output; the returned weights may be
#   those before or after it.
# - `extra_repr` returns `d_model=..., num_heads=..., dropout=..., bias=...` with the values that were given.
# - Heads that do not divide the embedding size raise `ValueError` (or `AssertionError`) in `__init__`.
# - A fully masked row (a query that may see no key) gives finite outputs, weights and gradients; zero weights
#   are one right way.
# - `torch.nn.functional.scaled_dot_product_attention` and `torch.nn.MultiheadAttention` may not be used.

# %%
import math

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Multi-head attention with dropout and weights for each head (Vaswani et al. 2017, section 3.2.2).

    What the weights take: Rabe and Staats 2021.

    Attributes:
        W_Q: Projects queries, `nn.Linear(d_model, d_model)`.
        W_K: Projects keys, `nn.Linear(d_model, d_model)`.
        W_V: Projects values, `nn.Linear(d_model, d_model)`.
        W_O: Projects the combined heads, `nn.Linear(d_model, d_model)`.
    """

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        """Make the layers: Xavier-uniform weights, zero biases.

        Args:
            d_model: Embedding size E.
            num_heads: Number of heads H; a head has the size D = E / H.
            dropout: Probability of dropping a weight, and a feature of the output, in training.
            bias: Whether the four linear layers have a bias.

        Raises:
            ValueError: `num_heads` does not divide `d_model`; `AssertionError` is accepted too.
        """
        super().__init__()
        raise NotImplementedError("__init__ is not written yet")

    def _split_heads(self, x: Tensor) -> Tensor:
        """Give each head its slice of the features: `[B, L, E]` to `[B, H, L, D]`."""
        raise NotImplementedError("_split_heads is not written yet")

    def _combine_heads(self, x: Tensor) -> Tensor:
        """Put the heads side by side again: `[B, H, L, D]` to `[B, L, E]`."""
        raise NotImplementedError("_combine_heads is not written yet")

    def _scaled_dot_product_attention(
        self, Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Attend within each head, with dropout on the weights.

        In the mask, 0 or False means masked (this query may not see this key), 1 or True means attend.

        Args:
            Q: Queries `[B, H, L, D]`.
            K: Keys `[B, H, S, D]`.
            V: Values `[B, H, S, D]`.
            mask: Bool, integer or float, `[B, 1, L, S]` or `[B, 1, 1, S]`. None: every query sees every key.

        Returns:
            The output `[B, H, L, D]` and the weights `[B, H, L, S]`.
        """
        raise NotImplementedError("_scaled_dot_product_attention is not written yet")

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        need_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from every query to the keys that it may see.

        In the mask, 0 or False means masked (this query may not see this key), 1 or True means attend.

        Args:
            query: `[B, L, E]`, floating point.
            key: `[B, S, E]`, the dtype of `query`.
            value: `[B, S, E]`, the dtype of `query`.
            mask: Bool, integer or float, `[B, 1, L, S]` or `[B, 1, 1, S]`. None: every query sees every key.
            need_weights: Whether to return the weights.

        Returns:
            The output `[B, L, E]`, and the weights of each head `[B, H, L, S]` or None.
        """
        raise NotImplementedError("forward is not written yet")

    def extra_repr(self) -> str:
        """Say what the module was made with: `d_model=8, num_heads=2, dropout=0.0, bias=True`."""
        raise NotImplementedError("extra_repr is not written yet")
