# %% [markdown] tags=["statement"]
# # Scaled dot-product attention
#
# Each query asks every key how well they match, turns the matches into weights that sum to 1, and
# takes the weighted mean of the values. Write that as one function, for any number of leading axes.
#
# {mask_1_is_masked}
#
# - The mask is bool, integer or float, and broadcastable to `(..., L, S)`.
# {fully_masked_rows}
# {forbidden}

# %% [markdown] tags=["notebook"]
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{D}}\right) V$$
#
# Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.1. Here $D$ is the last axis of `q` and `k`;
# `v` may have another one, $D_v$.

# %% [markdown] tags=["notebook"]
# ## Projections
#
# There are none here: `q`, `k` and `v` are used as they come. Queries and keys say where to look, the values
# what is found there, and no sequence of a batch sees another.
#
# {scores}
#
# {masks}
# Here 1 or True means masked, in any dtype.
#
# {weights}
# The weights returned are the ones that made the output.
#
# {fully_masked_row}
#
# {gradients}

# %% [markdown] tags=["hints"]
# ## Hints
#
# <details><summary>Hint 1: where to begin</summary>
#
# Four steps: score, scale, hide, average. Write the shape of each result beside it before you write the code.
# </details>
# <details data-tiers="weight sums, parity"><summary>Hint 2: one row by hand</summary>
#
# A score sums over the features, the last axis of `q` and of `k`, and is divided by the root of their number.
# The softmax runs over the keys, the last axis of the scores: each row sums to 1.
# </details>
# <details data-tiers="shapes"><summary>Hint 3: any number of leading axes</summary>
#
# Count axes from the end: `-1` is the feature axis and `-2` the sequence axis, whatever stands before them.
# </details>
# <details data-tiers="padding, causal"><summary>Hint 4: the mask</summary>
#
# A key that is masked before the softmax leaves its share to the others. One masked after it does not.
# Which number has an exponential of exactly zero? Which dtype does `masked_fill` ask for?
# </details>
# <details data-tiers="nan safety"><summary>Hint 5: a fully masked row</summary>
#
# Its row of scores is empty, so the softmax divides zero by zero. The result has to be repaired in a way
# that the backward pass goes through too.
# </details>
# <details data-tiers="gradients"><summary>Hint 6: a gradient that ends</summary>
#
# {hint_gradients}
# </details>

# %% [markdown] tags=["solution"]
# ## Solution, step by step
#
# 1. **Score.** **Purpose:** say how well each query matches each key. **Theory:** the dot product
#    $q \cdot k$ grows with the agreement of two vectors; one matrix product makes all $L \times S$ of them.
# 2. **Scale.** **Purpose:** keep the softmax out of its flat ends, where gradients vanish. **Theory:** for
#    components of variance 1 the dot product has variance $D$, so dividing by $\sqrt{D}$ brings it back to 1.
# 3. **Hide.** **Purpose:** make hidden keys invisible. **Theory:** $e^{-\infty} = 0$, so the softmax shares
#    all the weight among the keys that are left.
# 4. **Weigh.** **Purpose:** turn scores into weights. **Theory:** the softmax is positive and sums to 1.
#    A row of nothing but $-\infty$ gives NaN; `masked_fill` with zero repairs it, and its backward pass
#    replaces the NaN of the softmax's gradient by zero as well.
# 5. **Average.** **Purpose:** collect what the queries asked for. **Theory:** each output is a convex
#    combination of the values.

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
    # BEGIN SOLUTION
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (..., L, S)
    if mask is None:
        attention_weights = torch.softmax(scores, dim=-1)
    else:
        hidden = mask.to(torch.bool)
        scores = scores.masked_fill(hidden, -math.inf)
        attention_weights = torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)
    return attention_weights @ v, attention_weights
    # END SOLUTION


# %% [markdown] tags=["notebook"]
# ## Examples
#
# Encoder self-attention: a batch of 2, 20 tokens of size 512 in 8 heads of 64, which are split already.

# %% tags=["notebook", "active-ipynb"]
# x = torch.rand(2, 8, 20, 64)
# output, weights = scaled_dot_product_attention(x, x, x)
# print("output", tuple(output.shape), "weights", tuple(weights.shape))

# %% [markdown] tags=["notebook"]
# Decoder cross-attention: 20 queries look at 30 keys.

# %% tags=["notebook", "active-ipynb"]
# decoder, encoder = torch.rand(2, 8, 20, 64), torch.rand(2, 8, 30, 64)
# output, weights = scaled_dot_product_attention(decoder, encoder, encoder)
# print("output", tuple(output.shape), "weights", tuple(weights.shape))

# %% [markdown] tags=["notebook"]
# Causal self-attention over 10 tokens: what lies above the diagonal is masked.

# %% tags=["notebook", "active-ipynb"]
# tokens = torch.randn(1, 10, 8)
# later = torch.ones(10, 10, dtype=torch.bool).triu(diagonal=1)  # True = masked
# _, causal_weights = scaled_dot_product_attention(tokens, tokens, tokens, mask=later)
# print("largest weight of a later token:", causal_weights[0][later].max().item())

# %% [markdown] tags=["notebook"]
# Side by side with `nn.MultiheadAttention`: with one head and identity matrices as weights, it computes this
# same function.

# %% tags=["notebook", "active-ipynb"]
# reference = torch.nn.MultiheadAttention(E, 1, bias=False, batch_first=True)
# with torch.no_grad():
#     reference.in_proj_weight.copy_(torch.eye(E).repeat(3, 1))
#     reference.out_proj.weight.copy_(torch.eye(E))
# ours, _ = scaled_dot_product_attention(query, key, value)
# theirs, _ = reference(query, key, value)
# print("largest difference:", (ours - theirs).abs().max().item())

# %% [markdown] tags=["notebook"]
# {picture}
# These are the causal weights of the 10 tokens above.

# %% tags=["notebook", "active-ipynb"]
# %show_weights causal_weights[0]
