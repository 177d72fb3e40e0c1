# %% [markdown] tags=["statement"]
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
# {fully_masked_rows}
# {forbidden}
#
# {mask_1_is_masked}
#
# The mask is bool, integer or float, of shape `(L, S)`, `(N, L, S)` (one per sequence, the same for all its
# heads) or broadcastable to `(N, H, L, S)`.

# %% [markdown] tags=["notebook"]
# $$\mathrm{head}_h = \mathrm{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{D}}\right) V_h
# \qquad \mathrm{output} = \mathrm{Concat}(\mathrm{head}_1, \dots, \mathrm{head}_H)\, W_o^\top$$
#
# where $Q_h$, $K_h$, $V_h$ are head $h$'s slices, of size $D = E / H$, of $q W_q^\top$, $k W_k^\top$ and
# $v W_v^\top$. Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.2.

# %% [markdown] tags=["notebook"]
# {projections}
# The three input projections are the three parts of the stacked draw, in its order.
#
# {heads}
#
# {scores}
#
# {masks}
# Here 1 or True means masked, in any dtype; every head of a sequence has the same mask.
#
# {weights}
#
# {fully_masked_row}
#
# {gradients}

# %% [markdown] tags=["hints"]
# ## Hints
#
# <details><summary>Hint 1: where to begin</summary>
#
# Write it with weights of any kind first, and look at shapes; then make the draws match.
# </details>
# <details data-tiers="weight sums, parity"><summary>Hint 2: one head by hand</summary>
#
# {hint_one_head}
# </details>
# <details data-tiers="parity"><summary>Hint 3: the draws</summary>
#
# Two draws, not four: `xavier_uniform_` looks at the shape of what it fills, so three squares get another
# bound than one stacked matrix. An `nn.Linear` draws on its own when it is made, and each draw moves the
# generator.
# </details>
# <details data-tiers="padding, causal"><summary>Hint 4: the mask</summary>
#
# The scores have four axes. Broadcasting lines axes up from the right: what would the `N` of an `(N, L, S)`
# mask be lined up with?
# </details>
# <details data-tiers="nan safety"><summary>Hint 5: a fully masked row</summary>
#
# Filling the scores is better than adding to them: `masked_fill` also stops the gradient of what it replaced.
# </details>
# <details data-tiers="gradients"><summary>Hint 6: a gradient that ends</summary>
#
# {hint_gradients}
# </details>

# %% [markdown] tags=["solution"]
# ## Solution, step by step
#
# 1. **Draw.** **Purpose:** the same weights as PyTorch's layer. **Theory:** its constructor makes `out_proj`
#    first, and `nn.Linear` fills itself by Kaiming's rule (bound $1/\sqrt{E}$ for $a = \sqrt 5$); then the
#    stacked input projections are filled by Glorot's (bound $\sqrt{6 / (E + 3E)}$).
# 2. **Project and split.** **Purpose:** each head gets its own view of the tokens. **Theory:** $E = H \cdot
#    D$; the head axis moves in front of the sequence, so one batched matrix product serves all heads.
# 3. **Score.** **Purpose:** say how well queries match keys. **Theory:** dot products over one head's $D$
#    features have variance $D$, hence the division by $\sqrt{D}$.
# 4. **Hide.** **Purpose:** no weight for masked keys. **Theory:** $e^{-\infty} = 0$. A mask for each sequence
#    needs an axis of size 1 where the scores have the heads. Zeros filled in after the softmax repair fully
#    masked rows, forward and backward.
# 5. **Average, merge, mix.** **Purpose:** one vector for each query. **Theory:** weighted means of the
#    values, the heads side by side again, and a linear map that lets them speak to each other.

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
    # BEGIN SOLUTION
    if d_model % num_heads != 0:
        raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
    heads = (num_heads, d_model // num_heads)
    w_o = nn.init.kaiming_uniform_(torch.empty(d_model, d_model, device="cpu"), a=math.sqrt(5)).to(q)
    w_in = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model, device="cpu")).to(q)
    w_q, w_k, w_v = w_in.chunk(3)  # (E, E) each

    queries = F.linear(q, w_q).unflatten(-1, heads).transpose(1, 2)  # (N, H, L, D)
    keys = F.linear(k, w_k).unflatten(-1, heads).transpose(1, 2)  # (N, H, S, D)
    values = F.linear(v, w_v).unflatten(-1, heads).transpose(1, 2)

    scores = queries @ keys.transpose(-2, -1) / math.sqrt(heads[1])  # (N, H, L, S)
    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        hidden = mask.to(torch.bool)
        hidden = hidden.unsqueeze(1) if hidden.dim() == 3 else hidden  # (N, 1, L, S)
        scores = scores.masked_fill(hidden, -math.inf)
        weights = torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)

    merged = (weights @ values).transpose(1, 2).flatten(2)  # (N, L, E)
    return F.linear(merged, w_o)
    # END SOLUTION


# %% [markdown] tags=["notebook"]
# {examples}

# %% tags=["notebook", "active-ipynb"]
# x = torch.rand(2, 20, 512)
# print("output", tuple(multi_head_attention(x, x, x, num_heads=8, d_model=512).shape))

# %% [markdown] tags=["notebook"]
# Decoder cross-attention: 20 queries look at 30 keys.

# %% tags=["notebook", "active-ipynb"]
# memory = torch.rand(2, 30, 512)
# print("output", tuple(multi_head_attention(x, memory, memory, num_heads=8, d_model=512).shape))

# %% [markdown] tags=["notebook"]
# Causal self-attention over 10 tokens: the first five outputs do not change when the last five tokens do.

# %% tags=["notebook", "active-ipynb"]
# later = torch.ones(10, 10, dtype=torch.bool).triu(diagonal=1)  # True = masked
# tokens = torch.rand(1, 10, 64)
# changed = torch.cat([tokens[:, :5], torch.rand(1, 5, 64)], dim=1)
# torch.manual_seed(42)
# before = multi_head_attention(tokens, tokens, tokens, num_heads=8, d_model=64, mask=later)
# torch.manual_seed(42)
# after = multi_head_attention(changed, changed, changed, num_heads=8, d_model=64, mask=later)
# print("largest change of the first five outputs:", (before - after)[:, :5].abs().max().item())

# %% [markdown] tags=["notebook"]
# Side by side with `nn.MultiheadAttention`: the same seed draws the same weights.

# %% tags=["notebook", "active-ipynb"]
# torch.manual_seed(42)
# ours = multi_head_attention(query, key, value, num_heads=H, d_model=E)
# torch.manual_seed(42)
# reference = nn.MultiheadAttention(E, H, bias=False, batch_first=True)
# theirs, _ = reference(query, key, value)
# print("largest difference:", (ours - theirs).abs().max().item())

# %% [markdown] tags=["notebook"]
# {picture}
# The function returns no weights, but they can be read off. Choose values that are one-hot in each head once
# `w_v` has been applied, and undo `w_o` at the end: what is left of a head's output is its row of weights.
# There is one panel for each head; the last key is masked.

# %% tags=["notebook", "active-ipynb"]
# w_v, w_o = reference.in_proj_weight[2 * E :].detach(), reference.out_proj.weight.detach()
# one_hot = torch.eye(S, E // H).repeat(1, H)
# values = torch.linalg.solve(w_v, one_hot.mT).mT.expand(N, S, E)
# last_key = (torch.arange(S) == S - 1).expand(L, S)  # True = masked
# torch.manual_seed(42)
# output = multi_head_attention(5 * query, 5 * key, values, num_heads=H, d_model=E, mask=last_key)
# heads = torch.linalg.solve(w_o, output.mT).mT
# weights = heads.reshape(N, L, H, E // H)[..., :S].movedim(2, 1)
# %show_weights weights[0]
