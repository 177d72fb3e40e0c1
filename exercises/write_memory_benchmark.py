# Write your code where NotImplementedError is raised, in place of that line.
# Grade it:     make grade KATA=write_memory_benchmark
# Begin again:  make reset KATA=write_memory_benchmark
#
# Axes: N (or B) batch, L (or T) query length, S key length, E embedding size, H heads, D = E / H head size.

# %% [markdown]
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

# %%
import weakref
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Meter(TorchDispatchMode):
    """Counts the bytes of tensors made inside it: `with Meter() as meter: ...`, then `meter.peak_bytes`.

    It begins at 0, and sees every operator of PyTorch. A storage counts from the operator that makes it until
    it is freed, and once, however many tensors look into it. What was there before never counts.

    Attributes:
        peak_bytes: The most bytes that were alive at once.
        alive_bytes: Those that are alive now.
    """

    def __init__(self) -> None:
        super().__init__()
        self.peak_bytes = self.alive_bytes = 0
        self._known: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Runs an operator: storages that are in its answer and were in none before are new."""
        for storage in _storages((args, kwargs)):
            self._meet(storage, 0)
        made = func(*args, **(kwargs or {}))
        for storage in _storages(made):
            self._meet(storage, storage.nbytes())
        return made

    def _meet(self, storage: torch.UntypedStorage, size: int) -> None:
        if storage._cdata not in self._known:
            self._known.add(storage._cdata)
            self.alive_bytes += size
            self.peak_bytes = max(self.peak_bytes, self.alive_bytes)
            weakref.finalize(storage, self._free, storage._cdata, size)

    def _free(self, place: int, size: int) -> None:
        self._known.remove(place)
        self.alive_bytes -= size

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # otherwise the first use imports torch's compiler, which takes long and is not needed


def _storages(value: Any) -> list[torch.UntypedStorage]:
    if isinstance(value, torch.Tensor):
        return [value.untyped_storage()]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [storage for part in parts for storage in _storages(part)]


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
    raise NotImplementedError("attention_memory is not written yet")


def growth_exponent(rows: list[tuple[int, int]]) -> float:
    """Fit a power of the length to the bytes: `bytes = c * length ** p`.

    Explicit weights have p near 2 (Rabe and Staats 2021), attention in blocks near 1.

    Args:
        rows: Pairs (length, bytes) of at least two lengths, in any order.

    Returns:
        The p of least squares on logarithms.
    """
    raise NotImplementedError("growth_exponent is not written yet")
