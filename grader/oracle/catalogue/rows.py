"""Mistakes with fully masked rows, and with what is left of a row where a mask hides some keys."""

import torch
from torch import Tensor

from grader.oracle import pipeline
from grader.oracle.mistake import Mistake, followed_by
from grader.oracle.pipeline import Context, hidden
from grader.oracle.sections import BY_STEP


def _one_clears_all(scores: Tensor, c: Context) -> Tensor:
    weights = torch.softmax(scores, dim=-1)
    return torch.zeros_like(weights) if weights.isnan().any() else weights


def _one_spreads(scores: Tensor, c: Context) -> Tensor:
    weights = torch.softmax(scores, dim=-1)
    return weights + 0 * weights.sum()


def _one_hidden_key_clears(scores: Tensor, c: Context) -> Tensor:
    weights = pipeline.softmax(scores, c)
    return weights.masked_fill(hidden(weights, c).expand_as(weights).any(dim=-1, keepdim=True), 0.0)


_ALONE_WHY = "A fully masked row concerns no other: its neighbours' answers must stay as they were."
FULLY_MASKED_ROW = (
    Mistake(
        "fully_masked_row_clears_all",
        "where one row is fully masked, the weights of all queries became 0",
        {"softmax": _one_clears_all},
        why=_ALONE_WHY,
    ),
    Mistake(
        "fully_masked_row_spreads",
        "where one row is fully masked, the weights of all queries became NaN",
        {"softmax": _one_spreads},
        why=_ALONE_WHY,
    ),
    Mistake(
        "partly_masked_row_cleared",
        "where one key of a query was hidden, all its weights became 0",
        {"softmax": _one_hidden_key_clears},
        why="Only a query that may see no key has no weights: any other shares its own among the keys that it may see.",
    ),
)


def _all_hidden(scores: Tensor, c: Context) -> Tensor:
    """Hides every key by -inf in every style: adding a number to all scores would change no weight."""
    return torch.full_like(scores, -torch.inf) if hidden(scores, c).dim() else scores


MASK_HIDES_ALL = Mistake(
    "mask_hides_all",
    "the mask hid every key, those that it shows too",
    {"mask": _all_hidden},
    why="A query that sees no key answers nothing: what the mask shows must keep its score.",
)


def _one_row_hides_queries_too(scores: Tensor, c: Context) -> Tensor:
    masked, hides = pipeline.mask(scores, c), hidden(scores, c)
    if hides.dim() < 2 or hides.shape[-2] != 1 or scores.shape[-2] != scores.shape[-1]:
        return masked
    return pipeline.hide(masked, hides.mT, c)


ONE_ROW_HIDES_QUERIES_TOO = Mistake(
    "one_row_hides_queries_too",
    "a mask with one row for all queries hid the rows of queries, too, where they are as many as the keys",
    {"mask": _one_row_hides_queries_too},
    why="Which query is padding is the caller's to know: its row must not lose the keys that it may see.",
)
"""A mistake for contracts in which one argument carries all masks."""


def _masked_then_divided(scores: Tensor, c: Context) -> Tensor:
    left = torch.softmax(scores, dim=-1).masked_fill(hidden(scores, c), 0.0)
    return (left / left.sum(-1, keepdim=True)).nan_to_num(0.0)


MASKED_THEN_DIVIDED = Mistake(
    "masked_then_divided",
    "the weights were masked after the softmax and divided by what was left: beside a large hidden score nothing is",
    {"mask": lambda scores, c: scores, "softmax": _masked_then_divided},
    why="A hidden key with a far larger score takes all the weight first: what the others keep is 0.",
)


def plain_softmax(scores: Tensor, c: Context) -> Tensor:
    """The softmax over the keys, NaN where a row is all -inf."""
    return torch.softmax(scores, dim=-1)


def _additive_mask(scores: Tensor, c: Context) -> Tensor:
    return scores + torch.zeros_like(scores).masked_fill(hidden(scores, c), -torch.inf)


NAN_ROWS = (
    Mistake(
        "nan_rows",
        "the weights of a fully masked row are NaN, as a softmax of -inf alone is, and were left so",
        {"softmax": plain_softmax},
        why="Such a row is 0 / 0, and a NaN spreads: through the next layer and the loss it reaches every weight.",
    ),
    Mistake(
        "nan_gradients",
        "the NaN of a row that is all -inf was replaced after the softmax: its gradient is NaN still",
        {"mask": _additive_mask, "softmax": lambda scores, c: torch.softmax(scores, dim=-1).nan_to_num(0.0)},
        why="The backward pass multiplies the replaced NaN by 0, which is NaN: one such row spoils all gradients.",
    ),
)

_NAN_SHOWN = "Whoever uses or averages the returned weights gets the NaN that the output no longer shows."
NAN_WEIGHTS = tuple(
    Mistake(
        name,
        f"the NaN of a row that is all -inf was replaced in the {where}, and not in the weights",
        {"softmax": plain_softmax},
        around={step: followed_by(lambda output: output.nan_to_num(0.0))},
        why=_NAN_SHOWN,
        own_section=BY_STEP["softmax"],
    )
    for name, where, step in (
        ("nan_weights", "output", "drop_output"),
        ("nan_weights_of_the_sum", "weighted sum of the values", "weighted_sum"),
    )
)
"""Mistakes for contracts that return the weights."""
