# Write your code where NotImplementedError is raised, in place of that line.
# Grade it:     make grade KATA=write_fp16_stability_test
# Begin again:  make reset KATA=write_fp16_stability_test
#
# Axes: N (or B) batch, L (or T) query length, S key length, E embedding size, H heads, D = E / H head size.

# %% [markdown]
# # A test that finds attention that breaks in half precision
#
# float16 ends at 65504 and keeps 3 digits; bfloat16 goes as far as float32 and keeps 2. An attention that is
# right in float32 may overflow there, lose the digits that tell keys apart, or add thousands of weights to a
# sum that does not grow any more. Write the test that holds an attention to its formula in both.
#
# - `attention(q, k, v, mask=None) -> (output, weights)` is a function on `[B, H, L, D]`, `[B, H, S, D]`,
#   `[B, H, S, D]` and a mask that broadcasts to `[B, H, L, S]`. Output and weights come back in the dtype of
#   `q`. Any float dtype may be asked; a call takes up to 8192 keys and 262144 scores, `B * H * L * S`, and
#   raises `ValueError` above. No gradient comes back.
# - Expected is the formula in float64, on inputs that are rounded to the dtype already. The error is the mean
#   of the differences, as a share of the mean size of what is expected; `eps` is `torch.finfo(dtype).eps`.
# - A stable attention has, in float16 and in bfloat16, for all finite queries and keys, large ones too, and
#   for values of about 1, an error below 4 eps and rows of weights that sum to 1 within 4 eps. Rounding its
#   weights, cutting digits off or adding up in parts does not make it unstable.
# - An unstable one has, in one of the two dtypes, with inputs that bring it out, NaN or infinities, or an
#   error or a sum that is off by 16 eps or more. Or it raises, whatever error it likes: that is refused as
#   well.
# - What may be wrong: scores that pass 65504 before they are scaled, large scores without digits, what is
#   subtracted before the powers, numbers filled in for hidden scores, hidden keys that take digits from the
#   others, sums over more than 4096 keys, rows of weights, the output's last digits. A query that may see no
#   key is not asked.
# - Default dtype and grad mode are left as they were, also where it is refused. Seeding is free.
#
# | mask value | meaning |
# |---|---|
# | 0 or False | masked: this query may not see this key |
# | 1 or True | attend: this query sees this key |

# %%
import torch


def check_fp16_stability(attention) -> None:
    """Refuse an attention that is not stable in float16 and bfloat16.

    Micikevicius et al. 2018; Vaswani et al. 2017, section 3.2.1. Expected is the formula in float64, on
    inputs that are rounded to the dtype. The error is the mean of the differences as a share of the mean
    size of what is expected. Stable is an error below 4 eps of the dtype, with rows of weights that sum to
    1 within 4 eps; unstable is four times as much, what is not finite, or an attention that raises. A query
    that may see no key is not asked.

    Args:
        attention: `attention(q, k, v, mask=None) -> (output, weights)` on `[B, H, L, D]`, `[B, H, S, D]`,
            `[B, H, S, D]` and a mask that broadcasts to `[B, H, L, S]`, in which 0 means masked and 1
            attend. It returns the output `[B, H, L, D]` and the weights `[B, H, L, S]` in the dtype of `q`.
            A call takes up to 8192 keys and 262144 scores, `B * H * L * S`.

    Returns:
        None, where the attention is stable.

    Raises:
        AssertionError: It is not, or it raised.
    """
    raise NotImplementedError("check_fp16_stability is not written yet")
