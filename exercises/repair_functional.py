# Repair the code below: it runs, and is wrong.
# Grade it:     make grade KATA=repair_functional
# Begin again:  make reset KATA=repair_functional
#
# Axes: N (or B) batch, L (or T) query length, S key length, E embedding size, H heads, D = E / H head size.

# %% [markdown]
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
# - A fully masked row (a query that may see no key) gives finite outputs, weights and gradients; zero weights
#   are one right way.
# - `torch.nn.functional.scaled_dot_product_attention` and `torch.nn.MultiheadAttention` may not be used.
#   The assertions may use them; your function may not.
#
# | mask value | meaning |
# |---|---|
# | 1 or True | masked: this query may not see this key |
# | 0 or False | this query sees this key |
#
# The mask is bool, integer or float, of shape `(L, S)`, `(N, L, S)` (one per sequence, the same for all its
# heads) or broadcastable to `(N, H, L, S)`.

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
    if d_model % num_heads != 0:
        raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
    d_head = d_model // num_heads
    q_proj = nn.Linear(d_model, d_model, bias=False).to(q)
    k_proj = nn.Linear(d_model, d_model, bias=False).to(q)
    v_proj = nn.Linear(d_model, d_model, bias=False).to(q)
    out_proj = nn.Linear(d_model, d_model, bias=False).to(q)

    def split(x: Tensor) -> Tensor:
        return x.view(x.shape[0], x.shape[1], num_heads, d_head).transpose(1, 2)

    queries = split(q_proj(q))
    keys = split(k_proj(k))
    values = split(v_proj(v))
    scores = torch.matmul(queries, keys.transpose(-2, -1)) / math.sqrt(d_head)
    if mask is not None:
        masked = mask == 0
        scores = scores.masked_fill(masked, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(masked, 0.0)  # a fully masked row gets zeros, not NaN
    context = torch.matmul(weights, values).transpose(1, 2).reshape(q.shape[0], q.shape[1], d_model)
    return out_proj(context)


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
