"""Mistakes in the causal mask that a helper of the contract makes."""

import torch
from torch import Tensor

from grader.oracle.mistake import Mistake


def _triangle(queries: int, keys: int | None, diagonal: int) -> Tensor:
    """bool (T, S), True = may see: query t sees the keys 0 to t + diagonal."""
    return torch.arange(queries if keys is None else keys) <= torch.arange(queries)[:, None] + diagonal


CAUSAL_HELPER = (
    Mistake(
        "causal_mask_without_diagonal",
        "the causal mask lets query t see the keys before t alone, not key t",
        {"causal": lambda queries, keys=None: _triangle(queries, keys, -1)},
        why="A token may see itself: without it the first query sees nothing at all.",
    ),
    Mistake(
        "causal_mask_one_key_more",
        "the causal mask lets query t see key t + 1 too",
        {"causal": lambda queries, keys=None: _triangle(queries, keys, 1)},
        why="The key after the query is what training is to predict: seen, it is copied.",
    ),
    Mistake(
        "causal_mask_lower_right",
        "the causal mask is aligned at the lower right: the last query sees the last key, whatever their numbers",
        {"causal": lambda queries, keys=None: _triangle(queries, keys, 0 if keys is None else keys - queries)},
        why="The contract's triangle starts in the upper left corner: query t sees the keys 0 to t, and no other.",
    ),
)
"""Where the contract has a helper for it."""
