# %% [markdown] tags=["statement"]
# # Rotary positions
#
# Attention alone sees a set of tokens, in no order. Rotary positions turn each query and each key by an
# angle that grows with its position; what is left in a score is the distance of the two.
#
# {mask_0_is_masked}
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
# {sizes_refused}
# - An odd `D` raises `ValueError` (or `AssertionError`), in `apply_rope` and in `__init__`.
# {fully_masked_rows}
# {forbidden}

# %% [markdown] tags=["notebook"]
# $$\begin{pmatrix} x'_i \\ x'_{i + D/2} \end{pmatrix} =
# \begin{pmatrix} \cos p\,\theta_i & -\sin p\,\theta_i \\ \sin p\,\theta_i & \cos p\,\theta_i \end{pmatrix}
# \begin{pmatrix} x_i \\ x_{i + D/2} \end{pmatrix} \qquad \theta_i = \mathrm{base}^{-2i/D}$$
#
# $$\mathrm{head}_h = \mathrm{softmax}\!\left(\frac{Q'_h K_h'^\top}{\sqrt{D}}\right) V_h$$
#
# where $Q'_h$ and $K'_h$ are the rotated queries and keys of head $h$. Su et al., *RoFormer: Enhanced Transformer with
# Rotary Position Embedding*, 2021, section 3; the attention is that of Vaswani et al., *Attention Is All You Need*,
# 2017, section 3.2.2.

# %% [markdown] tags=["notebook"]
# {projections}
# Each of the four layers has weights and a bias of its own.
#
# {heads}
#
# ## Rotation
#
# A pair of features is a point in the plane, and a position turns it: by $p\,\theta_0 = p$ in the first pair, ever
# slower in those after it. A rotation keeps the norm, and at position 0 nothing moves. The dot product of a query at
# $m$ and a key at $n$ depends on $n - m$ alone, since $R_m^\top R_n = R_{n-m}$: moved together, they keep their score.
# The angles of all heads are the same. In half precision two far neighbours are one number, and so are their angles.
#
# {scores}
#
# {masks}
# Here 0 means masked, in any dtype; every head of a sequence has the same mask.
#
# {weights}
# The weights returned are those of every head.
#
# {fully_masked_row}
#
# {gradients}

# %% [markdown] tags=["hints"]
# ## Hints
#
# <details><summary>Hint 1: where to begin</summary>
#
# `apply_rope` on one head and one token: at position 0 it must give back what it was given.
# </details>
# <details data-tiers="weight sums, parity"><summary>Hint 2: one head by hand</summary>
#
# {hint_one_head}
# </details>
# <details data-tiers="rotation, positions"><summary>Hint 3: the axes of the angles</summary>
#
# Positions times frequencies is an outer product with an axis for positions and one for pairs. Where the positions
# have an axis for sequences, something is missing between it and the tokens. Look at its dtype too: what does
# `torch.tensor(5003).bfloat16()` print?
# </details>
# <details data-tiers="padding, causal"><summary>Hint 4: 0 = masked</summary>
#
# {hint_0_is_masked}
# </details>
# <details data-tiers="nan safety"><summary>Hint 5: a fully masked row</summary>
#
# {hint_fully_masked_row}
# </details>
# <details data-tiers="gradients"><summary>Hint 6: a gradient that ends</summary>
#
# {hint_gradients}
# </details>

# %% [markdown] tags=["solution"]
# ## Solution, step by step
#
# 1. **Make the angles** (`apply_rope`). **Purpose:** a token's place as angles, fast ones that tell neighbours apart
#    and slow ones that reach far. **Theory:** frequencies fall as a geometric series from 1 to nearly 1 / base, as in
#    the sinusoidal positions of Vaswani et al. 2017; in float64 no position that a model sees loses a digit.
# 2. **Turn** (`apply_rope`). **Purpose:** put the place into direction, and leave the norm to the content.
#    **Theory:** a rotation of the plane, in each pair by itself: $x_1 \cos - x_2 \sin$ and $x_2 \cos + x_1 \sin$.
# 3. **Make the layers** (`__init__`). **Purpose:** learn what to ask, offer, hand over, and how to mix the answers.
#    **Theory:** rotation has nothing to learn; it needs an even number of features in each head.
# 4. **Rotate queries and keys** (`forward`). **Purpose:** scores that know distances. **Theory:**
#    $(R_m q)^\top R_n k = q^\top R_{n-m} k$; a rotated value would carry its place into the output.
# 5. **Attend and mix** (`forward`). **Purpose:** each head finds its own relation between tokens, and the output
#    projection lets the heads speak to each other. **Theory:** filled with $-\infty$, a hidden key has an
#    exponential of zero; filled with zero after the softmax, fully masked rows stay finite, forward and backward.

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
    # BEGIN SOLUTION
    size = x.shape[-1]
    if size % 2 == 1:
        raise ValueError(f"D = {size} is odd")
    frequencies = base ** (-torch.arange(0, size, 2, dtype=torch.float64, device=x.device) / size)
    angles = positions[..., None, :, None] * frequencies  # [1, L, D / 2] or [B, 1, L, D / 2]
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
    # END SOLUTION


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
        # BEGIN SOLUTION
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
        if d_model // num_heads % 2 == 1:
            raise ValueError("D = d_model / num_heads is odd")
        self.num_heads = num_heads
        self.base = base
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)
        # END SOLUTION

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
        # BEGIN SOLUTION
        if positions is None:
            positions = torch.arange(x.shape[1], device=x.device)
        layers = (self.W_Q, self.W_K, self.W_V)
        q, k, v = (layer(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for layer in layers)  # [B, H, L, D]
        q = apply_rope(q, positions, self.base)
        k = apply_rope(k, positions, self.base)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # [B, H, L, L]
        if mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            hidden = mask == 0
            scores = scores.masked_fill(hidden, -math.inf)
            weights = torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)
        merged = (weights @ v).transpose(1, 2).flatten(2)  # [B, L, E]
        return self.W_O(merged), weights
        # END SOLUTION


# %% [markdown] tags=["notebook"]
# {examples}

# %% tags=["notebook", "active-ipynb"]
# attention = RotaryMultiHeadAttention(d_model=512, num_heads=8)
# x = torch.rand(2, 20, 512)
# output, weights = attention(x)
# print("output", tuple(output.shape), "weights", tuple(weights.shape))

# %% [markdown] tags=["notebook"]
# Moved by 1000 positions, all tokens get the same answer but for rounding; with gaps between them they get another one.

# %% tags=["notebook", "active-ipynb"]
# moved, _ = attention(x, positions=torch.arange(20) + 1000)
# apart, _ = attention(x, positions=torch.arange(20) * 3)
# print("moved:", (moved - output).abs().max().item(), "with gaps:", (apart - output).abs().max().item())

# %% [markdown] tags=["notebook"]
# Causal self-attention over 10 tokens. They are one token 10 times: what differs in their weights is the distance.

# %% tags=["notebook", "active-ipynb"]
# earlier = torch.ones(1, 1, 10, 10).tril()  # 1 = attend
# _, causal_weights = attention(3 * torch.randn(1, 1, 512).expand(1, 10, 512), mask=earlier)
# print("largest weight of a later token:", causal_weights[0].triu(diagonal=1).max().item())

# %% [markdown] tags=["notebook"]
# Side by side with `nn.MultiheadAttention`, which knows no positions: at position 0 nothing is turned.

# %% tags=["notebook", "active-ipynb"]
# ours = RotaryMultiHeadAttention(d_model=E, num_heads=H)
# theirs = nn.MultiheadAttention(E, H, batch_first=True)
# with torch.no_grad():
#     theirs.in_proj_weight.copy_(torch.cat([ours.W_Q.weight, ours.W_K.weight, ours.W_V.weight]))
#     theirs.in_proj_bias.copy_(torch.cat([ours.W_Q.bias, ours.W_K.bias, ours.W_V.bias]))
#     theirs.out_proj.load_state_dict(ours.W_O.state_dict())
# out, _ = ours(query, positions=torch.zeros(query.shape[1], dtype=torch.int64))
# expected, _ = theirs(query, query, query)
# print("largest difference:", (out - expected).abs().max().item())

# %% [markdown] tags=["notebook"]
# {picture}
# These are the causal weights of the equal tokens above, one panel for each head: along a diagonal, which is one
# distance, scores are equal, and only the number of tokens that are seen grows from row to row.

# %% tags=["notebook", "active-ipynb"]
# %show_weights causal_weights[0]
