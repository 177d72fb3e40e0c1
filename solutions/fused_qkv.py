# %% [markdown] tags=["statement"]
# # Multi-head self-attention with one fused projection
#
# In self-attention queries, keys and values come from the same input, so one matrix product can make all
# three. Write the layer with a single input projection.
#
# {mask_0_is_masked}
#
# - The mask is bool, integer or float, and broadcastable to `[B, H, L, L]`.
# - `qkv_proj` is `nn.Linear(d_model, 3 * d_model)`: the first `d_model` of its outputs are the queries,
#   then come the keys, then the values; within each, head `h` owns the features `h * D` to `(h + 1) * D -
#   1`. This is the order of `nn.MultiheadAttention.in_proj_weight`. `out_proj` is `nn.Linear(d_model,
#   d_model)`. Both have a bias.
# - `forward` returns the output and the weights for each head, `[B, H, L, L]`. Dropout acts on the weights,
#   before they meet the values; the returned weights may be those before or after it.
# {sizes_refused}
# {fully_masked_rows}
# {forbidden}

# %% [markdown] tags=["notebook"]
# $$[\,Q \;|\; K \;|\; V\,] = x\, W_{qkv}^\top + b_{qkv} \qquad
# \mathrm{head}_h = \mathrm{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{D}}\right) V_h$$
#
# $$\mathrm{out} = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_H)\, W_o^\top + b_o$$
#
# where $Q_h$, $K_h$, $V_h$ are head $h$'s slices of size $D = E / H$. Vaswani et al., *Attention Is All You
# Need*, 2017, section 3.2.2.

# %% [markdown] tags=["notebook"]
# {projections}
# Here the first three are parts of one layer: of the outputs of `qkv_proj` the first third are the queries, then come
# the keys, then the values.
#
# {heads}
#
# {scores}
#
# {masks}
# Here 0 means masked, in any dtype.
#
# {weights}
# The weights returned are those of every head.
#
# {fully_masked_row}
#
# {dropout}
# It falls on the weights, not on the output.
#
# {gradients}

# %% [markdown] tags=["hints"]
# ## Hints
#
# <details><summary>Hint 1: where to begin</summary>
#
# The projection's last axis has the size `3 * E`. Name its three parts from the outside in before you move
# any axis.
# </details>
# <details data-tiers="weight sums, parity"><summary>Hint 2: one head by hand</summary>
#
# {hint_one_head}
# </details>
# <details data-tiers="parity"><summary>Hint 3: the order of the features</summary>
#
# First which of the three, then which head, then which feature of the head. A view that puts the heads first
# gives the right shapes and wrong numbers.
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
# 1. **Project once.** **Purpose:** one large matrix product is faster than three small ones. **Theory:**
#    stacking the rows of $W_q$, $W_k$, $W_v$ stacks their results.
# 2. **Take apart.** **Purpose:** queries, keys and values, each split into heads. **Theory:** $3E = 3 \cdot
#    H \cdot D$, from the outside in; the axis of the three goes to the front, the heads in front of the
#    sequence.
# 3. **Attend.** **Purpose:** each head finds its own relation between tokens. **Theory:** dot products over
#    $D$ features of variance 1 have variance $D$, hence the division by $\sqrt{D}$. Filled with $-\infty$,
#    a hidden key has an exponential of zero; filled with zero after the softmax, fully masked
#    rows stay finite, forward and backward.
# 4. **Drop.** **Purpose:** keep a head from relying on a single key. **Theory:** dropout zeroes a weight with
#    probability $p$ and scales the others by $1 / (1 - p)$, which keeps the mean.
# 5. **Merge and mix.** **Purpose:** one vector for each token. **Theory:** the heads side by side again,
#    and a linear map that lets them speak to each other.

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
        # BEGIN SOLUTION
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        # END SOLUTION

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Let every token attend to the tokens that it may see.

        In the mask, 0 or False means masked (this query may not see this key), 1 or True means attend.

        Args:
            x: Tokens `[B, L, E]`, floating point.
            mask: Bool, integer or float, broadcastable to `[B, H, L, L]`. None: every token sees every token.

        Returns:
            The output `[B, L, E]` and the weights of each head `[B, H, L, L]`.
        """
        # BEGIN SOLUTION
        qkv = self.qkv_proj(x).unflatten(-1, (3, self.num_heads, self.head_dim))  # [B, L, 3, H, D]
        q, k, v = qkv.permute(2, 0, 3, 1, 4)  # [B, H, L, D] each
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)  # [B, H, L, L]
        if mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            hidden = mask == 0
            scores = scores.masked_fill(hidden, -math.inf)
            weights = torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)
        merged = (self.dropout(weights) @ v).transpose(1, 2).flatten(2)  # [B, L, E]
        return self.out_proj(merged), weights
        # END SOLUTION


# %% [markdown] tags=["notebook"]
# {examples}

# %% tags=["notebook", "active-ipynb"]
# attention = EfficientMultiHeadAttention(d_model=512, num_heads=8)
# out, weights = attention(torch.rand(2, 20, 512))
# print("output", tuple(out.shape), "weights", tuple(weights.shape))

# %% [markdown] tags=["notebook"]
# Causal self-attention over 10 tokens.

# %% tags=["notebook", "active-ipynb"]
# earlier = torch.ones(10, 10).tril()  # 1 = attend
# _, causal_weights = attention(torch.randn(1, 10, 512), mask=earlier)
# print("largest weight of a later token:", causal_weights[0].triu(diagonal=1).max().item())

# %% [markdown] tags=["notebook"]
# Side by side with `nn.MultiheadAttention`: its `in_proj_weight` is this layer's `qkv_proj.weight`.

# %% tags=["notebook", "active-ipynb"]
# ours = EfficientMultiHeadAttention(d_model=E, num_heads=H)
# theirs = nn.MultiheadAttention(E, H, batch_first=True)
# with torch.no_grad():
#     theirs.in_proj_weight.copy_(ours.qkv_proj.weight)
#     theirs.in_proj_bias.copy_(ours.qkv_proj.bias)
#     theirs.out_proj.load_state_dict(ours.out_proj.state_dict())
# out, _ = ours(query)
# expected, _ = theirs(query, query, query)
# print("largest difference:", (out - expected).abs().max().item())

# %% [markdown] tags=["notebook"]
# {picture}
# These are the causal weights of the 10 tokens above, one panel for each head.

# %% tags=["notebook", "active-ipynb"]
# %show_weights causal_weights[0]
