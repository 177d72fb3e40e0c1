# Write your code where NotImplementedError is raised, in place of that line.
# Grade it:     make grade KATA=write_head_permutation_test
# Begin again:  make reset KATA=write_head_permutation_test
#
# Axes: N (or B) batch, L (or T) query length, S key length, E embedding size, H heads, D = E / H head size.

# %% [markdown]
# # A test that finds attention whose heads are not interchangeable
#
# Which number a head has is a matter of storage: whoever permutes the heads, with all the weights that belong
# to them, has the same layer. Write the test that holds an attention module to that. It asks for no right
# values: an attention that is causal without being asked, or that scales its scores otherwise, passes as long
# as it treats its heads alike.
#
# - `attention` is an `nn.Module` with `d_model`, `num_heads` (1 to 8) and four layers `W_Q`, `W_K`, `W_V`,
#   `W_O`, each `nn.Linear(d_model, d_model)` with a bias that is not zero, in float32, and `forward(query,
#   key, value, mask=None, return_attention=True) -> (output, weights)`. It computes the same in train and
#   in eval mode.
# - Head `h` owns the features `h * D` to `(h + 1) * D - 1`: rows of `W_Q`, `W_K`, `W_V`, in weight and
#   bias, and columns of the weight of `W_O`.
# - Permuted heads leave the output as it was, and the weights returned change places as the heads do. What
#   is wrong in a module shows in its output: permuted heads change that by 1 % of its largest value or
#   more, at least in one order of heads and with inputs of normal numbers. What is right differs by
#   rounding.
# - A flaw may be anywhere: between two heads that nobody exchanged, in one sequence of a batch, in a bias.
#   Eight heads have 40320 orders, and there is no time to try them all: each check has 10 s.
# - The module may be copied, cast, called by `torch.func.functional_call`, and given other parameters or a
#   state dict. Its `forward` reads the weights and biases of its layers and calls none of them; no gradient
#   comes back from it.
# - It is left as it was found, parameters and mode, and so are default dtype and grad mode, also where it
#   is refused. Seeding is free.
#
# | mask value | meaning |
# |---|---|
# | 0 or False | masked: this query may not see this key |
# | 1 or True | attend: this query sees this key |

# %%
import torch
from torch import nn


def check_head_permutation(attention: nn.Module) -> None:
    """Refuse an attention module that is not equivariant to a permutation of its heads.

    Vaswani et al. 2017, section 3.2.2. Permuting heads means blocks of D = d_model / num_heads rows of `W_Q`,
    `W_K`, `W_V`, in weight and bias, and blocks of columns of `W_O`. The output must stay as it was but for
    rounding. The module is left as it was found.

    Args:
        attention: Has `d_model`, `num_heads`, the layers `W_Q`, `W_K`, `W_V`, `W_O`, each
            `nn.Linear(d_model, d_model)` in float32, and
            `forward(query, key, value, mask=None, return_attention=True)` on `[B, L, E]`, `[B, S, E]`,
            `[B, S, E]` and a mask `[B, 1, L, S]` or `[B, 1, 1, S]`, in which 0 means masked and 1 attend. It
            returns the output `[B, L, E]` and the weights `[B, H, L, S]`.

    Returns:
        None, where the heads are treated alike.

    Raises:
        AssertionError: They are not.
    """
    raise NotImplementedError("check_head_permutation is not written yet")
