# Write your code where NotImplementedError is raised, in place of that line.
# Grade it:     make grade KATA=sdpa_backend
# Begin again:  make reset KATA=sdpa_backend
#
# Axes: N (or B) batch, L (or T) query length, S key length, E embedding size, H heads, D = E / H head size.

# %% [markdown]
# # The fused operator
#
# The complete `nn.Module` once more, on `torch.nn.functional.scaled_dot_product_attention` (SDPA): one
# operator for scores, scale, mask, softmax, dropout and weighted sum. What it is given must be put into its
# own conventions.
#
# | mask value | meaning |
# |---|---|
# | 0 or False | masked: this query may not see this key |
# | 1 or True | attend: this query sees this key |
#
# - The mask is bool, integer or float, `[B, 1, L, S]` or `[B, 1, 1, S]`.
# - With `is_causal` query `t` sees the keys `0` to `t`, also where `L != S`. With a mask beside it, a key is
#   seen only where both let it be seen.
# - `W_Q`, `W_K`, `W_V`, `W_O` are `nn.Linear(d_model, d_model, bias=bias)`, each weight drawn by
#   `nn.init.xavier_uniform_`, each bias zero. Head `h` owns the features `h * D` to `(h + 1) * D - 1`.
# - `forward` returns the output and, where `return_attention` is True, the weights for each head,
#   `[B, H, L, S]`, otherwise None in their place.
# - Where `return_attention` is False the output must come from SDPA, under any of its names: the call is
#   looked for among the operators. SDPA returns no weights: where they are wanted, they may be computed
#   beside it, and the output in either way.
# - Dropout acts on the weights alone, before they meet the values, and not in `eval` mode; the returned
#   weights may be those before or after it.
# - `extra_repr` returns `d_model=..., num_heads=..., dropout=..., bias=...` with the values that were given.
# - Heads that do not divide the embedding size raise `ValueError` (or `AssertionError`) in `__init__`.
# - A fully masked row (a query that may see no key) gives finite outputs, weights and gradients; zero weights
#   are one right way.
# - `torch.nn.MultiheadAttention` may not be used.

# %%
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class FlashMultiHeadAttention(nn.Module):
    """Multi-head attention on PyTorch's fused operator (Vaswani et al. 2017, section 3.2.2; Dao et al. 2022).

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
            dropout: Probability of dropping a weight in training.
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

    def _allowed(self, mask: Tensor | None, is_causal: bool, L: int, S: int) -> Tensor | None:
        """Join the mask and the triangle: bool, True = may be seen; None: every query sees every key.

        Args:
            mask: 0 = masked, `[B, 1, L, S]` or `[B, 1, 1, S]`, of any dtype, or None.
            is_causal: Whether query t sees the keys 0 to t alone.
            L: Number of queries.
            S: Number of keys.
        """
        raise NotImplementedError("_allowed is not written yet")

    def _weights(self, Q: Tensor, K: Tensor, allowed: Tensor | None) -> Tensor:
        """Compute the weights `[B, H, L, S]`, which SDPA does not return.

        Args:
            Q: Queries `[B, H, L, D]`.
            K: Keys `[B, H, S, D]`.
            allowed: Bool, True = may be seen, broadcastable to `[B, H, L, S]`. None: every key is seen.
        """
        raise NotImplementedError("_weights is not written yet")

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        is_causal: bool = False,
        return_attention: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from every query to the keys that it may see.

        In the mask, 0 or False means masked (this query may not see this key), 1 or True means attend.

        Args:
            query: `[B, L, E]`, floating point.
            key: `[B, S, E]`, the dtype of `query`.
            value: `[B, S, E]`, the dtype of `query`.
            mask: Bool, integer or float, `[B, 1, L, S]` or `[B, 1, 1, S]`. None: every query sees every key.
            is_causal: Whether query t sees the keys 0 to t alone, of those that the mask lets it see.
            return_attention: Whether to return the weights.

        Returns:
            The output `[B, L, E]`, and the weights of each head `[B, H, L, S]` or None.
        """
        raise NotImplementedError("forward is not written yet")

    def extra_repr(self) -> str:
        """Say what the module was made with: `d_model=8, num_heads=2, dropout=0.0, bias=True`."""
        raise NotImplementedError("extra_repr is not written yet")
