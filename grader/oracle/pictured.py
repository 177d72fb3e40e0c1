"""Which wrong call of an attention is drawn, and what of it: the weights of each head where they are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from grader.checks.attention import AttentionCall
from grader.checks.attention_kata import AttentionKata
from grader.checks.kata import JudgedCall, Panels
from grader.oracle.wrong_call import WrongCall

MOST_VALUES = 1024
"""The most values of one sequence, all heads together: nobody reads a larger picture."""
MOST_TRIED = 12
"""The most calls that are tried, the smallest first."""


def panels(kata: AttentionKata, wrong: Sequence[JudgedCall]) -> Panels | None:
    """The smallest call in which weights are seen to be wrong, else outputs; None: all are too large.

    Args:
        kata: whose checks made the calls.
        wrong: calls whose values are wrong.
    """
    drawable = (each for each in wrong if not each.call.is_dropping and _values(each.call) <= MOST_VALUES)
    small = sorted(drawable, key=lambda each: _order(each.call))[:MOST_TRIED]
    wrong_calls = [WrongCall(kata, each.call, each.walk.values) for each in small if each.walk is not None]
    ways: tuple[Callable[[WrongCall], Panels | None], ...] = (_returned, _in_use, _of_heads, _of_output)
    return next((drawn for way in ways for each in wrong_calls if (drawn := way(each)) is not None), None)


def _values(call: AttentionCall) -> int:
    features = call.case.query.shape[-1]
    return call.size.num_heads * call.case.query.shape[-2] * max(call.case.keys.shape[-2], features)


def _order(call: AttentionCall) -> tuple[bool, bool, int]:
    """The key to sort calls by: those with a single query, key or head come last, as they show little; then by size."""
    sizes = call.case.query.shape[-2], call.case.keys.shape[-2], call.size.num_heads
    return 1 in sizes[:2], sizes[2] == 1, _values(call)


def _returned(wrong_call: WrongCall) -> Panels | None:
    """Panels of the weights that the call returned, where these are wrong."""
    got = wrong_call.call.answer.weights
    if wrong_call.returned_is_right is not False or got is None or got.shape != wrong_call.right["give"].shape:
        return None
    right, hidden, *lead = wrong_call.right["give"], wrong_call.hidden, *got.shape[:-2]
    has_heads = wrong_call.kata.per_head and len(lead) > 1
    hidden = hidden if has_heads or not wrong_call.kata.has_heads else hidden.all(dim=1)
    titles = _heads(lead[-1]) if has_heads else ("mean over the heads" if wrong_call.kata.has_heads else "weights",)
    return _drawn(wrong_call, "weights returned", ("query", "key"), titles, got, right, hidden.reshape(right.shape))


def _in_use(wrong_call: WrongCall) -> Panels | None:
    """Panels of the weights by which the output is mixed from the right values, where they are proven and wrong."""
    if not wrong_call.is_readable or wrong_call.output_is_right or (got := wrong_call.weights) is None:
        return None
    right = wrong_call.right_weights
    if bool(((got - right).abs() <= 1e-3).all()):
        return None
    what = "weights in use, read off the output"
    return _drawn(wrong_call, what, ("query", "key"), _heads(right.shape[-3]), got, right, wrong_call.hidden)


def _of_heads(wrong_call: WrongCall) -> Panels | None:
    """What each head gives, where the output projection can be undone."""
    if (
        not wrong_call.kata.has_heads
        or not wrong_call.is_readable
        or wrong_call.output_is_right
        or wrong_call.merged is None
    ):
        return None
    got, right = (
        wrong_call.kata.key.oracle.split(each, wrong_call.context)
        for each in (wrong_call.merged, wrong_call.right["merge"])
    )
    what = "output of each head, before the output projection"
    return _drawn(wrong_call, what, ("query", "feature"), _heads(right.shape[1]), got, right)


def _of_output(wrong_call: WrongCall) -> Panels | None:
    got, right = wrong_call.call.answer.output, wrong_call.right["output"]
    if got.shape != right.shape or wrong_call.output_is_right:
        return None
    return _drawn(wrong_call, "output", ("query", "feature"), ("output",), got, right)


def _heads(number: int) -> tuple[str, ...]:
    return tuple(f"head {head}" for head in range(number))


def _drawn(
    wrong_call: WrongCall,
    what: str,
    axes: tuple[str, str],
    titles: tuple[str, ...],
    got: Tensor,
    right: Tensor,
    hidden: Tensor | None = None,
) -> Panels:
    """The panels of the sequence of the batch that is furthest off.

    Args:
        wrong_call: the call.
        what: what the panels show.
        axes: of a panel.
        titles: of the panels.
        got: the submission's values; the last axes are panels, rows and columns.
        right: the right values, of the same shape.
        hidden: where a mask hides the cell, of the same shape; None: no cell is hidden.
    """
    shape = (-1, len(titles), *right.shape[-2:])
    got, right = got.detach().double().reshape(shape), right.detach().double().reshape(shape)
    off = (got - right).abs().nan_to_num(nan=torch.inf, posinf=torch.inf).flatten(1).amax(dim=1)
    worst = int(off.argmax())
    case, size = wrong_call.call.case, wrong_call.call.size
    sizes = {"N": len(right), "L": case.query.shape[-2], "S": case.keys.shape[-2], "E": size.embed_dim}
    sizes |= {"H": size.num_heads} if wrong_call.kata.has_heads else {}
    said = ", ".join(f"{name}={number}" for name, number in sizes.items())
    said += f"; sequence {worst} of the batch" if len(right) > 1 else ""
    cells = hidden.reshape(shape)[worst] if hidden is not None and wrong_call.call.is_masked else None
    return Panels(what, said, axes, titles, got[worst], right[worst], cells, wrong_call.call)
