# Write your code where NotImplementedError is raised, in place of that line.
# Grade it:     make grade KATA=rope
# Begin again:  make reset KATA=rope
#
# Axes: N (or B) batch, L (or T) query length, S key length, E embedding size, H heads, D = E / H head size.

# %% [markdown]
# # Rotary positions
#
# Attention alone sees a set of tokens, in no order. Rotary positions turn each query and each key by an
# angle that grows with its position; what is left in a score is the distance of the two.
#
# | mask value | meaning |
# |---|---|
# | 0 or False | masked: this query may not see this key |
# | 1 or True | attend: this query sees this key |
#
# - `apply_rope` turns features `i` and `i + D / 2` of a token at position `p` by the angle `p * base ** (-2
#   * i / D)`, for `i` from 0 to `D / 2 - 1`. This pairing is called rotate-half; the interleaved one, `2i`
#   with `2i + 1`, is another.
# - Positions are non-negative integers (int64), `[L]` for all sequences or `[B, L]`, in any order, with
#   gaps, near or far. The angles are computed in float32 or better, whatever the dtype of `x` or of the
#   layer; float64 is asked for by one check alone.
# - `RotaryMultiHeadAttention` is self-attention. Its layers `W_Q`, `W_K`, `W_V`, `W_O` are
#   `nn.Linear(d_model, d_model)` with a bias, and its only parameters; buffers are free, and how the weights
#   start is too. Head `h` owns the features `h * D` to `(h + 1) * D - 1`. Queries and keys are rotated,
#   values are not.
# - Without `positions` the tokens stand at 0 to `L - 1`.
# - The mask is bool, integer or float, `[B, 1, L, L]` or `[B, 1, 1, L]`.
# - `forward` returns the output and the weights for each head, `[B, H, L, L]`.
# - Heads that do not divide the embedding size raise `ValueError` (or `AssertionError`) in `__init__`.
# - An odd `D` raises `ValueError` (or `AssertionError`), in `apply_rope` and in `__init__`.
# - A fully masked row (a query that may see no key) gives finite outputs, weights and gradients; zero weights
#   are one right way.
# - `torch.nn.functional.scaled_dot_product_attention` and `torch.nn.MultiheadAttention` may not be used.

# %%
import math

import torch
from torch import Tensor, nn


def apply_rope(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """Turn pairs of features by angles that grow with the position (rotate-half; Su et al. 2021, 3.2.2).

    Args:
        x: Queries or keys `[B, H, L, D]`, floating point, D even.
        positions: Non-negative integers, int64, `[L]` for all sequences or `[B, L]`.
        base: Features i and i + D / 2 at position p are turned by p * base^(-2i / D).

    Returns:
        The turned features `[B, H, L, D]`, in the dtype of `x`.

    Raises:
        ValueError: D is odd; `AssertionError` is accepted too.
    """
    raise NotImplementedError("apply_rope is not written yet")


class RotaryMultiHeadAttention(nn.Module):
    """Multi-head self-attention with rotary positions (Su et al. 2021, section 3.2.2).

    Attributes:
        W_Q: Projects queries, `nn.Linear(d_model, d_model)`.
        W_K: Projects keys, `nn.Linear(d_model, d_model)`.
        W_V: Projects values, `nn.Linear(d_model, d_model)`.
        W_O: Projects the merged heads, `nn.Linear(d_model, d_model)`.
    """

    def __init__(self, d_model: int, num_heads: int, base: float = 10000.0) -> None:
        """Make the layers.

        Args:
            d_model: Embedding size E.
            num_heads: Number of heads H; a head has the size D = E / H, which is even.
            base: Of the rotation.

        Raises:
            ValueError: `num_heads` does not divide `d_model`, or D is odd; `AssertionError` is accepted too.
        """
        super().__init__()
        raise NotImplementedError("__init__ is not written yet")

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        positions: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Let every token attend to the tokens that it may see.

        In the mask, 0 or False means masked (this query may not see this key), 1 or True means attend.

        Args:
            x: Tokens `[B, L, E]`, floating point.
            mask: Bool, integer or float, `[B, 1, L, L]` or `[B, 1, 1, L]`. None: every token sees all.
            positions: Of the tokens, non-negative integers, int64, `[L]` or `[B, L]`. None: 0 to L - 1.

        Returns:
            The output `[B, L, E]` and the weights of each head `[B, H, L, L]`.
        """
        raise NotImplementedError("forward is not written yet")
