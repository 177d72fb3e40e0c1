# %% [markdown] tags=["statement"]
# # Repair a colleague's multi-head attention
#
# A colleague wrote multi-head attention as one function and compared it with PyTorch's layer. The function
# runs; the assertions below it fail. Find what is wrong, and repair it until all three hold. The function
# keeps its signature, and what is right already may stay as it is.
#
# - Batch first: `q` is `(N, L, E)`, `k` and `v` are `(N, S, E)`. No biases.
# - After the same `torch.manual_seed` the weights are those of `nn.MultiheadAttention(d_model, num_heads,
#   bias=False, batch_first=True)`. Its constructor draws **first** the output projection `(E, E)` by
#   `nn.init.kaiming_uniform_(w, a=math.sqrt(5))`, **then** queries, keys and values stacked, `(3 * E, E)` in
#   this order, by `nn.init.xavier_uniform_(w)`.
# - Weights are drawn on the CPU, in the default dtype or that of `q`, and then converted to those of `q`.
# - Heads that do not divide the embedding size raise `ValueError` (or `AssertionError`).
# {fully_masked_rows}
# {forbidden}
#   The assertions may use them; your function may not.
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
# Two programs that draw other weights cannot be compared by their outputs, however right both are.
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
# With the first assertion: it has no mask. Print both outputs. Are they near to each other, or of another
# size altogether? Each assertion that holds rules something out for the next one.
# </details>
# <details data-tiers="fault 1: draws, parity"><summary>Hint 2: the weights</summary>
#
# Which numbers does `nn.MultiheadAttention` draw, in which order, and from which ranges?
# `reference.out_proj.weight` and `reference.in_proj_weight` can be printed. An `nn.Linear` draws on its own
# when it is made, and `xavier_uniform_` looks at the shape of what it fills.
# </details>
# <details data-tiers="fault 2: mask, padding, causal"><summary>Hint 3: what a value of the mask means</summary>
#
# Hide one key from every query. Which columns of the weights should be zero, and which are?
# </details>
# <details data-tiers="fault 3: heads, padding, causal"><summary>Hint 4: the shape of the mask</summary>
#
# The scores are `(N, H, L, S)`. Broadcasting lines axes up from the right: what is the `N` of an `(N, L, S)`
# mask lined up with? With as many sequences as heads nothing raises.
# </details>

# %% [markdown] tags=["solution"]
# ## Solution, step by step
#
# 1. **Draw.** **Purpose:** the same weights as PyTorch's layer, so that outputs can be compared. **Theory:**
#    its constructor makes `out_proj` first, and `nn.Linear` fills itself by Kaiming's rule (bound
#    $1/\sqrt{E}$ for $a = \sqrt 5$); then the stacked input projections are filled by Glorot's (bound
#    $\sqrt{6 / (E + 3E)}$). Four layers of one's own draw other numbers, in another order.
# 2. **Read the mask.** **Purpose:** hide what the contract hides. **Theory:** conventions differ from source
#    to source, and no shape tells them apart: 1 means masked here, and attend elsewhere.
# 3. **Give it the heads' axis.** **Purpose:** one mask for all heads of a sequence. **Theory:** a mask
#    `(N, L, S)` meets scores `(N, H, L, S)` from the right, so its sequences would meet the heads; an axis of
#    size 1 in front of `L` is broadcast over the heads instead.
# 4. **Compare in steps.** **Purpose:** one fault at a time. **Theory:** without a mask only the weights and
#    the formula count; with `(L, S)` the mask's values come in; with `(N, L, S)` its axes.

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
    d_head = d_model // num_heads
    out_weight = nn.init.kaiming_uniform_(torch.empty(d_model, d_model, device="cpu"), a=math.sqrt(5)).to(q)
    in_weight = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model, device="cpu")).to(q)
    q_weight, k_weight, v_weight = in_weight.chunk(3)

    def split(x: Tensor) -> Tensor:
        return x.view(x.shape[0], x.shape[1], num_heads, d_head).transpose(1, 2)

    queries = split(F.linear(q, q_weight))
    keys = split(F.linear(k, k_weight))
    values = split(F.linear(v, v_weight))
    scores = torch.matmul(queries, keys.transpose(-2, -1)) / math.sqrt(d_head)
    if mask is not None:
        masked = mask != 0
        if masked.dim() == 3:
            masked = masked.unsqueeze(1)  # one mask for all heads of a sequence
        scores = scores.masked_fill(masked, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(masked, 0.0)  # a fully masked row gets zeros, not NaN
    context = torch.matmul(weights, values).transpose(1, 2).reshape(q.shape[0], q.shape[1], d_model)
    return F.linear(context, out_weight)
    # IN THE STUB
    # if d_model % num_heads != 0:
    #     raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
    # d_head = d_model // num_heads
    # q_proj = nn.Linear(d_model, d_model, bias=False).to(q)
    # k_proj = nn.Linear(d_model, d_model, bias=False).to(q)
    # v_proj = nn.Linear(d_model, d_model, bias=False).to(q)
    # out_proj = nn.Linear(d_model, d_model, bias=False).to(q)
    #
    # def split(x: Tensor) -> Tensor:
    #     return x.view(x.shape[0], x.shape[1], num_heads, d_head).transpose(1, 2)
    #
    # queries = split(q_proj(q))
    # keys = split(k_proj(k))
    # values = split(v_proj(v))
    # scores = torch.matmul(queries, keys.transpose(-2, -1)) / math.sqrt(d_head)
    # if mask is not None:
    #     masked = mask == 0
    #     scores = scores.masked_fill(masked, float("-inf"))
    # weights = torch.softmax(scores, dim=-1)
    # if mask is not None:
    #     weights = weights.masked_fill(masked, 0.0)  # a fully masked row gets zeros, not NaN
    # context = torch.matmul(weights, values).transpose(1, 2).reshape(q.shape[0], q.shape[1], d_model)
    # return out_proj(context)
    # END SOLUTION


# %%
# Example: an error in it is shown in one line in a notebook. It says how the function has to answer.
torch.manual_seed(1)
q, k, v = torch.rand(3, 4, 8), torch.rand(3, 5, 8), torch.rand(3, 5, 8)
masked = torch.rand(3, 4, 5) < 0.4  # True = masked; (N, L, S)
masked[..., 0] = False

torch.manual_seed(2)
reference = nn.MultiheadAttention(8, 2, bias=False, batch_first=True)

DIFFERENT = "the output is not that of nn.MultiheadAttention"

torch.manual_seed(2)
output, (expected, _) = multi_head_attention(q, k, v, 2, 8), reference(q, k, v)
assert torch.allclose(output, expected, atol=1e-6), f"without a mask {DIFFERENT}"

torch.manual_seed(2)
output = multi_head_attention(q, k, v, 2, 8, masked[0])
expected, _ = reference(q, k, v, attn_mask=masked[0])
assert torch.allclose(output, expected, atol=1e-6), f"under a mask (L, S) {DIFFERENT}"

torch.manual_seed(2)
output = multi_head_attention(q, k, v, 2, 8, masked)
expected, _ = reference(q, k, v, attn_mask=masked.repeat_interleave(2, dim=0))  # PyTorch takes (N * H, L, S)
assert torch.allclose(output, expected, atol=1e-6), f"under a mask (N, L, S) {DIFFERENT}"

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
# The same seed, side by side with `nn.MultiheadAttention`: the largest difference without a mask, and under
# one.

# %% tags=["notebook", "active-ipynb"]
# torch.manual_seed(42)
# reference = nn.MultiheadAttention(E, H, bias=False, batch_first=True)
# last_key = (torch.arange(S) == S - 1).expand(L, S)  # True = masked
# for mask in (None, last_key):
#     torch.manual_seed(42)
#     ours = multi_head_attention(query, key, value, num_heads=H, d_model=E, mask=mask)
#     theirs, _ = reference(query, key, value, attn_mask=mask)
#     print("largest difference:", (ours - theirs).abs().max().item())

# %% [markdown] tags=["notebook"]
# {picture}
# The function returns no weights, but they can be read off. Choose values that are one-hot in each head once
# the projection of the values has been applied, and undo the output projection: what is left of a head's
# output is its row of weights. There is one panel for each head; the last key is masked.

# %% tags=["notebook", "active-ipynb"]
# v_weight, out_weight = reference.in_proj_weight[2 * E :].detach(), reference.out_proj.weight.detach()
# one_hot = torch.eye(S, E // H).repeat(1, H)
# values = torch.linalg.solve(v_weight, one_hot.mT).mT.expand(N, S, E)
# torch.manual_seed(42)
# output = multi_head_attention(5 * query, 5 * key, values, num_heads=H, d_model=E, mask=last_key)
# heads = torch.linalg.solve(out_weight, output.mT).mT
# weights = heads.reshape(N, L, H, E // H)[..., :S].movedim(2, 1)
# %show_weights weights[0]
