"""What calls of an attention differ in, for a report to say in which of them a submission is wrong."""

import re
from collections.abc import Callable, Iterator, Sequence
from math import isqrt

import torch
from torch import Tensor

from grader.checks.attention import AttentionCall
from grader.checks.attention_kata import AttentionKata
from grader.checks.case import Case
from grader.checks.draw import causal
from grader.checks.kata import Circumstance
from grader.oracle.pipeline import HelperContext

SHAPE = re.compile(r"[(\[][^)\]]*[)\]]")
"""The shape of a mask, in the text of its format."""


def _is_causal(case: Case) -> bool:
    queries, keys = case.query.shape[-2], case.keys.shape[-2]
    return case.allow is not None and bool((case.allow == causal(queries, keys)).all())


def _pads_on_the_left(case: Case) -> bool:
    return case.keep is not None and not bool(case.keep[..., 0].all())


def _has_attention_mask(case: Case) -> bool:
    return case.allow is not None or case.bias is not None


def _has_mask(case: Case) -> bool:
    return _has_attention_mask(case) or case.keep is not None


def _has_other_than_causal_mask(case: Case) -> bool:
    return _has_attention_mask(case) and not _is_causal(case)


def _power_of_two(number: int) -> bool:
    return number & (number - 1) == 0


CIRCUMSTANCES = (
    Circumstance(lambda call: call.case.key is not None, "of cross-attention", "of self-attention"),
    Circumstance(lambda call: call.case.query.shape[-2] != call.case.keys.shape[-2], "with S != L", "with S = L"),
    Circumstance(
        lambda call: call.case.key is not None and call.case.value is None,
        "with one tensor as keys and values",
        "without one tensor as keys and values",
    ),
    Circumstance(lambda call: _has_mask(call.case), "with a mask", "without a mask"),
    Circumstance(lambda call: _has_attention_mask(call.case), "with an attention mask", "without an attention mask"),
    Circumstance(lambda call: call.case.keep is not None, "with padding", "without padding"),
    Circumstance(lambda call: _pads_on_the_left(call.case), "with padding on the left", "without padding on the left"),
    Circumstance(lambda call: _is_causal(call.case), "with a causal mask", "without a causal mask"),
    Circumstance(
        lambda call: call.case.keep is not None or _has_other_than_causal_mask(call.case),
        "with a mask that is not causal",
        "",
    ),
    Circumstance(
        lambda call: _has_other_than_causal_mask(call.case),
        "with an attention mask that is not causal",
        "",
    ),
    Circumstance(lambda call: call.case.is_causal, "with is_causal", "without is_causal"),
    Circumstance(lambda call: call.case.has_float_mask, "with a float mask", "without a float mask"),
    Circumstance(
        lambda call: _has_attention_mask(call.case) and not call.case.has_float_mask,
        "with an attention mask that is no float mask",
        "",
    ),
    Circumstance(lambda call: call.case.positions is not None, "with positions", "without positions"),
    Circumstance(lambda call: call.case.manner.training, "in train mode", "in eval mode"),
    Circumstance(
        lambda call: call.case.manner.training and call.size.dropout > 0, "in which dropout drops", "without dropout"
    ),
    Circumstance(lambda call: call.size.bias, "of a layer with bias", "of a layer without bias"),
    Circumstance(lambda call: call.size.dtype == torch.float64, "in float64", "in another dtype than float64"),
    Circumstance(lambda call: call.size.dtype == torch.float32, "in float32", "in another dtype than float32"),
    Circumstance(lambda call: call.case.manner.strided, "with non-contiguous inputs", "with contiguous inputs"),
    Circumstance(
        lambda call: isqrt(call.size.head_dim) ** 2 == call.size.head_dim,
        "in which D = E / H is a square",
        "in which D = E / H is no square",
    ),
    Circumstance(
        lambda call: _power_of_two(call.size.num_heads), "in which H is a power of two", "in which H is no power of two"
    ),
)
"""The simpler before the more special."""

_THAT_WANT_WEIGHTS = Circumstance(lambda call: call.case.need_weights, "that want the weights", "that want no weights")


def of_contract(kata: AttentionKata) -> tuple[Circumstance, ...]:
    """Circumstances of every attention, and the caller's choices: whether weights are wanted, a mask's dtype and axes.

    Args:
        kata: its contract.
    """
    of_weights = (_THAT_WANT_WEIGHTS,) if kata.switch else ()
    axes = dict.fromkeys(each.axes for each in kata.formats)
    return (*CIRCUMSTANCES, *of_weights, *_of_dtypes(kata), *(_of_axes(kata, each) for each in axes if len(axes) > 1))


def _given_mask(kata: AttentionKata, call: AttentionCall) -> Tensor | None:
    """The mask as the submission is given it; where there are two, the attention mask."""
    case = call.case
    if isinstance(call, HelperContext) or not _has_mask(case):
        return None
    made = kata.call(case, call.size)
    others = {id(tensor) for tensor in (*case.streams().values(), case.positions)}
    others |= {id(case.keep)} if kata.has_padding_mask else set()
    given = (value for value in (*made.args, *made.kwargs.values()) if isinstance(value, Tensor))
    return next((value for value in given if id(value) not in others), None)


INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


def _of_dtypes(kata: AttentionKata) -> tuple[Circumstance, ...]:
    """The circumstances that the mask is given as bools, or as numbers that hide as bools do."""
    if len({each.dtype for each in kata.formats} - {None}) < 2:
        return ()

    def dtype(call: AttentionCall) -> torch.dtype | None:
        mask = _given_mask(kata, call)
        return None if mask is None else mask.dtype

    return (
        Circumstance(lambda call: dtype(call) == torch.bool, "with a mask of bools", ""),
        Circumstance(lambda call: dtype(call) in INTEGERS, "with a mask of integers", ""),
        Circumstance(lambda call: dtype(call) not in (None, torch.bool), "with a mask of numbers", ""),
    )


def _of_axes(kata: AttentionKata, axes: str) -> Circumstance:
    """The circumstance that the mask is given with these axes."""
    of_axes = (each for each in kata.formats if each.axes == axes)
    mask_format, shape = next((each, match[0]) for each in of_axes if (match := SHAPE.search(each.text)))

    def holds(call: AttentionCall) -> bool:
        if isinstance(call, HelperContext):  # which is given no inputs
            handed = call.case.bias if call.case.allow is None else call.case.allow
            return handed is not None and handed.dim() == len(axes)
        mask, query = _given_mask(kata, call), call.case.query
        sequences = query.shape[0] if query.dim() == 3 else 1
        wanted = mask_format.shape(sequences, query.shape[-2], call.case.keys.shape[-2])
        return mask is not None and mask.shape == wanted

    return Circumstance(holds, f"with a mask {shape}", "")


HISTORIES = (
    Circumstance(lambda call: not call.is_first, "after the first of an object", "that are the first of an object"),
)
"""The circumstances of what came before a call."""

OF_A_HELPER = Circumstance(lambda call: isinstance(call, HelperContext), "of the helper on its own", "")
"""Holds for the step that a helper of the contract takes by itself, and for no call of an attention."""

SIZES: tuple[tuple[str, Callable[[AttentionCall], int]], ...] = (
    ("N", lambda call: call.case.query.shape[0] if call.case.query.dim() == 3 else 1),
    ("H", lambda call: call.size.num_heads),
    ("S", lambda call: call.case.keys.shape[-2]),
    ("L", lambda call: call.case.query.shape[-2]),
    ("D", lambda call: call.size.head_dim),
    ("E", lambda call: call.size.embed_dim),
)
"""Each size, by its letter in the axes' legend, with the function that reads it off a call."""

FEWEST_RIGHT = 10
"""The fewest right calls for a size to count: among fewer, some size is always the smallest, whatever the cause."""


def of_sizes(wrong: Sequence[AttentionCall], right: Sequence[AttentionCall]) -> Iterator[Circumstance]:
    """The circumstances that a size is larger or smaller than in all right calls, or other than the one size of these.

    Args:
        wrong: the wrong calls, at least one.
        right: the right calls; fewer than `FEWEST_RIGHT` give nothing.
    """
    if len(right) < FEWEST_RIGHT:
        return
    for name, size in SIZES:
        low, high = min(map(size, right)), max(map(size, right))
        if min(map(size, wrong)) > high:
            yield Circumstance(lambda call, size=size, high=high: size(call) > high, f"with {name} > {high}", "")
        elif max(map(size, wrong)) < low:
            below = 2 if max(map(size, wrong)) == 1 else low
            words = f"with {name} = 1" if below == 2 else f"with {name} < {below}"
            yield Circumstance(lambda call, size=size, below=below: size(call) < below, words, "")
        elif low == high:
            yield Circumstance(lambda call, size=size, low=low: size(call) != low, f"with {name} other than {low}", "")
