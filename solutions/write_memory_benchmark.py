# %% [markdown] tags=["statement"]
# # A benchmark that tells linear memory from quadratic
#
# Explicit weights take L x L numbers, and at some length they are all that fits. Attention in blocks and
# PyTorch's fused operators never hold them as a whole. Write the two functions that show the difference:
# one measures what an attention takes at its peak, the other one says how fast that grows.
#
# - `attention(q, k, v)` is a function that returns the output. Call it with `q`, `k` and `v` of
#   `[B, H, L, D]` = `[1, 1, L, 64]` in float32, on the CPU; their values are free.
# - A row is `(length, peak bytes)`: the most bytes that were alive at once of what the call made. The
#   output counts; inputs, and what other lengths left alive, do not. The bytes are exact.
# - No gradient is recorded while the attention runs, whatever the mode in which you are called: an
#   attention may have parameters.
# - `lengths` is a list or a tuple, in any order, with repeats. There is one row for each length, ascending.
# - What the attention raises is passed on as it is.
# - The exponent of growth is the `p` of the power law `bytes = c * length ** p` by least squares on
#   logarithms. Rows come in any order; there are at least two lengths, and no bytes are 0.
# - Default dtype, grad mode and torch's other settings are left as they were, also where something is
#   raised. Seeding is free.
#
# `Meter` is given. An attention is judged by what it takes, so any operator may be used in it.
#
# | mask value | meaning |
# |---|---|
# | none | the attentions that are measured are given no mask |

# %% [markdown] tags=["notebook"]
# $$\mathrm{output} = \mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{D}}\right) V
# \qquad \log \mathrm{bytes} = \log c + p \log L$$
#
# Vaswani et al., *Attention Is All You Need*, 2017, section 3.2.1; Rabe and Staats, *Self-attention Does Not Need
# $O(n^2)$ Memory*, 2021, computes the same output with far less than the $L \times L$ weights.

# %% [markdown] tags=["notebook"]
# ## What is inside
#
# Scores, scaled scores and weights are each $L \times L$, and not all alive at once: a tensor is freed when nobody
# refers to it any more. What counts is the largest sum over any moment of the call. Inputs are there whatever the
# attention does, the output is made by it.
#
# ## Gradients
#
# With gradients, each operator keeps what its backward needs until backward has run. Then blocks cost as much as
# explicit weights, unless they are computed anew in backward, as FlashAttention does (Dao et al. 2022).
#
# ## One length at a time
#
# A meter that goes on from length to length remembers the largest peak, and whatever is still alive. A row has to say
# what its own length takes, wherever it stands in the list.
#
# ## The same sizes
#
# Bytes grow with batch, heads, head size and dtype too. Two benchmarks agree only where all of these are the same.
#
# ## A line on logarithmic axes
#
# A power law is a line there, its slope is the power, and a factor only shifts it. Least squares takes all rows into
# account: with $x = \log L$ and $y = \log \mathrm{bytes}$,
# $$p = \frac{\sum_i (x_i - \bar x)(y_i - \bar y)}{\sum_i (x_i - \bar x)^2}.$$

# %% [markdown] tags=["hints"]
# ## Hints
#
# <details><summary>Hint 1: where to begin</summary>
#
# One length: make the inputs, enter a meter, call, leave it, read. Then think of what may go from one length
# to the next.
# </details>
# <details data-tiers="peak bytes"><summary>Hint 2: one row for each length</summary>
#
# A set has each number once, and knows no order.
# </details>
# <details data-tiers="peak bytes, linear or quadratic, leaves no trace"><summary>Hint 3: settings of a call</summary>
#
# A `with` statement takes several context managers, and leaves each of them where something is raised.
# </details>
# <details data-tiers="growth, linear or quadratic"><summary>Hint 4: the slope</summary>
#
# Shift both logarithms so that their means are 0: then the line goes through the origin, and the slope is a
# ratio of two sums.
# </details>

# %% [markdown] tags=["solution"]
# ## Solution, step by step
#
# 1. **Order the lengths.** **Purpose:** one row for each, as a plot or a table wants them. **Theory:** a set drops
#    repeats, sorting gives the order.
# 2. **Make the inputs outside.** **Purpose:** count what the attention takes and no more. **Theory:** a storage
#    counts where it is made while the meter looks; inputs are there in any case.
# 3. **Switch gradients off.** **Purpose:** free what the forward pass does not need any more. **Theory:** a graph
#    holds what backward needs, for explicit weights and blocks alike all L x L numbers.
# 4. **Take a new meter.** **Purpose:** measure each length by itself. **Theory:** a peak is a maximum since the
#    meter began, and never falls.
# 5. **Fit a line to the logarithms.** **Purpose:** one number that says how it grows. **Theory:** log(c L^p) is
#    log c + p log L; with the mean of x taken off, the slope is x . y / x . x.

# %%
# {grader/checks/meter.py}

# %%
from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def attention_memory(
    attention: Callable[[Tensor, Tensor, Tensor], Tensor], lengths: Sequence[int]
) -> list[tuple[int, int]]:
    """Measure what an attention takes at its peak, without gradients (Rabe and Staats 2021).

    Args:
        attention: A function of q, k and v that returns the output, each `[1, 1, L, 64]` in float32.
        lengths: The L to measure at, in any order, maybe with repeats.

    Returns:
        For each distinct length, ascending, the length and the most bytes that were alive at once of what
        the call made. Its output counts, its inputs do not.

    Raises:
        Exception: Whatever the attention raises.
    """
    # BEGIN SOLUTION
    rows = []
    for length in sorted(set(lengths)):
        q, k, v = torch.randn(3, 1, 1, length, 64)
        with torch.no_grad(), Meter() as meter:
            attention(q, k, v)
        rows.append((length, meter.peak_bytes))
    return rows
    # END SOLUTION


def growth_exponent(rows: list[tuple[int, int]]) -> float:
    """Fit a power of the length to the bytes: `bytes = c * length ** p`.

    Explicit weights have p near 2 (Rabe and Staats 2021), attention in blocks near 1.

    Args:
        rows: Pairs (length, bytes) of at least two lengths, in any order.

    Returns:
        The p of least squares on logarithms.
    """
    # BEGIN SOLUTION
    x, y = torch.tensor(rows, dtype=torch.float64).log().T
    x = x - x.mean()
    return float(x @ y / (x @ x))
    # END SOLUTION


# %% [markdown] tags=["notebook"]
# {examples}
# Where L is smaller than D, as here, most of the peak is the output.

# %% tags=["notebook", "active-ipynb"]
# from torch import nn
# from torch.nn import functional as F
#
#
# def explicit(q, k, v):
#     return torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1) @ v
#
#
# def in_blocks(q, k, v, rows=64):
#     output = torch.empty_like(q)
#     for i in range(0, q.shape[-2], rows):
#         output[..., i : i + rows, :] = explicit(q[..., i : i + rows, :], k, v)
#     return output
#
#
# x = torch.rand(2, 8, 20, 64)
# with Meter() as meter:
#     output = explicit(x, x, x)
# print("output", tuple(output.shape), "peak bytes", meter.peak_bytes)

# %% [markdown] tags=["notebook"]
# Side by side with `nn.MultiheadAttention`, whose projections change nothing here.

# %% tags=["notebook", "active-ipynb"]
# theirs = nn.MultiheadAttention(E, 1, bias=False, batch_first=True)
# with torch.no_grad():
#     theirs.in_proj_weight.copy_(torch.eye(E).repeat(3, 1))
#     theirs.out_proj.weight.copy_(torch.eye(E))
# expected, _ = theirs(query, key, value)
# print("largest difference:", (in_blocks(query, key, value, rows=3) - expected).abs().max().item())

# %% [markdown] tags=["notebook"]
# ## Growth as a picture
#
# Both axes are logarithmic, so a power of the length is a line, and its slope is the power. Where do blocks and fused
# attention part from explicit weights, and what would a factor before the power change?

# %% tags=["notebook", "active-ipynb"]
# import matplotlib.pyplot as plt
#
# attentions = {"explicit weights": explicit, "in blocks of 64": in_blocks, "SDPA": F.scaled_dot_product_attention}
# for name, attention in attentions.items():
#     rows = attention_memory(attention, [128, 256, 512, 1024, 2048, 4096])
#     plt.loglog(*zip(*rows), marker="o", label=f"{name}: exponent {growth_exponent(rows):.2f}")
# plt.xlabel("length L")
# plt.ylabel("peak bytes")
# plt.legend()
# plt.show()

# %% [markdown] tags=["notebook"]
# With gradients, blocks lose what they won: the graph keeps the weights of each until backward.

# %% tags=["notebook", "active-ipynb"]
# for name, attention in attentions.items():
#     q, k, v = (torch.randn(1, 1, 1024, 64, requires_grad=True) for _ in range(3))
#     with Meter() as meter:
#         output = attention(q, k, v)
#     (_, peak), = attention_memory(attention, [1024])
#     print(f"{name}: {peak} bytes without gradients, {meter.peak_bytes} with")

# %% [markdown] tags=["notebook"]
# {picture}
# Explicit weights hold the whole square at once, blocks a few rows of it, and linear attention no row at all.

# %% tags=["notebook", "active-ipynb"]
# six = 3 * torch.randn(6, 64)
# %show_weights torch.softmax(six @ six.T / 8, -1)
